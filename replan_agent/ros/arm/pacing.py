# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""At which speed motions run: their own, unless a package slows them from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from replan_agent.app.build.plugins import PACES, TOPIC, installed, offered
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import RobotState
from replan_agent.domain.trajectory import JointTrajectory

from .arm_interfaces import ArmInterfaces


class Pacing:
    """Full speed."""

    of_driver = 1.0  # the share of its speed at which the driver itself follows a motion

    @property
    def said(self) -> str:
        """That motions are paused or slow, and why; '' at full speed."""
        return ''

    def follow(self, trajectory: JointTrajectory, send: Callable[[JointTrajectory], Any],
               state: Callable[[], RobotState], ctx: Context, contact: Callable[[], str],
               refusal: Callable[[], str]) -> Any:
        """What `send` answers to the motion, or to the last of its parts."""
        return send(trajectory)

    def await_go(self, ctx: Context, over: Callable[[], object]) -> None:
        """Wait as long as no command may start, unless `over`."""

    def look(self) -> str:
        """Why the motion must be sent again; '' if it may go on."""
        return ''


def pacing(node: Node, arm: ArmModel, names: ArmInterfaces) -> Pacing:
    wanted = names.speed_scale or (names.driver_speed_scale and installed(PACES))
    made: Pacing = offered(PACES, TOPIC)(node, arm, names) if wanted else Pacing()
    return made
