# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the arm is, as its driver says it: the samples of motion.jsonl."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.motion_sample import MotionSample

from .arm_interfaces import NONE, WatchedArm
from .joint_states import JointFeed
from .seen_arm import joint_feed

EARLY_S = 1e-6  # stamps are rounded


class JointTrace:
    """Joint states as samples of motion, while somebody records. It is a `Trace`.

    It subscribes with the first record, and never unsubscribes: destroying a subscription may
    crash a running executor.
    """

    def __init__(self, node: Node, arm: ArmModel, names: WatchedArm) -> None:
        self._listen: Callable[[], JointFeed] = lambda: joint_feed(
            node, arm, replace(names.of(arm), external_torques=NONE))
        self._feed: JointFeed | None = None

    def __call__(self, add: Callable[[MotionSample], None], period_s: float) -> Callable[[], None]:
        """Call `add` with at most one sample each period of robot time, until told to end."""
        feed = self._feed = self._feed or self._listen()
        next_s = -math.inf

        def sample() -> None:
            nonlocal next_s
            state = feed.newest()
            if state is None or next_s - period_s <= state.stamp < next_s - EARLY_S:
                return
            next_s = state.stamp + period_s
            add(MotionSample(state.stamp, tuple(state.joints.tolist()), state.gripper_width))

        return feed.on_state(sample)
