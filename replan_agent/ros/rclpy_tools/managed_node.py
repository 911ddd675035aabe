# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node with a lifecycle: configure checks what it needs, activate lets it work."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn
from std_msgs.msg import String

from replan_agent.domain.context import Context

from .qos import LATCHED
from .waiting import holds_in_time

WHY = 'starter_node/waits_for'  # topic: why nodes are not active, in words
NORMAL_S = 30.0  # for drivers to appear after a start
SUCCESS, FAILURE = TransitionCallbackReturn.SUCCESS, TransitionCallbackReturn.FAILURE


class ManagedNode(LifecycleNode):
    """Works at once, or with `autostart: false` after others configure and activate it.

    A subclass calls `start` at the end of its constructor, and asks `inactive` before it works.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._autostart = bool(self.declare_parameter('autostart', True, ParameterDescriptor(
            description='true: work at once; false: starter_node (or ros2 lifecycle) configures '
                        'and activates the node', read_only=True)).value)
        self._active = self._was_active = False
        self._born, self.why = time.monotonic(), ''  # what starter_node waits for
        self.create_subscription(String, WHY, self._keep_why, LATCHED)
        self._steady_service()

    def _keep_why(self, told: String) -> None:
        self.why = told.data and f' ({told.data})'

    def _steady_service(self) -> None:
        """Let `change_state` refuse what does not fit the state, and hold up nothing else.

        rclpy's own raises out of the executor then. It also shares a group with parameters, the
        clock and get_state, and a deactivation waits for the arm.
        """
        service = self._service_change_state
        change, service.callback_group = service.callback, MutuallyExclusiveCallbackGroup()
        service.callback_group.add_entity(service)

        def answer(request: Any, response: Any) -> Any:
            try:
                return change(request, response)
            except RuntimeError as error:  # RCLError, which rclpy does not export
                self.get_logger().warning(f'the state does not change: {error}')
                response.success = False
                return response

        service.callback = answer

    def start(self) -> None:
        """Go to work, unless others decide when."""
        if self._autostart:
            self.trigger_configure()
            self.trigger_activate()

    @property
    def inactive(self) -> str:
        """That the node does not work now, as a sentence; '' if it does."""
        if self._active:
            return ''
        name = self.get_fully_qualified_name()
        return (f'{self.get_name()} is not active{self.why}; starter_node activates it, or: '
                f'ros2 lifecycle set {name} configure, then activate')

    def await_start(self, timeout_s: float, ctx: Context) -> None:
        """Wait for an activation that comes in a moment.

        A node that has just started gets one, and one that starter_node took out (and so is
        unconfigured) until the nodes before it are back. One that a person deactivated does not.
        """
        holds_in_time(lambda: self._was_active, timeout_s, ctx)

    def missing(self) -> str:
        """What the node needs and does not find, as a sentence; '' if all is there."""
        return ''

    def end_work(self) -> None:
        """End what is running, because the node was deactivated."""

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        with self._bugs_are_said():
            problem = '' if self._autostart else self.missing()
        if problem:
            log, is_early = self.get_logger(), time.monotonic() < self._born + NORMAL_S
            (log.info if is_early else log.error)(f'not configured yet: {problem}',
                                                  throttle_duration_sec=10.0)
            return FAILURE
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._active = self._was_active = True
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._rest()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._was_active = False
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._rest()
        return super().on_shutdown(state)

    def _rest(self) -> None:
        self._active = False
        with self._bugs_are_said():
            self.end_work()

    @contextmanager
    def _bugs_are_said(self) -> Iterator[None]:
        """Log an exception: rclpy makes an error state of it, and says nothing."""
        try:
            yield
        except Exception:
            self.get_logger().error(traceback.format_exc())
            raise
