# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the arm is at one moment, and where the things are if a simulator knows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

PoseNumbers = tuple[float, ...]  # x, y, z (m), quaternion w, x, y, z; in the base frame


@dataclass(frozen=True)
class MotionSample:
    """One moment of a run. `objects` are true poses: only a simulator has them."""

    robot_s: float
    joints: tuple[float, ...]  # rad
    gripper_m: float  # between the pads
    gripper_command_m: float | None = None  # the width that the gripper was last told
    objects: Mapping[str, PoseNumbers] = field(default_factory=dict)
    forces: tuple[float, ...] = ()  # of the motors: N·m of each joint, then N of the gripper


# Calls the function with a sample now, then each period (s) of robot time, until the function
# that it returns is called.
Trace = Callable[[Callable[[MotionSample], None], float], Callable[[], None]]
