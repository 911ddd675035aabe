# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stops that an arm makes by itself, and how to clear its errors.

The arm stops itself if it feels a collision or leaves its limits; ros2_control then deactivates
the controller. Nothing here clears an error unasked: a person or a setting must allow it.
"""

from __future__ import annotations

from dataclasses import dataclass

from rclpy.node import Node

from replan_agent.app.build.plugins import SELF_STOPS, offered
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.skill import Reason
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

from .arm_interfaces import ArmInterfaces


@dataclass(frozen=True)
class SelfStop:
    """The arm stopped itself, or a person stopped it with its button."""

    reason: Reason
    sentence: str
    clearable: bool = True  # by `recover`; a button must be released by hand
    known: bool = True  # else it may be a button

    @property
    def cause(self) -> Cause:
        causes = {Reason.STOPPED: Cause.STOPPED, Reason.IN_COLLISION: Cause.UNEXPECTED_CONTACT}
        return causes.get(self.reason, Cause.CONTROLLER_ERROR)


class SelfStops:
    """The newest stop that the arm reports. Only the package of its driver knows any."""

    stop: SelfStop | None = None

    def recover(self, ctx: Context) -> str:
        """Clear the arm's errors; returns why that failed, or ''."""
        return ('neither franka_state nor the file of the arm (ros.recover) says how: clear the '
                'errors with the tools of the arm')

    def recover_unasked(self, ctx: Context) -> str:
        """The same without a person; what may be a button stays."""
        stop = self.stop
        return self.recover(ctx) if stop and stop.known else 'only a person may call recover_error'

    def note(self, stop: SelfStop) -> None:
        """A motion ended with this stop, which the driver tells in no other way."""

    def halt(self) -> str:
        """Let the driver stop the arm, which a cancel did not; returns what was asked, or ''."""
        return ''


def self_stops(node: Node, arm: ArmModel, names: ArmInterfaces, timeouts: Timeouts) -> SelfStops:
    """The stops that the arm's driver tells, or offers as services; else none are known."""
    has_services = arm.ros.stop or arm.ros.recover or arm.ros.safety
    kind = 'franka' if names.franka_state else 'services' if has_services else ''
    made: SelfStops = (offered(SELF_STOPS, kind)(node, arm, names, timeouts) if kind
                       else SelfStops())
    return made


def stop_in_text(text: str) -> SelfStop | None:
    """The stop in the text of an aborted motion, or None: drivers have no code for it."""
    if 'reflex' in text.lower():
        return SelfStop(Reason.IN_COLLISION, f'the arm stopped itself: {text}')
    if 'deactivate' in text.lower():
        return SelfStop(Reason.CONTROLLER_ABORTED,
                        'the controller was deactivated during the motion, as happens when the '
                        'arm stops itself (reflex, user stop, lost connection)', known=False)
    return None
