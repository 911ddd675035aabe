# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded MuJoCo world as a world of this benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from replan_agent_bench.outcome import SETTLE_S
from replan_agent_bench.suite import find
from replan_agent_bench.worlds.judges import Truth
from replan_agent_contact.cell import furnished
from replan_agent_contact.furniture import parse_furnished

from replan_agent import (
    Config,
    Context,
    PerceptionError,
    RobotCell,
    RobotParts,
    SceneObject,
    SceneSpec,
)
from replan_agent.app.build.robot_cell import MujocoCell, build_cell
from replan_agent.arms.arm_model import Kinematics
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.scene.scene_spec import CameraSpec
from replan_agent.robot.mujoco.world import World

from .case import Case
from .seen_phases import SeenPhases
from .servo import Servo
from .twins import TWINS

CAMERA = CameraSpec(look_at=(0.36, -0.08, 0.2), fovy=50.0)  # also sees what is out of reach
BELOW_M = 0.05  # what is that far below the table is on the floor, where no camera looks
BEHIND_M = -0.1  # x of what is behind the arm
NO_PICTURE = 'the camera gives no picture'


class TabletopStage:
    """A random table with its trouble."""

    def __init__(self, case: Case, solvable: bool, seed: int, config: Config,
                 picture: tuple[int, int] | None = None) -> None:
        self.case, self.solvable, self.causes = case, solvable, case.causes
        self.task = case.task
        cell = _cell(case, CAMERA if picture is None else replace(CAMERA, size=picture), seed,
                     config)
        self.troubles = SeenPhases(case.lasting, case.thing)
        self.world: World = cell.world
        self.cell: RobotCell = replace(
            self.troubles.attached(cell), true_objects=self._seen_objects,
            camera=lambda: DarkenedCamera(MujocoCamera(cell.world), self.troubles))
        self._servo = Servo(self.world)

    @property
    def kinematics(self) -> Kinematics:
        return self.world.arm.kinematics

    def now(self) -> float:
        return self.world.time

    def follow(self, joints: FloatArray, grip: float, seconds: float) -> None:
        self._servo.follow(joints, grip, seconds)

    def has_met(self) -> bool:
        return bool(self.troubles.log.happened) or not self.case.lasting

    def touched(self) -> tuple[str, ...]:
        own = {self.case.thing, 'table', *self.case.own}
        return tuple(sorted({touch.body for touch in self.troubles.log.touches} - own))

    def objection(self) -> str:
        self.world.step(round(SETTLE_S / self.world.timestep))
        return '; '.join(filter(None, (self.case.judge(Truth(self.world)),
                                       self.case.rule(self.troubles.log))))

    def _seen_objects(self) -> tuple[SceneObject, ...]:
        """The true poses of what a camera can see. It does not see that a thing is fixed."""
        if self.troubles.is_dark:
            raise PerceptionError(NO_PICTURE)
        ours = {o.name for o in self.case.objects}
        return tuple(replace(o, movable=o.movable or o.name in ours,
                             pose=self.troubles.told(o.pose))
                     for o in self.world.visible_objects()
                     if o.position[2] > -BELOW_M and o.position[0] > BEHIND_M)

    def close(self) -> None:
        self.cell.close()


def _cell(case: Case, camera: CameraSpec, seed: int, config: Config) -> MujocoCell:
    if case.furniture:
        scene, parts = parse_furnished(case.furniture, 'trouble')
        return furnished(config, replace(scene, camera=camera), parts, seed)[1]
    cell = build_cell(RobotParts(config, SceneSpec('trouble', objects=case.objects,
                                                   camera=camera), seed))
    assert isinstance(cell, MujocoCell)  # the world is judged
    return cell


@dataclass(frozen=True)
class DarkenedCamera:
    """A camera that may be off for a while."""

    camera: MujocoCamera
    troubles: SeenPhases

    def capture(self, ctx: Context) -> CameraFrame:
        if self.troubles.is_dark:
            raise CameraError(NO_PICTURE)
        return self.camera.capture(ctx)

    def close(self) -> None:
        self.camera.close()


class Tabletop:
    """Troubles on a random table."""

    troubles: Mapping[str, str] = {twins.name: twins.about for twins in TWINS}

    def twins(self, trouble: str) -> tuple[bool, ...]:
        return (True, False) if find(TWINS, trouble, 'trouble').both else (True,)

    def stage(self, trouble: str, seed: int, solvable: bool, config: Config,
              picture: tuple[int, int] | None = None) -> TabletopStage:
        case = find(TWINS, trouble, 'trouble').case(seed, solvable)
        return TabletopStage(case, solvable, seed, config, picture)


TABLETOP = Tabletop()
