"""What was felt and not seen, as a thing that motions avoid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape

from .support import in_own_frame

SIZE_M = (0.03, 0.03, 0.005)  # a contact tells where a surface is, and which way it faces


def felt_plate(name: str, at: Sequence[float], pushed: Sequence[float]) -> SceneObject:
    """A plate that lies behind the contact at a point (m), across the direction of its push."""
    normal = np.asarray(pushed) / np.linalg.norm(pushed)
    side = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    side /= np.linalg.norm(side)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([side, np.cross(normal, side), normal])
    T[:3, 3] = np.asarray(at) - SIZE_M[2] / 2 * normal
    return SceneObject(name, Shape.BOX, SIZE_M, Pose.from_matrix(T), movable=False)


def is_near(thing: SceneObject, at: Sequence[float], within_m: float) -> bool:
    """Whether a point (m) is this close to the box around a thing, or in it."""
    off = np.abs(in_own_frame(thing, (at[0], at[1], at[2]))) - np.asarray(thing.size) / 2
    return float(np.linalg.norm(np.maximum(off, 0.0))) <= within_m
