# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sliding over a surface with a force that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from transforms3d import axangles

from replan_agent import Arm, Call, Cause, Pose, Reason, SkillResult, failed, succeeded
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.execute.arm import command_result, planning_failed

from .contact_motion import ENOUGH, FIRM_NM, resisting
from .handle import of_one_way

SLIDING = 0.15  # share of the configured speed, on a surface
STIFF_N_M = 1000.0, 20000.0  # how firmly servos press, at least and at most: it is felt
CORRECTS, MOST_CORRECTED_N = 0.6, 10.0  # of what the force lacks, after each piece
MOST_PRESSES, NEAR_N, LEAST_GAIN_N = 12, 1.5, 0.3


@dataclass(frozen=True)
class Band:
    """Forces (N) on a surface: what is wanted, and what is too little and too much."""

    low: float
    wanted: float
    high: float


@dataclass
class Slide:
    """Moves the hand over a surface and keeps pressing on it with the same force.

    What it is told to do goes on from what it was told before, not from where it is: so the force
    stays. After each piece the path is lowered or raised by what the force lacks. `into` points
    into the surface. How firmly the servos press is felt while it presses,
    and how it leans is seen by the encoders. `calm`: see `stroke`.
    """

    call: Call
    arm: Arm
    into: FloatArray
    band: Band
    calm: FloatArray
    deep_m: float = 0.0  # below the path, as told
    stiff_n_m: float = STIFF_N_M[1]

    def __post_init__(self) -> None:
        self._told, self._lean = self.arm.joints(), np.eye(3)

    def felt_n(self) -> float:
        """The force on the surface now."""
        felt = self.call.kit.robot.state().external_torque - self.calm
        return float(resisting(self.call, self.arm.joints(), self.into) @ felt)

    def press(self, at: Pose) -> SkillResult:
        """Press on a place of the surface, where it touches, until the force is as wanted."""
        self._told = self.arm.joints()
        self.deep_m = float(self.into @ np.subtract(self.arm.tcp().position, at.position))
        for _ in range(MOST_PRESSES):
            felt, deep_m = self.felt_n(), self.deep_m
            if abs(self.band.wanted - felt) < NEAR_N:
                return succeeded()
            self._correct(self.band.wanted - felt)
            gone = self.to(at)
            gained, went_m = self.felt_n() - felt, self.deep_m - deep_m
            if gained > LEAST_GAIN_N and went_m > 0:
                self.stiff_n_m = min(max(gained / went_m, STIFF_N_M[0]), STIFF_N_M[1])
            if not gone.success and not gone.evidence.get('contact'):
                return gone
        felt = self.felt_n()
        return succeeded() if felt >= self.band.low else failed(
            Reason.CONTROLLER_ABORTED, f'the hand presses with {felt:.1f} N only, and '
            f'{self.band.low:.0f} N are needed', cause=Cause.HELD_UP, force_n=felt)

    def to(self, at: Pose) -> SkillResult:
        """Go to this place of the surface. It ends where the force gets too high."""
        call, arm = self.call, self.arm
        target = at.moved(*(self.deep_m * self.into)).matrix()
        target[:3, :3] = self._lean @ target[:3, :3]
        planned = call.kit.motion.straight(self._told, Pose.from_matrix(target),
                                           replace(arm.request, speed=SLIDING), call.ctx)
        if planned.trajectory is None:
            return planning_failed(of_one_way(planned))
        weights = resisting(call, arm.joints(), self.into)
        gone = command_result(call.kit.robot.execute(planned.trajectory, call.ctx, ContactGuard(
            FIRM_NM, weights=tuple(weights.tolist()),
            force_n=ENOUGH * self.band.high - self.felt_n())))
        self._told = planned.trajectory.end
        self._level(at)
        if not gone.success:  # it stopped, and is told to stay there
            self._told = arm.joints()
            self.deep_m = float(self.into @ np.subtract(arm.tcp().position, at.position))
        return gone

    def over(self, path: Sequence[Pose]) -> Slid:
        """Along these places, which are close to each other. What is too high is gone on from."""
        forces: list[float] = []
        for at in path:
            gone = self.to(at)
            if not gone.success and gone.evidence.get('contact'):
                self._correct(-self.band.wanted)  # off, and on again
                gone = self.to(at)
            if not gone.success:
                return Slid(tuple(forces), gone)
            forces.append(self.felt_n())
            self._correct(self.band.wanted - forces[-1])
        return Slid(tuple(forces))

    def _level(self, at: Pose) -> None:
        """What the force turns the hand by, as the encoders show, it is told to turn back."""
        axis, angle = axangles.mat2axangle(at.rotation @ self.arm.tcp().rotation.T)
        self._lean = axangles.axangle2mat(axis, CORRECTS * angle) @ self._lean

    def _correct(self, lacks_n: float) -> None:
        by_n = max(-MOST_CORRECTED_N, min(MOST_CORRECTED_N, CORRECTS * lacks_n))
        self.deep_m += by_n / self.stiff_n_m


@dataclass(frozen=True)
class Slid:
    """The force (N) on the surface after each piece, and what ended it early."""

    forces: tuple[float, ...]
    failure: SkillResult | None = None
