# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the hand must be for what it holds to stand somewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from replan_agent import Call, Pose, SceneObject
from replan_agent.domain.hand import T_tcp_thing
from replan_agent.domain.scene import ROUND
from replan_agent.execute.choice_of_spot import held_by

TURNS = 8  # of a round thing


def standing(call: Call, at: tuple[float, float], bottom_z: float, yaw: float,
             own: tuple[float, float] = (0.0, 0.0)) -> Iterator[Pose]:
    """TCP poses with the held thing upright there, its sides along that yaw; first the nearest.

    `own` is what of the thing is there (x, y in its own frame, m).
    """
    thing, arm = held_by(call), call.scene.arm
    assert arm is not None
    T_thing_tcp = np.linalg.inv(T_tcp_thing(thing, arm))
    axis, tip = upright_axis(thing), upright_pose(thing)
    folds = TURNS if thing.shape in ROUND else 4
    turns = [yaw - tip.yaw + k * math.tau / folds for k in range(folds)]
    for turn in sorted(turns, key=lambda turn: abs(math.remainder(turn, math.tau))):
        T = tip.turned(turn).matrix()
        T[:3, 3] = (*at, bottom_z + thing.size[axis] / 2)
        T[:2, 3] -= T[:2, :2] @ own
        yield Pose.from_matrix(T @ T_thing_tcp)


def upright_axis(thing: SceneObject) -> int:
    """Its own axis that points up or down most."""
    return int(np.argmax(np.abs(thing.pose.rotation[2])))


def upright_pose(thing: SceneObject) -> Pose:
    """The thing's pose, with that axis straight up or down."""
    T, axis = thing.pose.matrix(), upright_axis(thing)
    up = T[:3, axis]
    wanted = np.array([0.0, 0.0, math.copysign(1.0, up[2])])
    about, c = np.cross(up, wanted), float(up @ wanted)
    K = np.array([[0, -about[2], about[1]], [about[2], 0, -about[0]], [-about[1], about[0], 0]])
    T[:3, :3] = (np.eye(3) + K + K @ K / (1 + c)) @ T[:3, :3]
    return Pose.from_matrix(T)
