"""The stop latch of a node that commands an arm: once stopped, nothing moves until a reset.

The `stop` service, the node itself and the watchdog engage it. The watchdog does so if the agent's
heartbeat is silent, or comes from another process, while the arm moves. `reset_stop` releases the
latch; a restart does not, if the latch has a memory.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from replan_agent.domain.config import setting
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.rclpy_tools.diagnostics import DIAGNOSTICS_S, Diagnostics
from replan_agent.ros.rclpy_tools.own_pause import OwnPause, own_pause
from replan_agent.ros.rclpy_tools.qos import HEARTBEAT
from replan_agent.ros.rclpy_tools.waiting import every

from .stop_memory import StopMemory

CHECKS = 5  # of the heartbeat, within its timeout


@dataclass(frozen=True)
class WatchdogConfig:
    heartbeat: str = setting('heartbeat', "topic of the agent's heartbeat (std_msgs/Header)")
    heartbeat_timeout: float = setting(0.0, 'a moving arm stops if the heartbeat is silent for '
                                       'this long, s; 0: no watchdog', 0, 60)


class StopLatch:
    """Whether motion is allowed.

    `stop` ends all motion and returns at standstill, or raises NoStandstill; `moving` says whether
    a command is running. Both are called from any thread. `arm` is its model, for /diagnostics.
    """

    def __init__(self, node: Node, stop: Callable[[], None], moving: Callable[[], bool],
                 config: WatchdogConfig | None = None, prefix: str = '',
                 memory: StopMemory | None = None, arm: str = '') -> None:
        config = config or WatchdogConfig()
        self._node, self._stop, self._moving = node, stop, moving
        self._topic, self._timeout_s = config.heartbeat, config.heartbeat_timeout
        self._reset_service = f'{prefix}reset_stop'
        self._lock = threading.RLock()
        self._engaging = 0  # calls that wait for standstill
        self._memory = memory or StopMemory('', '')
        kept = self._memory.recall()
        self._reason = f'{kept} (before a restart)' if kept else ''
        self.reset_refusal: Callable[[], str] = lambda: ''  # why it cannot be reset now
        self._last_beat = time.monotonic()
        self._agent = ''  # the process that sent the last beat
        group = ReentrantCallbackGroup()
        self._diagnostics = Diagnostics(node, 'stop latch', arm)
        node.create_service(Trigger, f'{prefix}stop', self._on_stop, callback_group=group)
        node.create_service(Trigger, self._reset_service, self._on_reset, callback_group=group)
        every(node, DIAGNOSTICS_S, self._publish)
        self._pause = OwnPause(self._timeout_s / CHECKS, self._timeout_s / 2)
        if self._timeout_s > 0:
            node.create_subscription(Header, self._topic, self._on_beat, HEARTBEAT,
                                     callback_group=MutuallyExclusiveCallbackGroup())
            every(node, self._timeout_s / CHECKS, self._check)

    @property
    def latched(self) -> bool:
        return bool(self._reason)

    def refusal(self) -> str:
        """Why nothing may move, as a sentence; '' if motion is allowed."""
        reason = self._reason
        return f'stopped: {reason}; call {self._reset_service} to continue' if reason else ''

    def engage(self, reason: str) -> str:
        """Latch, then end all motion; returns why standstill is not confirmed, or ''."""
        with self._lock:
            is_new = not self._reason
            self._reason = self._reason or reason
            self._engaging += 1
        try:
            return self._engaged(reason, is_new)
        finally:
            with self._lock:
                self._engaging -= 1

    def _engaged(self, reason: str, is_new: bool) -> str:
        if is_new:
            self._node.get_logger().error(f'stopped: {reason}')
            self._log_problem(self._memory.keep(reason))
            self._publish()
        try:
            self._stop()
        except NoStandstill as error:
            self._node.get_logger().error(f'the arm may still move: {error}')
            return str(error)
        return ''

    def reset(self) -> str:
        """Allow motion again; returns why it was not allowed, or ''."""
        with self._lock:
            reason, self._reason = self._reason, ''
            self._last_beat = time.monotonic()
        self._log_problem(self._memory.forget())
        self._publish()
        return reason

    def _log_problem(self, problem: str) -> None:
        if problem:
            self._node.get_logger().error(problem)

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        problem = self.engage('the stop service was called')
        response.success = not problem
        response.message = problem or 'stopped, the arm stands still'
        return response

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        refusal = self.latched and self.reset_refusal()  # outside of the lock: it looks at the arm
        with self._lock:
            if self._engaging:
                refusal = 'a stop is under way'
            elif self.latched and self._moving():  # else it would continue where it was stopped
                refusal = refusal or 'the stopped command has not ended yet'
            if refusal:
                response.success, response.message = False, f'still stopped: {refusal}'
                return response
            reason = self.reset()
        response.success = True
        response.message = f'released; it was stopped: {reason}' if reason else 'was not stopped'
        return response

    def _on_beat(self, beat: Header) -> None:
        with self._lock:
            before, self._agent = self._agent, beat.frame_id
            self._last_beat = time.monotonic()
        if before and before != beat.frame_id and not self._reason and self._moving():
            self.engage(f'the agent on {self._topic} started again while the arm moved')

    def _check(self) -> None:
        pause_s = self._pause.look()
        silent_s = self._pause.looked - self._last_beat
        if silent_s <= self._timeout_s or self._reason or not self._moving():
            return
        if pause_s:  # nobody else is to blame
            self.engage(own_pause(self._node, pause_s))
        else:
            self.engage(f'no heartbeat on {self._topic} for {silent_s:.1f} s while the arm moved')

    def _publish(self) -> None:
        reason = self._reason
        values = {'stopped': str(bool(reason)).lower(), 'moving': str(self._moving()).lower()}
        if self._timeout_s > 0:
            values['heartbeat_age_s'] = f'{time.monotonic() - self._last_beat:.2f}'
        self._diagnostics.publish('error' if reason else 'ok',
                                  f'stopped: {reason}' if reason else 'motion is allowed', values)
