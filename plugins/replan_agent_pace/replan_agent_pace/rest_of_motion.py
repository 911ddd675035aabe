# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rest of a motion, from where the arm is on its path, at a share of its speed."""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointTrajectory

SAME_RAD = 1e-3  # samples so close are the same place
FINEST = 0.2  # below this share the samples come no closer in time


def reached_s(trajectory: JointTrajectory, joints: FloatArray, after_s: float,
              before_s: float) -> float:
    """When the motion is where the joints are: the last such time between the two (s).

    A path may come by the same place twice, so that the place alone does not tell.
    """
    times = trajectory.times
    open_ = np.flatnonzero((times >= after_s) & (times <= before_s))
    if not len(open_):
        return after_s
    away = np.abs(trajectory.positions[open_] - joints).max(axis=1)
    return float(times[open_[np.flatnonzero(away <= away.min() + SAME_RAD)[-1]]])


def slowed(trajectory: JointTrajectory, share: float, from_s: float = 0.0) -> JointTrajectory:
    """The motion from that time on, from rest, at that share of its speed, on the same path."""
    if (share == 1 and not from_s) or len(trajectory.times) < 2:
        return trajectory
    from_s = min(from_s, float(trajectory.times[-2]))
    ramp_s = _ramp_s(trajectory, share, from_s) if from_s else 0.0
    end_s = (trajectory.duration - from_s) / share + ramp_s / 2
    step_s = float(np.median(np.diff(trajectory.times))) / max(share, FINEST)
    times = np.linspace(0.0, end_s, max(2, math.ceil(end_s / step_s)) + 1)
    at, pace, push = _progress(times, share, from_s, ramp_s)
    at = np.clip(at, from_s, trajectory.duration)
    path = CubicHermiteSpline(trajectory.times, trajectory.positions, trajectory.velocities)
    velocity, bend = path(at, 1), np.stack([
        np.interp(at, trajectory.times, joint) for joint in trajectory.accelerations.T], axis=1)
    return JointTrajectory(trajectory.names, times, path(at), velocity * pace[:, None],
                           bend * pace[:, None] ** 2 + velocity * push[:, None])


def _ramp_s(trajectory: JointTrajectory, share: float, from_s: float) -> float:
    """How long getting up to speed takes (s), with no more acceleration than the motion has.

    The push is at most half of each joint's peak: the curve of the path needs some, too.
    """
    fastest = np.abs(trajectory.velocities).max(axis=0)
    hardest = np.maximum(np.abs(trajectory.accelerations).max(axis=0), 1e-6)
    return min(math.pi * share * float(np.max(fastest / hardest)),
               (trajectory.duration - from_s) / share)


def _progress(times: FloatArray, share: float, from_s: float,
              ramp_s: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Time of the motion at each of our times, its speed and its acceleration."""
    at = from_s + share * (times - ramp_s / 2)
    pace, push = np.full_like(times, share), np.zeros_like(times)
    early = times < ramp_s
    turn = np.pi * times[early] / (ramp_s or 1.0)
    at[early] = from_s + share / 2 * (times[early] - ramp_s / np.pi * np.sin(turn))
    pace[early] = share / 2 * (1 - np.cos(turn))
    push[early] = share * np.pi / (2 * (ramp_s or 1.0)) * np.sin(turn)
    return at, pace, push
