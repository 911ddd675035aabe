# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint motion along a path, from rest to rest, within velocity and acceleration limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits, JointTrajectory

from .splines import Curve, monotone, smooth

SAMPLE_PERIOD_S = 0.01
SMOOTHING_S = 0.04  # accelerations ramp over this time instead of jumping
_FOLLOWED = 0.99  # of the speed limit; an arm with a load is at times faster than it is told
_BETWEEN = 0.95  # of the acceleration is for the samples; interpolation between them adds some
SPARE_SAMPLES = 1.05  # more samples than a motion needs that is not slowed down
_MIN_STEP = 1e-9  # rad; closer waypoints count as one

# A path: u (M,) -> q(u), dq/du, d²q/du², each (M, joints).
_Path = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


@dataclass(frozen=True)
class SpeedLimits:
    """Velocity (rad/s), acceleration (rad/s²) and jerk (rad/s³) that a motion may use."""

    velocity: FloatArray
    acceleration: FloatArray
    jerk: FloatArray

    @staticmethod
    def scaled(limits: JointLimits, velocity_scale: float,
               acceleration_scale: float) -> SpeedLimits:
        """Shares (0 to 1] of an arm's limits."""
        for scale in (velocity_scale, acceleration_scale):
            if not 0 < scale <= 1:
                raise ValueError(f'a scaling factor must be above 0 and at most 1, not {scale!r}')
        return SpeedLimits(limits.velocity * velocity_scale * _FOLLOWED,
                           limits.acceleration * acceleration_scale, limits.jerk)


class SpeedProfile:
    """Travel along a path in pieces of constant acceleration, smoothed by a moving average.

    The average over `smoothing_s` never exceeds the speed or acceleration of the original motion.
    It starts and ends at the same points, and its acceleration is continuous. It takes
    `smoothing_s` longer.
    """

    def __init__(self, durations: FloatArray, accelerations: FloatArray,
                 smoothing_s: float) -> None:
        self._smoothing_s = smoothing_s
        self._acceleration = np.append(accelerations, 0.0)
        self._start = np.concatenate([[0.0], np.cumsum(durations)])
        self._speed = np.concatenate([[0.0], np.cumsum(accelerations * durations)])
        self._speed[-1] = 0.0
        speed, half = self._speed[:-1], accelerations * durations / 2
        self._travel = np.concatenate([[0.0], np.cumsum((speed + half) * durations)])
        area = (self._travel[:-1] + (speed / 2 + half / 3) * durations) * durations
        self._area = np.concatenate([[0.0], np.cumsum(area)])
        self.duration_s = float(self._start[-1]) + smoothing_s
        self.length = float(self._travel[-1])

    def __call__(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Travel, speed and acceleration at `times`."""
        ahead, behind = self._raw(times), self._raw(times - self._smoothing_s)
        travel, speed, acceleration = (
            (late - early) / self._smoothing_s for late, early in zip(ahead, behind, strict=True))
        return travel, speed, acceleration

    def _raw(self, times: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Integral of travel, travel and speed, before smoothing."""
        times = np.maximum(times, 0.0)
        k = np.searchsorted(self._start, times, side='right') - 1
        t, a, v, u = times - self._start[k], self._acceleration[k], self._speed[k], self._travel[k]
        return (self._area[k] + t * (u + t * (v / 2 + t * a / 6)),
                u + t * (v + t * a / 2), v + t * a)


def time_joint_move(start: FloatArray, goal: FloatArray, limits: JointLimits,
                    velocity_scale: float, acceleration_scale: float,
                    period_s: float = SAMPLE_PERIOD_S) -> JointTrajectory:
    """All joints from `start` to `goal` together, limited by the slowest: a straight line."""
    start, goal = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
    speed = SpeedLimits.scaled(limits, velocity_scale, acceleration_scale)
    change = goal - start
    if np.max(np.abs(change)) < _MIN_STEP:
        still = np.zeros((2, len(goal)))
        return JointTrajectory(limits.names, np.array([0.0, period_s]), np.stack([goal, goal]),
                               still, still.copy())
    with np.errstate(divide='ignore'):
        top = float(np.min(speed.velocity / np.abs(change)))
        acceleration = _BETWEEN * float(np.min(speed.acceleration / np.abs(change)))

    def line(u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return (start + u[:, None] * change, np.broadcast_to(change, (len(u), len(change))),
                np.zeros((len(u), len(change))))

    # A ramp between -a and a within the smoothing time must not exceed the jerk limit.
    smoothing_s = max(SMOOTHING_S, float(np.max(2 * acceleration * np.abs(change) / speed.jerk)))
    profile = _trapezoid(top, acceleration, smoothing_s)
    return _sampled(line, profile, (start, goal), speed, limits.names, period_s)


def time_path(waypoints: FloatArray, limits: JointLimits, velocity_scale: float,
              acceleration_scale: float, period_s: float = SAMPLE_PERIOD_S) -> JointTrajectory:
    """A smooth motion through all waypoints (N, joints), without stopping at any of them.

    The curve is a cubic spline. If that would leave the joint limits, it is a monotone one, which
    cannot overshoot.
    """
    waypoints = _distinct(np.asarray(waypoints, dtype=float))
    if len(waypoints) <= 2:
        return time_joint_move(waypoints[0], waypoints[-1], limits, velocity_scale,
                               acceleration_scale, period_s)
    speed = SpeedLimits.scaled(limits, velocity_scale, acceleration_scale)
    u = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(waypoints, axis=0), axis=1))])
    trajectory = _time_curve(smooth(u, waypoints), u, speed, limits.names, period_s)
    lower = np.minimum(limits.lower, waypoints.min(axis=0)) - 1e-9
    upper = np.maximum(limits.upper, waypoints.max(axis=0)) + 1e-9
    if np.any(trajectory.positions < lower) or np.any(trajectory.positions > upper):
        return _time_curve(monotone(u, waypoints), u, speed, limits.names, period_s)
    return trajectory


