# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The hands of robosuite's robots: they take open, close or stay, and move in steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.hand_shape import polynomial
from replan_agent.domain.robot_state import CommandResult
from replan_agent.robot.fingers import Fingers, drive, grasped, moved, refused_force, refused_width
from replan_agent.robot.stepped_robot import Interruption

from .robot_world import RobotWorld

WIDTH_TOLERANCE_M = 0.002
STALL_S = 0.08  # fingers that stand still for this long have stopped
NEW_SHARE = 0.2  # of each reading in the mean that tells whether they stand still
MOST_MOVES = 10  # links give way, so a motor may not get where it is told
CORNERS = np.array(list(np.ndindex(2, 2, 2))) - 0.5  # of a box, in its sizes
ALL_OF_IT = 1.2  # times its force: what one finger against two is told to press with, at rest
TOO_HARD = 1.5  # times the force that is asked for


@dataclass(frozen=True)
class Motor:
    """A motor of the hand, and how the joint that it drives follows the width."""

    number: int
    law: tuple[float, ...]


class SteppedHand:
    """The fingers.

    Links of its hands give way. So the width is that between the pads where the encoders of all
    joints say that they are; the measured map only says what to tell the motors.
    """

    def __init__(self, world: RobotWorld) -> None:
        self._world, self._map = world, world.arm.gripper
        names = [f'{world.gripper.naming_prefix}{body.joint}' for body in self._map.fingers]
        self._motors = {body.joint: Motor(number, body.by_width)
                        for name, body in zip(names, self._map.fingers)
                        if (number := world.motor_of(name)) is not None}
        self._slides = all(body.slides for body in self._map.fingers)
        self._driver = self._motors[self._map.reads[0]].number
        self._low, self._high = map(float, world.model.actuator_ctrlrange[self._driver])
        self._step = world.gripper_step * (self._high - self._low) / 2
        at_0, at_most = map(self._map.commanded, (0.0, self._map.max_width_m))
        self._opens = math.copysign(1.0, at_most - at_0)
        self.widest = self._map.width([self._high if self._opens > 0 else self._low])
        geoms = world.gripper.important_geoms
        self._pads = [[int(world.model.geom(name).id) for name in geoms[f'{side}_fingerpad']]
                      for side in ('left', 'right')]
        one, other = (self._across(pads).mean() for pads in self._pads)
        self._pads = self._pads if one > other else self._pads[::-1]
        self._is_even = len(self._pads[0]) == len(self._pads[1])
        self._limits = np.abs(world.model.actuator_forcerange).max(axis=1)

    @property
    def width(self) -> float:
        """Distance (m) between the pads, from the encoders of all joints of the hand."""
        one, other = map(self._across, self._pads)
        return float(np.clip(one.min() - other.max(), 0.0, self.widest))

    def _across(self, pads: list[int]) -> np.ndarray:
        """Where the corners of pads are along the direction in which the fingers close (m)."""
        data, boxes = self._world.data, self._world.model.geom_aabb[pads]
        corners = boxes[:, None, :3] + 2 * CORNERS * boxes[:, None, 3:]
        turns = data.geom_xmat[pads].reshape(-1, 1, 3, 3)
        places = data.geom_xpos[pads][:, None] + (turns @ corners[..., None])[..., 0]
        return np.asarray(places @ self._world.closing)

    @property
    def force(self) -> float:
        """The closing force (N) of the motors; 0 if they open or rest."""
        width, torques = self.width, self._world.data.actuator_force
        return max(0.0, -sum(float(torques[motor.number]) * float(polynomial(
            np.polynomial.polynomial.polyder(motor.law), width))
            for motor in self._motors.values()))

    def move(self, width: float, interruption: Interruption) -> CommandResult | Exception:
        """Go to the first step that is not narrower than `width` (m)."""
        refused = refused_width(width, self.widest, WIDTH_TOLERANCE_M)
        if refused:
            return refused
        away = self._opens * (self._map.commanded(min(width, self.widest)) - self._told)
        steps = math.ceil(away / self._step - 1e-6)
        step_m = self.widest * self._world.gripper_step / 2
        for _ in range(MOST_MOVES):
            stopped = self._drive(steps, interruption)
            if isinstance(stopped, Exception):
                return stopped
            wider = self.width - width
            if -WIDTH_TOLERANCE_M <= wider <= step_m + WIDTH_TOLERANCE_M:
                return CommandResult(True)
            steps = 1 if wider < 0 else -1
        return moved(self.width, width, WIDTH_TOLERANCE_M)

    def grasp(self, force: float, interruption: Interruption) -> CommandResult | Exception:
        """Close until the fingers stop. They keep pressing.

        Fingers that slide press with `force` (N), if they have as much, and at most one step
        harder. Links give way, so how hard they press is not known: they press with all they
        have. So does one finger against two, and these hold against it and go no further: told
        more, they push it aside; with less of it, all of them rattle on the thing, which slides.
        """
        refused = refused_force(force)
        if refused:
            return refused
        most = max(TOO_HARD * force, force + self._step_n)
        pressing, between = ((self._told_share, (ALL_OF_IT, math.inf)) if not self._is_even else
                             (lambda: self.force, (force, most)) if self._slides else
                             (lambda: 0.0, (math.inf, math.inf)))
        fingers = self._press(pressing, between, interruption)
        return fingers if isinstance(fingers, Exception) else grasped(fingers, self.width,
                                                                      self.force)

    def _press(self, pressing: Callable[[], float], between: tuple[float, float],
               interruption: Interruption) -> Fingers | Exception:
        """Close step by step until they press so much, or are told to be closed.

        What loose links press on may rattle for a while before it is still.
        """
        closed = self._low if self._opens > 0 else self._high

        def advance() -> bool:
            now, can_close = pressing(), abs(self._told - closed) >= self._step / 2
            closing = -1.0 if now > between[1] else float(now < between[0] and can_close)
            self._world.advance(closing)
            return closing == 0.0

        fingers = self._until_still(advance, interruption)
        return (self._until_still(advance, interruption) if fingers is Fingers.RESTLESS
                else fingers)

    @property
    def _step_n(self) -> float:
        """How much harder (N) the fingers press on what does not give way, one step further."""
        slopes = (polynomial(np.polynomial.polynomial.polyder(motor.law), self.width)
                  for motor in self._motors.values())
        gains = (self._world.model.actuator_gainprm[motor.number, 0]
                 for motor in self._motors.values())
        return self._step * sum(abs(float(a * b)) for a, b in zip(slopes, gains))

    def _told_share(self) -> float:
        """The largest share of its force that a motor is told to give; it gives all at most."""
        numbers = [motor.number for motor in self._motors.values()]
        model, data = self._world.model, self._world.data
        told = (model.actuator_gainprm[numbers, 0] * data.ctrl[numbers]
                + model.actuator_biasprm[numbers, 0]
                + model.actuator_biasprm[numbers, 1] * data.actuator_length[numbers]
                + model.actuator_biasprm[numbers, 2] * data.actuator_velocity[numbers])
        return float(np.max(np.abs(told) / self._limits[numbers]))

    def _until_still(self, advance: Callable[[], bool], interruption: Interruption
                     ) -> Fingers | Exception:
        """Call `advance` until the fingers stand still. Loose links may tremble: that is none."""
        mean = self.width

        def smooth() -> float:
            nonlocal mean
            mean += NEW_SHARE * (self.width - mean)
            return mean

        return drive(advance, smooth, self._world.period, STALL_S, interruption)

    @property
    def _told(self) -> float:
        return float(self._world.data.ctrl[self._driver])

    def _drive(self, steps: int, interruption: Interruption) -> Fingers | Exception:
        """Open by some steps, or close if below 0, until the fingers stand still; how they are."""
        told = min(max(self._told + self._opens * steps * self._step, self._low), self._high)

        def advance() -> bool:
            away = told - self._told
            there = abs(away) < self._step / 2
            self._world.advance(0.0 if there else -math.copysign(1, away * self._opens))
            return there

        return self._until_still(advance, interruption)
