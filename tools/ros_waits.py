"""Where a task without motion waits over ROS: a time line, and what the executors do meanwhile.

    tools/ros run python3 tools/ros_waits.py --n 20 --slow 5

The graph is that of `bench --ros`. Each call of a node has four marks: asked, begun (its server
works on it), ended, got (the caller goes on). The table has the median time between a mark and the
one before. What comes at a fixed rate (joint states, clock, signs of life) takes much more of the
time of an emulated machine than of a real one: `--slow 5` lets it come five times as rarely.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import statistics
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rclpy import executors
from rclpy.node import Node
from replan_agent_bench.ros_bench import HOME, graph
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim import sim_outputs
from replan_agent_sim.physics import Physics
from rich.table import Table

from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.console import plain_console
from replan_agent.domain.context import Context
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.goal_server import GoalServer
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

PAUSE_S = 0.2  # between two tasks: what the last one left to do is done
IDLE_S = 3.0
CALLS = {'execute_task', 'list_skills', 'observe', 'make_plan', 'execute_skill'}


class Marks:
    """What happened when in one task, and how often executors listed their entities."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        with self._lock:
            self.lines: list[tuple[float, str]] = []
            self.counts: Counter[str] = Counter()
            self._times: Counter[str] = Counter()  # calls with the same name have a number

    def mark(self, name: str, moment: str) -> None:
        with self._lock:
            if name in CALLS:
                self._times[f'{name} {moment}'] += 1
                nth = self._times[f'{name} {moment}']
                label = f'{name}{f" ({nth})" if nth > 1 else ""}: {moment}'
                self.lines.append((time.perf_counter(), label))

    def count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self.counts[what] += number

    def around(self, call: Callable[..., Any], name: str, before: str,
               after: str) -> Callable[..., Any]:
        @functools.wraps(call)
        def marked(*args: Any, **kwargs: Any) -> Any:
            self.mark(name, before)
            try:
                return call(*args, **kwargs)
            finally:
                self.mark(name, after)

        return marked


def watch_calls(marks: Marks) -> None:
    """Mark the calls of all nodes that are made from now on."""
    for port in (ActionPort, ServicePort):
        def call(self: Any, *args: Any, original: Any = port.call, **kwargs: Any) -> Any:
            return marks.around(original, self._name, 'asked', 'got')(self, *args, **kwargs)

        port.call = call  # type: ignore[method-assign]
    make_server, make_service = GoalServer.__init__, Node.create_service

    def server(self: Any, node: Node, kind: Any, name: str, run: Any, *args: Any,
               **kwargs: Any) -> None:
        make_server(self, node, kind, name, marks.around(run, name, 'begun', 'ended'), *args,
                    **kwargs)

    def service(self: Any, kind: Any, name: str, callback: Any, **kwargs: Any) -> Any:
        return make_service(self, kind, name, marks.around(callback, name, 'begun', 'ended'),
                            **kwargs)

    GoalServer.__init__ = server  # type: ignore[method-assign]
    Node.create_service = service  # type: ignore[method-assign]


def watch_executors(marks: Marks) -> None:
    """Count listings (with their entities), callbacks, and tasks that an executor gets."""
    wait_set, wait = executors._rclpy.WaitSet, executors.Executor.wait_for_ready_callbacks
    create = executors.Executor.create_task

    def listed(*sizes: Any) -> Any:
        marks.count('listings')
        marks.count('entities listed', sum(sizes[:-1]))
        return wait_set(*sizes)

    def ready(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = wait(self, *args, **kwargs)
        marks.count('callbacks')
        return found

    def task(self: Any, *args: Any, **kwargs: Any) -> Any:
        marks.count('tasks of executors')
        return create(self, *args, **kwargs)

    implementation = type('Watched', (), {'WaitSet': staticmethod(listed), '__getattr__':
                                          lambda self, name: getattr(_original, name)})
    _original, executors._rclpy = executors._rclpy, implementation()
    executors.Executor.wait_for_ready_callbacks = ready  # type: ignore[method-assign]
    executors.Executor.create_task = task  # type: ignore[method-assign]


def slow_down(factor: float) -> None:
    """Let timers of nodes and the outputs of the simulation come that many times as rarely."""
    make_timer, make_rhythm = Node.create_timer, sim_outputs.Rhythm.__init__
    idle_every = getattr(Physics, 'idle_every', None)

    def timer(self: Any, period_s: float, *args: Any, **kwargs: Any) -> Any:
        return make_timer(self, period_s * factor, *args, **kwargs)

    def rhythm(self: Any, rate: float) -> None:
        make_rhythm(self, rate / factor)

    Node.create_timer = timer  # type: ignore[method-assign]
    sim_outputs.Rhythm.__init__ = rhythm  # type: ignore[method-assign]
    if idle_every:
        Physics.idle_every = (  # type: ignore[method-assign]
            lambda self, period_s: idle_every(self, period_s * factor))


def measured(n: int) -> dict[str, Any]:
    """The times of n tasks, after two to warm up."""
    marks, steps, counts = Marks(), defaultdict(list), defaultdict(list)
    watch_calls(marks)
    watch_executors(marks)
    with graph(load_config()) as node:
        tasks = ActionPort(node, ExecuteTask, 'execute_task', 'agent_node', Timeouts())
        for number in range(-2, n):
            time.sleep(PAUSE_S)
            marks.clear()
            cpu, wall = time.process_time(), time.perf_counter()
            answer = tasks.call(ExecuteTask.Goal(task=HOME), Context(), lambda feedback: None)
            spent = {'task, ms': 1e3 * (time.perf_counter() - wall),
                     'processor time, ms': 1e3 * (time.process_time() - cpu)}
            if not answer.result.success:
                raise RuntimeError(answer.result.final_detail)
            if number < 0:
                continue
            for (before, _), (now, label) in zip(marks.lines, marks.lines[1:]):
                steps[label].append(1e3 * (now - before))
            for what, value in {**spent, **marks.counts}.items():
                counts[what].append(value)
        counts['an idle second, ms of processor time'] = [_idle_ms()]
    return {'n': n, 'load': os.getloadavg()[0], 'steps_ms': dict(steps), 'task': dict(counts)}


def _idle_ms() -> float:
    """Processor time of a second in which no task runs, ms."""
    time.sleep(PAUSE_S)
    cpu, wall = time.process_time(), time.perf_counter()
    time.sleep(IDLE_S)
    return 1e3 * (time.process_time() - cpu) / (time.perf_counter() - wall)


def shown(result: dict[str, Any]) -> Table:
    table = Table(title=f'medians of {result["n"]} tasks; load {result["load"]:.1f}')
    for heading in ('', 'median', 'least'):
        table.add_column(heading, justify='right' if heading else 'left')
    for times in (result['steps_ms'], result['task']):
        for what, values in times.items():
            table.add_row(what, f'{statistics.median(values):.1f}', f'{min(values):.1f}')
        table.add_section()
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--n', type=int, default=20)
    parser.add_argument('--slow', type=float, default=1.0)
    parser.add_argument('--json', type=Path)
    arguments = parser.parse_args()
    slow_down(arguments.slow)
    result = measured(arguments.n)
    plain_console().print(shown(result))
    if arguments.json:
        arguments.json.write_text(json.dumps(result), encoding='utf-8')


if __name__ == '__main__':
    main()
