"""What grippers of stepped simulators share: moving until the fingers stop, and the answers."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable

from replan_agent.domain.cause import Cause
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason

from .stepped_robot import Interruption

STALL_M = 0.00012  # the encoders may change by this much while the fingers stand still
LONGEST_S = 3.0


def drive(advance: Callable[[], bool], width: Callable[[], float], period_s: float,
          stall_s: float, interruption: Interruption) -> bool | Exception:
    """Call `advance` until the fingers stand still for `stall_s`.

    It steps by one period and says whether standing still means the end. Returns whether they
    stopped in time, or the interruption. As in a real hand, the encoders tell: fingers that
    tremble in place stand still.
    """
    widths = deque([width()], maxlen=round(stall_s / period_s) + 1)
    for _ in range(round(LONGEST_S / period_s)):
        interrupted = interruption()
        if interrupted:
            return interrupted
        may_end = advance()
        widths.append(width())
        if may_end and len(widths) == widths.maxlen and max(widths) - min(widths) < STALL_M:
            return True
    return False


def moved(width: float, wanted: float, tolerance: float) -> CommandResult:
    """The answer to a move that has ended at `width` (m)."""
    error = abs(width - wanted)
    if error <= tolerance:
        return CommandResult(True)
    return aborted(f'the gripper is blocked at {1e3 * width:.1f} mm, {1e3 * error:.1f} mm short '
                   f'of {1e3 * wanted:.1f} mm', Cause.GRIPPER_BLOCKED)


def grasped(stopped: bool, width: float, force: float) -> CommandResult:
    """The answer to a grasp; `stopped`: the fingers came to rest, else the hold is not firm."""
    if not stopped:
        return CommandResult(False, Reason.GRASP_MISSED, 'no firm hold: the fingers still move '
                             f'after {LONGEST_S:g} s (width {1e3 * width:.1f} mm)')
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


def aborted(detail: str, cause: Cause = Cause.CONTROLLER_ERROR) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail, cause=cause)
