"""robosuite's Panda gripper: it takes open, close or stay, and moves in steps of 8 mm."""

from __future__ import annotations

import math
from collections import deque

from replan_agent.domain.cause import Cause
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.skill import Reason
from replan_agent.robot.stepped_robot import Interruption

from .panda_world import PandaWorld

STROKE_M = 0.04  # of one finger
PADS_M = 0.001  # the pads are this much closer to each other than the finger joints say
MAX_WIDTH_M = 2 * STROKE_M - PADS_M
WIDTH_TOLERANCE_M = 0.002
STALL_M = 0.00012  # the encoders may change by this much while the fingers stand still,
STALL_S = 0.08  # for this long
LONGEST_S = 3.0
FINGERS = slice(7, 9)  # in qpos and among the actuators


class PandaGripper:
    """The fingers. robosuite decides how hard they press: 1 N for each mm, at most 20 N."""

    def __init__(self, world: PandaWorld) -> None:
        self._world = world

    @property
    def width(self) -> float:
        """Distance (m) between the pads, from the encoders."""
        left, right = self._world.data.qpos[FINGERS]
        return max(0.0, float(left - right) - PADS_M)

    @property
    def force(self) -> float:
        """The closing force (N) of the motors; 0 if they open or rest."""
        left, right = self._world.data.actuator_force[FINGERS]
        return max(0.0, float(right - left) / 2)

    def move(self, width: float, interruption: Interruption) -> CommandResult | Exception:
        """Go to the first step that is not narrower than `width` (m)."""
        if not 0 <= width <= MAX_WIDTH_M + WIDTH_TOLERANCE_M:
            return _aborted(f'gripper width {width:.4g} m is outside 0 to {MAX_WIDTH_M:g} m')
        stopped = self._drive(width, interruption)
        if isinstance(stopped, Exception):
            return stopped
        error = self.width - self._commanded
        if abs(error) <= WIDTH_TOLERANCE_M:
            return CommandResult(True)
        return _aborted(f'the gripper is blocked at {1e3 * self.width:.1f} mm, '
                        f'{1e3 * abs(error):.1f} mm short of {1e3 * self._commanded:.1f} mm',
                        Cause.GRIPPER_BLOCKED)

    def grasp(self, force: float, interruption: Interruption) -> CommandResult | Exception:
        """Close until the fingers stop. They keep pressing; `force` (N) cannot be chosen."""
        if not (math.isfinite(force) and force > 0):
            return _aborted(f'grasp force {force:g} N must be a positive number')
        stopped = self._drive(0.0, interruption)
        if isinstance(stopped, Exception):
            return stopped
        if not stopped:
            return _aborted(f'the fingers still move after {LONGEST_S:g} s '
                            f'(width {1e3 * self.width:.1f} mm)')
        return CommandResult(True, detail=f'closed to {1e3 * self.width:.1f} mm, pressing with '
                                          f'{self.force:.0f} N')

    @property
    def _level(self) -> float:
        """What the gripper was told: -1 closed, 1 open."""
        return float(self._world.gripper.current_action[0])

    @property
    def _commanded(self) -> float:
        return max(0.0, (1 + self._level) * STROKE_M - PADS_M)

    def _drive(self, width: float, interruption: Interruption) -> bool | Exception:
        """Step towards `width` until the fingers stand still; whether they do, in time."""
        step = float(self._world.gripper.speed)
        wanted = min(1.0, math.ceil((width + PADS_M) / STROKE_M / step - 1e-6) * step - 1)
        period = self._world.period
        widths = deque([self.width], maxlen=round(STALL_S / period) + 1)
        for _ in range(round(LONGEST_S / period)):
            interrupted = interruption()
            if interrupted:
                return interrupted
            away = wanted - self._level
            self._world.advance(0.0 if abs(away) < step / 2 else -math.copysign(1, away))
            widths.append(self.width)
            if (abs(away) < step / 2 and len(widths) == widths.maxlen
                    and max(widths) - min(widths) < STALL_M):
                return True
        return False


def _aborted(detail: str, cause: Cause = Cause.CONTROLLER_ERROR) -> CommandResult:
    return CommandResult(False, Reason.CONTROLLER_ABORTED, detail, cause=cause)
