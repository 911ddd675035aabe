# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A joint of a piece of furniture: how what hangs on it can move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from transforms3d import axangles

from replan_agent import Pose, SceneObject
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import States
from replan_agent.text.plain_values import Recorded

Vector = tuple[float, float, float]
OPEN = 0.9  # of its range: what is open so far is open
ON_AXIS_M = 0.01  # what is nearer to a hinge's axis turns, and hardly moves
KNOB_M = 0.1  # a turn about the hand's own axis counts as this radius


class JointKind(str, Enum):
    SLIDE = 'slide'
    HINGE = 'hinge'


SLACK = {JointKind.SLIDE: 0.008, JointKind.HINGE: np.radians(4)}
SHORT = 0.2  # of its range, if that is less


@dataclass(frozen=True)
class Joint(Recorded):
    """Its line: a direction and a point on it, in the base frame. Its state, and its range.

    States are m for a slide and rad for a hinge. `low` is closed, `high` is open.
    """

    kind: JointKind
    axis: Vector
    point: Vector
    low: float
    high: float
    state: float
    words: tuple[str, ...] = ('open', 'closed')  # at `high` and at `low`; a knob has none

    @property
    def slack(self) -> float:
        """So near is there."""
        return float(min(SLACK[self.kind], SHORT * (self.high - self.low)))

    def moved(self, pose: Pose, by: float, follows: float = 1.0) -> Pose:
        """Where something at `pose`, that moves with the joint, is after it moved `by`.

        It turns with a hinge, or by this share: a bar may turn between the fingers.
        """
        T, axis = pose.matrix(), np.array(self.axis)
        if self.kind is JointKind.SLIDE:
            T[:3, 3] += by * axis
        else:
            T[:3, :3] = self.turned(follows * by) @ T[:3, :3]
            T[:3, 3] = self.point + self.turned(by) @ (T[:3, 3] - self.point)
        return Pose.from_matrix(T)

    def turned(self, by: float) -> FloatArray:
        """The turn about a hinge's axis by an angle (rad)."""
        return np.asarray(axangles.axangle2mat(np.array(self.axis), by))

    def way(self, pose: Pose) -> FloatArray:
        """Where something at `pose` moves when the joint opens (m a unit of the joint)."""
        axis = np.array(self.axis)
        if self.kind is JointKind.SLIDE:
            return axis
        return np.cross(axis, np.subtract(pose.position, self.point))

    def turns(self, pose: Pose) -> bool:
        """Whether something at `pose` only turns when the joint moves: it is on the axis."""
        return float(np.linalg.norm(self.way(pose))) < ON_AXIS_M

    def twist(self, pose: Pose, by: float) -> FloatArray:
        """The direction in which something at `pose` moves (3), or turns (3), as unit vectors."""
        way = np.array(self.axis) if self.turns(pose) else self.way(pose)
        unit = np.copysign(1.0, by) * way / np.linalg.norm(way)
        return np.concatenate([np.zeros(3), unit] if self.turns(pose) else [unit, np.zeros(3)])

    def reach(self, pose: Pose) -> float:
        """How far something at `pose` moves (m) a unit of the joint."""
        return KNOB_M if self.turns(pose) else float(np.linalg.norm(self.way(pose)))

    def made(self, before: Pose, now: Pose) -> float:
        """How far the joint moved, as the place of something shows that moves with it.

        What is on the axis shows it by its turn, which must be less than half.
        """
        if self.kind is JointKind.SLIDE:
            return float(np.dot(self.axis, np.subtract(now.position, before.position)))
        axis = np.array(self.axis)
        if self.turns(before):
            turn = now.rotation @ before.rotation.T
            about = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0],
                              turn[1, 0] - turn[0, 1]])
            return float(np.arctan2(axis @ about / 2, (np.trace(turn) - 1) / 2))
        arms = [np.subtract(at.position, self.point) for at in (before, now)]
        one, other = (arm - axis * (axis @ arm) for arm in arms)
        return float(np.arctan2(axis @ np.cross(one, other), one @ other))

    def states(self, closed: Pose, access: str, along: tuple[str, ...], shuts: str = ''
               ) -> States:
        """How what hangs on it can be, where it is then, and how it is now."""
        if not self.words:
            return States('', (), (), degrees=float(np.degrees(self.state)))
        high, low = self.words
        now = low if self.state <= self.low + self.slack else (
            high if self.state >= self.low + OPEN * (self.high - self.low) else '')
        opened = self.moved(closed, self.high - self.low)
        return States(now, self.words, (opened, closed), access, along, shuts)

    def shown(self, amount: float) -> str:
        """An amount in words: mm or degrees."""
        slides = self.kind is JointKind.SLIDE
        rounded = round(float(amount * 1000 if slides else np.degrees(amount)))  # no -0
        return f'{rounded} {"mm" if slides else "degrees"}'


@dataclass(frozen=True)
class Jointed(SceneObject):
    """A part of a piece of furniture: a thing that moves only on its joint.

    `handle` and `part_of` are the names of its handle and of the furniture. A button has no
    handle. A `latch` is another part, with the same handle, that must be turned first.
    """

    joint: Joint | None = None
    handle: str = ''
    part_of: str = ''
    latch: str = ''
