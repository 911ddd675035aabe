# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reachability of a pose for a Franka: a solution (witness), a proof of none, or neither.

The proof covers joint 7's whole range with intervals. For each interval and each way to bend
elbow and wrist, `wrist`'s formulas give bounds on the other joints. If no angle within these
bounds is within a joint's limits, that piece is done. The others are cut in four. If nothing is
left, no joint angles within the limits give the pose. Each midpoint is also solved exactly, so
the same search finds a witness if there is one.

Every comparison favours the pose by `_SLACK`, far more than rounding errors add up to. Where a
square root or an arc cosine would magnify rounding, its argument is widened first. The proof is
about the exact pose: a solver with a tolerance may still come close enough to it.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointLimits

from . import franka_wrist as franka
from .arm_model import ReachabilityProof
from .franka_ik import link3_axes, solve_for_q7
from .franka_wrist import Link7

BoolArray = NDArray[np.bool_]

_SLACK = 1e-6  # rad and m
_WIDEN = 1e-9  # for cosines and sines before their inverse; rounding is smaller
_TOO_SHORT_M2 = 1e-8  # m²; a shorter vector has no usable direction
_FIRST_INTERVALS = 64
_MIN_HALF_WIDTH = 1e-5  # rad of joint 7; a smaller piece stays undecided
_MAX_PIECES = 20_000


class _Range(NamedTuple):
    """Closed intervals, element by element."""

    lo: FloatArray
    hi: FloatArray


class _Pieces(NamedTuple):
    """Intervals q7 ± half (rad), each with one of two elbows and one of two wrists."""

    q7: FloatArray
    half: FloatArray
    stretched: BoolArray
    wrist: FloatArray  # +1 or -1: sign of the wrist-to-shoulder vector along x5

    def quartered(self, which: BoolArray) -> _Pieces:
        offsets = np.array([-0.75, -0.25, 0.25, 0.75])[:, None]
        q7, half = self.q7[which], self.half[which]
        return _Pieces((q7 + offsets * half).ravel(), np.tile(half / 4, 4),
                       np.tile(self.stretched[which], 4), np.tile(self.wrist[which], 4))


def prove(T_base_tcp: FloatArray, limits: JointLimits) -> ReachabilityProof:
    """Whether any joint angles within the limits give this TCP pose (4, 4) exactly."""
    if not np.all(np.isfinite(T_base_tcp)):
        raise ValueError('reachability needs a finite pose')  # NaN would look impossible
    started = time.perf_counter()
    found = _decide(np.asarray(T_base_tcp, dtype=float), limits)
    return replace(found, elapsed_s=time.perf_counter() - started)


def _decide(T: FloatArray, limits: JointLimits) -> ReachabilityProof:
    link7 = franka.link7_from_tcp(T[None])
    beyond_m = float(franka.beyond_reach_m(link7)[0])
    if beyond_m > _SLACK:
        sentence = f"target is {beyond_m:.4f} m beyond the arm's reach at this orientation"
        return ReachabilityProof(Reachability.PROVED_UNREACHABLE, None, beyond_m, sentence)
    pieces = _first_pieces(limits)
    while pieces.half[0] >= _MIN_HALF_WIDTH and len(pieces.q7) <= _MAX_PIECES:
        middles = np.unique(pieces.q7)
        found = solve_for_q7(np.broadcast_to(T, (len(middles), 4, 4)), middles, limits)
        if len(found.joints):
            return ReachabilityProof(Reachability.REACHABLE, found.joints[0])
        possible = _possible(link7, pieces, limits)
        if not possible.any():
            return ReachabilityProof(
                Reachability.PROVED_UNREACHABLE,
                proof='no joint angles within the limits give this pose (interval proof over q7)')
        pieces = pieces.quartered(possible)
    return ReachabilityProof(Reachability.UNDECIDED)


def _first_pieces(limits: JointLimits) -> _Pieces:
    edges = np.linspace(limits.lower[6], limits.upper[6], _FIRST_INTERVALS + 1)
    q7, half = (edges[1:] + edges[:-1]) / 2, np.full(_FIRST_INTERVALS, (edges[1] - edges[0]) / 2)
    return _Pieces(np.tile(q7, 4), np.tile(half, 4),
                   np.repeat([False, False, True, True], _FIRST_INTERVALS),
                   np.repeat([1.0, -1.0, 1.0, -1.0], _FIRST_INTERVALS))


