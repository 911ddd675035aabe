"""Whether the controller of an arm is active, from ros2_control's controller manager."""

from __future__ import annotations

from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.ros.rclpy_tools.waiting import finished

from .arm_interfaces import NONE

ACTIVE = 'active'


class ControllerState:
    """Asks the controller manager before a motion, if there is one.

    Without one (a simulation), or without controller_manager_msgs, only the action server of the
    controller must be there: it lives in the controller manager's process.
    """

    def __init__(self, node: Node, manager: str, action: str, timeout_s: float) -> None:
        self._controller = action.rsplit('/', 1)[0].rsplit('/', 1)[-1]
        self._timeout_s, self._client = timeout_s, None
        self._service = f'{manager}/list_controllers'
        try:
            from controller_manager_msgs.srv import ListControllers
        except ImportError:
            return
        self._request = ListControllers.Request
        if manager != NONE:
            self._client = node.create_client(ListControllers, self._service,
                                              callback_group=ReentrantCallbackGroup())

    def problem(self) -> str:
        """Why the controller cannot follow a trajectory now, as a sentence; '' if it can."""
        if self._client is None or not self._client.service_is_ready():
            return ''
        future = self._client.call_async(self._request())
        try:
            if not finished(future, self._timeout_s):
                return f'{self._service} does not answer; waited {self._timeout_s:g} s'
            return inactive(self._controller, future.result().controller)
        finally:
            self._client.remove_pending_request(future)


def inactive(name: str, controllers: Any) -> str:
    """Why that controller is not active, or ''; `controllers` are ControllerStates."""
    states = {controller.name: controller.state for controller in controllers}
    state = states.get(name)
    if state == ACTIVE:
        return ''
    if state is None:
        return f'no controller {name} is loaded; there are: {", ".join(states) or "none"}'
    return (f'the controller {name} is {state}, not active; '
            f'ros2 control switch_controllers --activate {name}')
