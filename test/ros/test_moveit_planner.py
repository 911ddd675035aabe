"""MoveIt as the motion planner, on a stand-in of moveit_py (moveit_stand_in.py), not on MoveIt."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import replace
from typing import Any

import moveit_stand_in as stand_in
import numpy as np
import pytest
from rclpy.parameter import Parameter

from replan_agent.domain import franka
from replan_agent.domain.config import Config, ConfigError, MotionConfig, WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.ros.moveit.moveit_config import (
    MoveItSettings,
    connector,
    for_moveit_py,
    require_moveit,
)
from replan_agent.ros.moveit.moveit_errors import CODES, meaning, sentence
from replan_agent.ros.moveit.moveit_planner import MoveItPlanner
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.node_process import Spinning

HOME = np.array(franka.HOME)
SPEED = MotionConfig(max_velocity_scaling_factor=0.2, max_acceleration_scaling_factor=0.1)
# moveit_msgs/MoveItErrorCodes, as published for ROS 2 (val: name).
PUBLISHED = {
    1: 'SUCCESS', 0: 'UNDEFINED', 99999: 'FAILURE', -1: 'PLANNING_FAILED',
    -2: 'INVALID_MOTION_PLAN', -3: 'MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE',
    -4: 'CONTROL_FAILED', -5: 'UNABLE_TO_AQUIRE_SENSOR_DATA', -6: 'TIMED_OUT', -7: 'PREEMPTED',
    -10: 'START_STATE_IN_COLLISION', -11: 'START_STATE_VIOLATES_PATH_CONSTRAINTS',
    -12: 'GOAL_IN_COLLISION', -13: 'GOAL_VIOLATES_PATH_CONSTRAINTS',
    -14: 'GOAL_CONSTRAINTS_VIOLATED', -15: 'INVALID_GROUP_NAME',
    -16: 'INVALID_GOAL_CONSTRAINTS', -17: 'INVALID_ROBOT_STATE', -18: 'INVALID_LINK_NAME',
    -19: 'INVALID_OBJECT_NAME', -21: 'FRAME_TRANSFORM_FAILURE',
    -22: 'COLLISION_CHECKING_UNAVAILABLE', -23: 'ROBOT_STATE_STALE', -24: 'SENSOR_INFO_STALE',
    -25: 'COMMUNICATION_FAILURE', -26: 'START_STATE_INVALID', -27: 'GOAL_STATE_INVALID',
    -28: 'UNRECOGNIZED_GOAL_TYPE', -29: 'CRASH', -30: 'ABORT', -31: 'NO_IK_SOLUTION',
}


def down(x: float, y: float, z: float) -> Pose:
    return Pose.from_rpy(x, y, z, roll=math.pi, yaw=-math.pi / 2)


def box(name: str, x: float, y: float, z: float, size: float = 0.1) -> SceneObject:
    return SceneObject(name, Shape.BOX, (size, size, size), Pose((x, y, z)))


def request(*objects: SceneObject, **more: Any) -> MotionRequest:
    arm = ArmSnapshot(tuple(HOME), down(0.307, 0.0, 0.487), 0.06, at_home=True)
    held = more.pop('held', None)
    return MotionRequest(Scene('s', 0.0, objects, 'test', arm, held), **more)


@pytest.fixture
def planner(moveit: stand_in.MoveItPy) -> MoveItPlanner:
    return MoveItPlanner(Config(motion=SPEED), MoveItSettings(), lambda: moveit)


def test_every_published_code_is_in_the_table_under_its_name() -> None:
    assert {value: found.name for value, found in CODES.items()} == PUBLISHED
    for value, found in CODES.items():
        assert (found.reason is None) == (value == 1)
        assert value == 1 or found.sentence and str(value) in sentence(value)


@pytest.mark.skipif(importlib.util.find_spec('moveit_msgs') is None, reason='no moveit_msgs')
def test_the_installed_codes_are_the_published_ones() -> None:
    from moveit_msgs.msg import MoveItErrorCodes

    installed = {getattr(MoveItErrorCodes, name): name for name in dir(MoveItErrorCodes)
                 if name.isupper() and isinstance(getattr(MoveItErrorCodes, name), int)}
    assert set(installed) <= set(CODES)


def test_an_unpublished_code_is_still_a_failure_with_its_number() -> None:
    assert meaning(-4711).reason is Reason.CONTROLLER_ABORTED and '-4711' in sentence(-4711)


@pytest.mark.parametrize('code', [c for c in PUBLISHED if c != 1])
def test_each_failure_reaches_the_caller_with_its_reason(
        planner: MoveItPlanner, moveit: stand_in.MoveItPy, code: int) -> None:
    moveit.answers = [code]
    goal = HOME.copy()
    goal[0] = 0.5
    outcome = planner.to_joints(HOME, goal, request(), Context())
    assert outcome.trajectory is None and outcome.reason is CODES[code].reason
    assert PUBLISHED[code] in outcome.detail and 'ompl' in outcome.detail


def test_a_joint_motion_is_ompls_and_starts_and_ends_where_it_should(
        planner: MoveItPlanner, moveit: stand_in.MoveItPy) -> None:
    goal = HOME.copy()
    goal[0] = 0.5
    outcome = planner.to_joints(HOME, goal, request(speed=0.5), Context())
    assert outcome.trajectory is not None
    assert outcome.trajectory.names == franka.joint_names('panda')
    assert np.allclose(outcome.trajectory.start, HOME)
    assert np.allclose(outcome.trajectory.end, goal)
    asked, _, start = moveit.asked[-1]
    assert (asked.planning_pipeline, asked.planner_id) == ('ompl', '')
    assert asked.max_velocity_scaling_factor == pytest.approx(0.1)
    assert asked.max_acceleration_scaling_factor == pytest.approx(0.05)
    assert start.joint_positions['panda_finger_joint1'] == pytest.approx(0.03)


def test_a_straight_line_is_pilz_lin(planner: MoveItPlanner, moveit: stand_in.MoveItPy) -> None:
    target = down(0.45, 0.1, 0.3)
    outcome = planner.straight(HOME, target, request(), Context())
    assert outcome.trajectory is not None
    assert planner.forward(outcome.trajectory.end).distance_to(target) < 1e-6
    asked, *_ = moveit.asked[-1]
    assert (asked.planning_pipeline, asked.planner_id) == ('pilz_industrial_motion_planner', 'LIN')


def test_ik_is_moveits_and_checked_with_our_kinematics(planner: MoveItPlanner) -> None:
    target = down(0.5, 0.1, 0.2)
    solved = planner.solve_ik(target, HOME)
    assert solved.joints is not None and solved.report is None
    assert planner.forward(solved.joints).distance_to(target) < 1e-6
    stand_in.IK_ERROR[0] = 0.02  # MoveIt says yes, but that is 1 cm beside the target
    again = planner.solve_ik(target, HOME)
    assert again.joints is not None, 'our own solver steps in'
    assert planner.forward(again.joints).distance_to(target) < 1e-3


@pytest.mark.parametrize('how', ['solve_ik', 'to_pose', 'straight'])
def test_what_is_out_of_reach_has_our_report_with_the_residual(planner: MoveItPlanner,
                                                               how: str) -> None:
    target = down(1.2, 0.0, 0.2)
    if how == 'solve_ik':
        report = planner.solve_ik(target, HOME).report
    else:
        outcome = getattr(planner, how)(HOME, target, request(), Context())
        assert outcome.reason is Reason.UNREACHABLE and 'pos_err=' in outcome.detail
        report = outcome.ik
    assert report is not None and report.pos_err > 0.1
    assert report.reachability is Reachability.PROVED_UNREACHABLE


def test_the_scene_is_what_was_perceived_with_zones_and_a_base_that_may_stand_on_it(
        moveit: stand_in.MoveItPy) -> None:
    config = Config(workspace=WorkspaceConfig(keep_out=('lamp 0 0.6 0.3 0.1 0.1 0.6',)))
    planner = MoveItPlanner(config, MoveItSettings(), lambda: moveit)
    things = (box('cube', 0.5, 0.3, 0.05),
              SceneObject('ball', Shape.SPHERE, (0.06, 0.06, 0.06), Pose((0.4, -0.4, 0.03))),
              SceneObject('can', Shape.CYLINDER, (0.06, 0.06, 0.1), Pose((0.6, -0.4, 0.05))),
              SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.1), Pose((0.4, 0.5, 0.05))),
              SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.6, 0.5, 0.03))),
              SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.1), Pose((0.5, 0.0, -0.05))))
    goal = HOME.copy()
    goal[0] = 0.2
    assert planner.to_joints(HOME, goal, request(*things), Context()).trajectory is not None
    _, scene, _ = moveit.asked[-1]
    assert set(scene.world) == {t.name for t in things} | {'keep-out lamp'}
    kinds = {name: [p.type for p in thing.primitives] for name, thing in scene.world.items()}
    assert kinds['cube'] == kinds['table'] == kinds['keep-out lamp'] == [1]
    assert kinds['ball'] == [2] and kinds['can'] == [3]
    assert scene.world['can'].primitives[0].dimensions == [0.1, 0.03], 'height, radius'
    assert kinds['bin'] == [1] * 5 and kinds['bowl'][0] == 3 and len(kinds['bowl']) > 8
    allowed = scene.allowed_collision_matrix.allowed
    assert {frozenset(('panda_link0', t.name)) for t in things} <= allowed


def test_a_bin_is_hollow(moveit: stand_in.MoveItPy) -> None:
    from replan_agent.ros.moveit.moveit_scene import collision_object

    thing = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.1), Pose((0.4, 0.0, 0.05)))
    made = collision_object(thing, 'panda_link0')
    assert not stand_in._inside(np.array([0.4, 0.0, 0.05]), made)
    assert stand_in._inside(np.array([0.4, 0.0, 0.002]), made)
    assert stand_in._inside(np.array([0.498, 0.0, 0.05]), made)
    bowl = replace(thing, shape=Shape.BOWL, size=(0.16, 0.16, 0.06), pose=Pose((0.4, 0, 0.03)))
    made = collision_object(bowl, 'panda_link0')
    assert not stand_in._inside(np.array([0.4, 0.0, 0.03]), made)
    assert stand_in._inside(np.array([0.4 + 0.8 * 0.08, 0.0, 0.03]), made)


def test_an_irregular_thing_is_the_meshes_of_its_pieces(moveit: stand_in.MoveItPy) -> None:
    from replan_agent.ros.moveit.moveit_scene import collision_object

    pieces = (box_piece((0.1, 0.02, 0.02)), box_piece((0.02, 0.02, 0.06)))
    thing = SceneObject('tool', Shape.IRREGULAR, (0.1, 0.02, 0.06), Pose((0.4, 0.0, 0.05)),
                        pieces=pieces)
    made = collision_object(thing, 'panda_link0')
    assert not made.primitives and len(made.meshes) == len(made.mesh_poses) == 2
    for mesh, piece in zip(made.meshes, pieces):
        corners = np.array([[v.x, v.y, v.z] for v in mesh.vertices])
        triangles = corners[np.array([t.vertex_indices for t in mesh.triangles])]
        a, b, c = triangles.transpose(1, 0, 2)
        assert len(corners) == 8 and len(triangles) == 12
        assert np.sum(a * np.cross(b, c)) / 6 == pytest.approx(piece.volume), 'outside is outside'


def test_what_is_held_is_attached_where_it_is_in_the_hand(
        planner: MoveItPlanner, moveit: stand_in.MoveItPy) -> None:
    held = box('cube', 0.307, 0.0, 0.467, 0.04)  # 2 cm beyond the tool centre point
    goal = HOME.copy()
    goal[0] = 0.2
    outcome = planner.to_joints(HOME, goal, request(held, held='cube'), Context())
    assert outcome.trajectory is not None
    _, scene, start = moveit.asked[-1]
    (attached,) = scene.current_state.attached
    assert attached in start.attached, 'the start state carries it too'
    assert attached.link_name == 'panda_hand_tcp' and 'cube' not in scene.world
    assert set(attached.touch_links) == {'panda_hand', 'panda_leftfinger', 'panda_rightfinger'}
    assert attached.object.pose.position.z == pytest.approx(0.02, abs=1e-9)


def test_a_goal_that_touches_something_names_it(planner: MoveItPlanner) -> None:
    goal = HOME.copy()
    goal[0] = 0.5
    x, y, z = planner.forward(goal).position
    things = (box('vase', x, y, z), box('cube', 0.5, -0.4, 0.05))
    outcome = planner.to_joints(HOME, goal, request(*things), Context())
    assert outcome.reason is Reason.IN_COLLISION and 'touches vase' in outcome.detail
    allowed = request(*things, allowed_contacts=(('gripper', 'vase'),))
    assert planner.to_joints(HOME, goal, allowed, Context()).trajectory is not None
    pose = planner.forward(goal)
    found = planner.postures(pose, HOME, request(*things))
    assert not found.joints and found.contact is not None and found.contact.second == 'vase'
    assert planner.to_pose(HOME, pose, request(*things), Context()).reason is Reason.IN_COLLISION


def folded() -> np.ndarray:
    """Joints at which the hand touches the upper arm."""
    joints = HOME.copy()
    joints[3] = stand_in.FOLDED_RAD - 0.05
    return joints


def test_an_arm_that_touches_itself_has_nothing_in_the_way(
        planner: MoveItPlanner, moveit: stand_in.MoveItPy) -> None:
    asked = request(box('vase', 0.9, 0.0, 0.05), box('cube', 0.5, -0.4, 0.05))
    at_goal = planner.to_joints(HOME, folded(), asked, Context())
    assert at_goal.reason is Reason.IN_COLLISION and at_goal.blockers == ()
    assert 'touches itself' in at_goal.detail
    moveit.answers.append(-10)  # START_STATE_IN_COLLISION
    at_start = planner.to_joints(folded(), HOME, asked, Context())
    assert at_start.reason is not None and at_start.blockers == ()


def test_postures_are_different_and_reach_the_target(planner: MoveItPlanner) -> None:
    target = down(0.45, 0.2, 0.3)
    found = planner.postures(target, HOME, request()).joints
    assert len(found) > 1
    for k, joints in enumerate(found):
        assert planner.forward(joints).distance_to(target) < 1e-3
        assert all(np.abs(joints - other).max() > 0.3 for other in found[:k])


def test_move_groups_parameters_become_those_of_moveit_py() -> None:
    parameters = {
        'robot_description': '<robot/>', 'robot_description_semantic': '<robot/>',
        'planning_pipelines': ['ompl'], 'ompl.planning_plugins': ['mine'], 'empty': [],
        'qos_overrides./tf.depth': 1, 'use_sim_time': False, 'unset': None}
    config = for_moveit_py(parameters)
    assert config['planning_pipelines.pipeline_names'] == [
        'ompl', 'pilz_industrial_motion_planner']
    assert config['ompl.planning_plugins'] == ['mine'], 'what is configured stays'
    assert config['robot_description_planning.cartesian_limits.max_trans_vel'] == 1.0
    assert not {'planning_pipelines', 'empty', 'unset', 'qos_overrides./tf.depth'} & set(config)
    with pytest.raises(ConfigError, match='robot_description_semantic'):
        for_moveit_py({'robot_description': '<robot/>'})


@pytest.mark.skipif(importlib.util.find_spec('moveit') is not None, reason='moveit_py is here')
def test_without_moveit_py_the_install_command_is_named() -> None:
    with pytest.raises(ConfigError, match=r'apt-get install ros-\$ROS_DISTRO-moveit-py'):
        require_moveit()


@pytest.mark.skipif(importlib.util.find_spec('moveit') is not None, reason='moveit_py is here')
def test_a_skill_node_that_should_plan_with_moveit_says_what_to_install(ros: Any) -> None:
    with pytest.raises(ConfigError, match='motion_planner: moveit needs moveit_py'):
        SkillNode(parameter_overrides=[Parameter('motion_planner', value='moveit'),
                                       Parameter('safety.driver', value='sim')])


def test_the_configuration_is_that_of_the_running_move_group(ros: Any,
                                                             moveit: stand_in.MoveItPy) -> None:
    group, node = ros.create_node('move_group'), ros.create_node('asker')
    for name, value in (('robot_description', '<robot/>'), ('robot_description_semantic', '<r/>'),
                        ('robot_description_kinematics.panda_arm.kinematics_solver', 'kdl')):
        group.declare_parameter(name, value)
    with Spinning([group, node]):
        started = connector(node, MoveItSettings(), 10.0)()
    assert started.config['robot_description'] == '<robot/>'
    assert started.config['robot_description_kinematics.panda_arm.kinematics_solver'] == 'kdl'
    assert 'pilz_industrial_motion_planner' in started.config['planning_pipelines.pipeline_names']
