# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The planner's outcomes: a trajectory, or a reason with its numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import HOME
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config, MotionConfig, RobotConfig
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import (
    CollisionChecker,
    Contact,
    MotionOutcome,
    MotionPlanner,
    MotionRequest,
    Postures,
)
from replan_agent.motion.planner import JointPlanner, joint_planner, planner_parts

ABOVE = Pose.from_rpy(0.5, 0.1, 0.25, math.pi, 0.0, 0.3)
FAR = Pose.from_rpy(1.2, 0.0, 0.02, math.pi, 0.0, 0.0)
REQUEST = MotionRequest(Scene('scene-1', 0.0, (), 'test'))
CTX = Context()


TOUCH = Contact('hand', 'wall', -0.004, ('wall',))


class Wall(CollisionChecker):
    """A collision checker: the hand touches the wall while joint 1 is within a range."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.request: MotionRequest | None = None

    def use(self, request: MotionRequest) -> None:
        self.request = request

    def first_contact(self, joints: FloatArray) -> Contact | None:
        assert self.request is not None
        touches = self.low <= joints[0] <= self.high
        meant = ('hand', 'wall') in self.request.allowed_contacts
        return TOUCH if touches and not meant else None

    def clearance(self, joints: FloatArray) -> float:
        return 0.1 if self.first_contact(joints) is None else -0.004


def planner_with(wall: Wall | None = None) -> JointPlanner:
    return joint_planner(Config(motion=MotionConfig(0.5, 0.5)), PANDA, wall)


def turned(angle: float) -> FloatArray:
    joints = HOME.copy()
    joints[0] = angle
    return joints


def test_the_planner_of_a_configuration_is_a_motion_planner_for_that_arm() -> None:
    planner: MotionPlanner = joint_planner(Config(robot=RobotConfig('fr3', 'fr3_link0')), PANDA)
    report = planner.solve_ik(FAR, HOME).report
    assert report is not None
    assert report.frame == 'fr3_link0'


def test_to_pose_ends_at_the_pose() -> None:
    planner = planner_with()
    outcome = planner.to_pose(HOME, ABOVE, REQUEST, CTX)
    assert outcome.trajectory is not None
    np.testing.assert_array_equal(outcome.trajectory.start, HOME)
    assert planner.forward(outcome.trajectory.end).distance_to(ABOVE) < 1e-6


def test_to_pose_out_of_reach_fails_with_the_sentence_of_its_report() -> None:
    outcome = planner_with().to_pose(HOME, FAR, REQUEST, CTX)
    assert outcome.trajectory is None
    assert outcome.reason is Reason.UNREACHABLE
    assert outcome.ik is not None
    assert outcome.detail == outcome.ik.sentence
    assert outcome.detail.startswith('IK did not converge in 400 iters (pos_err=0.')


def test_straight_ends_at_the_pose() -> None:
    planner = planner_with()
    joints = planner.solve_ik(ABOVE, HOME).joints
    assert joints is not None
    target = ABOVE.moved(dz=-0.1)
    outcome = planner.straight(joints, target, REQUEST, CTX)
    assert outcome.trajectory is not None
    assert planner.forward(outcome.trajectory.end).distance_to(target) < 1e-5


def test_straight_out_of_reach_says_how_far_it_gets() -> None:
    planner = planner_with()
    joints = planner.solve_ik(ABOVE, HOME).joints
    assert joints is not None
    outcome = planner.straight(joints, ABOVE.moved(dx=0.6), REQUEST, CTX)
    assert outcome.trajectory is None
    assert outcome.reason is Reason.UNREACHABLE
    assert outcome.ik is not None
    assert not outcome.ik.converged
    assert 'straight line stops at' in outcome.detail
    assert outcome.ik.sentence in outcome.detail


def test_postures_are_different_exact_ways_to_one_pose() -> None:
    planner = planner_with()
    found = planner.postures(ABOVE, HOME, REQUEST).joints
    assert len(found) > 1
    for k, joints in enumerate(found):
        assert planner.forward(joints).distance_to(ABOVE) < 1e-9
        assert all(np.abs(joints - other).max() > 0.3 for other in found[:k])


def test_a_pose_out_of_reach_has_no_posture_and_no_contact() -> None:
    found = planner_with().postures(FAR, HOME, REQUEST)
    assert found.joints == () and found.contact is None


def test_postures_that_touch_something_are_left_out() -> None:
    def in_the_wall(found: Postures) -> list[bool]:
        return [0.0 <= joints[0] <= 0.5 for joints in found.joints]

    assert any(in_the_wall(planner_with().postures(ABOVE, HOME, REQUEST)))
    walled = planner_with(Wall(0.0, 0.5)).postures(ABOVE, HOME, REQUEST)
    assert walled.joints and not any(in_the_wall(walled))


def test_when_every_posture_touches_something_it_is_named() -> None:
    found = planner_with(Wall(-3.0, 3.0)).postures(ABOVE, HOME, REQUEST)
    assert not found.joints and found.contact == TOUCH


def test_a_joint_goal_outside_the_limits_is_refused_with_the_joint() -> None:
    outcome = planner_with().to_joints(HOME, turned(3.2), REQUEST, CTX)
    assert outcome.reason is Reason.BAD_ARGUMENTS
    assert 'panda_joint1=3.2000' in outcome.detail


@pytest.mark.parametrize('joints', [np.full(7, np.nan), np.zeros(6)])
def test_joints_that_make_no_sense_are_refused(joints: FloatArray) -> None:
    outcome = planner_with().to_joints(HOME, joints, REQUEST, CTX)
    assert outcome.reason is Reason.BAD_ARGUMENTS
    assert '7 finite' in outcome.detail


def test_an_arm_a_little_outside_its_limits_can_move_back() -> None:
    start = HOME.copy()
    start[3] = -3.0718 - 0.005
    assert planner_with().to_joints(start, HOME, REQUEST, CTX).trajectory is not None


def test_an_obstacle_on_the_way_is_a_blocked_path_naming_what_touches() -> None:
    outcome = planner_with(Wall(0.4, 0.6)).to_joints(turned(0.0), turned(1.0), REQUEST, CTX)
    assert outcome.trajectory is None
    assert outcome.reason is Reason.PATH_BLOCKED
    assert 'in the way: hand and wall' in outcome.detail
    assert (outcome.cause, outcome.blockers) == (Cause.APPROACH_BLOCKED, ('wall',))


def test_an_obstacle_at_the_goal_is_a_collision_naming_what_touches() -> None:
    # Reported as the goal's, although the last samples before it touch as well.
    outcome = planner_with(Wall(0.95, 1.5)).to_joints(turned(0.0), turned(1.0), REQUEST, CTX)
    assert outcome.reason is Reason.IN_COLLISION
    assert 'goal' in outcome.detail and outcome.blockers == ('wall',)
    assert 'hand is 4.0 mm inside wall' in outcome.detail


def test_an_allowed_contact_does_not_stop_the_motion() -> None:
    request = MotionRequest(REQUEST.scene, allowed_contacts=(('hand', 'wall'),))
    outcome = planner_with(Wall(0.4, 0.6)).to_joints(turned(0.0), turned(1.0), request, CTX)
    assert outcome.trajectory is not None


def test_a_gap_that_is_just_wide_enough_is_used() -> None:
    """The search first keeps more distance than it must. Here that blocks every way."""
    class Narrow(Wall):
        def first_contact(self, joints: FloatArray) -> Contact | None:
            assert self.request is not None
            ahead = 0.4 <= joints[0] <= 0.6 and self.request.clearance_m > 0.0101
            return TOUCH if ahead else None

    hasty = MotionConfig(0.5, 0.5, allowed_planning_time=0.5)
    planner = joint_planner(Config(motion=hasty), PANDA, Narrow(0.4, 0.6))
    assert planner.to_joints(turned(0.0), turned(1.0), REQUEST, CTX).trajectory is not None


def test_a_cancelled_context_ends_planning() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        planner_with().to_pose(HOME, ABOVE, REQUEST, Context(token))


def test_trajectories_use_the_configured_share_of_the_limits() -> None:
    slow = joint_planner(Config(motion=MotionConfig(0.1, 0.1)), PANDA)
    fast = joint_planner(Config(motion=MotionConfig(1.0, 1.0)), PANDA)
    durations = []
    for planner in (slow, fast):
        trajectory = planner.to_joints(HOME, turned(1.0), REQUEST, CTX).trajectory
        assert trajectory is not None
        durations.append(trajectory.duration)
    assert durations[0] > 3 * durations[1]


def test_a_line_blocked_by_a_joint_limit_is_steered_around_it() -> None:
    # Close to the base, joint 4 meets its limit on the way down unless joint 7 gives way early.
    planner = planner_with()
    x, y = 0.328 * math.cos(0.68), 0.328 * math.sin(0.68)
    above = Pose.from_rpy(x, y, 0.12, math.pi, 0.0, -1.36)
    joints = planner.solve_ik(above, HOME).joints
    assert joints is not None
    target = above.moved(dz=-0.1)
    outcome = planner.straight(joints, target, REQUEST, CTX)
    assert outcome.trajectory is not None, outcome.detail
    assert planner.forward(outcome.trajectory.end).distance_to(target) < 1e-5
    inside = planner.kinematics.limits
    assert all(inside.contain(joints, 1e-6) for joints in outcome.trajectory.positions)


def test_postures_of_several_targets_are_those_of_each_one() -> None:
    planner = planner_with(Wall(0.0, 0.5))
    meant = replace(REQUEST, allowed_contacts=(('hand', 'wall'),))
    targets = [(ABOVE, REQUEST), (FAR, REQUEST), (ABOVE, meant), (ABOVE.moved(dy=-0.4), REQUEST)]
    for (target, request), found in zip(targets, planner.postures_of_each(targets, HOME),
                                        strict=True):
        alone = planner.postures(target, HOME, request)
        np.testing.assert_allclose(found.joints, alone.joints, atol=1e-9)
        assert found.contact == alone.contact


class OwnWay(JointPlanner):
    """A planner of somebody else: straight through, or to another goal."""

    goal: FloatArray | None = None

    def to_joints(self, start, goal, request, ctx):
        return MotionOutcome(self._timed([start, goal if self.goal is None else self.goal], 1.0))


class OwnPath(JointPlanner):
    """The same, where our planner asks for a path."""

    def _around(self, start, goal, request, ends_m, ctx):
        return MotionOutcome(self._timed([start, goal], 1.0))


@pytest.mark.parametrize('kind', [OwnWay, OwnPath])
def test_what_a_planner_of_somebody_else_finds_is_checked_before_the_arm_gets_it(kind) -> None:
    planner = kind(**planner_parts(Config(motion=MotionConfig(0.5, 0.5)), PANDA, Wall(0.3, 0.5)))
    assert planner.to_joints(turned(-0.2), turned(0.2), REQUEST, CTX).trajectory is not None
    through = planner.to_joints(turned(0.0), turned(0.8), REQUEST, CTX)
    assert through.trajectory is None and through.blockers == ('wall',)
    allowed = replace(REQUEST, allowed_contacts=(('hand', 'wall'),))
    assert planner.to_joints(turned(0.0), turned(0.8), allowed, CTX).trajectory is not None


def test_a_motion_that_ends_elsewhere_is_not_followed() -> None:
    planner = OwnWay(**planner_parts(Config(motion=MotionConfig(0.5, 0.5)), PANDA, None))
    planner.goal = turned(0.3)
    ended = planner.to_joints(turned(0.0), turned(0.2), REQUEST, CTX)
    assert ended.trajectory is None and '0.1 rad off' in ended.detail
