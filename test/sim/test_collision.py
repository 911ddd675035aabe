# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The collision checker sees what was perceived, and planned motions keep clear of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.config import Config, MotionConfig
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.motion.planner import joint_planner
from replan_agent.robot.mujoco.collision import DETECTED_M, MujocoCollisionChecker

START = np.array(HOME)
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)
PLANNER = joint_planner(Config(), PANDA)
TCP = PLANNER.forward(START)


def scene(*objects: SceneObject, held: str | None = None) -> Scene:
    arm = ArmSnapshot(tuple(START), TCP, 0.04, at_home=True)
    return Scene('s', 0.0, (TABLE, *objects), 'test', arm, held)


def cube(name: str, pose: Pose, side: float = 0.04) -> SceneObject:
    return SceneObject(name, Shape.BOX, (side, side, side), pose)


def wall(x: float, y: float, yaw: float = 0.0) -> SceneObject:
    return SceneObject('wall', Shape.WALL, (0.02, 0.3, 0.5), Pose.from_rpy(x, y, 0.25, yaw=yaw),
                       movable=False)


def contact(request: MotionRequest, joints=START):
    checker = MujocoCollisionChecker(PANDA)
    checker.use(request)
    return checker.first_contact(joints)


def test_home_is_free_and_a_wall_in_the_hand_is_named():
    assert contact(MotionRequest(scene())) is None
    found = contact(MotionRequest(scene(wall(*TCP.position[:2]))))
    assert found is not None and {found.first, found.second} == {'gripper', 'wall'}
    assert found.distance_m < 0


def test_a_contact_that_is_meant_is_not_reported():
    request = MotionRequest(scene(cube('it', TCP, 0.05)), (('gripper', 'it'),))
    assert contact(request) is None
    assert contact(replace(request, allowed_contacts=())) is not None


def test_what_is_closer_than_the_clearance_counts_as_contact():
    x, y, z = TCP.position
    below = cube('it', Pose((x, y, z - 0.0089 - 0.02 - 0.005)))  # 5 mm under the finger tips
    assert contact(MotionRequest(scene(below), clearance_m=0.003)) is None
    found = contact(MotionRequest(scene(below), clearance_m=0.01))
    assert found is not None and found.distance_m == pytest.approx(0.005, abs=0.002)


def test_a_held_object_moves_with_the_hand():
    held = cube('it', TCP)
    lowered = PLANNER.solve_ik(TCP.moved(dz=-0.3), START).joints
    assert lowered is not None
    block = cube('block', Pose(PLANNER.forward(lowered).position).moved(dz=-0.035))
    assert contact(MotionRequest(scene(held, block, held='it')), START) is None
    found = contact(MotionRequest(scene(held, block, held='it')), lowered)
    assert found is not None and {found.first, found.second} == {'it', 'block'}


def test_objects_that_moved_are_seen_where_they_are_now():
    checker = MujocoCollisionChecker(PANDA)
    checker.use(MotionRequest(scene(wall(0.9, 0.0))))
    assert checker.first_contact(START) is None and checker.clearance(START) == DETECTED_M
    checker.use(MotionRequest(scene(wall(*TCP.position[:2]))))
    assert checker.first_contact(START) is not None


def test_the_arm_collides_with_itself():
    folded = np.array([0.5009, -0.4520, -1.5032, -2.99, -0.9585, 2.6207, 1.4068])
    found = contact(MotionRequest(scene()), folded)
    assert found is not None and {found.first, found.second} == {'panda_link1', 'panda_link5'}


@pytest.mark.parametrize('seed', range(12))
def test_a_motion_around_a_wall_keeps_clear_at_ten_times_its_own_resolution(seed):
    rng = np.random.default_rng(seed)
    planner = joint_planner(Config(motion=MotionConfig(0.5, 0.5)), PANDA,
                            MujocoCollisionChecker(PANDA), seed)
    side = rng.choice([-1, 1])
    start, goal = START.copy(), START.copy()
    start[0], goal[0] = side * rng.uniform(0.5, 0.9), -side * rng.uniform(0.5, 0.9)
    start[1] += 0.3
    goal[1] += 0.3
    angle = rng.uniform(-0.15, 0.15)
    request = MotionRequest(scene(wall(0.5 * math.cos(angle), 0.5 * math.sin(angle),
                                       angle + math.pi / 2)))
    outcome = planner.to_joints(start, goal, request, Context())
    assert outcome.trajectory is not None, outcome.detail
    judge = MujocoCollisionChecker(PANDA)
    judge.use(request)
    times = np.linspace(0, outcome.trajectory.duration, 10 * len(outcome.trajectory.times))
    positions = np.stack([np.interp(times, outcome.trajectory.times, column)
                          for column in outcome.trajectory.positions.T], axis=1)
    assert min(judge.clearance(joints) for joints in positions) > 0.005  # of 10 mm asked for


def test_a_goal_inside_an_obstacle_is_refused_by_the_pair():
    planner = joint_planner(Config(), PANDA, MujocoCollisionChecker(PANDA))
    goal = START + np.array([0.6, 0, 0, 0, 0, 0, 0])
    request = MotionRequest(scene(cube('block', planner.forward(goal), 0.1)))
    outcome = planner.to_joints(START, goal, request, Context())
    assert outcome.reason is Reason.IN_COLLISION
    assert 'block' in outcome.detail and 'gripper' in outcome.detail


def test_a_hand_around_a_thing_leaves_it_straight_before_it_turns_away():
    """A joint motion alone would sweep away what stands between the fingers."""
    checker = MujocoCollisionChecker(PANDA)
    planner = joint_planner(Config(), PANDA, checker)
    x, y, z = TCP.position
    bottle = SceneObject('it', Shape.BOX, (0.05, 0.05, 0.16), Pose((x, y, z - 0.03)))
    request = MotionRequest(scene(bottle))
    aside = START + np.array([0.8, 0, 0, 0, 0, 0, 0])
    found = planner.to_joints(START, aside, request, Context()).trajectory
    assert found is not None and np.allclose(found.end, aside)
    checker.use(request)
    for joints in found.positions:
        if checker.first_contact(joints) is not None:
            assert math.dist(planner.forward(joints).position[:2], (x, y)) < 0.003
