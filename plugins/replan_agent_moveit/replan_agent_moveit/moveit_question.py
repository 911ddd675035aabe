# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is asked of MoveIt's process, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.motion.motion_protocols import MotionRequest


@dataclass(frozen=True)
class Question:
    """A path to find: from `start` to joints, or in a straight line to T_base_tcp.

    `spare_m` is clearance beyond the request's, where the ends leave room for it. `speed` is the
    share of the limits that MoveIt plans with; it matters for straight lines only.
    """

    start: FloatArray
    request: MotionRequest
    pipeline: str
    planner_id: str
    time_s: float
    goal: FloatArray | None = None
    target: Pose | None = None
    spare_m: float = 0.0
    speed: float = 1.0


@dataclass(frozen=True)
class MoveItAnswer:
    """MoveIt's error code, the waypoints if it is SUCCESS, and what the goal touches."""

    code: int
    waypoints: FloatArray | None = None
    touched: tuple[str, ...] = ()
