# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The topics of the simulated arm and camera: joint states, torques, time, truth, pictures."""

from __future__ import annotations

import itertools
import time

import numpy as np
from rclpy.node import Node
from replan_agent_calibrate.published_pose import publish_camera_pose
from replan_agent_interfaces.msg import Scene as SceneMsg
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Header

from replan_agent.app.calibration_file import HAND_OPTICAL_FRAME, OPTICAL_FRAME
from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.domain.scene import Scene
from replan_agent.robot.mujoco.camera import MujocoCamera, SensorNoise
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.mjcf.arm_mjcf import HAND_CAMERA
from replan_agent.robot.mujoco.mjcf.scene_mjcf import CAMERA
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.ros.arm.arm_interfaces import ArmNames, CameraInterfaces
from replan_agent.ros.messages.message_fields import time_to_msg
from replan_agent.ros.messages.message_table import to_msg
from replan_agent.ros.rclpy_tools.node_process import nodes_here
from replan_agent.ros.rclpy_tools.qos import LATCHED, NEWEST

from .arm_frames import ArmFrames
from .sim_messages import (
    camera_info_to_msg,
    depth_to_msg,
    joint_state_to_msg,
    rgb_to_msg,
    torques_to_msg,
)
from .truth_topic import TRUTH

CLOCK_RATE = 20.0  # Hz of wall time: each message wakes every node with use_sim_time
STILL_CLOCK_RATE = 4.0  # while robot time stands still: for nodes that have just started
TOUCH_NM = 1.0  # external torque of a contact; guards react from 2 N·m up
REST = 4  # times as long as a picture took, if it is only watched
RISE = 1.5  # the torque must grow by this factor to be news again


class Rhythm:
    """Says when something is due, `rate` times a second of wall time."""

    def __init__(self, rate: float) -> None:
        self._period = 1 / rate
        self._next = 0.0

    def due(self) -> bool:
        now = time.monotonic()
        if now < self._next:
            return False
        self._next = now + self._period
        return True

    def rest(self, pause_s: float) -> None:
        """Let nothing be due for a while."""
        self._next = max(self._next, time.monotonic() + pause_s)


class ArmOutputs:
    """Publishes joint states, external torques, the clock and the truth. One thread only.

    Rates are in wall time: fast robot time means no extra work for subscribers.
    """

    def __init__(self, node: Node, robot: MujocoRobot, names: ArmNames, state_rate: float,
                 truth_rate: float, frame_prefix: str = '') -> None:
        self._frames = _arm_frames(node, robot, frame_prefix)
        self._robot, self._world = robot, robot.world
        self._joints = robot.limits.names
        self._hand = self._world.arm.ros.gripper
        self._states = node.create_publisher(JointState, names.joint_states, 10)
        fingers = names.finger_states or names.joint_states
        self._fingers = (node.create_publisher(JointState, fingers, 10)
                         if fingers != names.joint_states else None)
        self._torques = (node.create_publisher(JointState, names.torques, 10)
                         if names.torques else None)
        self._clock = node.create_publisher(Clock, '/clock', NEWEST)
        self._truth = node.create_publisher(SceneMsg, TRUTH, LATCHED)
        self._state_rhythm, self._truth_rhythm = Rhythm(state_rate), Rhythm(truth_rate)
        self._clock_rhythm, self._still_rhythm = Rhythm(CLOCK_RATE), Rhythm(STILL_CLOCK_RATE)
        self._told = -1.0  # the last time on /clock
        self._scene_ids = (f'truth-{n}' for n in itertools.count(1))
        self._news_above = TOUCH_NM

    def heard_elsewhere(self) -> bool:
        """True if another process listens to the joint states."""
        topic = self._states.topic_name
        here = sum(heard.topic_name == topic for node in nodes_here()
                   for heard in node.subscriptions)
        return self._states.get_subscription_count() > here

    def tick(self) -> bool:
        """Publish what is due. On a new contact, publish at once and return True."""
        news = self._feels_more()
        if self._state_rhythm.due() or news:
            self._publish_state()
        if self._clock_rhythm.due() and (self._world.time != self._told or
                                         self._still_rhythm.due()):
            self._publish_clock()
        if self._truth_rhythm.due():
            self._publish_truth()
        return news

    def _feels_more(self) -> bool:
        felt = float(np.abs(self._robot.state().external_torque).max())
        news = felt > self._news_above
        if news or felt * RISE**2 < self._news_above:  # it grew, or it is gone
            self._news_above = max(TOUCH_NM, felt * RISE)
        return news

    def publish_all(self) -> None:
        """Publish the effect of a command, before its caller gets the result."""
        self._publish_clock()
        self._publish_state()
        self._publish_truth()

    def _publish_state(self) -> None:
        state = self._robot.state()
        motors = self._world.data.qfrc_actuator[:len(self._joints)]
        message = joint_state_to_msg(state, self._joints, self._hand, motors)
        self._states.publish(message)
        if self._fingers:
            self._fingers.publish(message)
        if self._frames:
            self._frames.publish(state)
        if self._torques:
            self._torques.publish(torques_to_msg(state, self._joints))

    def _publish_clock(self) -> None:
        self._told = self._world.time
        self._clock.publish(Clock(clock=time_to_msg(self._world.time)))

    def _publish_truth(self) -> None:
        scene = Scene(next(self._scene_ids), self._world.time, self._world.visible_objects(),
                      'ground_truth', frame=self._robot.base_frame)
        self._truth.publish(to_msg(scene, arm_model=self._world.arm.name))


