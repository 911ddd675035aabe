"""A stand-in for the drivers of a real Franka. It speaks their protocols without an arm.

FollowJointTrajectory as ros2_controllers' joint_trajectory_controller has it, joint states of arm
and fingers on separate topics, Franka's gripper actions, its robot state and error recovery,
and the controller manager's list.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from controller_manager_msgs.msg import ControllerState
from controller_manager_msgs.srv import ListControllers
from franka_msgs.action import ErrorRecovery, Grasp, Homing, Move
from franka_msgs.msg import FrankaRobotState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3
from replan_agent.ros.messages.message_fields import time_from_msg
from replan_agent.ros.rclpy_tools.waiting import every

PUBLISH_S = 0.02
TORQUES = 'franka_robot_state_broadcaster/external_joint_torques'
ARM = 'fr3_arm_controller/follow_joint_trajectory'
Codes = FollowJointTrajectory.Result


class FakeDriver(Node):
    """An FR3 that reaches its target at once, unless a test says otherwise.

    `ending` is how the next motions end: (error code, text), or None to reach the goal. With
    `hold` a motion goes on until it is cancelled or `ending` is set.
    """

    def __init__(self) -> None:
        super().__init__('fake_driver')
        self.joints = np.array(franka.HOME)
        self.speed = 0.0
        self.width, self.object_m = 0.08, 0.0
        self.gripper_error = ''  # why gripper commands fail
        self.telling = self.telling_fingers = self.telling_speed = self.feeling = True
        self.drift = 0.0  # rad/s, however seldom a busy machine lets it publish
        self._published = self.get_clock().now()
        self.on_list: Callable[[], object] = lambda: None  # while its controllers are listed
        self.accepting, self.cancelled = threading.Event(), 0
        self.accepting.set()
        self.obeying = threading.Event()  # cleared: no answer to a cancel
        self.obeying.set()
        self.hold, self.moving = False, threading.Event()
        self.ending: tuple[int, str] | None = None
        self.goals: list[Any] = []
        self.errors, self.mode = (), FrankaRobotState.ROBOT_MODE_IDLE
        self.controllers = {'fr3_arm_controller': 'active'}
        self.recoveries = 0
        group = ReentrantCallbackGroup()
        self._arm = self.create_publisher(JointState, 'franka/joint_states', 1)
        self._fingers = self.create_publisher(JointState, 'franka_gripper/joint_states', 1)
        self._torques = self.create_publisher(JointState, TORQUES, 1)
        self._state = self.create_publisher(
            FrankaRobotState, 'franka_robot_state_broadcaster/robot_state', 1)
        self.create_service(ListControllers, 'controller_manager/list_controllers', self._list,
                            callback_group=group)
        served = ((FollowJointTrajectory, ARM, self._follow),
                  (Move, 'franka_gripper/move', self._move),
                  (Grasp, 'franka_gripper/grasp', self._grasp),
                  (Homing, 'franka_gripper/homing', self._home),
                  (GripperCommand, 'franka_gripper/gripper_action', self._grip),
                  (ParallelGripperCommand, 'parallel_gripper/gripper_cmd', self._parallel),
                  (ErrorRecovery, 'action_server/error_recovery', self._recover))
        self._servers = [
            ActionServer(self, kind, name, run, callback_group=group,
                         goal_callback=self._accept,
                         cancel_callback=self._on_cancel)
            for kind, name, run in served]
        every(self, PUBLISH_S, self._publish)

    def close(self) -> None:
        self.hold = False
        self.accepting.set()
        self.obeying.set()

    def _on_cancel(self, _: Any) -> CancelResponse:
        self.obeying.wait()
        return CancelResponse.ACCEPT

    def _accept(self, _: Any) -> GoalResponse:
        self.accepting.wait()
        return GoalResponse.ACCEPT

    def _publish(self) -> None:
        if not self.telling:
            return
        now = self.get_clock().now()
        self.joints = self.joints + self.drift * (now - self._published).nanoseconds / 1e9
        self._published, stamp = now, now.to_msg()
        arm = JointState(name=list(FR3.joint_names), position=self.joints.tolist(),
                         velocity=[self.speed] * 7 if self.telling_speed else [],
                         effort=[0.0] * 7)
        fingers = JointState(name=list(FR3.finger_names), velocity=[0.0] * 2,
                             position=[self.width / 2] * 2, effort=[0.0] * 2)
        arm.header.stamp = fingers.header.stamp = stamp
        self._arm.publish(arm)
        if self.telling_fingers:
            self._fingers.publish(fingers)
        if self.feeling:
            self._torques.publish(JointState(name=arm.name, effort=[0.0] * 7))
        state = FrankaRobotState(robot_mode=self.mode)
        for name in self.errors:
            setattr(state.current_errors, name, True)
        self._state.publish(state)

    def _list(self, _: Any, response: ListControllers.Response) -> ListControllers.Response:
        self.on_list()
        response.controller = [ControllerState(name=name, state=state)
                               for name, state in self.controllers.items()]
        return response

    def _follow(self, handle: Any) -> FollowJointTrajectory.Result:
        goal = handle.request
        self.goals.append(goal)
        times = [time_from_msg(point.time_from_start) for point in goal.trajectory.points]
        assert times == sorted(times) and goal.trajectory.joint_names
        self.speed = 0.5 if self.hold else 0.0
        self.moving.set()
        pause = threading.Event()
        while self.hold and self.ending is None and not handle.is_cancel_requested:
            pause.wait(PUBLISH_S)
        self.speed = 0.0
        if handle.is_cancel_requested:
            self.cancelled += 1
            handle.canceled()
            return FollowJointTrajectory.Result()
        if self.ending is not None:
            handle.abort()
            code, text = self.ending
            return FollowJointTrajectory.Result(error_code=code, error_string=text)
        self.joints = np.array(goal.trajectory.points[-1].positions)
        handle.succeed()
        return FollowJointTrajectory.Result(error_string='Goal successfully reached!')

    def _close_to(self, width: float) -> None:
        self.width = max(width, self.object_m)

    def _move(self, handle: Any) -> Move.Result:
        self.goals.append(handle.request)
        if self.gripper_error:
            handle.abort()
            return Move.Result(success=False, error=self.gripper_error)
        self._close_to(handle.request.width)
        reached = abs(self.width - handle.request.width) < 1e-3
        (handle.succeed if reached else handle.abort)()
        return Move.Result(success=reached)

    def _grasp(self, handle: Any) -> Grasp.Result:
        """An object counts as grasped when the width ends within the goal's tolerances."""
        goal = handle.request
        self.goals.append(goal)
        self._close_to(goal.width)
        held = goal.width - goal.epsilon.inner < self.width < goal.width + goal.epsilon.outer
        (handle.succeed if held else handle.abort)()
        return Grasp.Result(success=held, error='' if held else 'command failed!')

    def _home(self, handle: Any) -> Homing.Result:
        self.width = 0.08
        handle.succeed()
        return Homing.Result(success=True)

    def _grip(self, handle: Any) -> GripperCommand.Result:
        """As franka_gripper: the result has the whole width, and never says `stalled`."""
        wanted = 2 * handle.request.command.position
        if not self.gripper_error:
            self._close_to(wanted)
        reached = abs(self.width - wanted) < 0.005
        (handle.succeed if reached else handle.abort)()
        return GripperCommand.Result(position=self.width, reached_goal=reached)

    def _parallel(self, handle: Any) -> ParallelGripperCommand.Result:
        self.goals.append(handle.request)
        (position,) = handle.request.command.position
        if not self.gripper_error:
            self._close_to(2 * position)
        reached = abs(self.width - 2 * position) <= 1e-3
        (handle.succeed if reached else handle.abort)()
        return ParallelGripperCommand.Result(
            stalled=not reached and not self.gripper_error, reached_goal=reached,
            state=JointState(position=[self.width / 2], effort=[0.0]))

    def _recover(self, handle: Any) -> ErrorRecovery.Result:
        self.recoveries += 1
        self.errors, self.mode = (), FrankaRobotState.ROBOT_MODE_IDLE
        handle.succeed()
        return ErrorRecovery.Result()
