# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm commanded over ROS: real actions, real DDS, one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tf2_ros
from action_msgs.msg import GoalStatus
from arm_bench import ArmBench, ask
from control_msgs.action import FollowJointTrajectory
from geometry_msgs.msg import TransformStamped
from rclpy.parameter import Parameter
from rclpy.time import Time
from replan_agent_sim.sim_servers import error_code
from rig import WAIT_S, finished, until
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.robot_state import CommandResult, ContactGuard
from replan_agent.domain.skill import Reason
from replan_agent.robot.stepped_robot import STANDSTILL
from replan_agent.ros.arm.trajectory_goal import trajectory_to_msg
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient


@pytest.fixture(scope='module')
def shared(ros: Any) -> Iterator[ArmBench]:
    bench = ArmBench(ros)
    yield bench
    bench.close()


@pytest.fixture
def bench(shared: ArmBench) -> Iterator[ArmBench]:
    """One arm for all tests: each starts at home, with an open hand and no latch."""
    shared.sim.latch.reset()
    robot = shared.robot
    assert robot.execute(shared.trajectory(robot.home, 1.0), Context()).success
    assert robot.move_gripper(0.08, Context()).success
    yield shared


def send(bench: ArmBench, goal: Any) -> Any:
    """The answer to a trajectory goal that another client than the robot sends."""
    client = SteadyActionClient(bench.node, FollowJointTrajectory,
                                'panda_arm_controller/follow_joint_trajectory')
    assert client.wait_for_server(timeout_sec=WAIT_S)
    handle = finished(client.send_goal_async(goal))
    assert handle.accepted
    result = finished(handle.get_result_async())
    return result


def test_a_trajectory_ends_at_its_goal(bench: ArmBench) -> None:
    trajectory = bench.turn(0.5)
    assert bench.robot.execute(trajectory, Context()).success
    state = bench.robot.state()
    assert state.joints == pytest.approx(trajectory.end, abs=0.01)
    assert np.abs(state.velocities).max() < 0.01 and bench.speed() < STANDSTILL
    assert state.stamp >= trajectory.duration


def test_time_stands_still_while_nothing_moves(bench: ArmBench) -> None:
    before = bench.robot.state().stamp
    for _ in range(3):
        assert bench.robot._feed.await_next(5.0, lambda state: True)
    assert bench.robot.state().stamp == before == bench.sim.world.time


def test_a_cancelled_motion_stands_still_before_it_ends(bench: ArmBench) -> None:
    token = CancelToken()
    thread = bench.during_motion(token.cancel)
    trajectory = bench.turn(1.5, 0.3)
    with pytest.raises(Cancelled):
        bench.robot.execute(trajectory, Context(token))
    assert bench.speed() < STANDSTILL
    assert np.abs(bench.robot.state().joints - trajectory.end).max() > 0.05
    thread.join()


def test_the_terminal_state_of_a_cancelled_goal_comes_after_standstill(bench: ArmBench) -> None:
    client = SteadyActionClient(bench.node, FollowJointTrajectory,
                                'panda_arm_controller/follow_joint_trajectory')
    goal = FollowJointTrajectory.Goal(trajectory=trajectory_to_msg(bench.turn(-1.5, 0.2)))
    assert client.wait_for_server(timeout_sec=WAIT_S)
    handle = finished(client.send_goal_async(goal))
    speeds: list[float] = []
    ended = handle.get_result_async()
    ended.add_done_callback(lambda _: speeds.append(bench.speed()))
    bench.during_motion(handle.cancel_goal_async).join()
    assert finished(ended).status == GoalStatus.STATUS_CANCELED
    assert until(lambda: speeds)[0] < STANDSTILL


def test_an_overdue_command_stands_still_before_it_raises(bench: ArmBench) -> None:
    trajectory = bench.turn(1.5, 0.02)
    with pytest.raises(DeadlineExceeded):
        bench.robot.execute(trajectory, Context().within(0.3))
    assert bench.speed() < STANDSTILL


def test_a_refused_trajectory_says_why(bench: ArmBench) -> None:
    away = bench.turn(0.5)
    bench.robot.execute(bench.turn(-0.3), Context())
    result = bench.robot.execute(away, Context())
    assert result.reason is Reason.CONTROLLER_ABORTED
    assert 'panda_joint1' in result.detail and '0.300 rad' in result.detail


def test_a_trajectory_of_other_joints_is_refused_by_name(bench: ArmBench) -> None:
    goal = FollowJointTrajectory.Goal(trajectory=trajectory_to_msg(bench.turn(0.1)))
    goal.trajectory.joint_names[0] = 'elbow'
    done = send(bench, goal)
    assert done.status == GoalStatus.STATUS_ABORTED
    assert done.result.error_code == done.result.INVALID_JOINTS
    assert 'elbow' in done.result.error_string and 'panda_joint1' in done.result.error_string


def test_one_point_in_the_future_is_reached_from_where_the_arm_is(bench: ArmBench) -> None:
    goal = FollowJointTrajectory.Goal(trajectory=trajectory_to_msg(bench.turn(0.2)))
    goal.trajectory.points = goal.trajectory.points[-1:]
    goal.trajectory.points[0].velocities = []
    goal.trajectory.points[0].accelerations = []
    assert send(bench, goal).status == GoalStatus.STATUS_SUCCEEDED
    until(lambda: abs(bench.robot.state().joints[0] - 0.2) < 0.01)


