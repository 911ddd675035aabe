# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a thing can be grasped at all: a slow, complete search over its true shape.

It shares no code with the agent's own choice of grasps. Lines through the true pieces give places
for two pads. Each is tried from all sides, with the real hand, the table and the arm's reach.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.franka import PANDA
from replan_agent.domain.hand_shape import HandShape, polynomial
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker

SPACING_M = 0.003
MOST_POINTS = 2500
CONE = ((0.0, 1), (0.5, 5), (0.95, 7))  # share of the friction angle, and directions there
THINNEST_M = 0.002
PLAY_M = 0.004  # free space beside each pad on the way in
AROUND = np.radians(np.arange(0, 360, 15))  # approach directions about the closing axis
ALONG_M = (0.0, 0.006, -0.006)  # the pads' centre before or behind the pair
TOUCH_M = 0.001  # surface this far beyond the pair touches the pads first
ABOVE_TABLE_M = 0.001
STEPS_BACK_M = (0.02, 0.04, 0.06, 0.09)
LIFT_M = 0.08
POSTURES = 6
CHUNK = 400


def is_graspable(thing: SceneObject, table: SceneObject, friction: float,
                 arm: ArmModel = PANDA) -> bool:
    """Whether there is a way to grasp the thing where it is, with this friction at the pads."""
    rng = np.random.default_rng(0)
    T = thing.pose.matrix()
    pieces = [Piece.around(piece.corners @ T[:3, :3].T + T[:3, 3]) for piece in thing.pieces]
    points, normals = _surface(pieces, rng)
    widest = arm.hand.max_width_m - PLAY_M
    first, second = _pairs(pieces, points, normals, math.atan(friction), widest, rng)
    reach = _Arm(Scene('true', 0.0, (table, thing), 'true'), arm)
    return any(reach.reaches(frame, opening)
               for frame, opening in _hands(first, second, points, table.top_z, arm.hand))