def _possible(link7: Link7, pieces: _Pieces, limits: JointLimits) -> BoolArray:
    """False only if no solution within the limits can be in the piece."""
    q7 = _Range(pieces.q7 - pieces.half, pieces.q7 + pieces.half)
    X = _sinusoid(q7, link7.alpha, -link7.beta)
    Z = _sinusoid(q7, link7.beta, link7.alpha)
    q4, ok = _elbow(link7, X, pieces.stretched, limits)
    sz = _shifted(_sinusoid(q4, -franka.D3, franka.A4), -franka.D5)
    sx = _shifted(_sinusoid(q4, -franka.A4, -franka.D3), franka.A4)
    in_plane2 = _shifted(_square(_shifted(X, franka.A7)), link7.gamma**2)
    q6, fits = _joint6(link7, X, in_plane2, sz, pieces.wrist)
    ok &= fits & ~_misses(q6, limits, 5)
    q5, fits = _joint5(Z, in_plane2, sx, sz, pieces.wrist)
    ok &= fits & ~_misses(q5, limits, 4)
    return ok & _shoulder_possible(link7, pieces, q4, q5, q6, limits)


def _elbow(link7: Link7, X: _Range, stretched: BoolArray, limits: JointLimits,
           ) -> tuple[_Range, BoolArray]:
    """Bounds on q4 within its limits. q4 is monotone in the reach, so the ends give the bounds."""
    shortest, longest = (franka.FOREARM_M - franka.UPPER_ARM_M) ** 2, franka.MAX_REACH_M**2
    A7 = franka.A7
    reach2 = _shifted(_Range(2 * A7 * X.lo, 2 * A7 * X.hi), link7.distance2 + A7 * A7)
    closes = (reach2.lo <= longest + _SLACK) & (reach2.hi >= shortest - _SLACK)
    both = (franka.elbow_angles(np.clip(end, shortest + 1e-15, longest - 1e-15), math.inf)
            for end in reach2)
    ends = [np.where(stretched, straight, folded) for folded, straight in both]
    lo, hi = np.minimum(*ends), np.maximum(*ends)
    lower, upper = limits.lower[3] - _SLACK, limits.upper[3] + _SLACK
    within = closes & (lo <= upper) & (hi >= lower)
    # Near full stretch the clipped ends cost up to 1e-7 rad, which the slack covers.
    return _Range(np.clip(lo, lower, upper) - _SLACK, np.clip(hi, lower, upper) + _SLACK), within


def _joint6(link7: Link7, X: _Range, in_plane2: _Range, sz: _Range, wrist: FloatArray,
            ) -> tuple[_Range, BoolArray]:
    """Bounds on q6 = pi/2 - lean - wrist * psi with cos psi = sz / |v in the xy plane|."""
    anywhere = in_plane2.lo < _TOO_SHORT_M2
    nearest = np.sqrt(np.maximum(in_plane2.lo, _TOO_SHORT_M2))
    farthest = np.maximum(np.sqrt(in_plane2.hi), nearest)
    cos_lo = np.minimum(sz.lo / nearest, sz.lo / farthest) - _WIDEN
    cos_hi = np.maximum(sz.hi / nearest, sz.hi / farthest) + _WIDEN
    psi = _Range(np.arccos(np.clip(cos_hi, -1, 1)), np.arccos(np.clip(cos_lo, -1, 1)))
    # For a fixed y the direction atan2(y, x) is monotone in x.
    ends = [np.arctan2(-link7.gamma, end + franka.A7) for end in X]
    lean = _Range(np.minimum(*ends), np.maximum(*ends))
    turned = _Range(np.where(wrist > 0, psi.lo, -psi.hi), np.where(wrist > 0, psi.hi, -psi.lo))
    q6 = _Range(np.pi / 2 - lean.hi - turned.hi, np.pi / 2 - lean.lo - turned.lo)
    # If v may be along z6, its direction in the plane can be anything, and so can q6.
    q6 = _Range(np.where(anywhere, 0.0, q6.lo), np.where(anywhere, math.tau, q6.hi))
    return q6, anywhere | ((cos_lo <= 1 + _SLACK) & (cos_hi >= -1 - _SLACK))