def test_a_second_goal_is_refused_while_the_arm_is_busy(bench: ArmBench) -> None:
    seen: list[Any] = []
    goal = FollowJointTrajectory.Goal(trajectory=trajectory_to_msg(bench.turn(0.1)))
    thread = bench.during_motion(lambda: seen.append(send(bench, goal)))
    assert bench.robot.execute(bench.turn(2.0, 0.15), Context()).success
    thread.join()
    assert seen[0].status == GoalStatus.STATUS_ABORTED
    assert 'busy' in seen[0].result.error_string


def test_the_gripper_goes_to_a_width_and_says_when_it_cannot(bench: ArmBench) -> None:
    assert bench.robot.move_gripper(0.03, Context()).success
    assert bench.robot.state().gripper_width == pytest.approx(0.03, abs=1e-3)
    refused = bench.robot.move_gripper(0.2, Context())
    assert refused.reason is Reason.CONTROLLER_ABORTED and '0 to 0.08 m' in refused.detail


def test_a_cube_is_grasped_by_friction_and_lifted(bench: ArmBench) -> None:
    x, y, z = bench.cube().position
    assert bench.go(x, y, z + 0.12).success
    assert bench.go(x, y, z).success
    grasp = bench.robot.grasp(30.0, Context())
    assert grasp.success and ' 39.' in grasp.detail
    assert bench.robot.state().gripper_force == pytest.approx(30, rel=0.05)
    assert bench.go(x, y, z + 0.12).success
    assert bench.cube().position[2] == pytest.approx(z + 0.12, abs=0.01)
    assert bench.go(x, y, z + 0.002).success
    assert bench.robot.move_gripper(0.08, Context()).success


def test_an_expected_contact_ends_a_motion_well(bench: ArmBench) -> None:
    assert bench.go(0.5, -0.2, 0.08).success
    done = bench.go(0.5, -0.2, -0.05, 0.1, ContactGuard(2.0, expected=True))
    assert done.success and done.contact and 'N·m' in done.detail
    assert bench.speed() < STANDSTILL
    assert bench.go(0.5, -0.2, 0.1).success


def test_an_unexpected_contact_is_a_collision(bench: ArmBench) -> None:
    assert bench.go(0.5, -0.2, 0.08).success
    done = bench.go(0.5, -0.2, -0.05, 0.1, ContactGuard(4.0))
    assert done.reason is Reason.IN_COLLISION and done.contact
    assert bench.go(0.5, -0.2, 0.1).success


def test_stop_latches_until_it_is_reset(bench: ArmBench) -> None:
    said: list[Any] = []
    thread = bench.during_motion(
        lambda: said.append((ask(bench.node, Trigger, 'sim/stop'), bench.speed())))
    result = bench.robot.execute(bench.turn(2.0, 0.15), Context())
    thread.join()
    assert result.reason is Reason.STOPPED and 'the stop service was called' in result.detail
    response, speed = said[0]
    assert response.success and speed < STANDSTILL
    again = bench.robot.execute(bench.turn(0.1), Context())
    assert again.reason is Reason.STOPPED and 'sim/reset_stop' in again.detail
    assert ask(bench.node, Trigger, 'sim/reset_stop').success
    assert bench.robot.execute(bench.turn(0.1), Context()).success


def test_the_robots_stop_ends_the_running_command(bench: ArmBench) -> None:
    thread = bench.during_motion(bench.robot.stop)
    result = bench.robot.execute(bench.turn(2.0, 0.15), Context())
    thread.join()
    assert result.reason is Reason.STOPPED and bench.speed() < STANDSTILL
    assert bench.robot.execute(bench.turn(0.1), Context()).success


def test_a_latched_robot_starts_nothing(bench: ArmBench) -> None:
    bench.robot.refusal = lambda: 'stopped: by a test'
    try:
        result = bench.robot.grasp(20.0, Context())
    finally:
        bench.robot.refusal = lambda: ''
    assert (result.reason, result.detail) == (Reason.STOPPED, 'stopped: by a test')


def test_parameters_have_descriptions_and_do_not_change(bench: ArmBench) -> None:
    descriptor = bench.sim.describe_parameter('realtime_factor')
    assert 'robot time' in descriptor.description and descriptor.floating_point_range
    (result,) = bench.sim.set_parameters([Parameter('realtime_factor', value=2.0)])
    assert not result.successful


@pytest.mark.parametrize(('short_of_goal', 'code'), [
    (True, FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED),
    (False, FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED)])
def test_an_arm_that_is_held_up_answers_where_on_its_way(short_of_goal: bool, code: int) -> None:
    held_up = CommandResult(False, Reason.CONTROLLER_ABORTED, 'held up', cause=Cause.HELD_UP,
                            short_of_goal=short_of_goal)
    assert error_code(held_up) == code


def test_the_links_on_tf_are_a_tree_that_ends_where_the_tool_is(bench: ArmBench) -> None:
    links: dict[str, TransformStamped] = {}
    bench.node.create_subscription(TFMessage, '/tf', lambda message: links.update(
        {link.child_frame_id: link for link in message.transforms}), 10)
    until(lambda: links)
    below = {name: link.header.frame_id for name, link in links.items()}
    assert below['panda_link1'] == 'panda_link0' and below['panda_link7'] == 'panda_link6'
    assert below['panda_hand'] == 'panda_link7' and below['panda_leftfinger'] == 'panda_hand'
    buffer, at = tf2_ros.Buffer(), bench.robot.state()
    for link in links.values():
        buffer.set_transform_static(link, 'test')
    tool = bench.sim.world.arm.body_frames(at.joints, at.gripper_width)['hand_tcp']
    found = buffer.lookup_transform('panda_link0', 'panda_hand_tcp', Time()).transform.translation
    assert (found.x, found.y, found.z) == pytest.approx(tool[:3, 3], abs=1e-3)
