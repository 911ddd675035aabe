"""Where the arm is, as its driver says it: the samples of motion.jsonl."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sensor_msgs.msg import JointState

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.motion_sample import MotionSample
from replan_agent.ros.messages.message_fields import time_from_msg
from replan_agent.ros.rclpy_tools.qos import NEWEST

from .arm_interfaces import ArmInterfaces

EARLY_S = 1e-6  # stamps are rounded


class JointTrace:
    """Joint states as samples of motion, while somebody records. It is a `Trace`.

    It subscribes with the first record, and never unsubscribes: destroying a subscription may
    crash a running executor.
    """

    def __init__(self, node: Node, arm: ArmModel, names: ArmInterfaces) -> None:
        self._node, self._names = node, names.of(arm)
        self._joints, self._fingers, self._width = (
            arm.joint_names, arm.ros.gripper.reads, arm.ros.gripper.width)
        self._lock = threading.Lock()
        self._positions: dict[str, float] = {}
        self._add: Callable[[MotionSample], None] | None = None
        self._period_s, self._next_s = 0.0, -math.inf
        self._is_listening = False

    def __call__(self, add: Callable[[MotionSample], None], period_s: float) -> Callable[[], None]:
        """Call `add` with at most one sample each period of robot time, until told to end."""
        with self._lock:
            self._add, self._period_s, self._next_s = add, period_s, -math.inf
        self._listen()
        return self._end

    def _listen(self) -> None:
        if self._is_listening:
            return
        self._is_listening = True
        group = MutuallyExclusiveCallbackGroup()
        topics = {self._names.joint_states, self._names.finger_states} - {''}
        for topic in sorted(topics):
            self._node.create_subscription(JointState, topic, self._on_joints, NEWEST,
                                           callback_group=group)

    def _end(self) -> None:
        with self._lock:  # afterwards nothing is added any more
            self._add = None

    def _on_joints(self, msg: JointState) -> None:
        with self._lock:
            self._positions.update(zip(msg.name, msg.position))
            if self._add is None or not set(self._joints) <= set(msg.name):
                return
            now_s = time_from_msg(msg.header.stamp)
            if self._next_s - self._period_s <= now_s < self._next_s - EARLY_S:
                return
            self._next_s = now_s + self._period_s
            sample = self._sample(now_s)
            if sample is not None:
                self._add(sample)

    def _sample(self, now_s: float) -> MotionSample | None:
        """Where the arm is; None if a number is missing."""
        joints = tuple(float(self._positions.get(name, math.nan)) for name in self._joints)
        width = self._width(self._positions.get(name, math.nan) for name in self._fingers)
        if not all(map(math.isfinite, (*joints, width))):
            return None
        return MotionSample(now_s, joints, max(0.0, float(width)))