def _time_curve(curve: Curve, u: FloatArray, speed: SpeedLimits, names: tuple[str, ...],
                period_s: float) -> JointTrajectory:
    profile = _fastest_profile(curve, float(u[-1]), max(100, 3 * len(u)), speed)
    return _sampled(curve, profile, curve(u[[0, -1]])[0], speed, names, period_s, SPARE_SAMPLES)


def joined(parts: list[JointTrajectory]) -> JointTrajectory:
    """The trajectories one after the other, at rest in between."""
    starts = np.concatenate([[0.0], np.cumsum([part.duration for part in parts])])
    first, rest = parts[0], parts[1:]

    def stacked(field: str) -> FloatArray:
        return np.concatenate([getattr(first, field), *(getattr(p, field)[1:] for p in rest)])

    times = np.concatenate([first.times, *(p.times[1:] + t for p, t in zip(rest, starts[1:]))])
    return JointTrajectory(first.names, times, stacked('positions'), stacked('velocities'),
                           stacked('accelerations'))


def _trapezoid(top: float, acceleration: float, smoothing_s: float) -> SpeedProfile:
    """Over a length of 1: accelerate, hold the top speed if it is reached, brake."""
    top = min(top, float(np.sqrt(acceleration)))
    ramp_s = top / acceleration
    cruise_s = max(0.0, 1.0 / top - ramp_s)
    return SpeedProfile(np.array([ramp_s, cruise_s, ramp_s]),
                        np.array([acceleration, 0.0, -acceleration]), smoothing_s)


def _distinct(waypoints: FloatArray) -> FloatArray:
    """The waypoints without repeats; the first and the last stay."""
    steps = np.max(np.abs(np.diff(waypoints, axis=0)), axis=1, initial=0.0)
    kept = waypoints[np.concatenate([[True], steps > _MIN_STEP])]
    kept[-1] = waypoints[-1]
    return np.asarray(kept)


