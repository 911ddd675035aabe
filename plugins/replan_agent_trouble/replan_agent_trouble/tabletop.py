"""The embedded MuJoCo world as a world of this benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from replan_agent_bench.outcome import SETTLE_S
from replan_agent_bench.suite import find
from replan_agent_bench.worlds.judges import Truth

from replan_agent import Config, RobotCell, RobotParts, SceneObject, SceneSpec
from replan_agent.app.build.robot_cell import MujocoCell, build_cell
from replan_agent.arms.arm_model import Kinematics
from replan_agent.domain.pose import FloatArray
from replan_agent.robot.mujoco.scene.scene_spec import CameraSpec
from replan_agent.robot.mujoco.world import World

from .seen_phases import SeenPhases
from .servo import Servo
from .twins import TWINS, Case

BELOW_M = 0.05  # what is that far below the table is on the floor, where no camera looks
BEHIND_M = -0.1  # x of what is behind the arm


class TabletopStage:
    """A random table with its trouble."""

    def __init__(self, case: Case, solvable: bool, seed: int, config: Config,
                 picture: tuple[int, int] | None = None) -> None:
        self.case, self.solvable, self.causes = case, solvable, case.causes
        self.task = case.task
        camera = CameraSpec() if picture is None else CameraSpec(size=picture)
        cell = build_cell(RobotParts(config, SceneSpec(
            'trouble', objects=case.objects, camera=camera), seed))
        assert isinstance(cell, MujocoCell)  # the world is judged
        self.troubles = SeenPhases(case.lasting, case.target.name)
        self.world: World = cell.world
        self.cell: RobotCell = replace(self.troubles.attached(cell), true_objects=partial(
            seen_objects, self.world))
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
        own = {self.case.target.name, 'table', *self.case.own}
        return tuple(sorted({touch.body for touch in self.troubles.log.touches} - own))

    def objection(self) -> str:
        self.world.step(round(SETTLE_S / self.world.timestep))
        return self.case.judge(Truth(self.world))

    def close(self) -> None:
        self.cell.close()


def seen_objects(world: World) -> tuple[SceneObject, ...]:
    """The true poses of what a camera can see. It does not see that a thing is fixed."""
    return tuple(replace(o, movable=o.name != 'table')
                 for o in world.visible_objects()
                 if o.name == 'table' or o.position[2] > -BELOW_M and o.position[0] > BEHIND_M)


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
