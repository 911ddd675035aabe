# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The names that the drivers of an arm and a camera use, and how long to wait for them.

Each is a parameter of the same name. An empty name of an arm is the arm's own (`ArmRos`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from replan_agent.app.build.plugins import GRIPPERS
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import setting

NONE, OWN, COMMANDED = 'none', 'own', 'gripper_command'
ON_FAKE_HARDWARE = {'external_torques': NONE, 'gripper_driver': NONE}
Names = TypeVar('Names', bound='ArmNames')


@dataclass(frozen=True)
class ArmNames:
    joint_states: str = setting('', "topic of the arm and finger joints; empty: the arm's own, as "
                                'joint_states')
    finger_states: str = setting('', "topic of the finger joints; empty: the arm's own, or as "
                                 'joint_states')
    trajectory_action: str = setting('', "FollowJointTrajectory action; empty: the arm's own, as "
                                     'panda_arm_controller/follow_joint_trajectory')
    gripper_action: str = setting('', "the gripper's action; gripper_driver franka uses move, "
                                  "grasp and homing next to it; empty: the arm's own, as "
                                  'panda_gripper/gripper_action')
    gripper_driver: str = setting(
        OWN, "how the gripper is commanded: the arm's own way, control_msgs/GripperCommand (the "
        'position is that of a joint of the fingers), control_msgs/ParallelGripperCommand, or '
        'franka_msgs Move and Grasp; none: there is no gripper',
        choices=(OWN, COMMANDED, NONE), plug_ins=GRIPPERS)
    external_torques: str = setting(
        '', 'JointState topic with the external torque of each joint in effort (N·m); empty: the '
        "arm's own, if it has one; none: the arm does not feel contacts")

    def of(self: Names, arm: ArmModel) -> Names:
        """These names, and the arm's own where they are empty."""
        return replace(self, **{name: own for name, own in vars(arm.ros).items()
                                if getattr(self, name, None) in ('', OWN)})

    @property
    def torques(self) -> str:
        """The topic of the external torques; '' if contacts are not felt."""
        return self.external_torques if self.external_torques != NONE else ''


@dataclass(frozen=True)
class WatchedArm(ArmNames):
    """The names, and when an arm is silent or stands still: for nodes that look and stop."""

    server_timeout: float = setting(5.0, 'longest wait for a driver to answer, s', 0.1, 60)
    state_max_age: float = setting(1.0, 'a joint state is stale if it arrived longer ago, s',
                                   0.05, 10)
    driver_silence: float = setting(3.0, 'the driver is lost if it sends no joint state for this '
                                    'long while the arm moves, s', 0.1, 60)
    standstill_speed: float = setting(0.01, 'the arm stands still if all joints are slower, '
                                      'rad/s', 1e-4, 0.5)
    standstill_timeout: float = setting(5.0, 'longest wait for standstill, s', 0.1, 60)


@dataclass(frozen=True)
class ArmInterfaces(WatchedArm):
    """Also what a node needs that moves the arm."""

    start_tolerance: float = setting(0.02, 'a motion is refused if a joint is further from its '
                                     'start, rad', 1e-4, 0.5)
    path_tolerance: float = setting(0.1, 'tolerance of each joint during a motion, rad; 0: as '
                                    'the controller is configured', 0, 0.5)
    goal_tolerance: float = setting(0.01, 'tolerance of each joint at the end, rad', 1e-4, 0.5)
    goal_time_tolerance: float = setting(2.0, 'how late a motion may arrive, s', 0.1, 60)
    gripper_speed: float = setting(0.05, 'speed of the fingers with gripper_driver franka, m/s',
                                   0.001, 0.1)
    controller_manager: str = setting(
        '', 'node that knows whether the controller is active; asked before each motion, if it is '
        "there; empty: the arm's own, as controller_manager; none: not asked")
    franka_state: str = setting(
        '', "franka_msgs/FrankaRobotState topic with reflexes, the user stop and the arm's other "
        'errors, for the package replan_agent_franka; empty: none')
    error_recovery: str = setting('action_server/error_recovery',
                                  "franka_msgs/ErrorRecovery action that clears the arm's errors")
    driver_speed_scale: str = setting(
        '', 'Float64 topic with the speed in percent at which the driver itself follows motions, '
        "as UR's, for the package replan_agent_pace; empty: the arm's own, if it has one")
    speed_scale: str = setting('', 'Float64 topic from 0 (pause) to 1 that slows running motions, '
                               'for the package replan_agent_pace; empty: full speed')
    speed_scale_timeout: float = setting(
        0.0, 'a silent speed_scale counts as 0 after this long, s; 0: its last value holds', 0, 60)


@dataclass(frozen=True)
class ColourCamera:
    color_image: str = setting('camera/color/image_raw', 'topic of the colour images; empty: no '
                               'camera but the one in the hand')
    camera_info: str = setting('camera/color/camera_info', 'topic of the intrinsics')
    camera_pose: str = setting('camera/pose', "latched topic of the camera's pose; empty: from "
                               'the transforms of /tf and /tf_static')


@dataclass(frozen=True)
class CameraInterfaces(ColourCamera):
    depth_image: str = setting('camera/depth/image_rect_raw',
                               'topic of the depth images, registered to the colour images')
    camera_timeout: float = setting(5.0, 'longest wait for a picture, s', 0.1, 60)
    camera_slop: float = setting(0.02, 'largest time between colour and depth, s', 0, 1)


@dataclass(frozen=True)
class HandCameraInterfaces:
    """The camera in the hand. Its pose comes from TF, at the time of each picture."""

    hand_color_image: str = setting('hand_camera/color/image_raw',
                                    'topic of the colour images, with robot.eye_in_hand')
    hand_depth_image: str = setting('hand_camera/depth/image_rect_raw',
                                    'topic of the depth images, registered to the colour images')
    hand_camera_info: str = setting('hand_camera/color/camera_info', 'topic of the intrinsics')

    def as_camera(self, other: CameraInterfaces) -> CameraInterfaces:
        """The names as those of any camera; timeouts as of the other one."""
        return replace(other, color_image=self.hand_color_image, camera_pose='',
                       depth_image=self.hand_depth_image, camera_info=self.hand_camera_info)
