# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same failures, whoever has them: what each is diagnosed as, and who can have it.

The simulated side runs in test/sim/test_same_failures.py, that over ROS in the file of the same
name in test/ros.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replan_agent.arms import franka_numbers as franka
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.failure import Attempt, Severity
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed, find_spec
from replan_agent.execute.arm import command_result, planning_failed
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.motion_protocols import MotionOutcome, MotionPlanner, MotionRequest
from replan_agent.replan.diagnose.diagnosis import diagnose
from replan_agent.replan.diagnose.evidence import blockers

SKILLS = standard_skills().specs()
SIM_ROBOT, ROS_ROBOT = 'MujocoRobot', 'RosControlRobot'
OUR_PLANNER, MOVEIT = 'JointPlanner', 'MoveIt'
ROBOTS, PLANNERS = (SIM_ROBOT, ROS_ROBOT), (OUR_PLANNER, MOVEIT)


@dataclass(frozen=True)
class Failure:
    name: str
    cause: Cause
    severity: Severity
    sources: tuple[str, ...]
    blockers: tuple[str, ...] = ()
    of_a_pick: Cause | None = None  # the cause if the skill takes something; None: the same


FAILURES = (
    Failure('held up', Cause.HELD_UP, Severity.MEDIUM, ROBOTS),
    Failure('refused', Cause.TRAJECTORY_REFUSED, Severity.MEDIUM, ROBOTS),
    Failure('gripper blocked', Cause.GRIPPER_BLOCKED, Severity.MEDIUM, ROBOTS),
    Failure('contact', Cause.UNEXPECTED_CONTACT, Severity.MEDIUM, ROBOTS),
    Failure('stopped', Cause.STOPPED, Severity.CRITICAL, (*ROBOTS, MOVEIT)),
    Failure('error', Cause.CONTROLLER_ERROR, Severity.MEDIUM, (*ROBOTS, MOVEIT)),
    Failure('too long', Cause.TOOK_TOO_LONG, Severity.MEDIUM, (*ROBOTS, MOVEIT)),
    Failure('out of reach', Cause.BEYOND_REACH, Severity.HIGH, PLANNERS),
    Failure('start touches', Cause.APPROACH_BLOCKED, Severity.HIGH, PLANNERS, ('vase',)),
    Failure('goal touches', Cause.APPROACH_BLOCKED, Severity.HIGH, PLANNERS, ('vase',),
            of_a_pick=Cause.BOXED_IN),
    Failure('way blocked', Cause.APPROACH_BLOCKED, Severity.HIGH, PLANNERS, ('vase',)),
)


def failures_of(*sources: str) -> list[tuple[Failure, str]]:
    """Each failure with each of these sources that can have it."""
    return [(f, source) for f in FAILURES for source in f.sources if source in sources]


def name_of(value: object) -> str:
    """For the ids of parametrized tests."""
    return value.name if isinstance(value, Failure) else str(value)


def result_of(attempt: Callable[[], CommandResult | MotionOutcome]) -> SkillResult:
    """What a skill makes of it; of a deadline, what the loop does."""
    try:
        answer = attempt()
    except DeadlineExceeded as late:
        return failed(Reason.TIMEOUT, str(late), FailedStage.EXECUTION)
    return planning_failed(answer) if isinstance(answer, MotionOutcome) else command_result(answer)


def check(failure: Failure, result: SkillResult, scene: Scene) -> None:
    """The result is diagnosed as the table says, whatever its sentence is.

    The effect of the skill counts: once it moves the arm only, once it takes something.
    """
    assert not result.success and result.reason is not None and result.reason_detail
    for step, cause in ((Step(1, 'home'), failure.cause),
                        (Step(1, 'pick', {'object': 'cup'}), failure.of_a_pick or failure.cause)):
        attempt = Attempt(0, step.skill, step.args, result.reason.value, 'for people only',
                          ik=result.ik, evidence=result.evidence, failed_stage=result.stage,
                          cause=result.cause, blockers=result.blockers)
        case = FailureCase(attempt, scene, step, skill=find_spec(SKILLS, step.skill))
        found = diagnose(case)
        assert (found.cause, found.severity) == (cause, failure.severity), step.skill
        assert blockers(case) == failure.blockers


# Planning: a vase at the start, at the goal or between, and things with the names of the arm's.

HOME = np.array(franka.HOME)
BYSTANDERS = ('hand', 'panda_hand', 'gripper', 'panda_link5')


def down(x: float, y: float, z: float) -> Pose:
    return Pose.from_rpy(x, y, z, roll=math.pi, yaw=-math.pi / 2)


START, MIDDLE, END = (down(0.4, y, 0.4) for y in (-0.15, 0.0, 0.15))


def box(name: str, x: float, y: float, z: float, side: float = 0.1) -> SceneObject:
    return SceneObject(name, Shape.BOX, (side, side, side), Pose((x, y, z)))


def planning_scene(vase: Pose | None = None) -> Scene:
    aside = [box(name, -0.6, 0.3 * k, 0.05) for k, name in enumerate(BYSTANDERS)]
    objects = [*aside, box('vase', *vase.position)] if vase else aside
    arm = ArmSnapshot(tuple(HOME), MIDDLE, 0.06, at_home=True)
    return Scene('s', 0.0, tuple(objects), 'test', arm)


def scene_for(failure: Failure) -> Scene:
    return planning_scene({'start touches': START, 'goal touches': END,
                           'way blocked': MIDDLE}.get(failure.name))


def plan(failure: Failure, planner: MotionPlanner) -> MotionOutcome:
    """What the planner says in the scene of the failure."""
    request = MotionRequest(scene_for(failure))
    if failure.name == 'out of reach':
        return planner.to_pose(HOME, down(1.3, 0.0, 0.3), request, Context())
    start, goal = (_joints(planner, pose) for pose in (START, END))
    if failure.name in ('start touches', 'way blocked'):
        return planner.straight(start, END, request, Context())
    return planner.to_joints(start, goal, request, Context())


def _joints(planner: MotionPlanner, pose: Pose) -> FloatArray:
    joints = planner.solve_ik(pose, HOME).joints
    assert joints is not None
    return joints
