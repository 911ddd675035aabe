# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A friendly client of `execute_task`: progress as it comes, the verdict, an exit status."""

from __future__ import annotations

import argparse
import shutil
import sys
import time

import rclpy
from rclpy.exceptions import InvalidNamespaceException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Question
from rich.console import Console
from rich.text import Text

from replan_agent.agent.task_progress import Progress
from replan_agent.app.terminal.console import plain_console, print_verdict
from replan_agent.app.terminal.exits import INTERRUPTED, TASK_FAILED, WRONG_USE, exit_status
from replan_agent.app.terminal.signals import cancelled_by_signal
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.message_fields import MessageError
from replan_agent.ros.messages.message_table import from_msg, to_msg
from replan_agent.ros.messages.task_order import TaskOrder
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.heart import hear
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.text.shown_text import printable

NO_AGENT = ('Is it running, with the same ROS_DOMAIN_ID and --namespace? Start it with  '
            'ros2 launch replan_agent sim.launch.py')


def send(arguments: argparse.Namespace) -> int:
    """Send a task and follow it to its end; Ctrl-C cancels it."""
    console = plain_console()
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node('replan_agent_send', namespace=arguments.namespace)
        with Spinning([node]), cancelled_by_signal() as token:
            return Client(node, console, arguments.wait).carry_out(goal_from(arguments), token)
    except Cancelled as reason:
        print(f'replan-agent: {reason}; the agent did not get the task', file=sys.stderr)
        return INTERRUPTED
    except (MessageError, InvalidNamespaceException, NodeLost) as error:
        print(f'replan-agent: {error}', file=sys.stderr)
        return TASK_FAILED if isinstance(error, NodeLost) else WRONG_USE
    finally:
        rclpy.try_shutdown()


class Client:
    """Follows one task and prints its progress."""

    def __init__(self, node: Node, console: Console, wait_s: float = 10.0) -> None:
        self._console, self._port = console, task_port(node, wait_s)
        self._last_line = self._understood = ''
        self._where = f' --namespace {at}' if (at := node.get_namespace()) != '/' else ''
        node.create_subscription(Question, 'agent_node/question', self._show_question, LATCHED)

    def carry_out(self, goal: ExecuteTask.Goal, token: CancelToken) -> int:
        """The exit status of the task; raises Cancelled if that comes before it is sent."""
        try:
            self._port.await_server(Context(token))
        except NodeLost as lost:
            print(f'replan-agent: {lost}. {NO_AGENT}', file=sys.stderr)
            return WRONG_USE
        self._console.print(Text(f'task         {goal.task}'), soft_wrap=True)
        result = self._port.call(goal, Context(token), self._show).result
        if result.error_code == ExecuteTask.Result.REFUSED:
            how, status = ('', TASK_FAILED) if token.cancelled else ('refused: ', WRONG_USE)
            print(f'replan-agent: {how}{result.error_msg}', file=sys.stderr)
            return status
        outcome = from_msg(TaskResult, result)
        print_verdict(self._console, outcome)
        if result.run_folder and not outcome.not_recorded:
            self._console.print(f'  saved:       {result.run_folder}', soft_wrap=True)
        return exit_status(outcome, result.run_folder)

    def _show(self, feedback: ExecuteTask.Feedback) -> None:
        try:
            state = from_msg(Progress, feedback).state.value
        except MessageError:  # an agent of another version, perhaps: its task goes on
            state = f'state {feedback.state}'
        message, understood = printable(feedback.message), printable(feedback.understood)
        if understood != self._understood:
            self._understood = understood
            self._console.print(Text(f'understood   {understood}'), soft_wrap=True)
        line = f'{state:<12} {message}'
        if message and message != state and line != self._last_line:
            self._console.print(Text(line), soft_wrap=True)
        self._last_line = line

    def _show_question(self, asked: Question) -> None:
        """Show a question to the person here: the agent waits for those who hear it."""
        if asked.kind != Question.KIND_NONE:
            how = asked.answer if shutil.which('ros2') else f'replan-agent answer{self._where}'
            self._console.print(Text(f'asks a person: {asked.question}; answer with: {how}'),
                                soft_wrap=True)


def task_port(node: Node, wait_s: float) -> ActionPort:
    """The tasks of the agent; its heartbeat is a sign of life."""
    port = ActionPort(node, ExecuteTask, 'execute_task', 'agent_node',
                      Timeouts(appear_timeout=wait_s, stop_timeout=60.0), resend=True)
    hear(node, 'heartbeat', lambda _: setattr(port, 'heard', time.monotonic()))
    return port


def goal_from(arguments: argparse.Namespace) -> ExecuteTask.Goal:
    """The goal that the command line asks for."""
    budgets = {'max_replans': arguments.max_replans, 'task_timeout': arguments.timeout}
    given = {name: value for name, value in budgets.items() if value is not None}
    return to_msg(TaskOrder(arguments.task, tuple(arguments.hint), given,
                            approval=arguments.approval))
