"""How far the parts of an arm get along a motion: so that one check of it stands for many."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain import franka
from replan_agent.domain.pose import FloatArray

from .gl import mujoco

EVERY = 16  # of the postures of a motion, the parts' places are computed
SURE = 0.9  # share of a distance that a move may use
BEND_M = 1.0  # of the arm's reach: how much the way of a part may bend
_CORNERS = np.array(np.meshgrid(*[[-1.0, 1.0]] * 3)).reshape(3, -1).T


class MovedParts:
    """The corners of boxes around the geoms of an arm, by body.

    A part between two places moves no farther than the corner of its box that moves farthest.
    """

    def __init__(self, model: mujoco.MjModel) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        moved = np.zeros(model.nbody, dtype=bool)
        for b in range(1, model.nbody):
            moved[b] = moved[model.body_parentid[b]] or model.body_jntnum[b] > 0
        self.moved: NDArray[np.bool_] = moved[model.geom_bodyid]
        self._bodies = np.flatnonzero(moved & (np.bincount(model.geom_bodyid,
                                                           minlength=model.nbody) > 0))
        self._corners = np.stack([_corners(model, int(b)) for b in self._bodies])

    def way(self, motion: FloatArray, fingers: FloatArray) -> FloatArray:
        """How far (m) the arm has come at each posture (N, joints) of a motion: a part that gets
        from one to another moves by no more than the difference.
        """
        at = np.arange(0, len(motion) + EVERY - 1, EVERY).clip(max=len(motion) - 1)
        places = np.empty((len(at), len(self._bodies), 3))
        turns = np.empty((len(at), len(self._bodies), 3, 3))
        data, joints = self._data, franka.JOINTS
        data.qpos[joints:joints + len(fingers)] = fingers
        for k, posture in enumerate(motion[at]):
            data.qpos[:joints] = posture
            mujoco.mj_kinematics(self._model, data)
            places[k] = data.xpos[self._bodies]
            turns[k] = data.xmat[self._bodies].reshape(-1, 3, 3)
        corners = places[:, :, None] + np.einsum('kbij,bcj->kbci', turns, self._corners)
        steps = np.diff(corners, axis=0)
        step_m = np.sqrt((steps * steps).sum(axis=-1).max(axis=(1, 2), initial=0.0))
        bend_m = BEND_M * np.abs(np.diff(motion[at], axis=0)).sum(axis=1) ** 2 / 8
        come = np.concatenate([[0.0], np.cumsum(step_m + bend_m)])
        return np.interp(np.arange(len(motion)), at, come)


def _corners(model: mujoco.MjModel, body: int) -> FloatArray:
    """The corners (8, 3) of a box around a body's geoms, in its frame."""
    found = []
    for g in np.flatnonzero(model.geom_bodyid == body):
        turn = np.empty(9)
        mujoco.mju_quat2Mat(turn, model.geom_quat[g])
        centre, half = model.geom_aabb[g, :3], model.geom_aabb[g, 3:]
        found.append(model.geom_pos[g] + (centre + _CORNERS * half) @ turn.reshape(3, 3).T)
    points = np.concatenate(found)
    low, high = points.min(axis=0), points.max(axis=0)
    return np.asarray((low + high) / 2 + _CORNERS * (high - low) / 2)


class Span:
    """The postures of a motion, by the way (N,; m) that the arm has come at each."""

    def __init__(self, way: FloatArray) -> None:
        self._way: list[float] = way.tolist()
        self._free: list[tuple[int, int]] = []  # ranges ahead that are known to be free
        self._first, self._stride_m = 0, 0.0

    def next_posture(self) -> tuple[int, int] | None:
        """The posture to check next, and the first that is not known to be free; None at the end.
        """
        while self._free and self._free[-1][0] <= self._first:
            self._first = max(self._first, self._free.pop()[1])
        if self._first >= len(self._way):
            return None
        end = self._free[-1][0] if self._free else len(self._way)
        ahead = bisect_right(self._way, self._way[self._first] + self._stride_m) - 1
        return min(max(ahead, self._first), end - 1), self._first

    def cover(self, at: int, room_m: float) -> None:
        """The posture `at` is free, and those to which no part moves farther than `room_m`."""
        room_m, here = max(0.0, SURE * room_m), self._way[at]
        since = min(bisect_left(self._way, here - room_m), at)
        until = max(bisect_left(self._way, here + room_m), at + 1)
        if since <= self._first:
            self._first, self._stride_m = until, 2 * room_m
        else:
            self._free.append((since, until))
            self._stride_m = (here - self._way[self._first]) / 2