def _arm_frames(node: Node, robot: MujocoRobot, prefix: str) -> ArmFrames | None:
    """The arm on /tf; without tf2_msgs it is not there, unless the camera in the hand needs it."""
    eye_in_hand = robot.world.eye_in_hand
    try:
        return ArmFrames(node, robot.world.arm, robot.base_frame, prefix, eye_in_hand)
    except ImportError:
        if eye_in_hand:
            raise
        node.get_logger().info('tf2_msgs is not installed: the arm is not on /tf')
        return None


class CameraOutputs:
    """Publishes pictures while they are subscribed, and the assumed pose. One thread only."""

    def __init__(self, node: Node, robot: MujocoRobot, names: CameraInterfaces,
                 image_rate: float, frame_prefix: str = '', on_hand: bool = False) -> None:
        self._log = node.get_logger()
        self._camera = MujocoCamera(robot.world, HAND_CAMERA if on_hand else CAMERA)
        self._frame = frame_prefix + (HAND_OPTICAL_FRAME if on_hand else OPTICAL_FRAME)
        self._base_frame = robot.base_frame
        self._colour = node.create_publisher(Image, names.color_image, 1)
        self._depth = node.create_publisher(Image, names.depth_image, 1)
        self._info = node.create_publisher(CameraInfo, names.camera_info, 1)
        self._rhythm = Rhythm(image_rate)
        self._drawn_at = -1.0
        self._messages: tuple[Image, Image, CameraInfo] | None = None
        self._blind = False
        if not on_hand:  # the pose of the hand's camera follows from the joints
            self._publish_pose(node, names.camera_pose)

    def tick(self) -> None:
        """Publish a picture if one is due and wanted; an unchanged world is not drawn again.

        The arm waits while it is drawn. Perception needs depth; who wants colour alone only
        watches or records, and gets a fifth of the time at most.
        """
        if self._blind or not self._rhythm.due() or not self._wanted():
            return
        started = time.monotonic()
        if self._drawn_at != self._camera.world.time:
            self._draw()
        if self._messages:
            colour, depth, info = self._messages
            self._info.publish(info)
            self._colour.publish(colour)
            self._depth.publish(depth)
        if not self._depth.get_subscription_count():
            self._rhythm.rest(REST * (time.monotonic() - started))

    def close(self) -> None:
        self._camera.close()

    def _wanted(self) -> bool:
        return any(p.get_subscription_count() for p in (self._colour, self._depth))

    def _draw(self) -> None:
        try:
            frame = self._camera.capture(Context())
        except GraphicsUnavailable as error:
            self._blind = True
            self._log.error(f'no pictures: {error}')
            return
        header = Header(stamp=time_to_msg(frame.stamp), frame_id=self._frame)
        height, width = frame.rgb.shape[:2]
        self._drawn_at = frame.stamp
        self._messages = (rgb_to_msg(frame.rgb, header), depth_to_msg(frame.depth, header),
                          camera_info_to_msg(frame.intrinsics, (width, height), header))

    def _publish_pose(self, node: Node, topic: str) -> None:
        (world := self._camera.world).refresh_view()
        header = Header(stamp=time_to_msg(world.time), frame_id=self._base_frame)
        nothing = np.zeros((0, 0, 3))  # no picture: only where it seems to be is asked
        seems = SensorNoise(world.scene.camera.noise, world.seed).applied(CameraFrame(
            world.time, nothing, nothing[..., 0], np.eye(3), self._camera.pose()))
        publish_camera_pose(node, topic, header, self._frame, seems.T_base_camera)
