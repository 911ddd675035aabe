"""The heartbeat of the node that commands an arm, and the watch that stops an arm without it.

The two are in different processes: if one of them dies, the other notices.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import Header

from replan_agent.domain.config import setting
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.rclpy_tools.qos import HEARTBEAT
from replan_agent.ros.rclpy_tools.waiting import every

BEAT_S = 0.1
DIAGNOSTICS_S = 1.0
CHECKS = 10  # within the timeout
COMMANDING, IDLE = 'commanding', 'idle'  # frame_id of a beat: whether a command is open


@dataclass(frozen=True)
class GuardConfig:
    heartbeat: str = setting('skill_heartbeat', "topic of skill_node's heartbeat "
                             '(std_msgs/Header); frame_id says whether it commands the arm')
    heartbeat_timeout: float = setting(0.5, 'guard_node stops the arm if skill_node is silent for '
                                       'this long while it commands the arm, s', 0.2, 60)


class SkillHeart:
    """Beats ten times a second. `beat` also at the start and the end of a command."""

    def __init__(self, node: Node, config: GuardConfig, commanding: Callable[[], bool]) -> None:
        self._node, self._commanding = node, commanding
        self._publisher = node.create_publisher(Header, config.heartbeat, HEARTBEAT)
        every(node, BEAT_S, self.beat)

    def beat(self) -> None:
        self._publisher.publish(Header(stamp=self._node.get_clock().now().to_msg(),
                                       frame_id=COMMANDING if self._commanding() else IDLE))


class SkillWatch:
    """Stops the arm if the heartbeat goes silent while a command is open.

    `stop` ends all motion and returns at standstill, or raises NoStandstill. The next beat ends
    the alarm: a node that starts again has no open command. It never touches the motions of
    others, because these have no heartbeat.
    """

    def __init__(self, node: Node, stop: Callable[[], None], config: GuardConfig) -> None:
        self._node, self._stop, self._config = node, stop, config
        self._lock = threading.Lock()
        self._commanding = False
        self._last_beat = self._checked = time.monotonic()
        self._period_s = config.heartbeat_timeout / CHECKS
        self.alarm = ''  # why the arm was stopped
        group = ReentrantCallbackGroup()
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        node.create_subscription(Header, config.heartbeat, self._on_beat, HEARTBEAT,
                                 callback_group=group)
        every(node, self._period_s, self._check)
        every(node, DIAGNOSTICS_S, self._report)

    def _on_beat(self, beat: Header) -> None:
        with self._lock:
            self._last_beat, self._commanding = time.monotonic(), beat.frame_id == COMMANDING
            ended, self.alarm = self.alarm, ''
        if ended:
            self._node.get_logger().info('skill_node is back')

    def _check(self) -> None:
        with self._lock:
            self._leave_out_pause()
            silent_s = self._checked - self._last_beat
            if not self._commanding or silent_s <= self._config.heartbeat_timeout:
                return
            self._commanding = False  # one stop is enough
            self.alarm = (f'stopped: no heartbeat of skill_node on {self._config.heartbeat} for '
                          f'{silent_s:.1f} s while it commanded the arm')
        self._node.get_logger().error(self.alarm)
        self._report()
        try:
            self._stop()
        except NoStandstill as error:
            self._node.get_logger().error(f'the arm may still move: {error}')
        else:
            self._node.get_logger().warning('the arm stands still')

    def _leave_out_pause(self) -> None:
        """Time in which this process did not run does not count as silence."""
        now = time.monotonic()
        pause_s, self._checked = now - self._checked - self._period_s, now
        if pause_s > self._config.heartbeat_timeout / 2:
            self._last_beat += pause_s

    def _report(self) -> None:
        alarm = self.alarm
        status = DiagnosticStatus(
            level=DiagnosticStatus.ERROR if alarm else DiagnosticStatus.OK,
            name=f'{self._node.get_name()}: heartbeat of skill_node',
            message=alarm or 'the arm is guarded')
        stamp = self._node.get_clock().now().to_msg()
        self._diagnostics.publish(DiagnosticArray(header=Header(stamp=stamp), status=[status]))
