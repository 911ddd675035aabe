"""The stops that a Franka reports: reflexes, the user stop; and how to clear its errors."""

from __future__ import annotations

import threading
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.self_stops import SelfStop, SelfStops
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

CALM_S = 1.0  # for a first state without an error
COLLISIONS = ('joint_reflex', 'cartesian_reflex', 'self_collision_avoidance_violation')


def stop_in_state(state: Any) -> SelfStop | None:
    """The stop that a FrankaRobotState reports, or None."""
    if state.robot_mode == state.ROBOT_MODE_USER_STOPPED:
        return SelfStop(Reason.STOPPED, 'the user stop of the Franka is pressed', clearable=False)
    if state.robot_mode == state.ROBOT_MODE_GUIDING:
        return SelfStop(Reason.STOPPED, 'the Franka is guided by hand', clearable=False)
    errors = state.current_errors
    names = [name for name in errors.get_fields_and_field_types() if getattr(errors, name)]
    if not names and state.robot_mode != state.ROBOT_MODE_REFLEX:
        return None
    touched = not names or any(name in COLLISIONS for name in names)
    kind = 'a reflex, as in a collision' if touched else 'an error'
    return SelfStop(Reason.IN_COLLISION if touched else Reason.CONTROLLER_ABORTED,
                    f'the Franka stopped itself: {kind} ({", ".join(names) or "reflex mode"})')


class FrankaErrors(SelfStops):
    """The newest stop that the topic `franka_state` reports, and a way to clear it."""

    def __init__(self, node: Node, _: ArmModel, names: ArmInterfaces,
                 timeouts: Timeouts) -> None:
        try:
            from franka_msgs.action import ErrorRecovery
            from franka_msgs.msg import FrankaRobotState
        except ImportError as error:
            raise ConfigError('franka_state: needs franka_msgs, which is part of franka_ros2: '
                              'colcon build --packages-up-to franka_msgs; or leave '
                              "franka_state empty ('')") from error
        self._goal, self._calm = ErrorRecovery.Goal, threading.Event()
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
        self.stop = None  # until the arm reports another one
        self._calm.clear()
        self._calm.wait(CALM_S)  # a state from before may still arrive
        return ''

    def _keep(self, state: Any) -> None:
        self.stop = stop_in_state(state)
        if self.stop is None:
            self._calm.set()
