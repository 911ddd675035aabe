# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How far a chain of turning joints reaches: a sound bound, and where its hand works well."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.arms.arm_model import Branches, ReachabilityProof
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.motion.grasping.grasps import TILTS

from .chain import ChainKinematics

SLACK_M = 1e-6
STEP_M, HEIGHTS_M, YAWS = 0.02, (0.03, 0.15), (0.0, np.pi / 4, np.pi / 2)
STRETCHED_M = -0.09, 0.11  # about the farthest place where things are taken from above
TILTED = (0.0, *TILTS)  # rad, of the hand: upright, and as grasps are tilted
DOWN = Pose((0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0))


class StretchBound:
    """A pose is out of reach if its last joint is farther from the shoulder than links stretch.

    The distance between the joints before and after one depends on that one joint alone.
    `unproved` is what is said of other poses that have no solution.
    """

    def __init__(self, kinematics: ChainKinematics, unproved: str) -> None:
        self._unproved = unproved
        limits = kinematics.limits
        middle = (limits.lower + limits.upper) / 2
        frames = kinematics.link_frames(middle)
        points = frames[:-2, :3, 3]
        first, axis = points[0], frames[0, :3, 2]
        shoulder = first + axis * ((points[1] - first) @ axis)  # of joint 1's axis, beside joint 2
        self.shoulder = shoulder
        points = np.concatenate([[shoulder], points[1:]])
        single = np.linalg.norm(np.diff(points, axis=0), axis=1)
        best = [0.0, float(single[0])]
        for k in range(2, len(points)):  # points k - 2, k - 1 and k: joint k - 1 turns between
            pair = _farthest(points[k - 2], points[k - 1], frames[k - 1, :3, 2], points[k],
                             limits.lower[k - 1] - middle[k - 1], limits.upper[k - 1]
                             - middle[k - 1])
            best.append(min(best[-1] + float(single[k - 1]), best[-2] + pair))
        self.stretch_m = best[-1]
        last = np.linalg.inv(frames[-3])
        self._T_tcp_link = np.linalg.inv(last @ frames[-1])
        self.tool_m = float(np.linalg.norm((last @ frames[-1])[:3, 3]))

    @property
    def span_m(self) -> float:
        """No farther from the shoulder does the TCP get."""
        return self.stretch_m + self.tool_m

    def __call__(self, T_base_tcp: FloatArray) -> ReachabilityProof:
        last = (T_base_tcp @ self._T_tcp_link)[:3, 3]
        beyond = float(np.linalg.norm(last - self.shoulder)) - self.stretch_m - SLACK_M
        if beyond <= 0:
            return ReachabilityProof(Reachability.UNDECIDED, proof=self._unproved)
        return ReachabilityProof(
            Reachability.PROVED_UNREACHABLE, out_of_reach_m=beyond,
            proof=f'the last joint would be {beyond + self.stretch_m:.3f} m from the shoulder; '
                  f'the links reach {self.stretch_m:.3f} m at most')


def _farthest(before: FloatArray, at: FloatArray, axis: FloatArray, after: FloatArray, low: float,
              high: float) -> float:
    """The largest distance of `before` and `after` while the latter turns about an axis."""
    a, b = before - at, after - at
    along, flat_a = (a @ axis) - (b @ axis), a - (a @ axis) * axis
    flat_b = b - (b @ axis) * axis
    start = math.atan2(np.cross(flat_a, flat_b) @ axis, flat_a @ flat_b)
    r, s = np.linalg.norm(flat_a), np.linalg.norm(flat_b)
    # cos is least where the angle is nearest to half a turn.
    angles = [start + low, start + high]
    opposite = math.ceil((angles[0] - math.pi) / math.tau) * math.tau + math.pi
    cosine = -1.0 if opposite <= angles[1] else min(map(math.cos, angles))
    return float(np.sqrt(max(0.0, along**2 + r**2 + s**2 - 2 * r * s * cosine)))


def worked_ring(branches: Branches, span_m: float) -> tuple[float, float]:
    """Between which distances from the base the hand takes things from above, at any angle.

    A hand that is turned by half a turn takes the same.
    """
    radii = STEP_M * np.arange(1, max(2, int(span_m / STEP_M)))
    poses = np.stack([Pose((radius, 0.0, height)).matrix() @ DOWN.turned(yaw + half).matrix()
                      for radius in radii for height in HEIGHTS_M for yaw in YAWS
                      for half in (0.0, math.pi)])
    found = np.zeros(len(poses), dtype=bool)
    found[branches.solve_all_batch(poses).row] = True
    good = [bool(row.any(axis=1).all()) for row in found.reshape(len(radii), -1, 2)]
    best, run = (0, 0), 0
    for k, ok in enumerate(good):  # the longest run
        run = run + 1 if ok else 0
        if run > best[1] - best[0]:
            best = k + 1 - run, k + 1
    if best[1] == 0:
        return 0.0, 0.0
    return float(radii[best[0]]), float(radii[best[1] - 1])


def farthest_tilted(branches: Branches, span_m: float) -> float:
    """The farthest distance from the base where a tilted hand may take things.

    Low and a little higher there is a solution; whether it is free depends on what is around.
    """
    radii = STEP_M * np.arange(1, max(2, int(span_m / STEP_M)))
    poses = np.stack([Pose.from_rpy(radius, 0.0, height, pitch=tilt).matrix()
                      @ DOWN.turned(yaw).matrix()
                      for radius in radii for tilt in TILTED for yaw in (0.0, math.pi)
                      for height in HEIGHTS_M])
    found = np.zeros(len(poses), dtype=bool)
    found[branches.solve_all_batch(poses).row] = True
    good = found.reshape(len(radii), -1, len(HEIGHTS_M)).all(axis=2)
    return float(radii[np.any(good, axis=1)].max(initial=0.0))
