# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Panda with a hand that closes like many do: two parallelograms of links, and convex shapes."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Box, FingerBody, HandMap, Hull, Inertia
from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose

LINK_M, MOUNT_M, WIDEST_M = 0.06, 0.03, 0.08
WIDTHS = np.linspace(0.0, WIDEST_M, 33)
TURNS = np.arcsin(WIDTHS / 2 / LINK_M)  # of the links, open to closed
TURN = tuple(np.polynomial.polynomial.polyfit(WIDTHS, TURNS, 4).tolist())
DROP = tuple(np.polynomial.polynomial.polyfit(WIDTHS, LINK_M * (np.cos(TURNS) - 1), 4).tolist())
LIGHT = Inertia(0.03, (0.0, 0.0, 0.02), (1e-5, 1e-5, 1e-5, 0.0, 0.0, 0.0))
PAD_M = PANDA.hand.tcp_m - MOUNT_M - LINK_M


def _hull(box: Box) -> Hull:
    corners = itertools.product(*((c - s / 2, c + s / 2) for c, s in zip(box.centre, box.size)))
    return Hull(tuple((x, y, z) for x, y, z in corners))


def _finger(side: str, turn: tuple[float, float, float, float]) -> tuple[FingerBody, FingerBody]:
    bar = (_hull(Box((0.0, 0.01, 0.03), (0.012, 0.012, 0.05))),)
    tip = (_hull(Box((0.0, 0.012, PAD_M), (0.018, 0.008, 0.018))),)
    pad = (Box((0.0, 0.004, PAD_M), (0.018, 0.008, 0.018)),)
    back = tuple(-c for c in TURN)
    knuckle, x = f'{side}knuckle', (1.0, 0.0, 0.0)
    return (FingerBody(knuckle, 'hand', Pose((0.0, 0.0, MOUNT_M), turn), f'{side}_knuckle', x,
                       False, back, LIGHT, bar, (), bar),
            FingerBody(f'{side}finger', knuckle, Pose((0.0, 0.0, LINK_M)), f'{side}_finger', x,
                       False, TURN, LIGHT, tip, pad, (*tip, *pad)))


def linkage_arm() -> ArmModel:
    """Its knuckles turn by -asin(width / 2 / length), its fingers stay parallel."""
    fingers = (*_finger('left', (1.0, 0.0, 0.0, 0.0)), *_finger('right', (0.0, 0.0, 0.0, 1.0)))
    back = tuple(-c for c in TURN)
    palm = (_hull(Box((0.0, 0.0, 0.0), (0.06, 0.14, 0.03))),)
    return replace(
        PANDA, name='linked', hand=replace(PANDA.hand, drop=DROP), hand_camera=None, prove=None,
        gripper=HandMap(fingers, ('left_knuckle',), back, WIDEST_M),
        shapes=replace(PANDA.shapes, hand=palm),
        looks=replace(PANDA.looks, parts={**PANDA.looks.parts, 'hand': ()}))