def _joint5(Z: _Range, in_plane2: _Range, sx: _Range, sz: _Range, wrist: FloatArray,
            ) -> tuple[_Range, BoolArray]:
    """Bounds on q5 = atan2(Z, wrist * c), c = sqrt(|v in the plane|² - sz²), and sin q5 = Z / sx.

    Both hold, so the bounds are their intersection. sx is positive within q4's limits.
    """
    sz2 = _square(sz)
    c = _Range(np.sqrt(np.maximum(in_plane2.lo - sz2.hi - _WIDEN, 0)),
               np.sqrt(np.maximum(in_plane2.hi - sz2.lo, 0) + _WIDEN))
    # atan2(Z, c) rises with Z; with c it falls for Z > 0 and rises for Z < 0.
    lo = np.arctan2(Z.lo, np.where(Z.lo > 0, c.hi, c.lo))
    hi = np.arctan2(Z.hi, np.where(Z.hi > 0, c.lo, c.hi))
    sin_lo = Z.lo / np.where(Z.lo > 0, sx.hi, sx.lo) - _WIDEN
    sin_hi = Z.hi / np.where(Z.hi > 0, sx.lo, sx.hi) + _WIDEN
    lo = np.maximum(lo, np.arcsin(np.clip(sin_lo, -1, 1)))
    hi = np.maximum(np.minimum(hi, np.arcsin(np.clip(sin_hi, -1, 1))), lo)
    q5 = _Range(np.where(wrist > 0, lo, np.pi - hi), np.where(wrist > 0, hi, np.pi - lo))
    return q5, (sin_lo <= 1 + _SLACK) & (sin_hi >= -1 - _SLACK)


def _shoulder_possible(link7: Link7, pieces: _Pieces, q4: _Range, q5: _Range, q6: _Range,
                       limits: JointLimits) -> BoolArray:
    """Whether joints 1 to 3 may be within their limits, for either shoulder branch.

    Joint 3's axis is link 7's axis turned back through four joints. Each joint is within half its
    bounds' width of their middle, and turning a joint by an angle turns any direction by at most
    that angle. So the axis is within `spread` of its place at the middles.
    """
    middles = np.stack([*((q.lo + q.hi) / 2 for q in (q4, q5, q6)), pieces.q7])
    spread = pieces.half + sum((q.hi - q.lo) / 2 for q in (q4, q5, q6)) + _SLACK
    x3, y3, z3 = link3_axes(link7, np.zeros(len(pieces.q7), dtype=np.intp), middles)
    tilt = np.arctan2(np.hypot(z3[0], z3[1]), z3[2])
    # A cap of radius `spread` that does not contain a pole is this wide in azimuth.
    clear = spread < np.minimum(tilt, np.pi - tilt)
    width = np.where(clear, np.arcsin(np.clip(
        np.sin(np.where(clear, spread, 0)) / np.maximum(np.sin(tilt), 1e-12), 0, 1)), np.pi)
    azimuth1 = np.arctan2(z3[1], z3[0])  # joint 3's axis in the base frame
    azimuth3 = np.arctan2(y3[2], -x3[2])  # the base's axis in link 3's frame
    possible = np.zeros(len(tilt), dtype=bool)
    for sign, turn in ((1.0, 0.0), (-1.0, np.pi)):
        possible |= ~(_misses(_around(azimuth1 + turn, width), limits, 0)
                      | _misses(_around(sign * tilt, spread), limits, 1)
                      | _misses(_around(azimuth3 + turn, width), limits, 2))
    return possible


def _misses(angle: _Range, limits: JointLimits, joint: int) -> BoolArray:
    """Whether no angle in the range, plus any whole turns, is within the joint's limits."""
    lower, upper = limits.lower[joint] - _SLACK, limits.upper[joint] + _SLACK
    turns = np.ceil((lower - angle.hi) / math.tau)  # the fewest that bring its end to `lower`
    return np.asarray(angle.lo + turns * math.tau > upper)


def _around(centre: FloatArray, half: FloatArray) -> _Range:
    return _Range(centre - half, centre + half)


def _shifted(a: _Range, by: FloatArray | float) -> _Range:
    return _Range(a.lo + by, a.hi + by)


def _square(a: _Range) -> _Range:
    low, high = a.lo**2, a.hi**2
    return _Range(np.where((a.lo <= 0) & (a.hi >= 0), 0.0, np.minimum(low, high)),
                  np.maximum(low, high))


def _sinusoid(angle: _Range, cos_part: FloatArray | float, sin_part: FloatArray | float) -> _Range:
    """Exact bounds of cos_part * cos(angle) + sin_part * sin(angle)."""
    amplitude, phase = np.hypot(cos_part, sin_part), np.arctan2(sin_part, cos_part)
    lo, hi = angle.lo - phase, angle.hi - phase
    ends = np.cos(lo), np.cos(hi)
    has_top = np.floor(hi / math.tau) >= np.ceil(lo / math.tau)
    has_bottom = np.floor((hi - np.pi) / math.tau) >= np.ceil((lo - np.pi) / math.tau)
    return _Range(amplitude * np.where(has_bottom, -1.0, np.minimum(*ends)),
                  amplitude * np.where(has_top, 1.0, np.maximum(*ends)))
