# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The heartbeat of the node that commands an arm, and the watch that stops an arm without it.

The two are in different processes: if one of them dies, the other notices.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from rclpy.node import Node
from replan_agent_interfaces.msg import Heartbeat

from replan_agent.domain.config import setting
from replan_agent.ros.messages.message_fields import id_from_msg
from replan_agent.ros.rclpy_tools.diagnostics import DIAGNOSTICS_S, Diagnostics
from replan_agent.ros.rclpy_tools.heart import hear
from replan_agent.ros.rclpy_tools.own_pause import OwnPause
from replan_agent.ros.rclpy_tools.waiting import every

BEAT_S = 0.1
CHECKS = 10  # within the timeout


@dataclass(frozen=True)
class GuardConfig:
    heartbeat: str = setting('skill_heartbeat', "topic of skill_node's heartbeat (Heartbeat)")
    heartbeat_timeout: float = setting(0.5, 'guard_node stops the arm if skill_node is silent for '
                                       'this long while it commands the arm, s', 0.2, 60)


class SkillWatch:
    """Stops the arm if the process that opened a command goes silent or is replaced.

    `stop` ends all motion and returns at standstill, or raises. It is called again until it
    succeeds or the silent process beats again. The next beat after that ends the alarm. The watch
    never touches the motions of others, because these have no heartbeat. `arm` is its model, for
    /diagnostics.
    """

    def __init__(self, node: Node, stop: Callable[[], None], config: GuardConfig,
                 arm: str = '') -> None:
        self._node, self._stop, self._config = node, stop, config
        self._lock = threading.Lock()
        self._process = ''  # that sent the last beat
        self._commanding = False
        self._lost: str | None = None  # the process whose motion has to be stopped
        self._stopping = False
        self._last_beat, period_s = time.monotonic(), config.heartbeat_timeout / CHECKS
        self._pause = OwnPause(period_s, config.heartbeat_timeout / 2)
        self.alarm = ''  # why the arm is stopped
        self._problem = ''  # why the last stop did not work
        self._diagnostics = Diagnostics(node, 'heartbeat of skill_node', arm)
        hear(node, config.heartbeat, self._on_beat)
        every(node, period_s, self._check)
        every(node, DIAGNOSTICS_S, self._report)

    def is_idle(self) -> bool:
        """True if no command is open and nothing has to be stopped."""
        with self._lock:
            return not self._commanding and self._lost is None

    def _on_beat(self, beat: Heartbeat) -> None:
        process = id_from_msg(beat.process)
        with self._lock:
            if process == self._lost:  # it was only slow
                self._lost = None
            if self._commanding and process != self._process:
                self._raise_alarm('skill_node started again while it commanded the arm')
            self._process, self._commanding = process, beat.commanding
            self._last_beat = time.monotonic()
            if self.alarm and self._lost is None:
                self.alarm = ''
                self._node.get_logger().info('skill_node is back')

    def _check(self) -> None:
        with self._lock:
            pause_s = self._pause.look()  # does not count as silence
            self._last_beat = min(self._pause.looked, self._last_beat + pause_s)
            silent_s = self._pause.looked - self._last_beat
            if self._commanding and silent_s > self._config.heartbeat_timeout:
                self._commanding = False
                self._raise_alarm(f'no heartbeat of skill_node on {self._config.heartbeat} for '
                                  f'{silent_s:.1f} s while it commanded the arm')
        self._stop_lost()

    def _raise_alarm(self, why: str) -> None:
        self._lost, self.alarm = self._process, why
        self._node.get_logger().error(f'stops the arm: {why}')
        self._report()

    def _stop_lost(self) -> None:
        """Stop the motion of a lost process, if there is one; the next check tries again."""
        with self._lock:
            lost = self._lost
            if lost is None or self._stopping:
                return
            self._stopping = True
        try:
            self._stop()
        except Exception as error:  # noqa: BLE001 the process's edge: the guard must go on
            self._problem = f'; the arm may still move: {error}'
            self._node.get_logger().error(self._problem[2:], throttle_duration_sec=1.0)
        else:
            self._problem = ''
            self._node.get_logger().warning('the arm stands still')
            with self._lock:
                if self._lost == lost:
                    self._lost = None
        finally:
            self._stopping = False

    def _report(self) -> None:
        alarm, stands = self.alarm, self._lost is None
        if alarm:
            self._diagnostics.publish('error', f'{"stopped" if stands else "stopping"}: {alarm}'
                                      f'{"" if stands else self._problem}', {})
        elif not self._process:
            self._diagnostics.publish('warn', f'no heartbeat on {self._config.heartbeat} yet', {})
        else:
            self._diagnostics.publish('ok', 'the arm is guarded', {})
