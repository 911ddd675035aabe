"""The Camera over a driver's topics: colour, registered depth, intrinsics, pose."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, Image

from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot import CameraError, CameraFrame

from .arm_interfaces import CameraInterfaces
from .fields import MessageError, pose_from_msg, time_from_msg
from .image_conversions import depth_from_msg, intrinsics_from_msg, rgb_from_msg
from .qos import LATCHED
from .waiting import POLL_S

NEWEST = QoSProfile(depth=2, reliability=ReliabilityPolicy.BEST_EFFORT)


class RosCamera:
    """Pictures as they arrive; colour and depth of the same moment.

    `pose_of` gives T_base_camera of an optical frame's name, as from tf2 or a parameter; without
    it the pose is what `camera_pose` tells. `not_before` is the robot time (s) that a picture
    must not be older than; without it that is the node's clock when it is asked for.
    """

    def __init__(self, node: Node, interfaces: CameraInterfaces | None = None,
                 base_frame: str = 'panda_link0', pose_of: Callable[[str], Pose] | None = None,
                 not_before: Callable[[], float] | None = None) -> None:
        self._node, self._given = node, interfaces or CameraInterfaces()
        self._base_frame, self._pose_of = base_frame, pose_of or self._told_pose
        self._not_before = not_before or self._now
        self._news = threading.Condition()
        self._last: dict[str, Any] = {}
        group, given = MutuallyExclusiveCallbackGroup(), self._given
        for key, kind, topic, qos in (
                ('colour', Image, given.color_image, NEWEST),
                ('depth', Image, given.depth_image, NEWEST),
                ('info', CameraInfo, given.camera_info, NEWEST),
                ('pose', PoseStamped, given.camera_pose, LATCHED)):
            if key != 'pose' or pose_of is None:
                node.create_subscription(kind, topic, self._keeper(key), qos,
                                         callback_group=group)

    def capture(self, ctx: Context) -> CameraFrame:
        """A picture of this moment; raises CameraError when there is none in time."""
        since, until = self._not_before(), time.monotonic() + self._given.camera_timeout
        with self._news:
            while not self._complete(since):
                ctx.check()
                if time.monotonic() >= until:
                    raise CameraError(self._missing(since))
                self._news.wait(POLL_S)
            colour, depth, info = (self._last[key] for key in ('colour', 'depth', 'info'))
        return self._frame(colour, depth, info)

    def _frame(self, colour: Image, depth: Image, info: CameraInfo) -> CameraFrame:
        try:
            frame = CameraFrame(time_from_msg(colour.header.stamp), rgb_from_msg(colour),
                                depth_from_msg(depth), intrinsics_from_msg(info),
                                self._pose_of(colour.header.frame_id))
        except MessageError as error:
            raise CameraError(str(error)) from error
        if frame.rgb.shape[:2] != frame.depth.shape:
            raise CameraError(f'depth of {frame.depth.shape[::-1]} pixels is not registered to '
                              f'colour of {frame.rgb.shape[1::-1]}')
        return frame

    def _keeper(self, key: str) -> Callable[[object], None]:
        def keep(msg: object) -> None:
            with self._news:
                self._last[key] = msg
                self._news.notify_all()

        return keep

    def _now(self) -> float:
        return float(self._node.get_clock().now().nanoseconds) * 1e-9

    def _complete(self, since: float) -> bool:
        if any(key not in self._last for key in ('colour', 'depth', 'info')):
            return False
        if self._pose_of == self._told_pose and 'pose' not in self._last:
            return False
        colour, depth = self._stamp('colour'), self._stamp('depth')
        return abs(colour - depth) <= self._given.camera_slop and min(colour, depth) >= since

    def _stamp(self, key: str) -> float:
        return time_from_msg(self._last[key].header.stamp)

    def _missing(self, since: float) -> str:
        """Why there is no picture."""
        given, waited = self._given, f'within {self._given.camera_timeout:g} s'
        topics = {'colour': given.color_image, 'depth': given.depth_image,
                  'info': given.camera_info}
        if self._pose_of == self._told_pose:
            topics['pose'] = given.camera_pose
        silent = [topic for key, topic in topics.items() if key not in self._last]
        if silent:
            return f'nothing on {", ".join(silent)} {waited}'
        if abs(self._stamp('colour') - self._stamp('depth')) > given.camera_slop:
            return (f'colour and depth are {abs(self._stamp("colour") - self._stamp("depth")):.3f}'
                    f' s apart (at most {given.camera_slop:g} s)')
        age_s = since - self._stamp('colour')
        return (f'no picture that is new enough {waited}: the newest is {age_s:.3f} s old'
                f'{"; is use_sim_time set?" if age_s > 1e6 else ""}')

    def _told_pose(self, frame: str) -> Pose:
        told = self._last['pose']
        assert isinstance(told, PoseStamped)
        if told.header.frame_id != self._base_frame:
            raise CameraError(f'{self._given.camera_pose} tells the pose in '
                              f'{told.header.frame_id!r}, not in {self._base_frame!r}')
        return pose_from_msg(told.pose, 'camera pose')
