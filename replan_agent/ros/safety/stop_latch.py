# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stop latch of a node that commands an arm: once stopped, nothing moves until a reset.

The `stop` service, the node itself and the watchdog engage it. The watchdog does so if the agent's
heartbeat is silent, or comes from another process, while the arm moves. `reset_stop` releases the
latch; a restart does not, if the latch has a memory.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.msg import Heartbeat
from std_srvs.srv import Trigger

from replan_agent.domain.config import setting
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.messages.message_fields import id_from_msg
from replan_agent.ros.rclpy_tools.diagnostics import DIAGNOSTICS_S, Diagnostics
from replan_agent.ros.rclpy_tools.heart import hear
from replan_agent.ros.rclpy_tools.own_pause import OwnPause
from replan_agent.ros.rclpy_tools.waiting import every

from .stop_memory import StopMemory

CHECKS = 5  # of the heartbeat, within its timeout
PERMIT_BITS = 64  # a permit is for the goals of a task that began with it
OUTDATED = ('a stop, or a restart of this node, has ended the task since it began: nothing of it '
            'moves any more; send it again')


class StopReason(Enum):
    """Why nothing may move, as `reason` on /diagnostics; a sentence says more."""

    STOP_SERVICE = 'stop_service'
    AGENT_RESTARTED = 'agent_restarted'
    AGENT_SILENT = 'agent_silent'
    JOINTS_SILENT = 'joints_silent'
    CAMERA_SILENT = 'camera_silent'
    OWN_PAUSE = 'own_pause'
    SELF_STOP = 'self_stop'  # of the arm
    NO_STANDSTILL = 'no_standstill'
    SKILL_RAN_ON = 'skill_ran_on'
    GRIPPER_MOVED = 'gripper_moved'
    BUG = 'bug'
    BEFORE_RESTART = 'before_restart'


class StillStopped(Enum):
    """Why a stop is not released now, as words of the answer."""

    STOP_UNDER_WAY = 'a stop is under way'
    COMMAND_RUNS = 'the stopped command has not ended yet'
    ARM_ERROR = 'call recover_error first'
    DRIVER_SILENT = 'start it first'


@dataclass(frozen=True)
class WatchdogConfig:
    heartbeat: str = setting('heartbeat', "topic of the agent's heartbeat (Heartbeat)")
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
        self.permitted_at, self.permit = time.monotonic(), secrets.randbits(PERMIT_BITS)
        self._memory = memory or StopMemory('', '')
        kept = self._memory.recall()
        self.stopped: tuple[StopReason, str] | None = (  # why, and the sentence about it
            (StopReason.BEFORE_RESTART, f'{kept} (before a restart)') if kept else None)
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
            hear(node, self._topic, self._on_beat)
            every(node, self._timeout_s / CHECKS, self._check)

    @property
    def latched(self) -> bool:
        return self.stopped is not None

    def refusal(self) -> str:
        """Why nothing may move, as a sentence; '' if motion is allowed."""
        stopped = self.stopped
        return f'stopped: {stopped[1]}; call {self._reset_service} to continue' if stopped else ''

    def refused(self, permit: int) -> str:
        """Why a goal with that permit must not move; a permit of 0 is no task's."""
        return self.refusal() or (OUTDATED if permit not in (0, self.permit) else '')

    def engage(self, reason: StopReason, said: str) -> str:
        """Latch, then end all motion; returns why standstill is not confirmed, or ''."""
        with self._lock:
            is_new = not self.latched
            self.permitted_at, self.permit = time.monotonic(), secrets.randbits(PERMIT_BITS)
            self.stopped = self.stopped or (reason, said)
            self._engaging += 1
        try:
            if is_new:
                self._node.get_logger().error(f'stopped: {said}')
                self._log_problem(self._memory.keep(said))
                self._publish()
            self._stop()
        except NoStandstill as error:
            self._node.get_logger().error(f'the arm may still move: {error}')
            return str(error)
        finally:
            with self._lock:
                self._engaging -= 1
        return ''

    def engage_for_silence(self, reason: StopReason, said: str, pause_s: float) -> None:
        """Engage; if this process itself stood still for a while, nobody else is to blame."""
        if pause_s:
            reason, said = StopReason.OWN_PAUSE, (
                f'{self._node.get_name()} itself stood still for {pause_s:.1f} s')
        self.engage(reason, f'{said} while the arm moved')

    def reset(self) -> str:
        """Allow motion again; returns why it was not allowed, or ''."""
        with self._lock:
            stopped, self.stopped = self.stopped, None
            self._last_beat = time.monotonic()
        self._log_problem(self._memory.keep(''))
        self._publish()
        return stopped[1] if stopped else ''

    def _log_problem(self, problem: str) -> None:
        if problem:
            self._node.get_logger().error(problem)

    def _on_stop(self, *_: object) -> Trigger.Response:
        problem = self.engage(StopReason.STOP_SERVICE, 'the stop service was called')
        return Trigger.Response(success=not problem,
                                message=problem or 'stopped, the arm stands still')

    def _on_reset(self, *_: object) -> Trigger.Response:
        refusal = self.latched and self.reset_refusal()  # outside of the lock: it looks at the arm
        with self._lock:
            if self._engaging:
                refusal = StillStopped.STOP_UNDER_WAY.value
            elif self.latched and self._moving():  # else it would continue where it was stopped
                refusal = refusal or StillStopped.COMMAND_RUNS.value
            if refusal:
                return Trigger.Response(message=f'still stopped: {refusal}')
            said = self.reset()
        return Trigger.Response(success=True, message=(
            f'released; it was stopped: {said}' if said else 'was not stopped'))

    def _on_beat(self, beat: Heartbeat) -> None:
        with self._lock:
            before, self._agent = self._agent, id_from_msg(beat.process)
            self._last_beat = time.monotonic()
        if before and before != self._agent and not self.latched and self._moving():
            self.engage(StopReason.AGENT_RESTARTED,
                        f'the agent on {self._topic} started again while the arm moved')

    def _check(self) -> None:
        pause_s = self._pause.look()
        silent_s = self._pause.looked - self._last_beat
        if silent_s <= self._timeout_s or self.latched or not self._moving():
            return
        self.engage_for_silence(StopReason.AGENT_SILENT,
                                f'no heartbeat on {self._topic} for {silent_s:.1f} s', pause_s)

    def _publish(self) -> None:
        stopped = self.stopped
        values = {'stopped': str(bool(stopped)).lower(), 'moving': str(self._moving()).lower(),
                  'reason': stopped[0].value if stopped else ''}
        if self._timeout_s > 0:
            values['heartbeat_age_s'] = f'{time.monotonic() - self._last_beat:.2f}'
        self._diagnostics.publish('error' if stopped else 'ok', f'stopped: {stopped[1]}' if stopped
                                  else 'motion is allowed', values)
