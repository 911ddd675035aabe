# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded simulation: `replan_agent.Simulation`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from replan_agent.agent.ports import Approver, Human, Perception
from replan_agent.domain.config import ROBOTS, Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.execute.contract import Skill
from replan_agent.motion.planner import JointPlanner
from replan_agent.record.picture import png
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World
from replan_agent.text.file_bytes import write_whole
from replan_agent.text.shown_text import shown

from .arm_agent import ArmAgent
from .build_perception import PerceptionWrapper
from .config_file import load_config
from .own_planner import AnyPlanner
from .plugins import installed_names
from .robot_cell import MujocoCell, RobotParts, build_cell
from .wiring import open_camera

PICTURE = (640, 480)
LARGEST_PX = 4096  # as of a camera in a scene file


class Picture:
    """A picture that a notebook shows. `rgb` is an array (height, width, 3 uint8)."""

    def __init__(self, rgb: FloatArray) -> None:
        self.rgb = rgb

    def _repr_png_(self) -> bytes:
        return png(self.rgb)

    def save(self, path: Path | str) -> None:
        """Write it as PNG. Raises NotWritten, an OSError."""
        write_whole(Path(path), png(self.rgb))


class Simulation(ArmAgent):
    """An agent in a simulated world: `Simulation('tabletop').run('pick up the red cube')`.

    `scene` is a name, a YAML file or a SceneSpec. Without `config` the settings are those of
    config/sim.yaml, which let it move. `robot` names another robot that an installed package
    offers; then `approver` is needed too. `wrap_perception` puts something between perception
    and memory, for example a camera that fails. The other arguments are those of `Agent`.
    """

    def __init__(self, scene: SceneSpec | Path | str = 'tabletop', *,
                 config: Config | Path | str | None = None, seed: int = 0,
                 robot: str | None = None, skills: Iterable[Skill] = (),
                 planner: str | AnyPlanner | None = None, max_replans: int | None = None,
                 perception: str | Perception | None = None,
                 approver: str | Approver | None = None, human: Human | None = None,
                 wrap_perception: PerceptionWrapper | None = None,
                 motion: JointPlanner | None = None) -> None:
        if config is None or isinstance(config, (str, Path)):
            config = load_config(Path(config) if config else None)
        if not isinstance(config, Config):
            raise ConfigError('config: must be a Config or the path of a YAML file, not '
                              f'{shown(config)}; for example replace(load_config(), '
                              "planner='stub')")
        if robot is not None:
            other = robot != config.robot_source and robot in installed_names(ROBOTS)
            if other and approver is None:  # that of the settings was not meant for this robot
                raise ConfigError(f'robot {robot!r} is not the one of these settings: say who '
                                  "approves its plans, for example approver='console'")
            config = replace(config, robot_source=robot)
        super().__init__(
            build_cell(RobotParts(config, scene, seed)), config=config, seed=seed, skills=skills,
            planner=planner, max_replans=max_replans, perception=perception, approver=approver,
            human=human, wrap_perception=wrap_perception, motion=motion)

    def __enter__(self) -> Simulation:
        return self

    @property
    def world(self) -> World:
        """The MuJoCo world. Raises ConfigError if another package provides the robot."""
        if not isinstance(self.cell, MujocoCell):
            raise ConfigError(f'robot {self.config.robot_source!r} has no MuJoCo world: videos '
                              'and other features of the embedded simulation need '
                              'robot_source: mujoco')
        return self.cell.world

    def image(self, width: int = PICTURE[0], height: int = PICTURE[1]) -> FloatArray:
        """What the camera sees now, as an array (height, width, 3 uint8).

        Another robot's camera gives pictures of its own size.
        """
        if not isinstance(self.cell, MujocoCell):
            with open_camera(self.cell) as camera:
                return camera.capture(Context()).rgb
        if not all(type(side) is int and 1 <= side <= LARGEST_PX for side in (width, height)):
            raise ValueError(f'a picture has 1 to {LARGEST_PX} pixels on each side, not '
                             f'{shown(width)} by {shown(height)}')
        pretty = MujocoCamera(self.world, pretty=True)
        try:
            return pretty.render_rgb(width, height)
        finally:
            pretty.close()

    def show(self, width: int = PICTURE[0], height: int = PICTURE[1]) -> Picture:
        """What the camera sees now, as a picture that a notebook shows."""
        return Picture(self.image(width, height))

    def _repr_png_(self) -> bytes:
        return self.show()._repr_png_()
