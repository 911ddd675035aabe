# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What grippers of stepped simulators share: moving until the fingers stop, and the answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from statistics import mean

from replan_agent.domain.cause import Cause
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason

from .stepped_robot import Interruption, aborted

STALL_M = 0.00012  # the encoders may change by this much while the fingers stand still
LONGEST_S = 3.0
LAST_S = 1.0  # of this time: do they still close?
CLOSING_SHARE = 0.25  # of all that they moved then; half if they close steadily, 0 to and fro


class Fingers(Enum):
    """How fingers are at the end of a movement."""

    AT_REST = 'at rest'
    CLOSING = 'closing'  # what is between them slips out
    RESTLESS = 'restless'  # they move about one place


def drive(advance: Callable[[], bool], width: Callable[[], float], period_s: float,
          stall_s: float, interruption: Interruption) -> Fingers | Exception:
    """Call `advance` until the fingers stand still for `stall_s`, or LONGEST_S are over.

    It steps by one period and says whether standing still means the end. Returns how they are
    then, or the interruption. As in a real hand, the encoders tell: fingers that tremble by less
    than STALL_M stand still.
    """
    widths = [width()]
    window = round(stall_s / period_s) + 1
    for _ in range(round(LONGEST_S / period_s)):
        interrupted = interruption()
        if interrupted:
            return interrupted
        may_end = advance()
        widths.append(width())
        last = widths[-window:]
        if may_end and len(last) == window and max(last) - min(last) < STALL_M:
            return Fingers.AT_REST
    return Fingers.CLOSING if _close(widths[-round(LAST_S / period_s):]) else Fingers.RESTLESS


def _close(widths: Sequence[float]) -> bool:
    """Whether they get narrower by more than fingers that only move to and fro."""
    half = len(widths) // 2
    narrower = mean(widths[:half]) - mean(widths[half:])
    return narrower > CLOSING_SHARE * (max(widths) - min(widths))


def moved(width: float, wanted: float, tolerance: float) -> CommandResult:
    """The answer to a move that has ended at `width` (m)."""
    if abs(width - wanted) <= tolerance:
        return CommandResult(True)
    return aborted(f'the gripper is blocked at {1e3 * width:.1f} mm on its way to '
                   f'{1e3 * wanted:.1f} mm', Cause.GRIPPER_BLOCKED)


def grasped(fingers: Fingers, width: float, force: float) -> CommandResult:
    """The answer to a grasp: what slips out is missed; restless fingers are a fault."""
    if fingers is Fingers.CLOSING:
        return CommandResult(False, Reason.GRASP_MISSED, 'it slips out: the fingers still close '
                             f'after {LONGEST_S:g} s (width {1e3 * width:.1f} mm)')
    if fingers is Fingers.RESTLESS:
        return aborted(f'the fingers still move to and fro after {LONGEST_S:g} s (width '
                       f'{1e3 * width:.1f} mm)')
    return CommandResult(True, detail=f'closed to {1e3 * width:.1f} mm, pressing with '
                                      f'{force:.0f} N')


def refused_width(width: float, widest: float, tolerance: float = 0.0) -> CommandResult | None:
    if 0 <= width <= widest + tolerance:
        return None
    return aborted(f'gripper width {width:.4g} m is outside 0 to {widest:g} m')


def refused_force(force: float) -> CommandResult | None:
    if math.isfinite(force) and force > 0:
        return None
    return aborted(f'grasp force {force:g} N must be a positive number')
