"""The poses of frames in each other, from /tf and /tf_static. No node needed."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose

KEPT_NS = 10_000_000_000  # how long moving transforms are kept, as in tf2


class NoTransform(Exception):
    """The pose of a frame in another is unknown, or unknown at that moment; says why."""


@dataclass
class _Link:
    """The pose of a frame in its parent: fixed, or at several moments."""

    parent: str
    fixed: bool
    poses: list[tuple[int, Pose]] = field(default_factory=list)  # sorted by time, ns

    def at(self, child: str, stamp_ns: int) -> FloatArray:
        """T_parent_child at that moment, interpolated between two known ones."""
        if self.fixed:
            return self.poses[-1][1].matrix()
        i = bisect_left(self.poses, stamp_ns, key=lambda entry: entry[0])
        if i == len(self.poses):
            late_s = (stamp_ns - self.poses[-1][0]) * 1e-9
            raise NoTransform(f'the last transform of {child} is {late_s:.3f} s older than the '
                              'picture')
        after_ns, after = self.poses[i]
        if after_ns == stamp_ns:
            return after.matrix()
        if i == 0:
            early_s = (after_ns - stamp_ns) * 1e-9
            raise NoTransform(f'the first transform of {child} is {early_s:.3f} s newer than the '
                              'picture')
        before_ns, before = self.poses[i - 1]
        return _between(before, after, (stamp_ns - before_ns) / (after_ns - before_ns)).matrix()


class FrameTree:
    """Knows each frame in its parent, and so any frame in any other of the same tree."""

    def __init__(self) -> None:
        self._links: dict[str, _Link] = {}

    def add(self, parent: str, child: str, pose: Pose, stamp_ns: int, fixed: bool) -> None:
        """Add T_parent_child; a fixed one is valid at all times."""
        parent, child = parent.lstrip('/'), child.lstrip('/')
        link = self._links.get(child)
        if link is None or fixed or (link.parent, link.fixed) != (parent, fixed):
            link = self._links[child] = _Link(parent, fixed)
        if link.poses and stamp_ns < link.poses[-1][0] - KEPT_NS:
            link.poses.clear()  # time jumped back: a simulation has restarted
        link.poses = [entry for entry in link.poses
                      if entry[0] != stamp_ns and entry[0] >= stamp_ns - KEPT_NS]
        insort(link.poses, (stamp_ns, pose), key=lambda entry: entry[0])

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
        """The frame, its parent, and so on to the root."""
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
    """Linear interpolation; the two are so close that this works for quaternions."""
    p = (1 - share) * np.array(before.position) + share * np.array(after.position)
    q0, q1 = np.array(before.quaternion), np.array(after.quaternion)
    q = (1 - share) * q0 + share * (q1 if q0 @ q1 >= 0 else -q1)
    q /= np.linalg.norm(q)
    return Pose(tuple(p.tolist()), tuple(q.tolist()))
