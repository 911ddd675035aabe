# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A parallel hand: two fingers with flat pads in front of a palm."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class HandShape:
    """Its dimensions (m), force and speed, and how far from its arm's base it works (m).

    The tool centre point (TCP) is between the pads. The fingers close along its y, and z points
    out of the palm. A finger has a thin part behind its pad, and a block that slides in the hand.
    """

    tcp_m: float  # the hand's frame to the TCP, along z
    tip_beyond_tcp_m: float  # how far the finger tips reach past the TCP
    palm_above_tcp_m: float  # a taller object between the fingers touches the palm
    pad_height_m: float  # along z, centred on the TCP
    pad_width_m: float  # along x
    half_finger_m: float  # half a finger's width, along x
    tip_m: float  # a finger's thickness at its tip,
    finger_m: float  # behind the pad,
    block_m: float  # and at the block
    block_behind_m: float  # where the block begins, behind the TCP
    half_width_m: float  # of the palm, along y
    half_depth_m: float  # of the palm, along x
    height_m: float  # of the palm, along z
    max_width_m: float  # between the open pads
    max_force_n: float  # continuous
    max_speed_m_s: float  # between the fingers
    reach_m: tuple[float, float]  # where it puts things down and takes them again
    stretched_m: tuple[float, float]  # where few postures are left
    drop: tuple[float, ...] = ()  # how far the pads are beyond the TCP: a polynomial of the width
    least_force_n: float = 10.0  # that it can press with

    @property
    def force_n(self) -> tuple[float, float]:
        return self.least_force_n, self.max_force_n


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """c0 + c1 x + c2 x² + ..."""
    return functools.reduce(lambda sum_, c: sum_ * x + c, reversed(coefficients), 0.0)
