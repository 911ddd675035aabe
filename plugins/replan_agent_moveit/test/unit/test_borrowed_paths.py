# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths of another program: nothing of them is used that our own checks do not pass."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from replan_agent_moveit.borrowed_paths import BorrowedPathPlanner, FoundPath

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import HOME, FrankaKinematics
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config, MotionConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.motion.blend import corners
from replan_agent.motion.cartesian import LineFollower
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import joint_planner, planner_parts
from replan_agent.motion.timing import peaks
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

CTX = Context()
ARM = FrankaKinematics('panda')
POST = SceneObject('post', Shape.BOX, (0.04, 0.04, 0.8), Pose((0.45, 0.0, 0.4)), movable=False)
SCENE = Scene('s', 0.0, (POST,), 'test', ArmSnapshot(tuple(HOME), Pose((0.3, 0, 0.5)), 0.06, True))
NO_WAY = FoundPath(None, Reason.PATH_BLOCKED, 'no way', again=True)


class Source:
    """Gives these answers, one after the other, and keeps what it was asked."""

    def __init__(self, *answers: FoundPath) -> None:
        self.answers, self.asked, self.spares = list(answers), [], []

    def around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, spare_m: float,
               limit_s: float, ctx: Context) -> FoundPath:
        self.asked.append(request)
        self.spares.append(spare_m)
        return self.answers.pop(0)

    def line(self, start: FloatArray, target: Pose, request: MotionRequest, limit_s: float,
             ctx: Context) -> FoundPath:
        self.asked.append(request)
        return self.answers.pop(0)


def planner(source: Source, config: Config | None = None, tries: int = 3) -> BorrowedPathPlanner:
    config = config or Config(motion=MotionConfig(0.8, 0.6))
    return BorrowedPathPlanner(source, tries,
                               **planner_parts(config, PANDA, MujocoCollisionChecker(PANDA)))


def at(y: float, x: float = 0.45) -> FloatArray:
    joints = joint_planner(Config(), PANDA).solve_ik(
        Pose.from_rpy(x, y, 0.4, np.pi, 0.0, 0.0), HOME).joints
    assert joints is not None
    return joints


def dense(*points: FloatArray) -> FloatArray:
    """A polyline with many points on its edges, as OMPL returns it."""
    return np.concatenate([np.linspace(a, b, 40) for a, b in zip(points, points[1:])])


LEFT, RIGHT = at(-0.25), at(0.25)
THROUGH = FoundPath(dense(LEFT, RIGHT))
BEHIND = FoundPath(dense(LEFT, at(-0.25, 0.28), at(0.0, 0.26), at(0.25, 0.28), RIGHT))


def test_a_path_through_an_obstacle_is_refused_and_names_it() -> None:
    outcome = planner(Source(*[THROUGH] * 3)).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX)
    assert outcome.trajectory is None and outcome.reason is Reason.PATH_BLOCKED
    assert outcome.blockers == ('post',)


def test_two_points_on_either_side_of_an_obstacle_are_checked_between() -> None:
    sparse = FoundPath(np.stack([LEFT, RIGHT]))
    outcome = planner(Source(sparse), tries=1).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX)
    assert outcome.trajectory is None and outcome.blockers == ('post',)


def test_it_asks_again_until_a_path_is_free() -> None:
    source = Source(NO_WAY, THROUGH, BEHIND)
    outcome = planner(source).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX)
    assert outcome.trajectory is not None and not source.answers
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(SCENE))
    assert all(checker.first_contact(q) is None for q in outcome.trajectory.positions)


def test_a_refused_path_is_asked_for_with_more_room_and_less_of_it_where_there_is_no_way() -> None:
    source = Source(THROUGH, THROUGH, NO_WAY, THROUGH, NO_WAY)
    planner(source, tries=5).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX)
    assert source.spares == pytest.approx([0.0, 0.008, 0.016, 0.012, 0.016])
    assert len({asked.clearance_m for asked in source.asked}) == 1, 'the spare is kept apart'
    hopeless = Source(NO_WAY, NO_WAY, BEHIND)
    assert planner(hopeless).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX).trajectory
    assert hopeless.spares == [0.0] * 3


def test_the_motion_has_our_timing_whatever_the_path() -> None:
    asked = MotionRequest(SCENE, speed=0.5)
    outcome = planner(Source(BEHIND)).to_joints(LEFT, RIGHT, asked, CTX)
    assert outcome.trajectory is not None
    fastest, hardest = peaks(outcome.trajectory)
    assert np.all(fastest <= 0.5 * 0.8 * ARM.limits.velocity * (1 + 1e-6))
    assert np.all(hardest <= 0.5 * 0.6 * ARM.limits.acceleration * (1 + 1e-6))
    assert np.max(np.diff(outcome.trajectory.times)) < 0.011


def test_the_source_gets_the_clearance_and_the_zones() -> None:
    config = Config(workspace=WorkspaceConfig(keep_out=('lamp 0 0.7 0.3 0.1 0.1 0.6',)))
    source = Source(BEHIND)
    planner(source, config).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX)
    assert source.asked[0].clearance_m == pytest.approx(config.motion.collision_clearance)
    assert source.asked[0].scene.names() == ('post', 'keep-out lamp')


