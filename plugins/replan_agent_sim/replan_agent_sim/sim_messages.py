# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the simulated arm and camera hear and say, as messages. Pure functions, no node needed."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence

import numpy as np
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory as TrajectoryMsg
from trajectory_msgs.msg import JointTrajectoryPoint

from replan_agent.arms.arm_model import HandMap
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import RobotState
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.ros.messages.message_fields import MessageError, time_from_msg, time_to_msg


def trajectory_from_msg(msg: TrajectoryMsg, names: tuple[str, ...],
                        now: FloatArray) -> JointTrajectory:
    """The trajectory in the order of `names`; `now` are the joints of the arm, at rest.

    If the first point is later than 0, the trajectory starts at `now`. Missing velocities and
    accelerations are filled in for a smooth motion through the points.
    """
    if sorted(msg.joint_names) != sorted(names):
        raise MessageError(f'trajectory: its joints are {", ".join(msg.joint_names) or "none"}; '
                           f'this arm has {", ".join(names)}')
    if not msg.points:
        raise MessageError('trajectory: points must not be empty')
    order = [list(msg.joint_names).index(name) for name in names]
    times = np.array([time_from_msg(point.time_from_start) for point in msg.points])
    q = _rows(msg.points, 'positions', order)
    if q is None:
        raise MessageError('trajectory: every point needs positions')
    qd, qdd = _rows(msg.points, 'velocities', order), _rows(msg.points, 'accelerations', order)
    if times[0] > 0:
        still = np.zeros((1, len(names)))
        times, q = np.concatenate([[0.0], times]), np.concatenate([now[None], q])
        qd = None if qd is None else np.concatenate([still, qd])
        qdd = None if qdd is None else np.concatenate([still, qdd])
    if len(times) > 1 and np.any(np.diff(times) <= 0) or times[0] < 0:
        raise MessageError('trajectory: time_from_start must increase from point to point')
    qd = _slopes(times, q, still_ends=True) if qd is None else qd
    qdd = _slopes(times, qd) if qdd is None else qdd
    try:
        return JointTrajectory(names, times, q, qd, qdd)
    except ValueError as error:
        raise MessageError(str(error)) from error


def _rows(points: Sequence[JointTrajectoryPoint], field: str,
          order: list[int]) -> FloatArray | None:
    """That field of all points (N, joints); None if no point has it."""
    lengths = {len(getattr(point, field)) for point in points}
    if lengths == {0}:
        return None
    if lengths != {len(order)}:
        raise MessageError(f'trajectory: {field} need {len(order)} numbers in every point')
    return np.array([getattr(point, field) for point in points], dtype=float)[:, order]


def _slopes(times: FloatArray, values: FloatArray, still_ends: bool = False) -> FloatArray:
    if len(times) < 2:
        return np.zeros_like(values)
    slopes = np.asarray(np.gradient(values, times, axis=0))
    if still_ends:
        slopes[[0, -1]] = 0.0
    return slopes


def joint_state_to_msg(state: RobotState, names: Sequence[str], hand: HandMap,
                       torques: FloatArray) -> JointState:
    """Arm and fingers, whose effort is the grip."""
    fingers, count = hand.reads, len(hand.reads)
    return JointState(
        header=Header(stamp=time_to_msg(state.stamp)), name=[*names, *fingers],
        position=[*state.joints.tolist(), *[hand.commanded(state.gripper_width)] * count],
        velocity=[*state.velocities.tolist(), *[0.0] * count],
        effort=[*torques.tolist(), *[float(state.gripper_force)] * count])


def torques_to_msg(state: RobotState, names: Sequence[str]) -> JointState:
    """The external joint torques; as drivers do, the effort has them."""
    return JointState(header=Header(stamp=time_to_msg(state.stamp)), name=list(names),
                      effort=state.external_torque.tolist())


def rgb_to_msg(rgb: FloatArray, header: Header) -> Image:
    return _image(np.ascontiguousarray(rgb, dtype=np.uint8), 'rgb8', header)


def depth_to_msg(depth: FloatArray, header: Header) -> Image:
    """Depth in metres; 0 where it is unknown."""
    return _image(np.ascontiguousarray(depth, dtype=np.float32), '32FC1', header)


def camera_info_to_msg(intrinsics: FloatArray, size: tuple[int, int],
                       header: Header) -> CameraInfo:
    """The info of a camera without distortion; `size` is width, height."""
    projection = np.hstack([intrinsics, np.zeros((3, 1))])
    return CameraInfo(
        header=header, width=size[0], height=size[1], distortion_model='plumb_bob', d=[0.0] * 5,
        k=intrinsics.ravel().tolist(), r=np.eye(3).ravel().tolist(), p=projection.ravel().tolist())


def _image(pixels: FloatArray, encoding: str, header: Header) -> Image:
    height, width = pixels.shape[:2]
    return Image(header=header, height=height, width=width, encoding=encoding,
                 is_bigendian=int(sys.byteorder == 'big'), step=pixels.nbytes // height,
                 data=array('B', pixels.tobytes()))
