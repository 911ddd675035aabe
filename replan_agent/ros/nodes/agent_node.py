# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""agent_node: carries out tasks, one at a time, with the other nodes as its ports."""

from __future__ import annotations

import time
import traceback
from dataclasses import replace
from typing import Any

from rclpy.node import Node
from replan_agent_interfaces.action import ExecuteTask

from replan_agent.agent.task_progress import Progress, State
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.ros import node_settings as own
from replan_agent.ros.agent.run_recording import RunRecording
from replan_agent.ros.agent.task_runner import Refused, TaskRunner
from replan_agent.ros.arm.arm_interfaces import ColourCamera, WatchedArm
from replan_agent.ros.arm.arm_stop import ArmStop
from replan_agent.ros.messages.call_messages import order_from_msg, task_result_to_msg
from replan_agent.ros.messages.message_fields import MessageError
from replan_agent.ros.messages.message_table import to_msg
from replan_agent.ros.rclpy_tools.diagnostics import DIAGNOSTICS_S, Diagnostics
from replan_agent.ros.rclpy_tools.goal_server import Answer, GoalCall, GoalServer
from replan_agent.ros.rclpy_tools.heart import Heart
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import LiveSettings, declared
from replan_agent.ros.rclpy_tools.waiting import every
from replan_agent.text.shown_text import counted

NAME = 'agent_node'
GIVE_UP = 0.8  # share of close_timeout: then the task ends, and its record says what was seen


class AgentNode(Node):
    """Serves `execute_task`, `approve_plan` and `give_hint`.

    Publishes `events`, `~/plan`, `~/question` and /diagnostics.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        live = LiveSettings(self, own.AgentSettings, (*own.BUDGETS, *own.APPROVAL),
                            (*own.SPEEDS, *own.THRESHOLDS), own.RISKS)
        settings, names = live.now, declared(self, WatchedArm)
        recording = RunRecording(self, settings.tasks.runs, settings.robot, names,
                                 declared(self, ColourCamera))
        arm = ArmStop(self, arm_named(settings.robot.model), names)
        self._runner = TaskRunner(self, settings, arm, recording)
        self._last: TaskResult | None = None
        self._progress: Progress | None = None  # of the last task
        self._close_s = settings.timeouts.close_timeout
        self._diagnostics = Diagnostics(self, 'tasks', settings.robot.model)
        self._server = GoalServer(self, ExecuteTask, 'execute_task', self._execute, self._refused,
                                  max_waiting=settings.tasks.max_queued,
                                  on_wait=self._on_wait)
        live.moving = lambda: bool(self._server.running)
        live.on_change = self._runner.use
        self._tell_lost_tasks()
        Heart(self, 'heartbeat', 1 / settings.tasks.heartbeat_rate)
        every(self, DIAGNOSTICS_S, self._report)
        self.get_logger().info(f'ready for tasks: planner {settings.planner}, perception '
                               f'{settings.perception}, approver {settings.approver}')

    def close(self) -> bool:
        """End the running task; its record says whether the arm was seen at rest.

        False if it runs on.
        """
        self._runner.give_up(time.monotonic() + GIVE_UP * self._close_s)
        return self._server.close('agent_node ends', self._close_s)

    def _tell_lost_tasks(self) -> None:
        """Tell how the tasks of an earlier process ended that died."""
        lost = self._runner.close_lost_runs()
        for run in lost:
            self._last = run.result
            self.get_logger().warning(f'{run.folder}: {run.result.final_detail}')
        self._server.tell_lost({run.task_id: task_result_to_msg(
            run.result, run.task_id, str(run.folder)) for run in lost})

    def _execute(self, call: GoalCall) -> Answer:
        try:
            order = order_from_msg(call.request)
            run = self._runner.run(order, call.goal_id, call.cancel,
                                   lambda progress: self._tell(call, progress), call.waited)
        except (MessageError, Refused, ConfigError) as error:
            return self._refused(call, str(error)), False
        except Exception as error:  # noqa: BLE001 the process's edge: a bug ends this task only
            self.get_logger().error(traceback.format_exc())
            detail = f'{type(error).__name__}: {error}'
            return ExecuteTask.Result(
                task=call.request.task, final_reason=FinalReason.INTERNAL_ERROR.value,
                final_detail=detail, error_code=ExecuteTask.Result.INTERNAL_ERROR,
                error_msg=detail), False
        self._last = run.result
        self.get_logger().info(f'{run.result.final_reason.value}: {run.result.final_detail}')
        return task_result_to_msg(run.result, call.goal_id, run.folder), run.result.success

    def _on_wait(self, call: GoalCall, ahead: int) -> None:
        call.waited = call.waited or self._runner.ask_permit()
        call.publish(to_msg(Progress(State.IDLE, message=f'waits: {counted(ahead, "tasks")} '
                                     'before it')))

    def _tell(self, call: GoalCall, progress: Progress) -> None:
        self._progress = progress
        call.publish(to_msg(progress))

    def _refused(self, call: GoalCall, why: str) -> ExecuteTask.Result:
        self.get_logger().warning(f'task {call.request.task!r} refused: {why}')
        return ExecuteTask.Result(task=call.request.task, error_code=ExecuteTask.Result.REFUSED,
                                  error_msg=why)

    def _report(self) -> None:
        running, waits = self._server.running, self._runner.person.sentence
        task = f'task: {running[0].request.task}' if running else 'idle'
        if running and waits and self._progress:
            running[0].publish(to_msg(replace(self._progress, message=waits)))
        last = {} if self._last is None else {
            'last_task': self._last.task, 'last_final_reason': self._last.final_reason.value,
            'last_final_detail': self._last.final_detail}
        self._diagnostics.publish('warn' if waits else 'ok',
                                  f'{task}; {waits}' if waits else task, last)


main = program(lambda: [AgentNode()])

if __name__ == '__main__':
    main()
