# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arm's hardware component and its controllers, at ros2_control's controller manager.

From franka_ros2 3.3 on, an error of the arm makes the component unconfigured and its controllers
inactive, those too that publish the arm's state: nothing on a topic tells why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller_manager_msgs.srv import (
    ListControllers,
    ListHardwareComponents,
    SetHardwareComponentState,
    SwitchController,
)
from lifecycle_msgs.msg import State
from rclpy.node import Node

from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

ACTIVE, INACTIVE = 'active', 'inactive'
SWITCH_S = 5
SERVICES = {'list_controllers': ListControllers,
            'list_hardware_components': ListHardwareComponents,
            'set_hardware_component_state': SetHardwareComponentState,
            'switch_controller': SwitchController}


class ArmHardware:
    """The component that drives `joint`, and the controller that follows trajectories."""

    def __init__(self, node: Node, manager: str, joint: str, controller: str,
                 timeouts: Timeouts) -> None:
        self._joint, self._controller = joint, controller
        self._ports = {name: ServicePort(node, kind, f'{manager}/{name}', manager, timeouts,
                                         once=True) for name, kind in SERVICES.items()}

    def look(self, on_inactive: Callable[[str], None]) -> None:
        """Ask for the state of the component; calls back if it is not active, with a sentence."""
        asked = self._ports['list_hardware_components'].ask(ListHardwareComponents.Request())
        if asked is not None:
            asked.add_done_callback(lambda done: self._tell(done, on_inactive))

    def _tell(self, done: Any, on_inactive: Callable[[str], None]) -> None:
        ours = None if done.cancelled() or done.exception() else self._ours(done.result())
        if ours is not None and ours.state.id != State.PRIMARY_STATE_ACTIVE:
            on_inactive(f'{ours.name} is {ours.state.label or "not active"}')

    def _ours(self, listed: ListHardwareComponents.Response) -> Any | None:
        return next((found for found in listed.component if any(
            offered.name.startswith(f'{self._joint}/') for offered in found.command_interfaces)),
            None)

    def reactivate(self, ctx: Context) -> str:
        """Activate the component, then the controllers; returns why that failed, or ''.

        The controllers are the arm's own, and all that command nothing: broadcasters.
        """
        try:
            return self._reactivate(ctx)
        except NodeLost as lost:
            return str(lost)

    def _reactivate(self, ctx: Context) -> str:
        ours = self._ours(self._call('list_hardware_components', ctx))
        if ours is None:
            return f'no hardware component of the controller manager drives {self._joint}'
        if ours.state.id != State.PRIMARY_STATE_ACTIVE and not self._call(
                'set_hardware_component_state', ctx, name=ours.name, target_state=State(
                    id=State.PRIMARY_STATE_ACTIVE, label=ACTIVE)).ok:
            return (f'{ours.name} is not activated (ros2 control set_hardware_component_state '
                    f'{ours.name} active)')
        resting = [found.name for found in self._call('list_controllers', ctx).controller
                   if found.state == INACTIVE and (found.name == self._controller
                                                   or not found.required_command_interfaces)]
        request: dict[str, Any] = {'activate_controllers': resting, 'activate_asap': True,
                                   'strictness': SwitchController.Request.STRICT}
        if resting and not self._call('switch_controller', ctx, **request).ok:
            names = ' '.join(resting)
            return (f'not activated: {names} (ros2 control switch_controllers --activate '
                    f'{names})')
        return ''

    def _call(self, service: str, ctx: Context, **fields: Any) -> Any:
        request = SERVICES[service].Request(**fields)
        if service == 'switch_controller':
            request.timeout.sec = SWITCH_S
        return self._ports[service].call(request, ctx)
