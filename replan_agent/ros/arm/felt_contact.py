# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts that the arm feels while it moves, from the external torques of its driver."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rclpy.node import Node

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import NOT_FELT, ContactGuard
from replan_agent.domain.trajectory import JointLimits
from replan_agent.robot.contact import ContactWatch

from .joint_states import JointFeed


class FeltTouch:
    """Calls `at_contact` at the first contact; warns once if contacts cannot be felt."""

    def __init__(self, node: Node, feed: JointFeed, limits: JointLimits, topic: str,
                 at_contact: Callable[[], object]) -> None:
        self._log, self._feed, self._limits = node.get_logger(), feed, limits
        self._topic, self._at_contact, self._warned = topic, at_contact, False
        self.torque = NOT_FELT  # at the last contact

    def problem(self, guard: ContactGuard | None) -> str:
        """Why contacts cannot be felt although the settings name a topic; '' if they can."""
        if guard is None or not self._topic or self._feed.await_torques():
            return ''
        return (f'no external torques on {self._topic!r}: contacts would not be felt; if the '
                'arm has none, set external_torques to none')

    @contextmanager
    def felt(self, guard: ContactGuard | None) -> Iterator[Callable[[], str]]:
        """Watch the torques; yields a function that returns the felt contact, or ''."""
        if guard is None or not self._feed.feels:
            if guard and not self._warned:
                self._warned = True
                self._log.warning('this arm sends no external torques (external_torques): it does '
                                  'not feel contacts, and only its own protection stops it there')
            yield lambda: ''
            return
        watch = ContactWatch(guard, self._feed.state().external_torque, self._limits)
        felt = ''  # the first one: the arm may rest on what it touched, and feel it again

        def feel(torque: FloatArray) -> None:
            nonlocal felt
            if not felt:
                felt = watch.contact(torque)
                if felt:
                    self.torque = watch.felt
                    self._at_contact()  # at once: the waiting thread looks less often

        end = self._feed.on_torques(feel)
        try:
            yield lambda: felt
        finally:
            end()
