# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the nodes: a graph in this process, a caller, and nodes as processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from rclpy.node import Node
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteTask
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from replan_agent.agent.task_progress import Progress
from replan_agent.ros.messages.message_table import from_msg
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.node_process import Spinning

T = TypeVar('T')
WAIT_S = 300.0  # far more than needed, because the machine may be busy
ASK_AGAIN_S = 15.0
QUICK = {'approver': 'auto', 'tasks.runs': '', 'motion.max_velocity_scaling_factor': 1.0,
         'motion.max_acceleration_scaling_factor': 1.0, 'timeouts.silence_timeout': 10.0,
         'safety.driver': 'sim', 'safety.stop_memory': '',
         # A machine may stall for seconds: only what a test is about has short limits.
         'timeouts.answer_timeout': 30.0, 'timeouts.stop_timeout': 60.0, 'server_timeout': 20.0,
         'timeouts.close_timeout': 60.0, 'driver_silence': 30.0, 'standstill_timeout': 20.0,
         'agent.skill_timeout': 500.0, 'pause_limit': 60.0}


def overrides(**parameters: Any) -> list[Parameter]:
    """Parameters by name, with `__` for the dot."""
    named = {name.replace('__', '.'): value for name, value in parameters.items()}
    return [Parameter(name, value=value) for name, value in {**QUICK, **named}.items()]


class Task:
    """A task that was sent: its feedback so far, and its end."""

    def __init__(self, handle: Any, feedback: list[Progress]) -> None:
        self.handle = handle
        self.feedback = feedback
        self._answer = handle.get_result_async()

    def end(self, within_s: float = WAIT_S) -> Any:
        """The answer: `.status` and `.result`."""
        return finished(self._answer, within_s)

    def cancel(self) -> Any:
        return finished(self.handle.cancel_goal_async())

    def reaches(self, condition: Callable[[Progress], bool]) -> Progress:
        """The first progress that fulfils the condition."""
        def reached() -> Progress | None:
            found = next(filter(condition, list(self.feedback)), None)
            assert found or not self._answer.done(), f'it ended first: {self._answer.result()}'
            return found

        return until(reached, lambda: 'not reached')


class Caller(Node):
    """Sends tasks to the agent."""

    def __init__(self, namespace: str = '') -> None:
        super().__init__('caller', namespace=namespace)
        self._client = SteadyActionClient(self, ExecuteTask, 'execute_task')

    def send(self, task: str, **goal: Any) -> Task:
        assert self._client.wait_for_server(timeout_sec=WAIT_S), 'no agent'
        feedback: list[Progress] = []
        goal_id = UUID(uuid=list(uuid.uuid4().bytes))

        def sent() -> Any:
            return self._client.send_goal_async(
                ExecuteTask.Goal(task=task, **goal),
                lambda message: feedback.append(from_msg(Progress, message.feedback)), goal_id)

        first = sent()
        if is_finished(first, ASK_AGAIN_S):
            assert first.result().accepted
            return Task(first.result(), feedback)
        # Lost between processes that have just met: the agent refuses an id that it has.
        return Task(finished(sent()), feedback)

    def await_nodes(self, names: Sequence[str]) -> None:
        """Return when nodes of these names are there."""
        until(lambda: set(names) <= set(self.get_node_names()),
              lambda: f'only {self.get_node_names()} are there')

    def trigger(self, service: str) -> Any:
        """The response of a std_srvs/Trigger."""
        client = self.create_client(Trigger, service)
        assert client.wait_for_service(WAIT_S), f'no {service}'
        asked = client.call_async(Trigger.Request())
        answered = is_finished(asked, ASK_AGAIN_S)
        return finished(asked if answered else client.call_async(Trigger.Request()))

    def run(self, task: str, **goal: Any) -> Any:
        """The answer to a task that is carried out to its end."""
        return self.send(task, **goal).end()


@contextmanager
def spun(*nodes: Node, namespace: str = '') -> Iterator[Caller]:
    """A caller of the agent that is among the nodes, or in another process."""
    caller = Caller(namespace)
    spinning = Spinning([*nodes, caller])
    try:
        with spinning:
            yield caller
    finally:
        assert spinning.error is None, f'the executor has died: {spinning.error!r}'


def until(condition: Callable[[], T], what: Callable[[], str] = lambda: 'it did not happen') -> T:
    """The value of the condition once it is true; another thread changes it."""
    limit = time.monotonic() + WAIT_S
    while not (found := condition()):
        assert time.monotonic() < limit, what()
        time.sleep(0.01)
    return found


def finished(future: Any, within_s: float = WAIT_S) -> Any:
    """The result of a future that another thread completes."""
    assert is_finished(future, within_s), 'no answer'
    return future.result()


def is_finished(future: Any, within_s: float) -> bool:
    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    return done.wait(max(0.0, within_s))


class Process:
    """A node in its own process.

    One that is killed haunts discovery for 20 s: give its test a namespace of its own.
    """

    def __init__(self, *command: str, namespace: str = '', own_time: bool = False,
                 **parameters: Any) -> None:
        named = {**QUICK, **{n.replace('__', '.'): v for n, v in parameters.items()}}
        words = ['-r', f'__ns:=/{namespace}'] if namespace else []
        words += ['-r', '/clock:=clock'] if own_time else []
        words += [w for n, v in named.items() for w in ('-p', f'{n}:={_as_yaml(v)}')]
        self._process = subprocess.Popen([sys.executable, *command, '--ros-args', *words],
                                         stdout=subprocess.PIPE, text=True)
        self._lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()  # if the test failed before it did

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line.strip())

    def says(self, word: str) -> None:
        """Return when it has printed that line."""
        until(lambda: word in self._lines, lambda: f'it said only {self._lines}')

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(WAIT_S)


def _as_yaml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if not isinstance(value, str) else f"'{value}'"
