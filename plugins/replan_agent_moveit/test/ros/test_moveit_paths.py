# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt as a source of paths, on a stand-in of moveit_py (moveit_stand_in.py), not on MoveIt."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import replace
from typing import Any

import moveit_stand_in as stand_in
import numpy as np
import pytest
from replan_agent_moveit.borrowed_paths import BorrowedPathPlanner
from replan_agent_moveit.moveit_arm import arm_names
from replan_agent_moveit.moveit_config import for_moveit_py
from replan_agent_moveit.moveit_errors import CODES
from replan_agent_moveit.moveit_question import Question
from replan_agent_moveit.moveit_settings import MoveItSettings
from replan_agent_moveit.moveit_worker import start_worker

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config, ConfigError, MotionConfig
from replan_agent.domain.context import Context
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

HOME = np.array(franka.HOME)
FAST = MotionConfig(max_velocity_scaling_factor=0.8, max_acceleration_scaling_factor=0.6)


def down(x: float, y: float, z: float) -> Pose:
    return Pose.from_rpy(x, y, z, roll=math.pi, yaw=-math.pi / 2)


def box(name: str, x: float, y: float, z: float, size: float = 0.1) -> SceneObject:
    return SceneObject(name, Shape.BOX, (size, size, size), Pose((x, y, z)))


def request(*objects: SceneObject, **more: Any) -> MotionRequest:
    arm = ArmSnapshot(tuple(HOME), down(0.307, 0.0, 0.487), 0.06, at_home=True)
    held = more.pop('held', None)
    return MotionRequest(Scene('s', 0.0, objects, 'test', arm, held), **more)


@pytest.fixture
def planner(moveit: stand_in.MoveItPy) -> BorrowedPathPlanner:
    return stand_in.planner_on(moveit, Config(motion=FAST))


def turned(angle: float) -> np.ndarray:
    joints = HOME.copy()
    joints[0] = angle
    return joints


@pytest.mark.skipif(importlib.util.find_spec('moveit_msgs') is None, reason='no moveit_msgs')
def test_the_installed_codes_are_the_published_ones() -> None:
    from moveit_msgs.msg import MoveItErrorCodes

    installed = {getattr(MoveItErrorCodes, name): name for name in dir(MoveItErrorCodes)
                 if name.isupper() and isinstance(getattr(MoveItErrorCodes, name), int)}
    assert set(installed) <= set(CODES)


def test_a_random_search_that_fails_is_tried_again(planner: BorrowedPathPlanner,
                                                   moveit: stand_in.MoveItPy) -> None:
    moveit.answers = [-1, -2, -6]
    assert planner.to_joints(HOME, turned(0.5), request(), Context()).trajectory is not None
    assert len(moveit.asked) == 4


