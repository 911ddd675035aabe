# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent bench --ros`: the cost of ROS, measured with the same calls embedded.

Both run in this process, each on its own simulation at full speed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import all_nodes
from rich.table import Table

from replan_agent.agent.ports import Skills
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.terminal.console import plain_console
from replan_agent.app.terminal.exits import SUCCESS
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import skill_that
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.ros.agent.clients import RosPerception, RosSkills
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent_bench.report.json_report import header, write_json
from replan_agent_bench.stats import percentile

CALLS = 20
SCENE = 'tabletop'
HOME = 'go home'  # the arm is at home: perceive, plan, verify, no motion
TURN = ('pick up the red cube', 'put the red cube on the table', HOME)  # ends as it starts

Times = Mapping[str, Sequence[float]]  # by kind of call: milliseconds of each call


def bench(arguments: argparse.Namespace) -> int:
    """Measure, show the table, and write the JSON file if asked."""
    n, console = arguments.n or CALLS, plain_console()
    config = load_config()
    load_before = os.getloadavg()[0]
    alone, ros = embedded(config, n), over_ros(config, n)
    console.print(overhead_table(alone, ros))
    console.print(f'median of {n} calls; load average before: {load_before:.2f} on '
                  f'{os.cpu_count()} cores')
    if arguments.json:
        _write(arguments.json, n, load_before, alone, ros)
        console.print(f'written to {arguments.json}', soft_wrap=True)
    return SUCCESS


def embedded(config: Config, n: int) -> Times:
    sim = Simulation(SCENE, config=config)
    scene = sim.perception.observe(Context())

    def do(task: str) -> None:
        _must_succeed(task, sim.agent(MemoryRecorder()).run(task))

    return {
        'task without motion': milliseconds(lambda: do(HOME), n),
        'task with motion': _mean_times(TURN, do, n),
        'skill without motion': milliseconds(
            lambda: _observe(sim.skills, scene), n),
        'look at the scene': milliseconds(lambda: sim.perception.observe(Context()), n),
    }


def over_ros(config: Config, n: int) -> Times:
    with graph(config) as node:
        tasks = ActionPort(node, ExecuteTask, 'execute_task', 'agent_node', Timeouts())
        perception, skills = RosPerception(node, Timeouts()), RosSkills(node, Timeouts())
        scene = perception.observe(Context())

        def call(goal: ExecuteTask.Goal) -> Any:
            return tasks.call(goal, Context(), lambda feedback: None).result

        def do(task: str) -> None:
            _must_succeed(task, call(ExecuteTask.Goal(task=task)))

        return {
            'task without motion': milliseconds(lambda: do(HOME), n),
            'task with motion': _mean_times(TURN, do, n),
            'skill without motion': milliseconds(
                lambda: _observe(skills, scene), n),
            'look at the scene': milliseconds(lambda: perception.observe(Context()), n),
            # An empty task is refused at once: only the round trip is left.
            'action round trip': milliseconds(lambda: call(ExecuteTask.Goal()), n),
        }


def _observe(skills: Skills, scene: Scene) -> None:
    """Call the skill that only looks."""
    spec = skill_that(skills.specs(), EffectKind.OBSERVE)
    assert spec is not None  # a standard skill
    skills.execute(Step(1, spec.name), scene, Context(), lambda phase: None)


@contextmanager
def graph(config: Config) -> Iterator[Node]:
    """A spinning node next to all of our nodes."""
    values: dict[str, Any] = {
        'approver': 'auto', 'use_sim_time': True, 'tasks.runs': '', 'scene': SCENE,
        'safety.driver': 'sim',
        **{f'motion.{name}': value for name, value in asdict(config.motion).items()}}
    parameters = [Parameter(name, value=value) for name, value in values.items()]
    rclpy.init()
    node = rclpy.create_node('bench')
    try:
        with Spinning([*all_nodes(parameter_overrides=parameters), node]):
            yield node
    finally:
        rclpy.try_shutdown()


def milliseconds(call: Callable[[], Any], n: int) -> list[float]:
    """The time of each of n calls, after one call to warm up."""
    call()
    times = []
    for _ in range(n):
        started = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - started))
    return times


def _mean_times(tasks: Sequence[str], do: Callable[[str], None], n: int) -> list[float]:
    """The mean time per task in each of n rounds."""
    def one_round() -> None:
        for task in tasks:
            do(task)

    return [time_ms / len(tasks) for time_ms in milliseconds(one_round, n)]


def overhead_table(alone: Times, ros: Times) -> Table:
    """The medians of both; a call that only ROS has is all overhead."""
    table = Table(title='what ROS costs, ms a call')
    for heading in ('', 'embedded', 'ROS', 'overhead', 'p95 ROS'):
        table.add_column(heading, justify='right' if heading else 'left')
    for what, times in ros.items():
        there = statistics.median(times)
        here = statistics.median(alone[what]) if what in alone else None
        table.add_row(what, '–' if here is None else f'{here:.1f}', f'{there:.1f}',
                      f'{there - (here or 0.0):.1f}', f'{percentile(times, 95):.1f}')
    return table


def _must_succeed(task: str, result: Any) -> None:
    """Raise if the task failed: only successful tasks are timed."""
    if not result.success:
        raise RuntimeError(f'{task!r} failed: {result.final_reason} {result.final_detail}')


def _write(path: Path, n: int, load: float, alone: Times, ros: Times) -> None:
    write_json(path, {'n': n, 'load_average_before': load, **header(),
                      'embedded_ms': dict(alone), 'ros_ms': dict(ros)})
