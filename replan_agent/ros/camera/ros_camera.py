# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The Camera over a driver's topics: colour, registered depth, intrinsics, pose."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from replan_agent.arms.arm_names import DEFAULT_ARM, base_frame
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces
from replan_agent.ros.messages import image_messages as images
from replan_agent.ros.messages import message_fields as fields
from replan_agent.ros.rclpy_tools.waiting import POLL_S

from .camera_pose import NoTransform, camera_pose

NEWEST = QoSProfile(depth=2, reliability=ReliabilityPolicy.BEST_EFFORT)
OTHER_CLOCK_S = 1e6  # pictures that seem this old have stamps of another clock


class _NotYet(Exception):
    """What is still missing for a picture, as a sentence."""


class RosCamera:
    """Pictures as they arrive; colour and depth of the same moment.

    A picture is not older than its request, by the node's clock and by `not_before`: a robot time
    (s) from another topic, because /clock may lag behind. Times are compared in whole nanoseconds:
    simulated time may stand still, and a rounding error would then last forever. The first picture
    may take longer (`time_to_appear`), because the driver may start together with this node.
    """

    def __init__(self, node: Node, interfaces: CameraInterfaces | None = None,
                 base_frame: str = base_frame(DEFAULT_ARM),
                 not_before: Callable[[], float] = lambda: 0.0,
                 time_to_appear: Callable[[Context], float] = lambda ctx: 0.0) -> None:
        self._node, self._given = node, interfaces or CameraInterfaces()
        self._not_before, self._time_to_appear = not_before, time_to_appear
        self._pose = camera_pose(node, self._given, base_frame)
        self._changed = threading.Condition()
        self._last: dict[str, Any] = {}
        self._topics = {'colour': self._given.color_image, 'depth': self._given.depth_image,
                        'info': self._given.camera_info}
        group = MutuallyExclusiveCallbackGroup()
        for key, topic in self._topics.items():
            node.create_subscription(CameraInfo if key == 'info' else Image, topic,
                                     self._keeper(key), NEWEST, callback_group=group)

    def capture(self, ctx: Context) -> CameraFrame:
        """A picture of this moment; raises CameraError if none comes in time."""
        since = self._since()
        return self._in_time(lambda: self._frame(since), ctx)

    def colours(self, ctx: Context) -> FloatArray:
        """Only the colours (h, w, 3 uint8), without depth and pose."""
        since = self._since()
        return self._in_time(lambda: images.rgb_from_msg(self._newest(since, ['colour'])[0]), ctx)

    def _in_time(self, take: Callable[[], Any], ctx: Context) -> Any:
        limit = self._given.camera_timeout
        if not self._last:
            limit = max(limit, self._time_to_appear(ctx))
        until = time.monotonic() + limit
        while True:
            ctx.check()
            try:
                return take()
            except fields.MessageError as error:
                raise CameraError(str(error)) from error
            except (_NotYet, NoTransform) as missing:
                if time.monotonic() >= until:
                    raise CameraError(f'{missing}; waited {limit:g} s') from missing
            with self._changed:
                self._changed.wait(POLL_S)

    def _frame(self, since_ns: int) -> CameraFrame:
        colour, depth, info = self._newest(since_ns, list(self._topics))
        stamp = colour.header.stamp
        apart = abs(fields.nanoseconds_from(stamp) - fields.nanoseconds_from(depth.header.stamp))
        if apart > self._given.camera_slop * fields.NANOSECONDS:
            raise _NotYet(f'colour and depth are {apart / fields.NANOSECONDS:.3f} s apart (at '
                          f'most {self._given.camera_slop:g} s)')
        pose = self._pose.at(colour.header.frame_id, fields.nanoseconds_from(stamp))
        frame = CameraFrame(fields.time_from_msg(stamp), images.rgb_from_msg(colour),
                            images.depth_from_msg(depth), images.intrinsics_from_msg(info), pose)
        if frame.rgb.shape[:2] != frame.depth.shape:
            raise CameraError(f'depth of {frame.depth.shape[::-1]} pixels is not registered to '
                              f'colour of {frame.rgb.shape[1::-1]}')
        return frame

    def _newest(self, since_ns: int, keys: Sequence[str]) -> list[Any]:
        """The newest message of each; raises _NotYet if one is missing or an image is too old."""
        with self._changed:
            last = dict(self._last)
        silent = [self._topics[key] for key in keys if key not in last]
        if silent:
            raise _NotYet(f'nothing on {", ".join(silent)}')
        for key in keys:
            age_ns = since_ns - fields.nanoseconds_from(last[key].header.stamp)
            age_s = age_ns / fields.NANOSECONDS
            if key != 'info' and age_s > 0:
                hint = '; is use_sim_time set?' if age_s > OTHER_CLOCK_S else ''
                raise _NotYet(f'no picture is new enough: the newest {key} is {age_s:.3f} s '
                              f'older than the request{hint}')
        return [last[key] for key in keys]

    def _since(self) -> int:
        """The moment (ns) that a picture must not be older than."""
        return max(int(self._node.get_clock().now().nanoseconds),
                   round(self._not_before() * fields.NANOSECONDS))

    def _keeper(self, key: str) -> Callable[[object], None]:
        def keep(msg: object) -> None:
            with self._changed:
                self._last[key] = msg
                self._changed.notify_all()

        return keep
