# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The newest joint state from an arm's driver, and whether it is fresh."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import RobotState
from replan_agent.ros.messages.message_fields import time_from_msg
from replan_agent.ros.rclpy_tools.own_pause import OwnPause
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.ros.rclpy_tools.waiting import every

from .arm_interfaces import WatchedArm
from .standstill import NoStandstill

SAME_WIDTH_M = 0.0005
LOOK_S, PAUSED_S = 0.2, 1.0  # for pauses of this process


class RobotSilent(Exception):
    """The arm's driver does not send what is needed; says what, and how long we waited."""


class JointFeed:
    """The joints of an arm and its fingers (or no fingers), which may come in separate messages.

    Age counts from the arrival of a message, because robot time may stand still. If a position is
    not a number, no joint of the arm did arrive, or no finger. If a torque is not, none did, but
    the listeners get them as they are.
    """

    def __init__(self, node: Node, names: tuple[str, ...], fingers: tuple[str, ...],
                 interfaces: WatchedArm,
                 width: Callable[[Iterable[float]], float] = sum) -> None:
        self._width_of = width
        self._names, self._fingers, self._interfaces = names, fingers, interfaces
        self._news = threading.Condition()
        self._readings: dict[str, tuple[float, float, float]] = {}
        self._listening, self._pause = time.monotonic(), OwnPause(LOOK_S, PAUSED_S)
        every(node, LOOK_S, self._leave_out_pause)
        self.stamp = 0.0  # robot time of the newest state
        self.arrived = -np.inf  # newest state with all joints of the arm, monotonic
        self._fingers_arrived = -np.inf  # newest state with all fingers
        self._fingers_topic = interfaces.finger_states or interfaces.joint_states
        self._torques, self._torques_arrived = np.zeros(len(names)), -np.inf
        self._on_state: list[Callable[[], None]] = []
        self._listeners: list[Callable[[FloatArray], None]] = []
        self.give_up_at = math.inf  # this process ends then: no wait goes on, monotonic
        topics = {interfaces.joint_states, self._fingers_topic}
        self._widths: list[float] = []  # that arrived since settled_width was called
        for topic, keep in (*((topic, self._on_joints) for topic in sorted(topics)),
                            (interfaces.torques, self._on_torques)):
            if topic:
                node.create_subscription(JointState, topic, keep, NEWEST,
                                         callback_group=MutuallyExclusiveCallbackGroup())

    def await_torques(self) -> bool:
        """True if the driver sends external torques, now or within server_timeout."""
        with self._news:
            return self._await(lambda: self.feels, self._interfaces.server_timeout)

    @property
    def feels(self) -> bool:
        """True if the driver sends external torques."""
        return self.torques_age_s <= self._interfaces.state_max_age

    @property
    def torques_age_s(self) -> float:
        return time.monotonic() - self._torques_arrived

    @property
    def age_s(self) -> float:
        return time.monotonic() - self.arrived

    def on_torques(self, listener: Callable[[FloatArray], None]) -> Callable[[], None]:
        """Call `listener` with every new external torque; returns a function that ends it."""
        return self._listened(self._listeners, listener)

    def _listened(self, listeners: list[Any], listener: Any) -> Callable[[], None]:
        listeners.append(listener)

        def end() -> None:
            with self._news:  # afterwards it is not called any more
                listeners.remove(listener)

        return end

    def on_state(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` at every new state of the arm; returns a function that ends it."""
        return self._listened(self._on_state, listener)

    def newest(self) -> RobotState | None:
        """The newest state, without waiting; None if it is not fresh."""
        with self._news:
            return self._state() if self._is_fresh() else None

    def state(self) -> RobotState:
        """The newest state; waits for a fresh one, and raises RobotSilent if none comes."""
        limit = self._interfaces.server_timeout
        with self._news:
            self._await(lambda: self._is_fresh() or self._went_silent(), limit)
            if not self._is_fresh():
                raise RobotSilent(self._silence(limit))
            return self._state()

    def await_first(self, timeout_s: float) -> None:
        """Wait for a first state; raises RobotSilent if none comes."""
        with self._news:
            if not self._await(lambda: self.arrived > -np.inf, timeout_s):
                raise RobotSilent(self._silence(timeout_s))

    def await_standstill(self) -> None:
        """Wait for a state at rest that arrives from now on; raises NoStandstill."""
        limit = self._interfaces.standstill_timeout
        if not self.stands_still(limit):
            raise NoStandstill(self.no_standstill(limit))

    def stands_still(self, timeout_s: float) -> bool:
        """True if a state at rest arrives from now on, in time."""
        speed = self._interfaces.standstill_speed
        return self.await_next(timeout_s, lambda s: bool(np.abs(s.velocities).max() < speed))

    def no_standstill(self, waited_s: float) -> str:
        """Why no standstill was seen, as a sentence."""
        return self.fell_silent or self._ended_too_early() or (
            f'no standstill (all joints below {self._interfaces.standstill_speed:g} rad/s) was '
            f'seen on {self._interfaces.joint_states} within {waited_s:g} s')

    def _ended_too_early(self) -> str:
        """That this process ended before a standstill was seen; '' if it did not."""
        if time.monotonic() < self.give_up_at:
            return ''
        return (f'this process ends, and no standstill was seen on '
                f'{self._interfaces.joint_states} before; its last state came '
                f'{min(self.age_s, time.monotonic() - self._listening):.1f} s ago')

    @property
    def fell_silent(self) -> str:
        """That the driver sends no joint states any more, in a sentence; '' if it does."""
        if time.monotonic() - self._pause.looked > LOOK_S + PAUSED_S:
            return ''  # this process did not run: it heard nothing in that time
        silent_s = time.monotonic() - max(self.arrived, self._listening)
        if silent_s <= self._interfaces.driver_silence:
            return ''
        return (f'{self._interfaces.joint_states} has been silent for {silent_s:.1f} s: the '
                "arm's driver is gone or stuck, and cannot tell whether the arm stands still")

    def _went_silent(self) -> bool:
        """Whether the driver did send, and is gone: one that is about to start is waited for."""
        return self.arrived > -np.inf and bool(self.fell_silent)

    def _leave_out_pause(self) -> None:
        if self._pause.look():
            self._listening = time.monotonic()

    def await_next(self, timeout_s: float, enough: Callable[[RobotState], bool]) -> bool:
        """True if a state that arrives from now on is `enough`, in time."""
        asked = self.arrived

        def found() -> bool:
            return self.arrived > asked and self._is_fresh() and enough(self._state())

        with self._news:
            self._await(lambda: found() or bool(self.fell_silent), timeout_s)
            return found()

    def give_up(self, at: float) -> None:
        """End all waits at that monotonic time, because this process ends."""
        with self._news:
            self.give_up_at = at
            self._news.notify_all()

    def _await(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """True if the condition holds in time; call it with the lock."""
        until = time.monotonic() + timeout_s
        while not condition():
            left = min(until, self.give_up_at) - time.monotonic()
            if left <= 0:
                return False
            self._news.wait(min(left, self._interfaces.driver_silence))
        return True

    def settled_width(self, likely: tuple[float, ...], timeout_s: float) -> float:
        """The distance between the pads now (m): one of `likely`, or the same twice in a row.

        After a command, a driver may still send the old width for a moment. Raises RobotSilent if
        it sends nothing.
        """
        def settled() -> bool:
            if not self._widths:
                return False
            earlier, now = self._widths[:-1], self._widths[-1]
            return any(abs(now - width) < SAME_WIDTH_M for width in (*likely, *earlier))

        with self._news:
            self._widths = []
            self._await(settled, timeout_s)
            if not self._widths:
                raise RobotSilent(f'{self._fingers_topic} sent nothing about the fingers for '
                                  f'{timeout_s:g} s')
            return self._widths[-1]

    def _on_joints(self, msg: JointState) -> None:
        with self._news:
            stamp = time_from_msg(msg.header.stamp)
            columns = [list(c) or [missing] * len(msg.name) for c, missing in (
                (msg.position, np.nan), (msg.velocity, np.nan), (msg.effort, 0.0))]
            sent = dict(zip(msg.name, zip(*columns)))
            bad = {name for name, reading in sent.items() if not math.isfinite(reading[0])}
            for group in map(set, (self._names, self._fingers)):
                bad |= group if group & bad else set()  # no posture of two moments
            came = {name: self._with_speed(name, reading, stamp)
                    for name, reading in sent.items() if name not in bad}
            self._readings.update(came)
            if set(self._names) <= set(came):
                self.stamp, self.arrived = stamp, time.monotonic()
            if set(self._fingers) <= set(came):
                self._fingers_arrived = time.monotonic()
                self._widths = [*self._widths[-1:], self._width()]
            self._news.notify_all()
            for listener in (self._on_state if set(self._names) <= set(came) else ()):
                listener()

    def _on_torques(self, msg: JointState) -> None:
        sent = dict(zip(msg.name, msg.effort))
        if not set(self._names) <= set(sent):
            return
        torques = np.array([sent[name] for name in self._names])
        if np.isfinite(torques).all():
            self._torques, self._torques_arrived = torques, time.monotonic()
            with self._news:
                self._news.notify_all()
        for listener in list(self._listeners):
            listener(torques)  # also if one is no number: a motion must not go on without

    def _is_fresh(self) -> bool:
        fingers_age = time.monotonic() - self._fingers_arrived if self._fingers else 0.0
        return (self.age_s <= self._interfaces.state_max_age
                and fingers_age <= self._interfaces.driver_silence)  # fingers are sent more rarely

    def _with_speed(self, name: str, reading: tuple[float, float, float],
                    stamp: float) -> tuple[float, float, float]:
        """The reading; a missing speed comes from the last two messages."""
        position, speed, effort = reading
        before, passed = self._readings.get(name), stamp - self.stamp
        if not np.isnan(speed) or before is None or passed <= 0:
            return reading
        return position, (position - before[0]) / passed, effort

    def _width(self) -> float:
        return max(0.0, self._width_of(self._readings[name][0] for name in self._fingers))

    def _state(self) -> RobotState:
        arm = np.array([self._readings[name] for name in self._names])
        fingers = np.array([self._readings[name] for name in self._fingers]).reshape(-1, 3)
        return RobotState(
            stamp=self.stamp, joints=arm[:, 0], velocities=arm[:, 1], gripper_width=self._width(),
            gripper_force=float(np.abs(fingers[:, 2]).max(initial=0.0)),
            external_torque=self._torques.copy() if self.feels else np.zeros(len(self._names)))

    def _silence(self, waited_s: float) -> str:
        topic = self._interfaces.joint_states
        if self.arrived == -np.inf:
            return f'no joint state of {self._names[0]} ... on {topic} within {waited_s:g} s'
        missing = [name for name in self._fingers if name not in self._readings]
        if missing:
            return (f'{self._fingers_topic} has no position of {", ".join(missing)}; waited '
                    f'{waited_s:g} s')
        if self.age_s <= self._interfaces.state_max_age:
            silent = time.monotonic() - self._fingers_arrived
            return f'{self._fingers_topic} has sent nothing about the fingers for {silent:.1f} s'
        return f'{topic} has been silent for {self.age_s:.1f} s'
