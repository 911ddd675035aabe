# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the drivers of a real Franka. It speaks their protocols without an arm.

FollowJointTrajectory as ros2_controllers' joint_trajectory_controller has it, joint states of arm
and fingers on separate topics, Franka's gripper actions, its robot state and error recovery,
and the controller manager. What franka_ros2 3.4.0 leaves out on fake hardware is left out here
too. After a reflex the arm is silent, as with franka_ros2 from 3.3 on: its hardware is
unconfigured and all its controllers are inactive, the broadcasters too; the gripper, a process
of its own, goes on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, GripperCommand, ParallelGripperCommand
from controller_manager_msgs.msg import ControllerState, HardwareComponentState, HardwareInterface
from controller_manager_msgs.srv import (
    ListControllers,
    ListHardwareComponents,
    SetHardwareComponentState,
    SwitchController,
)
from franka_msgs.action import ErrorRecovery, Grasp, Homing, Move
from franka_msgs.msg import FrankaRobotState
from lifecycle_msgs.msg import State
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
ARM_CONTROLLER, JOINTS, STATE = CONTROLLERS = (
    'fr3_arm_controller', 'joint_state_broadcaster', 'franka_robot_state_broadcaster')
HARDWARE = 'FrankaHardwareInterface'
FAKE_FINGER_M, FAKE_FINGERS_S = 0.035, 0.1  # franka_gripper's fake_gripper_state_publisher
Codes = FollowJointTrajectory.Result
DEACTIVATED = (Codes.INVALID_GOAL, 'Current goal cancelled during deactivate transition.')


class FakeDriver(Node):
    """An FR3 that reaches its target at once, unless a test says otherwise.

    `ending` is how the next motions end: (error code, text), or None to reach the goal. With
    `hold` a motion goes on until it is cancelled or `ending` is set. With `fake_hardware` it is
    franka_bringup with `use_fake_hardware`.
    """

    def __init__(self, fake_hardware: bool = False) -> None:
        super().__init__('fake_driver')
        self.joints = np.array(franka.HOME)
        self.speed, self._one_state = 0.0, threading.Lock()
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
        self.controllers = dict.fromkeys(CONTROLLERS[:2 if fake_hardware else 3], 'active')
        self.hardware, self.last_errors = State.PRIMARY_STATE_ACTIVE, ()
        self.recoveries, self.switching = 0, True
        group = ReentrantCallbackGroup()
        self._arm = self.create_publisher(JointState, 'franka/joint_states', 1)
        self._fingers = self.create_publisher(JointState, 'franka_gripper/joint_states', 1)
        self._torques = self.create_publisher(JointState, TORQUES, 1)
        self._state = self.create_publisher(
            FrankaRobotState, 'franka_robot_state_broadcaster/robot_state', 1)
        for kind, name, answer in (
                (ListControllers, 'list_controllers', self._list),
                (ListHardwareComponents, 'list_hardware_components', self._components),
                (SetHardwareComponentState, 'set_hardware_component_state', self._set_hardware),
                (SwitchController, 'switch_controller', self._switch)):
            self.create_service(kind, f'controller_manager/{name}', answer, callback_group=group)
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
            for kind, name, run in (served[:1] if fake_hardware else served)]
        if fake_hardware:
            self.telling_fingers = self.feeling = False
            every(self, FAKE_FINGERS_S, self._publish_fake_fingers)
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

    def reflex(self, *errors: str) -> None:
        """The arm stops itself: the hardware's read() fails before the state is stored."""
        with self._one_state:
            self.hardware = State.PRIMARY_STATE_UNCONFIGURED
            self.controllers = dict.fromkeys(self.controllers, 'inactive')
            self.errors, self.mode = errors, FrankaRobotState.ROBOT_MODE_REFLEX
        self.ending = DEACTIVATED

    def user_stop(self, pressed: bool) -> None:
        """The button: a pressed one silences the driver like a reflex, and no error is set."""
        if pressed:
            self.reflex()
        self.mode = (FrankaRobotState.ROBOT_MODE_USER_STOPPED if pressed
                     else FrankaRobotState.ROBOT_MODE_IDLE)

    def _publish_fake_fingers(self) -> None:
        self._fingers.publish(JointState(name=list(FR3.finger_names), velocity=[0.0] * 2,
                                         position=[FAKE_FINGER_M] * 2, effort=[0.0] * 2))

    def _publish(self) -> None:
        with self._one_state:
            if self.telling:
                self._publish_states()

    def _publish_states(self) -> None:
        now = self.get_clock().now()
        self.joints = self.joints + self.drift * (now - self._published).nanoseconds / 1e9
        self._published, stamp = now, now.to_msg()
        arm = JointState(name=list(FR3.joint_names), position=self.joints.tolist(),
                         velocity=[self.speed] * 7 if self.telling_speed else [],
                         effort=[0.0] * 7)
        fingers = JointState(name=list(FR3.finger_names), velocity=[0.0] * 2,
                             position=[self.width / 2] * 2, effort=[0.0] * 2)
        arm.header.stamp = fingers.header.stamp = stamp
        if self.telling_fingers:
            self._fingers.publish(fingers)
        if self.controllers.get(JOINTS, 'active') == 'active':
            self._arm.publish(arm)
        if self.controllers.get(STATE) != 'active':
            return
        if self.feeling:
            self._torques.publish(JointState(name=arm.name, effort=[0.0] * 7))
        state = FrankaRobotState(robot_mode=self.mode)
        for group, names in ((state.current_errors, self.errors),
                             (state.last_motion_errors, self.last_errors)):
            for name in names:
                setattr(group, name, True)
        self._state.publish(state)

    def _list(self, _: Any, response: ListControllers.Response) -> ListControllers.Response:
        self.on_list()
        torques = [f'{joint}/effort' for joint in FR3.joint_names]
        response.controller = [ControllerState(
            name=name, state=state,
            required_command_interfaces=torques if name == ARM_CONTROLLER else [])
            for name, state in self.controllers.items()]
        return response

    def _components(self, _: Any, response: Any) -> Any:
        response.component = [HardwareComponentState(
            name=HARDWARE, type='system', state=State(id=self.hardware),
            command_interfaces=[HardwareInterface(name=f'{joint}/effort')
                                for joint in FR3.joint_names])]
        return response

    def _set_hardware(self, request: Any, response: Any) -> Any:
        response.ok = request.name == HARDWARE and not self.errors
        if response.ok:
            self.hardware = request.target_state.id
        response.state = State(id=self.hardware)
        return response

    def _switch(self, request: Any, response: Any) -> Any:
        response.ok = self.switching and self.hardware == State.PRIMARY_STATE_ACTIVE
        if response.ok:
            self.controllers |= dict.fromkeys(request.activate_controllers, 'active')
            self.ending = None
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
        if self.mode == FrankaRobotState.ROBOT_MODE_USER_STOPPED:  # libfranka: CommandException
            handle.abort()
            return ErrorRecovery.Result()
        self.last_errors, self.errors = self.errors, ()
        self.mode = FrankaRobotState.ROBOT_MODE_IDLE
        handle.succeed()
        return ErrorRecovery.Result()
