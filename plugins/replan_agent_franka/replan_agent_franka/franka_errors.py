# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stops that a Franka reports: reflexes, the user stop; and how to clear its errors."""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.arm_interfaces import NONE, ArmInterfaces
from replan_agent.ros.arm.self_stops import SelfStop, SelfStops
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import every

CALM_S = 5.0  # for a first state without an error
SILENT_S = 0.5  # the state comes 100 times a second
COLLISIONS = ('joint_reflex', 'cartesian_reflex', 'self_collision_avoidance_violation')


def stop_in_state(state: Any) -> SelfStop | None:
    """The stop that a FrankaRobotState reports, or None."""
    if state.robot_mode == state.ROBOT_MODE_USER_STOPPED:
        return SelfStop(Reason.STOPPED, 'the user stop of the Franka is pressed', clearable=False)
    if state.robot_mode == state.ROBOT_MODE_GUIDING:
        return SelfStop(Reason.STOPPED, 'the Franka is guided by hand', clearable=False)
    errors = state.current_errors
    names = _set_in(errors)
    if not names and state.robot_mode != state.ROBOT_MODE_REFLEX:
        return None
    touched = not names or any(name in COLLISIONS for name in names)
    kind = 'a reflex, as in a collision' if touched else 'an error'
    return SelfStop(Reason.IN_COLLISION if touched else Reason.CONTROLLER_ABORTED,
                    f'the Franka stopped itself: {kind} ({", ".join(names) or "reflex mode"})')


def _set_in(errors: Any) -> list[str]:
    return [name for name in errors.get_fields_and_field_types() if getattr(errors, name)]


class FrankaErrors(SelfStops):
    """The newest stop that the topic `franka_state` reports, and a way to clear it.

    franka_ros2 from 3.3 on is silent after a reflex. Then the controller manager is asked whether
    the hardware is active; what the reflex was is known only after the recovery.
    """

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None:
        try:
            from franka_msgs.action import ErrorRecovery
            from franka_msgs.msg import FrankaRobotState

            from .franka_hardware import ArmHardware
        except ImportError as error:
            raise ConfigError('franka_state: needs franka_msgs, which is part of franka_ros2: '
                              'colcon build --packages-up-to franka_msgs; or leave '
                              "franka_state empty ('')") from error
        self._goal, self._calm = ErrorRecovery.Goal, threading.Event()
        self._log, self._topic, self._heard = node.get_logger(), names.franka_state, math.inf
        self._last_errors: list[str] = []
        action = names.trajectory_action
        self._hardware = None if names.controller_manager == NONE else ArmHardware(
            node, names.controller_manager, arm.joint_names[0],
            action.rsplit('/', 1)[0].rsplit('/', 1)[-1], timeouts)
        every(node, SILENT_S, self._look)
        self._recovery = ActionPort(node, ErrorRecovery, names.error_recovery, 'the Franka',
                                    timeouts)
        node.create_subscription(FrankaRobotState, names.franka_state, self._keep, NEWEST)

    def recover(self, ctx: Context) -> str:
        if self.stop and not self.stop.clearable:
            return f'{self.stop.sentence}: release it first'
        try:
            answer = self._recovery.call(self._goal(), ctx, lambda feedback: None)
        except NodeLost as lost:
            return str(lost)
        if answer.status != GoalStatus.STATUS_SUCCEEDED:
            return 'the Franka did not clear its errors (error_recovery was aborted)'
        problem = self._hardware.reactivate(ctx) if self._hardware else ''
        if problem:
            return problem
        self._calm.clear()
        if not self._calm.wait(CALM_S):  # a state from before may still arrive
            return (f'{self._topic} shows no state without an error; '
                    'ros2 control list_controllers')
        self._log.info('the Franka is ready again; its last motion ended with: '
                       f'{", ".join(self._last_errors) or "no error"}')
        return ''

    def recover_unasked(self, ctx: Context) -> str:
        """The same, if it was a reflex. What a silent driver stopped for is told only afterwards.

        The state then has the errors of the last motion: the user stop names none, and those that
        it had before may be old.
        """
        is_known, before = self.stop is None or self.stop.known, self._last_errors
        problem = self.recover(ctx)
        named = self._last_errors
        if problem or is_known or (named != before and set(named) & set(COLLISIONS)):
            return problem
        return ('its errors are cleared, and it names no new reflex '
                f'({", ".join(named) or "no error"}): it may have been the user stop')

    def note(self, stop: SelfStop) -> None:
        """Keep it: if the driver falls silent, no state tells it."""
        self.stop = stop

    def _look(self) -> None:
        if self._hardware and not self.stop and time.monotonic() - self._heard > SILENT_S:
            self._hardware.look(self._deactivated)

    def _deactivated(self, said: str) -> None:
        if time.monotonic() - self._heard > SILENT_S:  # the answer may be older than the state
            self.note(SelfStop(Reason.CONTROLLER_ABORTED, 'the Franka stopped itself, and its '
                               f'driver does not tell why (a reflex, the user stop, a lost '
                               f'connection): {said}', known=False))

    def _keep(self, state: Any) -> None:
        self._heard, self._last_errors = time.monotonic(), _set_in(state.last_motion_errors)
        self.stop = stop_in_state(state)
        if self.stop is None:
            self._calm.set()
