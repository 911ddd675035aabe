"""Where frames are in each other, as /tf and /tf_static tell it. No node needed."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose

KEPT_NS = 10_000_000_000  # of what moves, as tf2 does


class NoTransform(Exception):
    """One frame's pose in another is not known, or not for that moment; says why."""


@dataclass
class _Link:
    """A frame in its parent: fixed, or at the moments that were told."""

    parent: str
    fixed: bool
    told: list[tuple[int, Pose]] = field(default_factory=list)  # by time, ns

    def at(self, child: str, stamp_ns: int) -> FloatArray:
        """T_parent_child at that moment; between two that were told, in proportion."""
        if self.fixed:
            return self.told[-1][1].matrix()
        i = bisect_left(self.told, stamp_ns, key=lambda entry: entry[0])
        if i == len(self.told):
            late_s = (stamp_ns - self.told[-1][0]) * 1e-9
            raise NoTransform(f'where {child} is was last told {late_s:.3f} s before the picture')
        after_ns, after = self.told[i]
        if after_ns == stamp_ns:
            return after.matrix()
        if i == 0:
            raise NoTransform(f'where {child} is was first told {(after_ns - stamp_ns) * 1e-9:.3f}'
                              ' s after the picture')
        before_ns, before = self.told[i - 1]
        return _between(before, after, (stamp_ns - before_ns) / (after_ns - before_ns)).matrix()


class FrameTree:
    """Each frame in its parent, and from that any frame in any other of the same tree."""

    def __init__(self) -> None:
        self._links: dict[str, _Link] = {}

    def tell(self, parent: str, child: str, pose: Pose, stamp_ns: int, fixed: bool) -> None:
        """`pose` is T_parent_child; a fixed one holds at all times."""
        parent, child = parent.lstrip('/'), child.lstrip('/')
        link = self._links.get(child)
        if link is None or fixed or (link.parent, link.fixed) != (parent, fixed):
            link = self._links[child] = _Link(parent, fixed)
        if link.told and stamp_ns < link.told[-1][0] - KEPT_NS:
            link.told.clear()  # time was set back: a simulation began anew
        link.told = [entry for entry in link.told
                     if entry[0] != stamp_ns and entry[0] >= stamp_ns - KEPT_NS]
        insort(link.told, (stamp_ns, pose), key=lambda entry: entry[0])

    def pose(self, base: str, frame: str, stamp_ns: int) -> Pose:
        """T_base_frame at that moment; raises NoTransform."""
        base, frame = base.lstrip('/'), frame.lstrip('/')
        above_frame, above_base = self._ancestors(frame), self._ancestors(base)
        common = next((name for name in above_frame if name in above_base), None)
        if common is None:
            known = ', '.join(sorted(self._links)) or 'none'
            raise NoTransform(f'no way from {frame!r} to {base!r}; frames with a parent: {known}')
        T_common_frame = self._product(above_frame[:above_frame.index(common)], stamp_ns)
        T_common_base = self._product(above_base[:above_base.index(common)], stamp_ns)
        return Pose.from_matrix(np.linalg.inv(T_common_base) @ T_common_frame)

    def _ancestors(self, frame: str) -> list[str]:
        """The frame, its parent, and so on up."""
        names = [frame]
        while (link := self._links.get(names[-1])) and link.parent not in names:
            names.append(link.parent)
        return names

    def _product(self, names: list[str], stamp_ns: int) -> FloatArray:
        """The pose of the first of these frames in the parent of the last."""
        T = np.eye(4)
        for name in names:
            T = self._links[name].at(name, stamp_ns) @ T
        return T


def _between(before: Pose, after: Pose, share: float) -> Pose:
    """In proportion; the two are so close that the quaternions may be mixed."""
    p = (1 - share) * np.array(before.position) + share * np.array(after.position)
    q0, q1 = np.array(before.quaternion), np.array(after.quaternion)
    q = (1 - share) * q0 + share * (q1 if q0 @ q1 >= 0 else -q1)
    q /= np.linalg.norm(q)
    return Pose(tuple(p.tolist()), tuple(q.tolist()))
