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
    words: tuple[str, str] = ('open', 'closed')  # at `high` and at `low`

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
            turn = np.asarray(axangles.axangle2mat(axis, by))
            T[:3, :3] = np.asarray(axangles.axangle2mat(axis, follows * by)) @ T[:3, :3]
            T[:3, 3] = self.point + turn @ (T[:3, 3] - self.point)
        return Pose.from_matrix(T)

    def way(self, pose: Pose) -> FloatArray:
        """Where something at `pose` moves when the joint opens (m a unit of the joint)."""
        axis = np.array(self.axis)
        if self.kind is JointKind.SLIDE:
            return axis
        return np.cross(axis, np.subtract(pose.position, self.point))

    def made(self, before: Pose, now: Pose) -> float:
        """How far the joint moved, as the place of something shows that moves with it."""
        if self.kind is JointKind.SLIDE:
            return float(np.dot(self.axis, np.subtract(now.position, before.position)))
        axis = np.array(self.axis)
        arms = [np.subtract(at.position, self.point) for at in (before, now)]
        one, other = (arm - axis * (axis @ arm) for arm in arms)
        return float(np.arctan2(axis @ np.cross(one, other), one @ other))

    def states(self, closed: Pose, access: str, along: tuple[str, ...], shuts: str = ''
               ) -> States:
        """How what hangs on it can be, where it is then, and how it is now."""
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
    handle.
    """

    joint: Joint | None = None
    handle: str = ''
    part_of: str = ''