def _surface(pieces: list[Piece], rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Points all over the outer surface, and their outward normals."""
    triangles = np.concatenate([piece.triangles for piece in pieces])
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    doubled = np.linalg.norm(across, axis=1)
    count = int(min(MOST_POINTS, math.ceil(doubled.sum() / 2 / SPACING_M ** 2)))
    which = rng.choice(len(triangles), count, p=doubled / doubled.sum())
    share = rng.uniform(size=(count, 2))
    share = np.where(share.sum(axis=1, keepdims=True) > 1, 1 - share, share)
    a, b, c = triangles[which].transpose(1, 0, 2)
    points = a + share[:, :1] * (b - a) + share[:, 1:] * (c - a)
    normals = across[which] / doubled[which, None]
    outer = ~_is_inside(pieces, points + 3e-4 * normals)
    return points[outer], normals[outer]


def _is_inside(pieces: list[Piece], points: FloatArray) -> np.ndarray:
    return np.any([np.all(points @ piece.planes[:, :3].T + piece.planes[:, 3] < 0, axis=1)
                   for piece in pieces], axis=0)


def _pairs(pieces: list[Piece], points: FloatArray, normals: FloatArray, cone_rad: float,
           widest_m: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Pairs of points that two pads could hold: each force is within its friction cone."""
    firsts, seconds = [], []
    for share, count in CONE:
        for k in range(count):
            lines = _leaning(normals, share * cone_rad, 2 * math.pi * k / count)
            for piece in pieces:
                out, normal = _exits(piece, points, lines)
                fits = ((out > THINNEST_M) & (out < widest_m)
                        & (np.sum(normal * lines, axis=1) >= math.cos(cone_rad)))
                ends = points[fits] + out[fits, None] * lines[fits]
                outer = ~_is_inside(pieces, ends + 3e-4 * normal[fits])
                firsts.append(points[fits][outer])
                seconds.append(ends[outer])
    first, second = np.concatenate(firsts), np.concatenate(seconds)
    order = rng.permutation(len(first))
    return first[order], second[order]


def _leaning(normals: FloatArray, lean_rad: float, turn_rad: float) -> FloatArray:
    """Lines into the thing, each so far away from straight in."""
    least = np.eye(3)[np.argmin(np.abs(normals), axis=1)]
    side = np.cross(normals, least)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    aside = math.cos(turn_rad) * side + math.sin(turn_rad) * np.cross(normals, side)
    return np.asarray(-math.cos(lean_rad) * normals + math.sin(lean_rad) * aside)


def _exits(piece: Piece, starts: FloatArray, lines: FloatArray) -> tuple[FloatArray, FloatArray]:
    """How far (m) each line leaves the piece, and the normal there; -inf where it misses."""
    towards = lines @ piece.planes[:, :3].T
    away = -(starts @ piece.planes[:, :3].T + piece.planes[:, 3])
    with np.errstate(divide='ignore', invalid='ignore'):
        at = away / towards
    leaving = np.where(towards > 1e-9, at, np.inf)
    entering = np.where(towards < -1e-9, at, -np.inf).max(axis=1)
    outside = ((np.abs(towards) <= 1e-9) & (away < 0)).any(axis=1)
    side = leaving.argmin(axis=1)
    out = leaving[np.arange(len(side)), side]
    return np.where((out > entering) & ~outside, out, -np.inf), piece.planes[side, :3]


def _hands(first: FloatArray, second: FloatArray, points: FloatArray,
           table_z: float, hand: HandShape) -> Iterator[tuple[FloatArray, float]]:
    """Frames of the TCP and openings whose fingers and palm are clear of thing and table."""
    for start in range(0, len(first), CHUNK):
        a, b = first[start:start + CHUNK], second[start:start + CHUNK]
        width = np.linalg.norm(b - a, axis=1)
        y = (b - a) / width[:, None]
        level = np.cross(y, (1e-6, 0.0, 1.0))  # any level direction will do for an upright axis
        level /= np.linalg.norm(level, axis=1, keepdims=True)
        for turn in AROUND:
            z = math.cos(turn) * np.cross(y, level) + math.sin(turn) * level
            for along in ALONG_M:
                frames = np.tile(np.eye(4), (len(a), 1, 1))
                frames[:, :3, 0], frames[:, :3, 1], frames[:, :3, 2] = np.cross(y, z), y, z
                ahead = along - polynomial(hand.drop, width) * np.ones(len(a))
                frames[:, :3, 3] = (a + b) / 2 + ahead[:, None] * z
                opening = np.minimum(width + 2 * PLAY_M, hand.max_width_m)
                free = (z[:, 2] < 1e-6) & _above_table(frames, opening, table_z, hand)
                free[free] = _is_first_touched(frames[free], width[free], points, hand)
                for k in np.flatnonzero(free):
                    yield frames[k], float(opening[k])


def _above_table(frames: FloatArray, opening: FloatArray, table_z: float,
                 hand: HandShape) -> np.ndarray:
    """Whether the tips of the open fingers stay above the table."""
    x, y, z = (frames[:, 2, k] for k in range(3))
    lowest = (frames[:, 2, 3] + hand.tip_beyond_tcp_m * z
              - hand.half_finger_m * np.abs(x)
              - (opening / 2 + 0.012) * np.abs(y))
    return np.asarray(lowest > table_z + ABOVE_TABLE_M)


def _is_first_touched(frames: FloatArray, width: FloatArray, points: FloatArray,
                      hand: HandShape) -> np.ndarray:
    """Whether the closing pads meet the pair and nothing before it, and the palm is free."""
    if not len(frames):
        return np.zeros(0, dtype=bool)
    own = np.einsum('nij,nmi->nmj', frames[:, :3, :3].astype(np.float32),
                    (points[None] - frames[:, None, :3, 3]).astype(np.float32))
    along, across, ahead = np.moveaxis(np.abs(own), 2, 0)[0], own[..., 1], own[..., 2]
    before_pads = (along < hand.pad_width_m / 2) & (ahead < hand.tip_beyond_tcp_m)
    beyond = np.abs(across) - width[:, None] / 2
    blocked = before_pads & (beyond > TOUCH_M) & (beyond < 0.012)
    palm = (ahead < -hand.palm_above_tcp_m) & (along < 0.02) & (np.abs(across) < 0.1)
    return np.asarray(~(blocked | palm).any(axis=1))


class _Arm:
    """The real arm and hand among the true things."""

    def __init__(self, scene: Scene, arm: ArmModel) -> None:
        self._scene = scene
        self._ik = arm.branches
        self._checker = MujocoCollisionChecker(arm)

    def reaches(self, frame: FloatArray, opening: float) -> bool:
        """Whether a posture at the grasp, the straight way back and the lift are possible."""
        self._checker.use(MotionRequest(self._scene, gripper_width=opening, clearance_m=0.0005))
        found = self._ik.solve_all_batch(frame[None]).joints
        return any(self._works(joints, frame)
                   for joints in found[::max(1, len(found) // POSTURES)][:POSTURES])

    def _works(self, joints: FloatArray, frame: FloatArray) -> bool:
        if self._checker.first_contact(joints) is not None:
            return False
        up = frame.copy()
        up[2, 3] += LIFT_M
        if self._ik.solve_nearest(up, joints) is None:
            return False
        for back in STEPS_BACK_M:
            away = frame.copy()
            away[:3, 3] -= back * frame[:3, 2]
            near = self._ik.solve_nearest(away, joints)
            if near is None or self._checker.first_contact(near) is not None:
                return False
            joints = near
        return True
