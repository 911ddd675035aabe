"""What ROS costs: the same task and skill over the graph and embedded, in one process.

    tools/ros run python3 -m replan_agent.ros.bench --n 20
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteTask

from replan_agent.app.compose import simulation
from replan_agent.app.config_file import load_config
from replan_agent.app.share import share_path
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene_file import load_scene

from .action_port import ActionPort
from .graph import all_nodes
from .ports import RosPerception, RosSkills
from .running import Spinning
from .settings import Patience

SCENE = 'tabletop'
TASK = 'go home'  # of an arm that is at home: perceive, plan, verify, and no motion
LOOK = Step(1, 'look')


def milliseconds(call: Callable[[], Any], n: int) -> list[float]:
    """How long each of n calls took; the first, which warms up, does not count."""
    call()
    times = []
    for _ in range(n):
        started = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - started))
    return times


def embedded(n: int) -> dict[str, list[float]]:
    config = load_config()
    sim = simulation(config, load_scene(SCENE, share_path('config', 'scenes')))
    scene = sim.perception.observe(Context())
    return {
        'task without motion': milliseconds(lambda: sim.agent(MemoryRecorder()).run(TASK), n),
        'skill without motion': milliseconds(
            lambda: sim.skills.execute(LOOK, scene, Context(), lambda phase: None), n),
        'look at the scene': milliseconds(lambda: sim.perception.observe(Context()), n),
    }


@contextmanager
def graph() -> Iterator[Node]:
    """A node beside all of ours, spun."""
    values: dict[str, Any] = {'approver': 'auto', 'use_sim_time': True, 'tasks.runs': ''}
    parameters = [Parameter(name, value=value) for name, value in values.items()]
    rclpy.init()
    node = rclpy.create_node('bench')
    try:
        with Spinning([*all_nodes(parameter_overrides=parameters), node]):
            yield node
    finally:
        rclpy.try_shutdown()


def over_ros(n: int) -> dict[str, list[float]]:
    with graph() as node:
        tasks = ActionPort(node, ExecuteTask, 'execute_task', 'agent_node', Patience())
        perception, skills = RosPerception(node, Patience()), RosSkills(node, Patience())
        scene = perception.observe(Context())
        goal, refused = ExecuteTask.Goal(task=TASK), ExecuteTask.Goal()
        return {
            'task without motion': milliseconds(
                lambda: tasks.call(goal, Context(), lambda feedback: None), n),
            'skill without motion': milliseconds(
                lambda: skills.execute(LOOK, scene, Context(), lambda phase: None), n),
            'look at the scene': milliseconds(lambda: perception.observe(Context()), n),
            'action round trip': milliseconds(
                lambda: tasks.call(refused, Context(), lambda feedback: None), n),
        }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--n', type=int, default=20, help='calls of each kind (default: 20)')
    n = parser.parse_args(argv).n
    alone, ros = embedded(n), over_ros(n)
    print(f'{"median of " + str(n) + ", ms":24}{"embedded":>10}{"ROS":>10}{"overhead":>10}')
    for what, times in ros.items():
        here, there = statistics.median(alone.get(what, [0.0])), statistics.median(times)
        print(f'{what:24}{here:10.1f}{there:10.1f}{there - here:10.1f}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
