# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""An arm that is only watched: its joints, and what is known about its model."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import RobotState

from .arm_interfaces import NONE, WatchedArm
from .joint_states import JointFeed

JOINT_STATE_S = 0.5  # for a joint state, when someone asks whether the arm is there


def joint_feed(node: Node, arm: ArmModel, names: WatchedArm) -> JointFeed:
    """The joints of the arm and its fingers; without a gripper the hand counts as open."""
    if names.gripper_driver == NONE:
        return JointFeed(node, arm.joint_names, (), names, lambda _: arm.hand.max_width_m)
    return JointFeed(node, arm.joint_names, arm.ros.gripper.reads, names, arm.ros.gripper.width)


class SeenArm:
    """An arm behind JointState. It has no clients of the controllers: it cannot move the arm."""

    def __init__(self, node: Node, arm: ArmModel, base_frame: str = '',
                 interfaces: WatchedArm | None = None) -> None:
        self._given, self._own = (interfaces or WatchedArm()).of(arm), arm
        self.limits, self.model = arm.limits, arm.name
        self.base_frame = base_frame or arm.base_frame
        self.max_gripper_width = arm.hand.max_width_m
        self._feed = joint_feed(node, arm, self._given)

    @property
    def home(self) -> FloatArray:
        return np.array(self._own.home)

    def state(self) -> RobotState:
        """The newest state; raises RobotSilent if the driver sends no fresh one."""
        return self._feed.state()

    @property
    def fell_silent(self) -> str:
        """That the driver sends no joint states any more, in a sentence; '' if it does."""
        return self._feed.fell_silent

    @property
    def state_age_s(self) -> float:
        """Time since the newest state arrived; infinite before the first."""
        return self._feed.age_s

    @property
    def torques_age_s(self) -> float:
        """The same for the external torques."""
        return self._feed.torques_age_s

    def await_driver(self, timeout_s: float) -> None:
        """Wait for the driver's first state; raises RobotSilent if none comes."""
        self._feed.await_first(timeout_s)
