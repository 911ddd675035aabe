# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the arm touched something, from the torques of its joints and its posture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Capsule, Hull, Part
from replan_agent.domain.pose import FloatArray

TURN_RAD = 1e-5
UNEXPLAINED = 0.3  # share of the torque that a push at the place may leave unexplained
OBLIQUE = 0.3  # what a push across the motion counts for, in the same share
ALIKE = 0.05  # places this close to the best one are as good
SURE_M = 0.15  # as far apart as the hand is long, places that are as good leave open where it was


def felt_at(arm: ArmModel, joints: FloatArray, width: float, torque: FloatArray,
            moving: FloatArray) -> dict[str, Any]:
    """The place (m, base frame) and the direction of the push that explain the torques best.

    It is on the surface of the hand, or else of a link, and the push is against the motion there
    (`moving`: rad of each joint). Of places that are alike, it is the one that went first; it is
    `felt_sure` if the others are close. Empty if no single place explains the torques.
    """
    frames = arm.kinematics.link_frames(joints)
    turned = arm.kinematics.link_frames(joints + TURN_RAD * np.eye(len(joints)))
    rates = (turned - frames) / TURN_RAD
    found: list[tuple[float, FloatArray, FloatArray]] = []
    for frame, points, radius in _surface(arm, width):
        if found and frame <= arm.joint_count:
            break  # the hand explains it
        ends = np.column_stack([points, np.ones(len(points))])
        for end, jacobian in zip(ends, np.einsum('nij,kj->kin', rates[:, frame, :3], ends)):
            push, way = np.linalg.lstsq(jacobian.T, torque, rcond=0.05)[0], jacobian @ moving
            off = np.linalg.norm(jacobian.T @ push - torque) / np.linalg.norm(torque)
            push /= max(float(np.linalg.norm(push)), 1e-9)
            along = float(push @ way / max(np.linalg.norm(way), 1e-9))
            if off < UNEXPLAINED and along < 0:
                at = frames[frame, :3] @ end - radius * push
                found.append((float(off) + OBLIQUE * (1 + along), at, push))
    best = min((score for score, *_ in found), default=0.0)
    alike = [(at, push) for score, at, push in found if score <= best + ALIKE]
    if not alike:
        return {}
    at, push = min(alike, key=lambda one: float(one[0] @ one[1]))
    apart = max(float(np.linalg.norm(at - other)) for other, _ in alike)
    return {'felt_at': at.tolist(), 'pushed': push.tolist(), 'felt_sure': apart < SURE_M}


def _surface(arm: ArmModel, width: float) -> Iterator[tuple[int, FloatArray, float]]:
    """The parts that may touch something: the number of the frame, points in it, a radius (m)."""
    hand, tcp = arm.hand, arm.joint_count + 1
    high = np.linspace(-hand.palm_above_tcp_m, hand.tip_beyond_tcp_m - hand.half_finger_m, 4)
    for side in (-1, 1):
        y = side * (width + hand.finger_m) / 2
        yield tcp, np.array([(0.0, y, z) for z in high]), hand.half_finger_m
    for part in arm.shapes.hand:
        points, radius = _points(part)
        yield tcp, points - (0.0, 0.0, hand.tcp_m), radius
    for i, parts in enumerate(arm.shapes.links):
        for part in parts if i else ():
            yield (i - 1, *_points(part))


def _points(part: Part) -> tuple[FloatArray, float]:
    if isinstance(part, Capsule):
        return np.linspace(part.start, part.end, 4), part.radius
    if isinstance(part, Hull):
        return np.array(part.corners), 0.0
    steps = np.stack(np.meshgrid(*[(-0.5, 0.0, 0.5)] * 3), axis=-1).reshape(-1, 3)
    return np.asarray(part.centre) + steps * part.size, 0.0
