# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How topics are delivered: latched if a late subscriber needs the last value."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE,
                     durability=DurabilityPolicy.TRANSIENT_LOCAL)
EVENTS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
HEARTBEAT = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