def test_a_goal_outside_the_limits_is_a_bad_argument_and_not_a_blocked_path() -> None:
    goal = HOME.copy()
    goal[1] = 2.0
    outcome = planner(Source()).to_joints(HOME, goal, MotionRequest(SCENE), CTX)
    assert outcome.reason is Reason.BAD_ARGUMENTS and 'joint2' in outcome.detail


def test_a_start_in_contact_can_move_away() -> None:
    touching = at(0.0)
    away = FoundPath(dense(touching, HOME))
    outcome = planner(Source(away)).to_joints(touching, HOME, MotionRequest(SCENE), CTX)
    assert outcome.trajectory is not None


@pytest.mark.parametrize('wrong', [
    dense(LEFT, HOME), dense(HOME, RIGHT), np.full((5, 7), np.nan), np.zeros((5, 6)),
    np.zeros((0, 7)), [[1.0, 2.0], [3.0]], 'a path',
    dense(LEFT, HOME + [0, 0, 0, 3, 0, 0, 0], RIGHT)],
    ids=['end', 'start', 'nan', 'joints', 'empty', 'ragged', 'text', 'limits'])
def test_a_path_that_is_none_between_the_two_is_refused(wrong: Any) -> None:
    source = Source(FoundPath(wrong))
    outcome = planner(source, tries=1).to_joints(LEFT, RIGHT, MotionRequest(SCENE), CTX)
    assert outcome.trajectory is None and outcome.reason is Reason.CONTROLLER_ABORTED


def line(target: Pose, start: FloatArray) -> FoundPath:
    return FoundPath(LineFollower(ARM).follow(start, target).waypoints)


def test_a_straight_line_is_checked_against_the_obstacle_in_it() -> None:
    target = joint_planner(Config(), PANDA).forward(RIGHT)
    outcome = planner(Source(line(target, LEFT))).straight(LEFT, target, MotionRequest(SCENE), CTX)
    assert outcome.reason is Reason.PATH_BLOCKED and outcome.blockers == ('post',)
    free = replace(SCENE, objects=())
    again = planner(Source(line(target, LEFT))).straight(LEFT, target, MotionRequest(free), CTX)
    assert again.trajectory is not None


def test_a_line_that_bends_or_ends_elsewhere_is_refused() -> None:
    free = MotionRequest(replace(SCENE, objects=()))
    target = joint_planner(Config(), PANDA).forward(RIGHT)
    bent = planner(Source(FoundPath(dense(LEFT, RIGHT)))).straight(LEFT, target, free, CTX)
    assert bent.trajectory is None and 'not straight' in bent.detail
    beside = Pose((target.position[0], 0.2, 0.4), target.quaternion)
    short = planner(Source(line(beside, LEFT))).straight(LEFT, target, free, CTX)
    assert short.trajectory is None and 'mm beside its target' in short.detail


def test_without_a_line_our_own_planner_says_why() -> None:
    failed = FoundPath(None, Reason.PATH_BLOCKED, 'LIN failed')
    far = Pose.from_rpy(1.2, 0.0, 0.3, np.pi, 0.0, 0.0)
    outcome = planner(Source(failed)).straight(HOME, far, MotionRequest(SCENE), CTX)
    assert outcome.reason is Reason.UNREACHABLE and outcome.ik is not None
    target = joint_planner(Config(), PANDA).forward(RIGHT)
    through = planner(Source(failed)).straight(LEFT, target, MotionRequest(SCENE), CTX)
    assert through.blockers == ('post',)


@pytest.mark.parametrize('reason', [Reason.PATH_BLOCKED, Reason.IN_COLLISION, Reason.UNREACHABLE])
def test_what_the_source_does_not_find_and_our_check_finds_free_is_its_own_failure(
        reason: Reason) -> None:
    free = MotionRequest(replace(SCENE, objects=()))
    target = joint_planner(Config(), PANDA).forward(RIGHT)
    failed = FoundPath(None, reason, 'LIN failed')
    for outcome in (planner(Source(failed)).straight(LEFT, target, free, CTX),
                    planner(Source(failed)).to_joints(LEFT, RIGHT, free, CTX)):
        assert outcome.trajectory is None and not outcome.blockers
        assert outcome.reason is Reason.CONTROLLER_ABORTED
        assert outcome.cause is Cause.CONTROLLER_ERROR
        assert 'LIN failed' in outcome.detail and 'our check finds' in outcome.detail


def test_a_source_that_took_too_long_for_a_free_line_says_so() -> None:
    free = MotionRequest(replace(SCENE, objects=()))
    late = FoundPath(None, Reason.TIMEOUT, 'late')
    target = joint_planner(Config(), PANDA).forward(RIGHT)
    assert planner(Source(late)).straight(LEFT, target, free, CTX).reason is Reason.TIMEOUT


def test_corners_are_the_points_where_a_path_bends() -> None:
    found = corners(dense(LEFT, HOME, RIGHT))
    assert len(found) == 3 and np.allclose(found[1], HOME)
