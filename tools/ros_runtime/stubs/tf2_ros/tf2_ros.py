"""A stand-in for the part of tf2_ros that we use: PyPI has no tf2.

It has the names and the arguments of the original, and refuses what the original refuses. Where
tf2_ros is installed, nobody finds this one. `test/ros/test_tf2.py` tests either.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from replan_agent.domain.pose import FloatArray, Pose

KEPT_NS = 10_000_000_000


class TransformException(Exception):
    """A transform is not known."""


class LookupException(TransformException):
    """A frame is not known."""


class ConnectivityException(TransformException):
    """There is no way from one frame to the other."""


class ExtrapolationException(TransformException):
    """A frame is not known at that moment."""


@dataclass
class _Link:
    """The pose of a frame in its parent: fixed, or at several moments."""

    parent: str
    fixed: bool
    poses: list[tuple[int, Pose]] = field(default_factory=list)  # sorted by time, ns

    def at(self, child: str, stamp_ns: int) -> FloatArray:
        if self.fixed:
            return self.poses[-1][1].matrix()
        times = [at for at, _ in self.poses]
        i = bisect_left(times, stamp_ns)
        if i < len(times) and times[i] == stamp_ns:
            return self.poses[i][1].matrix()
        if i in (0, len(times)):
            known = f'{times[0]} to {times[-1]}' if times else 'nothing'
            raise ExtrapolationException(f'Lookup would require extrapolation: {child} is known '
                                         f'from {known}, not at {stamp_ns} ns')
        (before_ns, before), (after_ns, after) = self.poses[i - 1:i + 1]
        return _between(before, after, (stamp_ns - before_ns) / (after_ns - before_ns)).matrix()


class Buffer:
    """Knows each frame in its parent, and so any frame in any other of the same tree."""

    def __init__(self, cache_time: Any = None, node: Any = None) -> None:
        self._lock, self._links = threading.Lock(), dict[str, _Link]()

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        self._add(transform, False)

    def set_transform_static(self, transform: TransformStamped, authority: str) -> None:
        self._add(transform, True)

    def clear(self) -> None:
        """Forget what moves."""
        with self._lock:
            for link in self._links.values():
                link.poses = link.poses if link.fixed else []

    def lookup_transform(self, target_frame: str, source_frame: str, time: Any,
                         timeout: Any = None) -> TransformStamped:
        """T_target_source at that moment."""
        with self._lock:
            for name in (target_frame, source_frame):
                if name not in self._links and name not in {
                        link.parent for link in self._links.values()}:
                    raise LookupException(f'"{name}" passed to lookupTransform argument does not '
                                          'exist.')
            up, down = self._ancestors(source_frame), self._ancestors(target_frame)
            common = next((name for name in up if name in down), None)
            if common is None:
                raise ConnectivityException(f'{source_frame} and {target_frame} are not part of '
                                            'the same tree')
            T = np.linalg.inv(self._product(down[:down.index(common)], time.nanoseconds)
                              ) @ self._product(up[:up.index(common)], time.nanoseconds)
        return _as_message(Pose.from_matrix(T), target_frame, source_frame, time)

    def _add(self, transform: TransformStamped, fixed: bool) -> None:
        parent, child = transform.header.frame_id, transform.child_frame_id
        stamp = transform.header.stamp
        stamp_ns = stamp.sec * 1_000_000_000 + stamp.nanosec
        p, q = transform.transform.translation, transform.transform.rotation
        numbers = (p.x, p.y, p.z, q.w, q.x, q.y, q.z)
        if not np.all(np.isfinite(numbers)) or abs(np.linalg.norm(numbers[3:]) - 1) > 1e-3:
            return  # the original logs it
        with self._lock:
            link = self._links.get(child)
            if link is None or fixed or (link.parent, link.fixed) != (parent, fixed):
                link = self._links[child] = _Link(parent, fixed)
            newest = link.poses[-1][0] if link.poses else stamp_ns
            if stamp_ns < newest - KEPT_NS:
                return  # older than what is kept
            link.poses = [entry for entry in link.poses if entry[0] != stamp_ns
                          and entry[0] >= max(newest, stamp_ns) - KEPT_NS]
            insort(link.poses, (stamp_ns, Pose(numbers[:3], numbers[3:])), key=lambda e: e[0])

    def _ancestors(self, frame: str) -> list[str]:
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


class TransformListener:
    """Fills a buffer from /tf and /tf_static."""

    def __init__(self, buffer: Buffer, node: Any, *, spin_thread: bool = False) -> None:
        group = ReentrantCallbackGroup()
        for topic, qos, add in (
                ('/tf', QoSProfile(depth=100), buffer.set_transform),
                ('/tf_static', QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL),
                 buffer.set_transform_static)):
            node.create_subscription(
                TFMessage, topic, lambda message, add=add: [
                    add(transform, 'default_authority') for transform in message.transforms],
                qos, callback_group=group)


def _as_message(pose: Pose, target: str, source: str, time: Any) -> TransformStamped:
    message = TransformStamped(child_frame_id=source)
    message.header.frame_id, message.header.stamp = target, time.to_msg()
    p, q = message.transform.translation, message.transform.rotation
    p.x, p.y, p.z = map(float, pose.position)
    q.w, q.x, q.y, q.z = map(float, pose.quaternion)
    return message


def _between(before: Pose, after: Pose, share: float) -> Pose:
    """Linear interpolation; the two are so close that this works for quaternions."""
    p = (1 - share) * np.array(before.position) + share * np.array(after.position)
    q0, q1 = np.array(before.quaternion), np.array(after.quaternion)
    q = (1 - share) * q0 + share * (q1 if q0 @ q1 >= 0 else -q1)
    q /= np.linalg.norm(q)
    return Pose(tuple(p.tolist()), tuple(q.tolist()))
