"""The stops that a Franka reports: reflexes, the user stop; and how to clear its errors.

The arm stops itself if it feels a collision or leaves its limits; ros2_control then deactivates
the controller. Nothing here clears an error unasked: a person or a setting must allow it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.node import Node

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.skill import Reason
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

from .arm_interfaces import ArmInterfaces

COLLISIONS = ('joint_reflex', 'cartesian_reflex', 'self_collision_avoidance_violation')


@dataclass(frozen=True)
class SelfStop:
    """The arm stopped itself, or a person stopped it with its button."""

    reason: Reason
    sentence: str
    clearable: bool = True  # with ErrorRecovery; a button must be released by hand

    @property
    def cause(self) -> Cause:
        causes = {Reason.STOPPED: Cause.STOPPED, Reason.IN_COLLISION: Cause.UNEXPECTED_CONTACT}
        return causes.get(self.reason, Cause.CONTROLLER_ERROR)


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


def stop_in_text(text: str) -> SelfStop | None:
    """The stop that the text of an aborted motion reports, or None.

    The text is that of Franka's driver, which has no code for this.
    """
    if 'reflex' in text.lower():
        return SelfStop(Reason.IN_COLLISION, f'the Franka stopped itself: {text}')
    if 'deactivate' in text.lower():
        return SelfStop(Reason.CONTROLLER_ABORTED,
                        'the controller was deactivated during the motion, as happens when the '
                        'Franka stops itself (reflex, user stop, lost connection)')
    return None


class FrankaErrors:
    """The newest stop that the arm reports, and a way to clear it."""

    def __init__(self, node: Node, names: ArmInterfaces, timeouts: Timeouts) -> None:
        self._stop: SelfStop | None = None
        self._recovery: ActionPort | None = None
        try:
            from franka_msgs.action import ErrorRecovery
            from franka_msgs.msg import FrankaRobotState
        except ImportError as error:
            if names.franka_state:
                raise ConfigError('franka_state: needs franka_msgs, which is part of franka_ros2: '
                                  'colcon build --packages-up-to franka_msgs; or leave '
                                  "franka_state empty ('')") from error
            return
        if not names.franka_state:
            return
        self._goal = ErrorRecovery.Goal
        self._recovery = ActionPort(node, ErrorRecovery, names.error_recovery, 'the Franka',
                                    timeouts)
        node.create_subscription(FrankaRobotState, names.franka_state, self._keep, NEWEST)

    @property
    def stop(self) -> SelfStop | None:
        return self._stop

    def recover(self, ctx: Context) -> str:
        """Clear the arm's errors; returns why that failed, or ''."""
        if self._recovery is None:
            return 'no franka_state is configured: clear the errors with the tools of the arm'
        if self._stop and not self._stop.clearable:
            return f'{self._stop.sentence}: release it first'
        try:
            answer = self._recovery.call(self._goal(), ctx, lambda feedback: None)
        except NodeLost as lost:
            return str(lost)
        if answer.status != GoalStatus.STATUS_SUCCEEDED:
            return 'the Franka did not clear its errors (error_recovery was aborted)'
        self._stop = None  # until the arm reports another one
        return ''

    def _keep(self, state: Any) -> None:
        self._stop = stop_in_state(state)
