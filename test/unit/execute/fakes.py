# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A fake arm that moves at once, and a motion planner that always finds a way.

They stand at a true edge, a physical arm, and let each test provoke one failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import limits
from replan_agent.domain.config import MotionConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CommandResult, RobotState
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.contract import Toolkit
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasping.grasps import ShapeGrasps
from replan_agent.motion.motion_protocols import IKOutcome, MotionOutcome, MotionRequest, Postures

OK = CommandResult(True)
DOWN = Pose.from_rpy(0.3, 0.0, 0.5, roll=np.pi)


def thing(name='red_cube', x=0.5, y=0.0, z=0.02, size=(0.04, 0.04, 0.04), shape=Shape.BOX, yaw=0.0,
          movable=True) -> SceneObject:
    return SceneObject(name, shape, size, Pose.from_rpy(x, y, z, yaw=yaw), movable=movable)


TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                    movable=False)
BOWL = thing('bowl', 0.5, -0.25, 0.0275, (0.16, 0.16, 0.055), Shape.BOWL)


def scene(*objects: SceneObject, held: str | None = None, tcp: Pose = DOWN) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, tcp, 0.08, at_home=False)
    return Scene('s', 0.0, (TABLE, *objects), 'fake', arm, held)


class FakeRobot:
    """Remembers its commands. `grip_width` is where closing fingers stop."""

    limits = limits('panda')
    home = np.zeros(7)
    base_frame = 'panda_link0'
    max_gripper_width = 0.08

    def __init__(self) -> None:
        self.joints = np.zeros(7)
        self.width = 0.08
        self.grip_width = 0.04
        self.force = 0.0
        self.execute_answer = OK
        self.log: list[str] = []
        self.touches: list[int] = []  # the motions, by number, that end at a contact

    def state(self) -> RobotState:
        return RobotState(0.0, self.joints, np.zeros(7), self.width)

    def execute(self, trajectory: JointTrajectory, ctx: Context, guard=None) -> CommandResult:
        self.log.append('execute')
        self.joints = trajectory.end
        if self.log.count('execute') - 1 in self.touches:
            return CommandResult(False, Reason.IN_COLLISION, 'felt', contact=True)
        return self.execute_answer

    def move_gripper(self, width: float, ctx: Context) -> CommandResult:
        self.log.append('move_gripper')
        self.width = width
        return OK

    def grasp(self, force: float, ctx: Context) -> CommandResult:
        self.log.append('grasp')
        self.force = force
        self.width = self.grip_width
        return OK

    def stop(self) -> None:
        self.log.append('stop')


def far_report(target: Pose) -> IKReport:
    return IKReport(False, 400, 0.5, 0.0, 0.001, 0.01, target, 'panda_link0', (0.0,) * 7,
                    reachability=Reachability.PROVED_UNREACHABLE, out_of_reach_m=0.4,
                    proof='0.4 m too far')


class FakeMotion:
    """Reaches everything within `reach` (m, horizontally) of the base."""

    def __init__(self, reach: float = 0.85) -> None:
        self.reach = reach
        self.asked: list[Pose] = []  # targets of posture searches
        self.ways: list[MotionRequest] = []  # of motions that are not straight
        self.way_blocked: MotionOutcome | None = None  # instead of the first of them

    def forward(self, joints) -> Pose:
        return DOWN

    def _reaches(self, target: Pose) -> bool:
        return float(np.hypot(*target.position[:2])) <= self.reach

    def solve_ik(self, target, near) -> IKOutcome:
        if self._reaches(target):
            return IKOutcome(np.full(7, 0.1))
        return IKOutcome(None, far_report(target))

    def postures(self, target, near, request) -> Postures:
        self.asked.append(target)
        return Postures((np.full(7, 0.1),) if self._reaches(target) else ())

    def postures_of_each(self, targets, near) -> Iterator[Postures]:
        return (self.postures(target, near, request) for target, request in targets)

    def to_joints(self, start, goal, request, ctx) -> MotionOutcome:
        self.ways.append(request)
        blocked, self.way_blocked = self.way_blocked, None
        return blocked or self._joined(start, goal)

    def _joined(self, start, goal) -> MotionOutcome:
        points = np.array([start, goal])
        zero = np.zeros_like(points)
        times = np.array([0.0, 1.0])
        return MotionOutcome(JointTrajectory(FakeRobot.limits.names, times, points, zero, zero))

    def to_pose(self, start, target, request, ctx) -> MotionOutcome:
        return self.straight(start, target, request, ctx)

    def straight(self, start, target, request, ctx) -> MotionOutcome:
        if not self._reaches(target):
            report = far_report(target)
            return MotionOutcome(None, Reason.UNREACHABLE, report.sentence, report)
        return self._joined(start, np.full(7, 0.2))


class FakePerception:
    """Answers with one scene: the one after the skill."""

    name = 'fake'
    uses_model = False

    def __init__(self, after: Scene) -> None:
        self.after = after

    def observe(self, ctx) -> Scene:
        return self.after


class Bench:
    """Skills on a fake arm."""

    def __init__(self, after: Scene | None = None) -> None:
        self.robot, self.motion = FakeRobot(), FakeMotion()
        self.phases: list[str] = []
        self.kit = Toolkit(self.robot, self.motion, ShapeGrasps(PANDA.hand),
                           FakePerception(after or scene()), MotionConfig(), WorkspaceConfig(),
                           PANDA)
        self.executor = SkillExecutor(standard_skills(), self.kit)

    def do(self, step, before: Scene):
        return self.executor.execute(step, before, Context(), self.phases.append)


def lifted(item: SceneObject, dz: float = 0.12) -> SceneObject:
    return replace(item, pose=item.pose.moved(dz=dz))
