"""robosuite's Panda gripper: it takes open, close or stay, and moves in steps of 8 mm."""

from __future__ import annotations

import math

from replan_agent.domain.robot_state import CommandResult
from replan_agent.robot.fingers import Fingers, drive, grasped, moved, refused_force, refused_width
from replan_agent.robot.stepped_robot import Interruption

from .panda_world import PandaWorld

STROKE_M = 0.04  # of one finger
PADS_M = 0.001  # the pads are this much closer to each other than the finger joints say
MAX_WIDTH_M = 2 * STROKE_M - PADS_M
WIDTH_TOLERANCE_M = 0.002
STALL_S = 0.08  # fingers that stand still for this long have stopped
CLOSED = -1.0  # what the gripper is told; open is 1
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
        refused = refused_width(width, MAX_WIDTH_M, WIDTH_TOLERANCE_M)
        if refused:
            return refused
        step = float(self._world.gripper.speed)
        level = math.ceil((width + PADS_M) / STROKE_M / step - 1e-6) * step - 1
        stopped = self._drive(min(1.0, level), interruption)
        if isinstance(stopped, Exception):
            return stopped
        return moved(self.width, self._commanded, WIDTH_TOLERANCE_M)

    def grasp(self, force: float, interruption: Interruption) -> CommandResult | Exception:
        """Close until the fingers stop. They keep pressing; `force` (N) cannot be chosen."""
        refused = refused_force(force)
        if refused:
            return refused
        fingers = self._drive(CLOSED, interruption)
        return fingers if isinstance(fingers, Exception) else grasped(fingers, self.width,
                                                                      self.force)

    @property
    def _level(self) -> float:
        """What the gripper was told: -1 closed, 1 open."""
        return float(self._world.gripper.current_action[0])

    @property
    def _commanded(self) -> float:
        return max(0.0, (1 + self._level) * STROKE_M - PADS_M)

    def _drive(self, level: float, interruption: Interruption) -> Fingers | Exception:
        """Step to `level` until the fingers stand still; how they are then."""
        step = float(self._world.gripper.speed)

        def advance() -> bool:
            away = level - self._level
            there = abs(away) < step / 2
            self._world.advance(0.0 if there else -math.copysign(1, away))
            return there

        return drive(advance, lambda: self.width, self._world.period, STALL_S, interruption)
