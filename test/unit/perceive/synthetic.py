# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures without a renderer: solids of one colour each on a level table, exact to the pixel."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME, limits
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame, RobotState
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera.raycast import expected_depth
from replan_agent.perceive.looks.colour_depth import ColourDepthPerception

RGB = {'red': (214, 41, 33), 'green': (51, 158, 69), 'blue': (33, 92, 204),
       'yellow': (245, 199, 36), 'orange': (237, 120, 33), 'purple': (125, 66, 173),
       'cyan': (51, 181, 199), 'pink': (237, 133, 168), 'brown': (115, 74, 46),
       'black': (26, 26, 28), 'grey': (133, 138, 143), 'white': (237, 237, 232),
       'wood': (199, 161, 117)}
K = np.array([[580.0, 0.0, 319.5], [0.0, 580.0, 239.5], [0.0, 0.0, 1.0]])
SIZE = (480, 640)


def camera_pose(position=(1.4, 0.55, 0.85), look_at=(0.5, 0.0, 0.1)) -> Pose:
    """T_base_camera, optical, level with the horizon."""
    forward = np.subtract(look_at, position)
    forward = forward / np.linalg.norm(forward)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right = right / np.linalg.norm(right)
    T = np.eye(4)
    T[:3, :3] = np.column_stack([right, np.cross(forward, right), forward])
    T[:3, 3] = position
    return Pose.from_matrix(T)


def box(x, y, size=(0.04, 0.04, 0.04), yaw=0.0, colour='red', shape=Shape.BOX, bottom=0.0):
    pose = Pose.from_rpy(x, y, bottom + size[2] / 2, yaw=yaw)
    return SceneObject('', shape, size, pose, colour)


def cylinder(x, y, diameter=0.04, height=0.07, colour='green', bottom=0.0):
    return box(x, y, (diameter, diameter, height), 0.0, colour, Shape.CYLINDER, bottom)


def ball(x, y, diameter=0.05, colour='blue'):
    return box(x, y, (diameter,) * 3, 0.0, colour, Shape.SPHERE)


def picture(*things: SceneObject, table_z=0.0, pose: Pose | None = None,
            depth_noise=0.0) -> CameraFrame:
    """A frame of things on an endless table; the light falls from above."""
    pose = pose or camera_pose()
    T = pose.matrix()
    v, u = np.mgrid[:SIZE[0], :SIZE[1]]
    local = np.stack([(u - K[0, 2]) / K[0, 0], (v - K[1, 2]) / K[1, 1], np.ones(SIZE)], axis=-1)
    rays = (local @ T[:3, :3].T).reshape(-1, 3)
    with np.errstate(divide='ignore'):
        depth = (table_z - T[2, 3]) / rays[:, 2]
    depth = np.where((depth > 0) & (depth < 5), depth, 0.0)
    rgb = np.tile(np.array(RGB['wood'], dtype=float), (len(depth), 1))
    for thing in things:
        found = expected_depth(thing, T[:3, 3], rays)
        nearer = (found < depth) | ((depth == 0) & np.isfinite(found))
        top = T[2, 3] + found * rays[:, 2] > thing.top_z - 1e-6
        rgb[nearer] = np.array(RGB[thing.colour])
        rgb[nearer & ~top] *= 0.7
        depth = np.where(nearer, found, depth)
    noise = np.random.default_rng(0).normal(0, 1, len(depth)) * depth_noise
    depth = np.where(depth > 0, depth + noise, 0.0)
    return CameraFrame(0.0, rgb.astype(np.uint8).reshape(*SIZE, 3),
                       depth.astype(np.float32).reshape(SIZE), K, pose)


class StillRobot:
    """An arm that stands at home, behind the picture's edge or wherever its joints say."""

    limits = limits('panda')
    home = np.array(HOME)
    base_frame = 'panda_link0'
    max_gripper_width = 0.08

    def __init__(self, stamp=0.0, joints=HOME, width=0.08) -> None:
        self.stamp, self.joints, self.width = stamp, np.array(joints), width

    def state(self) -> RobotState:
        return RobotState(self.stamp, self.joints, np.zeros(7), self.width)


class Frames:
    """A camera that shows given frames in turn; the last one stays. An exception is raised."""

    def __init__(self, *frames) -> None:
        self.frames = list(frames)

    def capture(self, ctx):
        frame = self.frames.pop(0) if len(self.frames) > 1 else self.frames[0]
        if isinstance(frame, Exception):
            raise frame
        return frame


def perception(*frames, robot=None) -> ColourDepthPerception:
    return ColourDepthPerception(Frames(*frames), robot or StillRobot(), PANDA)


def yaw_error(seen: SceneObject, true: SceneObject) -> float:
    """Degrees, whatever side is called x."""
    return abs(math.degrees(math.remainder(seen.pose.yaw - true.pose.yaw, math.pi / 2)))
