# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ur_robot_driver and the driver of a Robotiq hand. No UR is behind it.

It speaks their names and types: the scaled trajectory controller, one topic of joint states, the
parallel gripper's action, the dashboard's services and the controller manager's list. After a
protective stop the controller is inactive until the stop is unlocked and the program sent again.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory, ParallelGripperCommand
from controller_manager_msgs.msg import ControllerState
from controller_manager_msgs.srv import ListControllers
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Int8
from std_srvs.srv import SetBool, Trigger

from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.waiting import every

JOINTS = ('shoulder_pan_joint', 'shoulder_lift_joint', 'elbow_joint', 'wrist_1_joint',
          'wrist_2_joint', 'wrist_3_joint')
KNUCKLE = 'robotiq_85_left_knuckle_joint'
CONTROLLER = 'scaled_joint_trajectory_controller'
UNLOCK, RESEND = 'dashboard_client/unlock_protective_stop', (
    'io_and_status_controller/resend_robot_program')
TRIGGERS = ('dashboard_client/close_safety_popup', UNLOCK, RESEND, 'dashboard_client/stop')
SAFETY_TOPIC = 'io_and_status_controller/safety_mode'
NORMAL, PROTECTIVE_STOP, EMERGENCY_STOP = 1, 3, 7
PUBLISH_S = 0.02


class UrStandIn(Node):
    """It reaches its target at once. `blocked` is where its fingers meet something (rad)."""

    def __init__(self, home: Any) -> None:
        super().__init__('ur_stand_in')
        self.joints, self.knuckle, self.blocked = np.array(home), 0.0, 9.0
        self.speed = 0.0
        self.protective_stop = self.deaf = False  # in the next motion; to a cancel
        self.hold = False  # a motion goes on until it is cancelled
        self.moving, self.refused = threading.Event(), ''
        self.active, self.called, self.goals = True, list[str](), list[Any]()
        group = ReentrantCallbackGroup()
        self._states = self.create_publisher(JointState, 'joint_states', 1)
        self.safety = self.create_publisher(Int8, SAFETY_TOPIC, LATCHED)  # as SafetyMode.mode
        for name in TRIGGERS:
            self.create_service(Trigger, name, self._answer(name), callback_group=group)
        self.create_service(SetBool, 'enable', self._enable, callback_group=group)
        self.create_service(ListControllers, 'controller_manager/list_controllers', self._list,
                            callback_group=group)
        self._servers = [ActionServer(
            self, kind, name, run, callback_group=group,
            cancel_callback=lambda _: CancelResponse.ACCEPT) for kind, name, run in (
                (FollowJointTrajectory, f'{CONTROLLER}/follow_joint_trajectory', self._follow),
                (ParallelGripperCommand, 'robotiq_gripper_controller/gripper_cmd', self._grip))]
        every(self, PUBLISH_S, self._publish)

    def _publish(self) -> None:
        message = JointState(name=[*JOINTS, KNUCKLE], position=[*self.joints, self.knuckle],
                             velocity=[self.speed] * 6 + [0.0], effort=[0.0] * 7)
        message.header.stamp = self.get_clock().now().to_msg()
        self._states.publish(message)

    def _answer(self, name: str) -> Any:
        def answer(_: Any, response: Trigger.Response) -> Trigger.Response:
            self.called.append(name)
            response.success = name != self.refused
            response.message = '' if response.success else 'not now'
            self.active |= response.success and name == RESEND and UNLOCK in self.called
            if name == 'dashboard_client/stop':
                self.speed = 0.0
            return response

        return answer

    def _enable(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.called.append(f'enable {request.data}')
        response.success = True
        return response

    def _list(self, _: Any, response: ListControllers.Response) -> ListControllers.Response:
        response.controller = [ControllerState(
            name=CONTROLLER, state='active' if self.active else 'inactive')]
        return response

    def _follow(self, handle: Any) -> FollowJointTrajectory.Result:
        goal = handle.request.trajectory
        self.goals.append(goal)
        if self.protective_stop:
            self.protective_stop = self.active = False
            handle.abort()
            return FollowJointTrajectory.Result(
                error_code=-1, error_string='Current goal cancelled during deactivate transition.')
        if self.deaf or self.hold:
            self.speed = 0.5
            self.moving.set()
            while not handle.is_cancel_requested:
                threading.Event().wait(PUBLISH_S)
            self.speed *= self.deaf
            handle.canceled()
            return FollowJointTrajectory.Result()
        order = [list(goal.joint_names).index(name) for name in JOINTS]
        self.joints = np.array(goal.points[-1].positions)[order]
        handle.succeed()
        return FollowJointTrajectory.Result()

    def _grip(self, handle: Any) -> ParallelGripperCommand.Result:
        wanted = handle.request.command
        self.goals.append(wanted)
        (position,) = wanted.position
        self.knuckle = min(position, self.blocked)
        handle.succeed()
        return ParallelGripperCommand.Result(
            state=JointState(name=[KNUCKLE], position=[self.knuckle]),
            stalled=self.knuckle < position, reached_goal=self.knuckle >= position)
