# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everything that protects an arm, around the robot that commands it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from functools import partial

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo
from std_srvs.srv import Trigger

from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.motion.envelope import Envelope
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.arm.seen_arm import JOINT_STATE_S
from replan_agent.ros.rclpy_tools.own_pause import OwnPause
from replan_agent.ros.rclpy_tools.waiting import every

from .safety_settings import SafetyConfig
from .stop_latch import StillStopped, StopLatch, StopReason, WatchdogConfig
from .stop_memory import StopMemory

CHECKS = 5  # within the shortest timeout
RECOVERY_S = 20.0
NOT_HOMED = 'a skill is running: the gripper is not homed'


class ArmGuard:
    """Latch, watchdogs, workspace and recovery. `moving` says whether a skill is running.

    Serves `stop`, `reset_stop`, `recover_error` and `home_gripper`.
    """

    def __init__(self, node: Node, robot: RosControlRobot, moving: Callable[[], bool],
                 limits: Envelope, safety: SafetyConfig, watchdog: WatchdogConfig) -> None:
        self._robot, self._moving = robot, moving
        memory = StopMemory(safety.stop_memory, node.get_fully_qualified_name())
        self.latch = StopLatch(node, robot.stop, self._may_move, watchdog, memory=memory,
                               arm=robot.model)
        self.latch.reset_refusal = self._reset_refusal
        robot.refusal = self.latch.refusal  # also between two motions of one skill
        robot.forbidden = limits.violation
        robot.on_lost = partial(self.latch.engage, StopReason.NO_STANDSTILL)
        robot.may_recover = safety.allow_error_recovery
        robot.on_self_stop = partial(self.latch.engage, StopReason.SELF_STOP)
        self._watch = SilenceWatch(node, self.latch, self._may_move, {
            'joint states': lambda: robot.state_age_s,
            'external torques': lambda: robot.torques_age_s}, safety)
        group = ReentrantCallbackGroup()
        for name, answer in (('recover_error', self._recover), ('home_gripper', self._home)):
            node.create_service(Trigger, name, answer, callback_group=group)

    def _may_move(self) -> bool:
        return self._moving() or self._robot.commanding  # homing is not a skill

    def _reset_refusal(self) -> str:
        stop = self._robot.errors.stop
        if stop:
            return f'{stop.sentence}; {StillStopped.ARM_ERROR.value}'
        silent = self._robot.fell_silent
        return (f'{silent}; {StillStopped.DRIVER_SILENT.value}' if silent else
                self._robot.not_ready(JOINT_STATE_S))

    def _recover(self, *_: object) -> Trigger.Response:
        problem = self._robot.errors.recover(Context().within(RECOVERY_S))
        return Trigger.Response(success=not problem, message=problem or (
            "the arm's errors are cleared; call reset_stop to continue"))

    def _home(self, *_: object) -> Trigger.Response:
        if self._moving():
            return Trigger.Response(message=NOT_HOMED)
        try:
            done = self._robot.home_gripper(Context().within(RECOVERY_S))
        except DeadlineExceeded:
            return Trigger.Response(message=f'the gripper was not homed within {RECOVERY_S:g} s')
        return Trigger.Response(success=done.success,
                                message=done.detail or 'the gripper is homed')


class SilenceWatch:
    """Engages the latch if joint states or camera are silent while the arm moves.

    `ages_s` are the ages of what the arm's driver sends, by name; infinite before the first.
    """

    def __init__(self, node: Node, latch: StopLatch, moving: Callable[[], bool],
                 ages_s: Mapping[str, Callable[[], float]], config: SafetyConfig) -> None:
        self._latch, self._moving = latch, moving
        self._watched: list[tuple[StopReason, str, Callable[[], float], float]] = []
        self._seen = time.monotonic()
        if config.joint_states_timeout:
            self._watched += [(StopReason.JOINTS_SILENT, name, age_s, config.joint_states_timeout)
                              for name, age_s in ages_s.items()]
        if config.camera_timeout:
            self._watched.append((StopReason.CAMERA_SILENT, f'camera ({config.camera})',
                                  lambda: time.monotonic() - self._seen, config.camera_timeout))
            node.create_subscription(CameraInfo, config.camera, self._on_camera,
                                     qos_profile_sensor_data,
                                     callback_group=ReentrantCallbackGroup())
        if self._watched:
            shortest_s = min(limit for *_, limit in self._watched)
            self._pause = OwnPause(shortest_s / CHECKS, shortest_s / 2)
            every(node, shortest_s / CHECKS, self._check)

    def _on_camera(self, _: CameraInfo) -> None:
        self._seen = time.monotonic()

    def _check(self) -> None:
        pause_s = self._pause.look()
        if self._latch.latched or not self._moving():
            return
        for reason, name, age_s, limit in self._watched:
            silent_s = age_s()
            if limit < silent_s < math.inf:  # infinite: nothing has come yet
                self._latch.engage_for_silence(
                    reason, f'nothing from the {name} for {silent_s:.1f} s (limit {limit:g} s)',
                    pause_s)
                return