def test_a_search_that_takes_too_long_because_of_a_thing_is_blocked_by_it(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    vase = box('vase', *planner.forward(turned(0.8)).position)
    outcome = planner.to_joints(HOME, turned(1.6), request(vase), Context())
    assert 'TIMED_OUT' in outcome.detail and outcome.reason is Reason.PATH_BLOCKED
    assert (outcome.cause, outcome.blockers) == (Cause.APPROACH_BLOCKED, ('vase',))


def test_a_joint_motion_is_ompls_and_starts_and_ends_where_it_should(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    outcome = planner.to_joints(HOME, turned(0.5), request(), Context())
    assert outcome.trajectory is not None
    assert outcome.trajectory.names == PANDA.joint_names
    assert np.allclose(outcome.trajectory.start, HOME)
    assert np.allclose(outcome.trajectory.end, turned(0.5))
    asked, _, start = moveit.asked[-1]
    assert (asked.planning_pipeline, asked.planner_id) == ('ompl', '')
    assert start.joint_positions['panda_finger_joint1'] == pytest.approx(0.03)
    assert not moveit.warnings and moveit.topic != 'monitored_planning_scene'


def test_a_straight_line_is_pilz_lin_at_any_speed(planner: BorrowedPathPlanner,
                                                  moveit: stand_in.MoveItPy) -> None:
    target = down(0.45, 0.1, 0.3)
    outcome = planner.straight(HOME, target, request(), Context())
    assert outcome.trajectory is not None
    assert planner.forward(outcome.trajectory.end).distance_to(target) < 1e-5
    asked, *_ = moveit.asked[-1]
    assert (asked.planning_pipeline, asked.planner_id) == ('pilz_industrial_motion_planner', 'LIN')


def test_a_line_that_is_too_fast_for_a_joint_is_asked_for_again_slower(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    moveit.config['robot_description_planning.cartesian_limits.max_trans_acc'] = 2.25
    assert planner.straight(HOME, down(0.45, 0.1, 0.3), request(), Context()).trajectory
    assert [asked.max_acceleration_scaling_factor for asked, *_ in moveit.asked] == [1.0, 0.2]


@pytest.mark.parametrize('answers', [[-1, -1], [-2, -2], [-10], [-31]])
def test_a_free_line_that_moveit_does_not_find_is_neither_blocked_nor_out_of_reach(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy, answers: list[int]) -> None:
    moveit.answers = list(answers)
    outcome = planner.straight(HOME, down(0.45, 0.1, 0.3), request(), Context())
    assert not moveit.answers and outcome.trajectory is None
    assert outcome.reason is Reason.CONTROLLER_ABORTED
    assert CODES[answers[0]].name in outcome.detail and 'our check finds' in outcome.detail


def test_a_line_through_a_post_is_never_moved_whoever_checks_it(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    post = SceneObject('post', Shape.BOX, (0.04, 0.04, 0.8), Pose((0.45, 0.0, 0.4)))
    start = planner.solve_ik(down(0.45, -0.2, 0.4), HOME).joints
    assert start is not None
    for adapters in (['x/ValidateSolution'], []):
        moveit.config['pilz_industrial_motion_planner.response_adapters'] = adapters
        outcome = planner.straight(start, down(0.45, 0.2, 0.4), request(post), Context())
        assert outcome.reason is Reason.PATH_BLOCKED and outcome.blockers == ('post',)


@pytest.mark.parametrize('how', ['to_pose', 'straight'])
def test_what_is_out_of_reach_has_our_report_with_the_residual(planner: BorrowedPathPlanner,
                                                               how: str) -> None:
    outcome = getattr(planner, how)(HOME, down(1.2, 0.0, 0.2), request(), Context())
    assert outcome.reason is Reason.UNREACHABLE and 'pos_err=' in outcome.detail
    assert outcome.ik is not None and outcome.ik.pos_err > outcome.ik.pos_tol
    assert how == 'straight' or outcome.ik.reachability is Reachability.PROVED_UNREACHABLE


def test_a_scene_has_what_was_perceived_now_and_nothing_of_earlier_ones(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    at_goal = planner.forward(turned(0.4)).position
    vase = box('vase', *at_goal)
    assert planner.to_joints(HOME, turned(0.4), request(vase), Context()).trajectory is None
    things = (box('cube', 0.5, -0.4, 0.05),
              SceneObject('ball', Shape.SPHERE, (0.06, 0.06, 0.06), Pose((0.4, -0.5, 0.03))),
              SceneObject('can', Shape.CYLINDER, (0.06, 0.06, 0.1), Pose((0.6, -0.4, 0.05))))
    assert planner.to_joints(HOME, turned(0.4), request(*things), Context()).trajectory
    _, scene, _ = moveit.asked[-1]
    sizes = [list(thing.primitives[0].dimensions) for thing in scene.world.values()]
    near = pytest.approx  # all of them larger by the clearance, 1 cm on every side
    assert sizes == [near([0.12] * 3), near([0.04]), near([0.12, 0.04])]
    assert all(scene.allowed_collision_matrix.allows('panda_link0', name) for name in scene.world)


def test_a_thing_that_an_end_is_close_to_is_not_enlarged(planner: BorrowedPathPlanner,
                                                         moveit: stand_in.MoveItPy) -> None:
    worker = stand_in.worker_on(moveit)
    x, y, z = planner.forward(turned(0.4)).position
    close, far = box('close', x, y, z - 0.055, 0.1), box('far', 0.5, -0.4, 0.05)
    asked = Question(HOME, request(close, far, clearance_m=0.01), 'ompl', '', 1.0, turned(0.4))
    assert worker.plan(asked).code == 1
    _, scene, _ = moveit.asked[-1]
    assert [t.primitives[0].dimensions[0] for t in scene.world.values()] == pytest.approx(
        [0.1, 0.12])


@pytest.mark.parametrize(('gap_m', 'edge_m'), [(0.005, 0.1), (0.015, 0.12), (0.03, 0.136)])
def test_more_clearance_falls_back_to_the_usual_one_before_it_falls_to_none(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy, gap_m: float,
        edge_m: float) -> None:
    worker = stand_in.worker_on(moveit)
    x, y, z = planner.forward(turned(0.4)).position
    close, far = box('close', x, y, z - 0.05 - gap_m), box('far', 0.5, -0.4, 0.05)
    asked = Question(HOME, request(close, far, clearance_m=0.01), 'ompl', '', 1.0, turned(0.4),
                     spare_m=0.008)
    assert worker.plan(asked).code == 1
    _, scene, _ = moveit.asked[-1]
    assert [t.primitives[0].dimensions[0] for t in scene.world.values()] == pytest.approx(
        [edge_m, 0.136])


def test_a_path_that_our_thicker_arm_would_touch_is_asked_for_again_with_more_clearance(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    x, y, z = planner.forward(turned(0.8)).position
    away = 1 + 0.045 / math.hypot(x, y)  # in front of the hand
    vase = box('vase', away * x, away * y, z + 0.08, 0.02)
    outcome = planner.to_joints(HOME, turned(1.6), request(vase), Context())
    assert outcome.reason is Reason.PATH_BLOCKED and outcome.blockers == ('vase',)
    sizes = [next(iter(scene.world.values())).primitives[0].dimensions[0]
             for _, scene, _ in moveit.asked]
    assert sizes == pytest.approx([0.04, 0.056, 0.072, 0.088])


def test_a_start_in_contact_can_move_away(planner: BorrowedPathPlanner,
                                          moveit: stand_in.MoveItPy) -> None:
    vase = box('vase', *planner.forward(HOME).position)
    outcome = planner.to_joints(HOME, turned(0.6), request(vase), Context())
    assert outcome.trajectory is not None, outcome.detail


def test_a_goal_that_only_moveits_model_finds_in_contact_names_it(
        moveit: stand_in.MoveItPy) -> None:
    worker = stand_in.worker_on(moveit)
    x, y, z = stand_in.KINEMATICS.forward(turned(0.4))[:3, 3]
    held = box('cube', 0.307, 0.0, 0.467, 0.04)
    asked = request(box('vase', x, y, z), held, held='cube')
    answer = worker.plan(Question(HOME, asked, 'ompl', '', 1.0, turned(0.4)))
    assert (answer.code, answer.touched) == (-12, ('vase',))
    beyond = HOME.copy()
    beyond[1] = 2.0
    assert worker.plan(Question(HOME, asked, 'ompl', '', 1.0, beyond)).code == -27


def test_what_is_held_touches_too_and_is_never_blamed(moveit: stand_in.MoveItPy) -> None:
    worker = stand_in.worker_on(moveit)
    x, y, z = stand_in.KINEMATICS.forward(turned(0.4))[:3, 3]
    below = box('vase', x, y, z - 0.1)  # only what is held reaches it
    held = SceneObject('rod', Shape.BOX, (0.02, 0.02, 0.16), Pose((0.307, 0.0, 0.487)))
    empty = worker.plan(Question(HOME, request(below), 'ompl', '', 1.0, turned(0.4)))
    assert empty.code == 1
    there = Question(HOME, request(below, held, held='rod'), 'ompl', '', 1.0, turned(0.4))
    answer = worker.plan(there)
    assert (answer.code, answer.touched) == (-12, ('vase',))
    meant = replace(there, request=replace(there.request, allowed_contacts=(('rod', 'vase'),)))
    assert worker.plan(meant).code == 1


def test_what_is_held_and_touches_at_the_start_can_be_moved_away(
        moveit: stand_in.MoveItPy) -> None:
    worker = stand_in.worker_on(moveit)
    x, y, z = stand_in.KINEMATICS.forward(HOME)[:3, 3]
    held = SceneObject('rod', Shape.BOX, (0.02, 0.02, 0.16), Pose((0.307, 0.0, 0.487)))
    asked = request(box('vase', x, y, z - 0.1), held, held='rod', clearance_m=0.01)
    assert worker.plan(Question(HOME, asked, 'ompl', '', 1.0, turned(0.4))).code == 1
    _, scene, _ = moveit.asked[-1]
    acm = scene.allowed_collision_matrix
    assert acm.allows('object_1', 'object_0') and not acm.allows('panda_hand', 'object_0')


def test_a_path_that_is_free_at_its_points_and_blocked_between_them_is_refused(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    begin, end = turned(-1.4), turned(1.4)
    for joints in (begin, end):
        joints[6] -= math.pi / 2  # the fingers move sideways
    x, y, z = planner.forward(HOME).position  # between the two points in the middle
    plate = SceneObject('plate', Shape.BOX, (0.1, 0.004, 0.02), Pose((x, y, z)))
    asked = request(plate, clearance_m=0.01)
    answer = stand_in.worker_on(moveit).plan(Question(begin, asked, 'ompl', '', 1.0, end))
    assert answer.waypoints is not None
    checker = MujocoCollisionChecker(PANDA)
    checker.use(replace(asked, clearance_m=0.0))
    assert all(checker.first_contact(joints) is None for joints in answer.waypoints)
    outcome = planner.to_joints(begin, end, request(plate), Context())
    assert outcome.trajectory is None
    assert (outcome.reason, outcome.blockers) == (Reason.PATH_BLOCKED, ('plate',))


def test_a_bin_is_hollow(moveit: stand_in.MoveItPy) -> None:
    from replan_agent_moveit.moveit_scene import collision_object

    thing = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.1), Pose((0.4, 0.0, 0.05)))
    made = collision_object(thing, 'x', 'panda_link0')
    assert not stand_in.inside(np.array([0.4, 0.0, 0.05]), made)
    assert stand_in.inside(np.array([0.4, 0.0, 0.002]), made)
    assert stand_in.inside(np.array([0.498, 0.0, 0.05]), made)
    bowl = replace(thing, shape=Shape.BOWL, size=(0.16, 0.16, 0.06), pose=Pose((0.4, 0, 0.03)))
    made = collision_object(bowl, 'x', 'panda_link0')
    assert not stand_in.inside(np.array([0.4, 0.0, 0.03]), made)
    assert stand_in.inside(np.array([0.4 + 0.8 * 0.08, 0.0, 0.03]), made)


def test_an_irregular_thing_is_the_meshes_of_its_pieces(moveit: stand_in.MoveItPy) -> None:
    from replan_agent_moveit.moveit_scene import collision_object

    pieces = (box_piece((0.1, 0.02, 0.02)), box_piece((0.02, 0.02, 0.06)))
    thing = SceneObject('tool', Shape.IRREGULAR, (0.1, 0.02, 0.06), Pose((0.4, 0.0, 0.05)),
                        pieces=pieces)
    made = collision_object(thing, 'x', 'panda_link0')
    assert not made.primitives and len(made.meshes) == len(made.mesh_poses) == 2
    for mesh, piece in zip(made.meshes, pieces):
        corners = np.array([[v.x, v.y, v.z] for v in mesh.vertices])
        triangles = corners[np.array([t.vertex_indices for t in mesh.triangles])]
        a, b, c = triangles.transpose(1, 0, 2)
        assert len(corners) == 8 and len(triangles) == 12
        assert np.sum(a * np.cross(b, c)) / 6 == pytest.approx(piece.volume), 'outside is outside'
    larger = collision_object(thing, 'x', 'panda_link0', 0.01).meshes[0]
    corners = np.array([[v.x, v.y, v.z] for v in larger.vertices])
    assert np.ptp(corners, axis=0) == pytest.approx([0.12, 0.04, 0.04])


def test_what_is_held_is_attached_where_it_is_in_the_hand(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    held = box('cube', 0.307, 0.0, 0.467, 0.04)  # 2 cm beyond the tool centre point
    outcome = planner.to_joints(HOME, turned(0.2), request(held, held='cube'), Context())
    assert outcome.trajectory is not None
    _, scene, start = moveit.asked[-1]
    (attached,) = scene.current_state.attached
    assert attached in start.attached, 'the start state carries it too'
    assert attached.link_name == 'panda_hand' and not scene.world
    assert set(attached.touch_links) == {'panda_hand', 'panda_leftfinger', 'panda_rightfinger'}
    assert attached.object.pose.position.z == pytest.approx(franka.TCP_M + 0.02, abs=1e-9)


def test_what_moveit_does_not_attach_is_an_error_and_not_lost(moveit: stand_in.MoveItPy) -> None:
    worker = stand_in.worker_on(moveit)
    worker._names = replace(worker._names, tip='nowhere')
    held = request(box('cube', 0.307, 0.0, 0.467, 0.04), held='cube')
    with pytest.raises(ConfigError, match='does not attach cube to nowhere'):
        worker.plan(Question(HOME, held, 'ompl', '', 1.0, turned(0.2)))


def test_an_arm_that_touches_itself_can_move_away_but_not_get_there(
        planner: BorrowedPathPlanner, moveit: stand_in.MoveItPy) -> None:
    folded = HOME.copy()
    folded[3] = stand_in.FOLDED_RAD - 0.05
    asked = request(box('vase', 0.9, 0.0, 0.05))
    outcome = planner.to_joints(folded, HOME, asked, Context())
    assert outcome.trajectory is not None, outcome.detail
    worker = stand_in.worker_on(moveit)
    assert worker.plan(Question(folded, asked, 'ompl', '', 1.0, HOME)).code == 1
    answer = worker.plan(Question(HOME, asked, 'ompl', '', 1.0, folded))
    assert (answer.code, answer.touched) == (-12, ())


@pytest.mark.parametrize(('settings', 'words'), [
    (MoveItSettings(group='arm'), "no group 'arm'; it has: panda_arm, hand"),
    (MoveItSettings(tip_link='panda_link3'), 'panda_link3 does not move like the hand'),
    (MoveItSettings(tip_link='panda_leftfinger'), 'panda_leftfinger .* or it is a finger'),
])
def test_wrong_settings_are_named_before_moveit_crashes_on_them(
        moveit: stand_in.MoveItPy, settings: MoveItSettings, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        stand_in.worker_on(moveit, settings)


def test_every_link_that_moves_with_the_hand_can_be_the_tip(moveit: stand_in.MoveItPy) -> None:
    for link in ('panda_link7', 'panda_link8', 'panda_hand'):
        stand_in.worker_on(moveit, MoveItSettings(tip_link=link))


def test_moveit_starts_with_the_parameters_of_a_move_group(
        moveit: stand_in.MoveItPy, monkeypatch: pytest.MonkeyPatch) -> None:
    config = for_moveit_py(stand_in.PARAMETERS)
    names = arm_names(config, PANDA, MoveItSettings())
    assert start_worker(config, names).plan(
        Question(HOME, request(), 'ompl', '', 1.0, turned(0.2))).code == 1
    monkeypatch.setattr(stand_in.MoveItPy, 'installed', ('ompl',))
    with pytest.raises(ConfigError, match='ros-.ROS_DISTRO-pilz-industrial-motion-planner'):
        start_worker(config, names)
