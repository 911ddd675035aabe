# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Timed joint motion and the limits it must respect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .pose import FloatArray

POSITION_TOLERANCE = 1e-3  # rad; encoders may read a little beyond a limit
SPEED_TOLERANCE = 1e-6  # share of the limit, for rounding alone
MEAN_SPEED_TOLERANCE = 1e-3  # the same for a speed from positions, which are less exact


@dataclass(frozen=True)
class JointLimits:
    """Limits of each joint, base to tip: rad, rad/s, rad/s², rad/s³, N·m."""

    names: tuple[str, ...]
    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    acceleration: FloatArray
    jerk: FloatArray
    effort: FloatArray
    guard_scale: float = 1.0  # of the torques that count as contacts: weak motors feel less

    def __post_init__(self) -> None:
        for field in ('lower', 'upper', 'velocity', 'acceleration', 'jerk', 'effort'):
            values = np.asarray(getattr(self, field), dtype=float)
            if values.shape != (len(self.names),) or not np.all(np.isfinite(values)):
                raise ValueError(f'joint limits: {field} needs {len(self.names)} finite numbers')
            object.__setattr__(self, field, values)

    def contain(self, joints: FloatArray, tolerance: float = 1e-9) -> bool:
        return bool(np.all(joints >= self.lower - tolerance)
                    and np.all(joints <= self.upper + tolerance))

    def violation(self, trajectory: JointTrajectory) -> str:
        """Which joint goes beyond its range or its top speed, and when; '' if none does."""
        if trajectory.names != self.names:
            return (f'its joints are {", ".join(trajectory.names)}; '
                    f'this arm has {", ".join(self.names)}')
        for what, values, low, high, tolerance in (
                ('position', trajectory.positions, self.lower, self.upper, POSITION_TOLERANCE),
                ('velocity', trajectory.velocities, -self.velocity, self.velocity,
                 SPEED_TOLERANCE * self.velocity)):
            beyond = np.maximum(low - values, values - high) - tolerance
            k, i = divmod(int(beyond.argmax()), len(self.names))
            if beyond[k, i] > 0:
                return (f'the {what} of {self.names[i]} is {values[k, i]:.3f} at '
                        f'{trajectory.times[k]:.2f} s, outside {low[i]:.3f} to {high[i]:.3f}')
        return self._too_far_too_soon(trajectory)

    def _too_far_too_soon(self, trajectory: JointTrajectory) -> str:
        """Which joint must be faster than its limit to get from one sample to the next."""
        if len(trajectory.times) < 2:
            return ''
        mean = np.abs(np.diff(trajectory.positions, axis=0) / np.diff(trajectory.times)[:, None])
        beyond = mean - self.velocity * (1 + MEAN_SPEED_TOLERANCE)
        k, i = divmod(int(beyond.argmax()), len(self.names))
        if beyond[k, i] <= 0:
            return ''
        return (f'{self.names[i]} would need {mean[k, i]:.3f} rad/s at '
                f'{trajectory.times[k]:.2f} s to reach the next sample, more than '
                f'{self.velocity[i]:.3f}')

    def clamp(self, joints: FloatArray) -> FloatArray:
        return np.clip(joints, self.lower, self.upper)


@dataclass(frozen=True)
class JointTrajectory:
    """Samples of a joint motion that starts and ends at rest.

    `times` (N,) s from the start, strictly increasing from 0; `positions` and `velocities`
    (N, joints) rad and rad/s; `accelerations` (N, joints) rad/s².
    """

    names: tuple[str, ...]
    times: FloatArray
    positions: FloatArray
    velocities: FloatArray
    accelerations: FloatArray

    def __post_init__(self) -> None:
        shape = (len(self.times), len(self.names))
        for field in ('positions', 'velocities', 'accelerations'):
            if getattr(self, field).shape != shape:
                raise ValueError(f'trajectory: {field} must have shape {shape}, '
                                 f'not {getattr(self, field).shape}')
            if not np.all(np.isfinite(getattr(self, field))):
                raise ValueError(f'trajectory: {field} must be finite')
        if (len(self.times) == 0 or self.times[0] != 0 or not np.all(np.diff(self.times) > 0)
                or not np.isfinite(self.times[-1])):
            raise ValueError('trajectory: times must start at 0 and increase')

    @property
    def duration(self) -> float:
        return float(self.times[-1])

    @property
    def start(self) -> FloatArray:
        return np.asarray(self.positions[0])

    @property
    def end(self) -> FloatArray:
        return np.asarray(self.positions[-1])

    def reversed(self) -> JointTrajectory:
        """The same motion backwards."""
        return JointTrajectory(self.names, self.duration - self.times[::-1], self.positions[::-1],
                               -self.velocities[::-1], self.accelerations[::-1])
