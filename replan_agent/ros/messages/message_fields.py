# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fields of messages, converted both ways and checked on the way in.

Numbers, times, poses, and JSON for maps of any shape.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Point, Vector3
from geometry_msgs.msg import Pose as PoseMsg
from unique_identifier_msgs.msg import UUID

from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.text.json_text import json_values
from replan_agent.text.plain_values import plain

NANOSECONDS = 1_000_000_000


class MessageError(ValueError):
    """A message is not valid; names the field and what is allowed."""


class Ways(NamedTuple):
    """How a value is written; and read, which also gets the name of the field for errors."""

    write: Callable[[Any], Any]
    read: Callable[[Any, str], Any]


# Times: robot time is a float in the domain (s).

def time_to_msg(seconds: float) -> Time:
    """A stamp to the nanosecond; raises MessageError if a Time cannot hold it."""
    if not math.isfinite(seconds) or not -2**31 <= seconds < 2**31:
        raise MessageError(f'a time must be within ±2³¹ s, not {seconds!r}')
    whole = math.floor(seconds)
    carry, nanosec = divmod(round((seconds - whole) * NANOSECONDS), NANOSECONDS)
    return Time(sec=whole + carry, nanosec=nanosec)


def time_from_msg(stamp: Time | Duration) -> float:
    return nanoseconds_from(stamp) / NANOSECONDS  # rounded once, so that it comes back the same


def nanoseconds_from(stamp: Time | Duration) -> int:
    """Exact, for comparison: the same moment may give two different floats."""
    return int(stamp.sec * NANOSECONDS + stamp.nanosec)


def duration_to_msg(seconds: float) -> Duration:
    """A duration to the nanosecond. What a Duration cannot hold becomes the longest one."""
    if math.isnan(seconds):
        raise MessageError('a duration must be a number of seconds, not nan')
    same = time_to_msg(min(max(seconds, -2.0**31), 2.0**31 - 1))
    return Duration(sec=same.sec, nanosec=same.nanosec)


# Ids of tasks: hexadecimal digits in the domain, '' for none; all zero in a message for none.

def id_to_msg(task_id: str) -> UUID:
    """Raises MessageError if it is no id."""
    try:
        value = bytes.fromhex(task_id) if task_id else bytes(16)
        return UUID(uuid=list(value))
    except (ValueError, AssertionError):
        raise MessageError(f'a task id has 32 hexadecimal digits, not {task_id!r}') from None


def id_from_msg(msg: UUID) -> str:
    value = bytes(msg.uuid)
    return value.hex() if any(value) else ''


# Poses: ROS has the real part of a quaternion last, the domain has it first.

def pose_to_msg(pose: Pose) -> PoseMsg:
    msg = PoseMsg()  # it makes its parts anyway
    p, q = msg.position, msg.orientation
    p.x, p.y, p.z = map(float, pose.position)
    q.w, q.x, q.y, q.z = map(float, pose.quaternion)
    return msg


def pose_from_msg(msg: PoseMsg, field: str) -> Pose:
    """A pose; the quaternion must have length 1, except for rounding."""
    p, q = msg.position, msg.orientation
    position, quaternion = (p.x, p.y, p.z), (q.w, q.x, q.y, q.z)
    if not all(map(math.isfinite, position + quaternion)):
        raise MessageError(f'{field}: all numbers must be finite')
    norm = math.hypot(*quaternion)
    if abs(norm - 1) > 1e-3:
        raise MessageError(f'{field}: the quaternion must have length 1, not {norm:.6g}')
    return Pose(position, quaternion)


def point_to_msg(point: Iterable[float]) -> Point:
    x, y, z = map(float, point)
    return Point(x=x, y=y, z=z)


def size_to_msg(size: Sequence[float]) -> Vector3:
    x, y, z = map(float, size)
    return Vector3(x=x, y=y, z=z)


def size_from_msg(msg: Vector3, field: str) -> tuple[float, float, float]:
    size = (msg.x, msg.y, msg.z)
    if not all(map(math.isfinite, size)) or min(size) < 0:
        raise MessageError(f'{field}: must be three lengths (m), not {size}')
    return size


# Three values: 0 is unknown, so that an empty message claims nothing.

def ternary_to_msg(value: bool | None) -> int:
    return 0 if value is None else 1 if value else 2


def ternary_from_msg(value: int, field: str) -> bool | None:
    if value not in (0, 1, 2):
        raise MessageError(f'{field}: must be 0 (unknown), 1 (yes) or 2 (no), not {value}')
    return {0: None, 1: True, 2: False}[value]


# Counts with an optional limit: 0 means "no limit", as in an empty message; -1 means 0.

def budget_to_msg(left: int | None) -> int:
    """How many may be spent; None for no limit."""
    return 0 if left is None else max(left, 0) or -1


def budget_from_msg(value: int, field: str) -> int | None:
    if value < -1:
        raise MessageError(f'{field}: must be -1 (none), 0 (no limit) or more, not {value}')
    return None if value == 0 else max(value, 0)


# Maps of any shape, as JSON.

def map_to_msg(values: Mapping[str, Any]) -> str:
    """A JSON object, with other objects as their repr; MessageError for NaN and infinity."""
    try:
        return json.dumps(plain(values), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise MessageError(f'cannot be written as JSON: {error}') from error


def map_from_msg(text: str, field: str) -> dict[str, Any]:
    """The JSON object as a dict; an empty string gives an empty dict."""
    try:
        found = json_values(text, field) if text else {}
    except ConfigError as error:
        raise MessageError(str(error)) from error
    if not isinstance(found, dict):
        raise MessageError(f'{field}: must be a JSON object, not {type(found).__name__}')
    return found


def as_it_is(value: Any, _: str = '') -> Any:
    return value


# By the types of fields.
FORMS: Mapping[str, Ways] = {
    'string': Ways(as_it_is, as_it_is), 'boolean': Ways(bool, as_it_is),
    'double': Ways(float, as_it_is), 'int32': Ways(int, as_it_is), 'uint8': Ways(int, as_it_is),
    'builtin_interfaces/Time': Ways(time_to_msg, lambda msg, _: time_from_msg(msg)),
    'builtin_interfaces/Duration': Ways(duration_to_msg, lambda msg, _: time_from_msg(msg)),
    'geometry_msgs/Pose': Ways(pose_to_msg, pose_from_msg),
    'geometry_msgs/Point': Ways(point_to_msg, lambda msg, _: (msg.x, msg.y, msg.z)),
    'geometry_msgs/Vector3': Ways(size_to_msg, size_from_msg)}