def _fastest_profile(path: _Path, length: float, points: int, speed: SpeedLimits) -> SpeedProfile:
    """Largest speed along the path within the limits: accelerate forward, then brake backward.

    With x = speed², joint i accelerates by q'_i y + q''_i x, where y = dx/du / 2. The speed is
    first capped so that curvature alone (y = 0) stays within every joint's acceleration limit.
    """
    u = np.linspace(0.0, length, points)
    most = _BETWEEN * speed.acceleration
    _, first, second = path(u)
    slope = np.maximum(np.abs(first), 1e-9)
    with np.errstate(divide='ignore'):
        cap = np.minimum(np.min((speed.velocity / slope) ** 2, axis=1),
                         np.min(most / np.abs(second), axis=1))
    cap[[0, -1]] = 0.0
    budget, bend = most / slope, np.sign(first) * second / slope
    step = 2 * float(u[1] - u[0])
    # At least so much is gained in a step, at any speed: mostly enough for the next cap.
    least = step * np.maximum(0.0, (budget - np.abs(bend) * cap[:, None]).min(axis=1))
    gains, pulls, speed2 = budget.tolist(), bend.tolist(), cap.tolist()  # floats are faster here
    sure = least.tolist()
    for k in range(points - 1):
        x = speed2[k]
        if x + sure[k] < speed2[k + 1]:
            most_y = min([b - c * x for b, c in zip(gains[k], pulls[k])])
            speed2[k + 1] = min(speed2[k + 1], x + step * max(0.0, most_y))
    for k in range(points - 1, 0, -1):
        x = speed2[k]
        if x + sure[k] < speed2[k - 1]:
            most_y = min([b + c * x for b, c in zip(gains[k], pulls[k])])
            speed2[k - 1] = min(speed2[k - 1], x + step * max(0.0, most_y))
    squares = np.array(speed2)
    root = np.sqrt(squares)
    return SpeedProfile(step / (root[1:] + root[:-1]), np.diff(squares) / step, SMOOTHING_S)


def _sampled(path: _Path, profile: SpeedProfile, ends: Sequence[FloatArray] | FloatArray,
             speed: SpeedLimits, names: tuple[str, ...], period_s: float,
             spare: float = 1.0) -> JointTrajectory:
    """Samples of the motion, slowed down until the limits hold at and between the samples.

    Slower means the same samples with more time between them: with `spare` there are more of them.
    """
    while True:
        steps = max(2, int(np.ceil(profile.duration_s * spare / period_s)))
        times = np.linspace(0.0, profile.duration_s, steps + 1)
        u, du, ddu = profile(times)
        position, first, second = path(np.clip(u, 0.0, profile.length))
        velocity = first * du[:, None]
        acceleration = first * ddu[:, None] + second * du[:, None] ** 2
        position[0], position[-1] = ends
        velocity[[0, -1]] = 0.0
        acceleration[[0, -1]] = 0.0
        timed = JointTrajectory(names, times, position, velocity, acceleration)
        fastest, hardest = peaks(timed)
        slower = max(1.0, (1 + 1e-6) * float(np.max(fastest / speed.velocity)),
                     (1 + 1e-6) * float(np.sqrt(np.max(hardest / speed.acceleration))))
        if slower <= spare:
            return JointTrajectory(names, times * slower, position, velocity / slower,
                                   acceleration / slower**2)
        spare = slower * SPARE_SAMPLES


def peaks(trajectory: JointTrajectory) -> tuple[FloatArray, FloatArray]:
    """Bounds on the speed (rad/s) and acceleration (rad/s²) of each joint between the samples too.

    Controllers interpolate: with cubics through positions and velocities, or with quintics
    through the accelerations as well. In Bernstein form, a polynomial stays within its
    coefficients. So these are true for both, and close if the samples are.
    """
    h = np.diff(trajectory.times)
    p, v, a = (np.ascontiguousarray(values.T) for values in (
        trajectory.positions, trajectory.velocities, trajectory.accelerations))
    v0, v1, a0, a1 = v[:, :-1], v[:, 1:], h * a[:, :-1], h * a[:, 1:]
    half, rise, gain = (v0 + v1) / 2, v1 - v0, a1 - a0
    lead = np.diff(p, axis=1) / h - half  # how much the mean speed differs from that of the ends
    speeds = (v, half + 3 * lead, half + 5 * lead + gain / 4, v0 + a0 / 4, v1 - a1 / 4)
    fastest = np.max([np.abs(speed).max(axis=1) for speed in speeds], axis=0)
    # Two by two, the coefficients are sums and differences of the same: x + y and x - y.
    cubic = 6 * np.abs(lead) + np.abs(rise)
    quintic = np.abs(20 * lead + 1.5 * gain) + np.abs((a0 + a1) / 2 - 2 * rise)
    hardest = (np.maximum(cubic, quintic) / h).max(axis=1)
    return fastest, np.maximum(np.abs(a).max(axis=1), hardest)
