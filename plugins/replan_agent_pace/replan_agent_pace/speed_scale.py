# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A topic in [0, 1] that slows and pauses running motions, as a safety PLC or a pendant gives it.

A controller follows a motion at the speed that it was sent with. So when the scale changes, the
motion is cancelled, and the rest of its path is sent at the new speed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.node import Node
from std_msgs.msg import Float64

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CommandResult, RobotState
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.ros.arm.arm_interfaces import ArmInterfaces
from replan_agent.ros.arm.pacing import Pacing
from replan_agent.ros.rclpy_tools.diagnostics import DIAGNOSTICS_S, Diagnostics
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.waiting import every, holds_in_time

from .rest_of_motion import reached_s, slowed

STEP = 0.05  # a smaller change holds from the next motion on
STEADY_S = 0.5  # a motion is made faster once the scale rests: each change stops the arm shortly
AHEAD_S = 0.5  # an arm may be so far ahead of what the clock says


class SpeedScale(Pacing):
    """What the topic says. What is no number from 0 to 1, and silence, count as 0."""

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces) -> None:
        self._topic, self._timeout_s = names.speed_scale, names.speed_scale_timeout
        self._scale, self._heard, self._since = 1.0, -math.inf, 0.0
        self._used: float | None = None  # the scale that the running motion was sent with
        self._changed = ''  # why it is sent again
        if self._topic:
            node.create_subscription(Float64, self._topic, self._keep, NEWEST)
        if names.driver_speed_scale:
            node.create_subscription(Float64, names.driver_speed_scale, self._keep_own, NEWEST)
        diagnostics = Diagnostics(node, 'speed scale', arm.name)
        every(node, DIAGNOSTICS_S, lambda: diagnostics.publish(
            'warn' if self.said else 'ok', self.said or 'full speed', {
                'scale': f'{self.now:g}', 'driver_scale': f'{self.of_driver:g}'}))

    def _keep(self, message: Float64) -> None:
        self._heard = time.monotonic()
        if message.data != self._scale:
            self._scale, self._since = message.data, self._heard

    def _keep_own(self, message: Float64) -> None:
        self.of_driver = min(1.0, max(0.0, message.data / 100))

    @property
    def now(self) -> float:
        return 0.0 if self._wrong else self._scale

    @property
    def _wrong(self) -> str:
        if self._topic and 0 < self._timeout_s < time.monotonic() - self._heard:
            return f'is silent (limit {self._timeout_s:g} s)'
        return '' if 0 <= self._scale <= 1 else f'is {self._scale:g}, not from 0 to 1'

    @property
    def said(self) -> str:
        if self.now < 1:
            return (f'{"slowed" if self.now else "paused"}: {self._topic} '
                    f'{self._wrong or f"is {self._scale:g}"}')
        return '' if self.of_driver == 1 else f'slowed by the driver: {100 * self.of_driver:g} %'

    def await_go(self, ctx: Context, over: Callable[[], object]) -> None:
        """Wait until the scale is above 0, or `over`; raises if the context ends."""
        holds_in_time(lambda: self.now > 0 or bool(over()), math.inf, ctx)

    def look(self) -> str:
        """Why the running motion must be sent again; '' if it may go on."""
        used, now = self._used, self.now
        if used is None:
            return ''
        rests = time.monotonic() - self._since > STEADY_S
        if now < used - STEP or now == 0 or (now > used + STEP and rests):
            self._changed = self.said or f'{self._topic} is 1 again'
        return self._changed

    def follow(self, trajectory: JointTrajectory, send: Callable[[JointTrajectory], Any],
               state: Callable[[], RobotState], ctx: Context, contact: Callable[[], str],
               refusal: Callable[[], str]) -> Any:
        at_s = 0.0
        while True:
            self.await_go(ctx, lambda: contact() or refusal())
            if contact():
                return None
            share, began = self.now or STEP, state().stamp  # without a scale it is refused
            self._used, self._changed = share, ''
            try:
                answer = send(slowed(trajectory, share, at_s))
            finally:
                self._used = None
            is_over = isinstance(answer, CommandResult) or contact() or not self._changed
            if is_over or (answer and answer.status != GoalStatus.STATUS_CANCELED):
                return answer
            here = state()
            at_s = reached_s(trajectory, here.joints, at_s,
                             at_s + share * (here.stamp - began) + AHEAD_S)
