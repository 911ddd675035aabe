"""Everything that protects an arm, around the robot that commands it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CameraInfo
from std_srvs.srv import Trigger

from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.motion.envelope import Envelope
from replan_agent.ros.arm.ros_control_robot import RosControlRobot
from replan_agent.ros.arm.seen_arm import JOINT_STATE_S
from replan_agent.ros.rclpy_tools.own_pause import OwnPause, own_pause
from replan_agent.ros.rclpy_tools.waiting import every

from .safety_settings import SafetyConfig
from .stop_latch import StopLatch, WatchdogConfig
from .stop_memory import StopMemory

CHECKS = 5  # within the shortest timeout
RECOVERY_S = 20.0


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
        robot.on_lost = self.latch.engage
        robot.may_recover = safety.allow_error_recovery
        if not safety.allow_error_recovery:
            robot.on_self_stop = self.latch.engage
        self._watch = SilenceWatch(node, self.latch, self._may_move, lambda: robot.state_age_s,
                                   safety)
        group = ReentrantCallbackGroup()
        for name, answer in (('recover_error', self._recover), ('home_gripper', self._home)):
            node.create_service(Trigger, name, answer, callback_group=group)

    def _may_move(self) -> bool:
        return self._moving() or self._robot.commanding  # homing is not a skill

    def _reset_refusal(self) -> str:
        stop = self._robot.errors.stop
        if stop:
            return f'{stop.sentence}; call recover_error first'
        silent = self._robot.fell_silent
        return f'{silent}; start it first' if silent else self._robot.not_ready(JOINT_STATE_S)

    def _recover(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        problem = self._robot.errors.recover(Context().within(RECOVERY_S))
        response.success = not problem
        response.message = problem or (
            "the arm's errors are cleared; if its hardware or controllers were deactivated, "
            'activate them (ros2 control list_controllers), then call reset_stop')
        return response

    def _home(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._moving():
            response.message = 'a skill is running: the gripper is not homed'
            return response
        try:
            done = self._robot.home_gripper(Context().within(RECOVERY_S))
        except DeadlineExceeded:
            response.message = f'the gripper was not homed within {RECOVERY_S:g} s'
            return response
        response.success, response.message = done.success, done.detail or 'the gripper is homed'
        return response


class SilenceWatch:
    """Engages the latch if joint states or camera are silent while the arm moves."""

    def __init__(self, node: Node, latch: StopLatch, moving: Callable[[], bool],
                 joints_age_s: Callable[[], float], config: SafetyConfig) -> None:
        self._node, self._latch, self._moving = node, latch, moving
        self._watched: list[tuple[str, Callable[[], float], float]] = []
        self._seen = time.monotonic()
        if config.joint_states_timeout:
            self._watched.append(('joint states', joints_age_s, config.joint_states_timeout))
        if config.camera_timeout:
            self._watched.append((f'camera ({config.camera})',
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
        for name, age_s, limit in self._watched:
            silent_s = age_s()
            if limit < silent_s < math.inf:  # infinite: nothing has come yet
                self._latch.engage(own_pause(self._node, pause_s) if pause_s else (
                    f'nothing from the {name} for {silent_s:.1f} s while the arm moved '
                    f'(limit {limit:g} s)'))
                return
