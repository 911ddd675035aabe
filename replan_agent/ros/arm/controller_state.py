# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the controller of an arm is active, from ros2_control's controller manager."""

from __future__ import annotations

from rclpy.node import Node

from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

from .arm_interfaces import NONE

ACTIVE = 'active'


class ControllerState:
    """Asks the controller manager before a motion, if there is one.

    Without one (a simulation), or without controller_manager_msgs, only the action server of the
    controller must be there: it lives in the controller manager's process.
    """

    def __init__(self, node: Node, manager: str, action: str, timeout_s: float) -> None:
        self._controller = action.rsplit('/', 1)[0].rsplit('/', 1)[-1]
        self._timeout_s, self._port = timeout_s, None
        try:
            from controller_manager_msgs.srv import ListControllers
        except ImportError:
            return
        self._request = ListControllers.Request
        if manager != NONE:
            self._port = ServicePort(node, ListControllers, f'{manager}/list_controllers',
                                     manager, Timeouts())

    def problem(self) -> str:
        """Why the controller cannot follow a trajectory now, as a sentence; '' if it can."""
        asked = self._port.ask(self._request()) if self._port else None
        if self._port is None or asked is None:
            return ''
        try:
            answer = self._port.call(self._request(), Context(), self._timeout_s, asked)
        except NodeLost as lost:
            return str(lost)
        states = {found.name: found.state for found in answer.controller}
        state, name = states.get(self._controller), self._controller
        if state == ACTIVE:
            return ''
        if state is None:
            return f'no controller {name} is loaded; there are: {", ".join(states) or "none"}'
        return (f'the controller {name} is {state}, not active; '
                f'ros2 control switch_controllers --activate {name}')
