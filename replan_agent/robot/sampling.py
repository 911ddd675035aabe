# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sampling a timed trajectory at any moment, and braking along it."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits, JointTrajectory

Samples = tuple[FloatArray, FloatArray, FloatArray]

BRAKE_GROWTH = 1.25


def sample(trajectory: JointTrajectory, times: FloatArray) -> Samples:
    """Positions, velocities and accelerations (len(times), joints) by cubic interpolation.

    Times before the start or after the end give the first or last sample, at rest.
    """
    if len(trajectory.times) == 1:
        still = np.zeros((len(times), len(trajectory.names)))
        return still + trajectory.start, still, still
    t = np.clip(times, 0.0, trajectory.duration)
    k = np.clip(np.searchsorted(trajectory.times, t, side='right') - 1, 0,
                len(trajectory.times) - 2)
    h = (trajectory.times[k + 1] - trajectory.times[k])[:, None]
    u = (t - trajectory.times[k])[:, None] / h
    p0, p1 = trajectory.positions[k], trajectory.positions[k + 1]
    m0, m1 = h * trajectory.velocities[k], h * trajectory.velocities[k + 1]
    a, b = 2 * (p0 - p1) + m0 + m1, 3 * (p1 - p0) - 2 * m0 - m1
    q = ((a * u + b) * u + m0) * u + p0
    qd = ((3 * a * u + 2 * b) * u + m0) / h
    a0, a1 = trajectory.accelerations[k], trajectory.accelerations[k + 1]
    qdd = a0 + (a1 - a0) * u
    return q, qd, qdd


def brake(trajectory: JointTrajectory, at: float, limits: JointLimits, period: float) -> Samples:
    """Samples, `period` apart, that slow down to rest along the path from moment `at`.

    Time along the trajectory slows evenly to zero. The duration is the shortest of a growing
    series that keeps every joint's acceleration within its limit. If the motion itself ends
    sooner than that, it runs to its end: it already brakes. Staying on the path keeps a
    collision-free motion collision-free.
    """
    _, qd, _ = sample(trajectory, np.array([at]))
    allowed = np.maximum(limits.acceleration, np.abs(trajectory.accelerations).max(axis=0))
    left_s = max(trajectory.duration - at, period)
    duration = max(float(np.max(np.abs(qd[0]) / limits.acceleration)), period)
    while duration <= left_s:
        t = np.append(np.arange(period, duration, period), duration)
        rate = 1 - t / duration  # of trajectory time; the trajectory itself ends at rest
        s = at + t - t * t / (2 * duration)
        q, qd, qdd = sample(trajectory, s)
        qdd = qdd * rate[:, None] ** 2 - qd / duration
        if np.all(np.abs(qdd) <= allowed):
            return q, qd * rate[:, None], qdd
        duration *= BRAKE_GROWTH
    return sample(trajectory, at + np.append(np.arange(period, left_s, period), left_s))
