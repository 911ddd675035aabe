"""Runs many tasks on one graph and checks for leaks: nodes, threads, objects, memory.

    tools/ros run python3 tools/soak.py --tasks 50

Exits with status 1 if a task did not end as expected, or if something grew.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import rclpy
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import all_nodes

from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.waiting import finished

TASKS = ('pick up the red cube', 'put the red cube on the table', 'go home',
         'pick up the purple elephant', 'go home')  # one of them is impossible
CANCELLED = 7  # every seventh task is cancelled while it runs
WARM_UP = 20  # modules that load late are not a leak
MAX_NEW_OBJECTS = 2000  # Python objects; the last few results come and go
MAX_GROWTH_MB = 20.0  # an emulator translates code for a while
WAIT_S = 120.0


@dataclass(frozen=True)
class Footprint:
    nodes: int
    threads: int
    objects: int
    memory_mb: float

    def __str__(self) -> str:
        return (f'{self.nodes} nodes, {self.threads} threads, {self.objects} objects, '
                f'{self.memory_mb:.0f} MB')


def footprint(node: rclpy.node.Node) -> Footprint:
    status = Path('/proc/self/status').read_text('ascii').splitlines()
    memory = next(int(line.split()[1]) for line in status if line.startswith('VmRSS'))
    gc.collect()
    return Footprint(len(node.get_node_names()), threading.active_count(),
                     len(gc.get_objects()), memory / 1024)


def run_one(client: SteadyActionClient, number: int) -> str:
    """How the task ended. Raises if it did not end."""
    task = TASKS[number % len(TASKS)]
    sent = client.send_goal_async(ExecuteTask.Goal(task=task, max_replans=1))
    if not finished(sent, WAIT_S):
        raise TimeoutError(f'task {number}: the goal was not answered')
    answer = sent.result().get_result_async()
    if number % CANCELLED == CANCELLED - 1:
        time.sleep(0.3)
        sent.result().cancel_goal_async()
    if not finished(answer, WAIT_S):
        raise TimeoutError(f'task {number}: no end within {WAIT_S:g} s')
    result = answer.result().result
    if result.final_reason in ('', 'internal_error', 'node_lost', 'perception_lost'):
        raise RuntimeError(f'task {number} {task!r}: {result.final_reason} {result.error_msg}')
    return str(result.final_reason)


def soak(tasks: int) -> int:
    rclpy.init()
    with tempfile.TemporaryDirectory() as runs:
        values = {'approver': 'auto', 'use_sim_time': True, 'tasks.runs': runs,
                  'safety.driver': 'sim',
                  'motion.max_velocity_scaling_factor': 1.0,
                  'motion.max_acceleration_scaling_factor': 1.0}
        parameters = [Parameter(name, value=value) for name, value in values.items()]
        caller = rclpy.create_node('soak')
        client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
        with Spinning([*all_nodes(parameter_overrides=parameters), caller]):
            client.wait_for_server(WAIT_S)
            before = None
            for number in range(tasks):
                started = time.monotonic()
                end = run_one(client, number)
                now = footprint(caller)
                print(f'{number + 1:4} {end:18} {time.monotonic() - started:6.1f} s   {now}',
                      flush=True)
                if number == min(WARM_UP, tasks - 1):
                    before = now
    rclpy.try_shutdown()
    assert before is not None
    return verdict(before, now)


def verdict(before: Footprint, after: Footprint) -> int:
    grown = [f'{after.nodes - before.nodes} nodes'] if after.nodes > before.nodes else []
    if after.threads > before.threads:
        grown.append(f'{after.threads - before.threads} threads')
    if after.objects - before.objects > MAX_NEW_OBJECTS:
        grown.append(f'{after.objects - before.objects} objects')
    if after.memory_mb - before.memory_mb > MAX_GROWTH_MB:
        grown.append(f'{after.memory_mb - before.memory_mb:.0f} MB')
    print(f'after the warm-up: {before}\nat the end:        {after}')
    print('LEAK: ' + ', '.join(grown) if grown else 'nothing grew')
    return 1 if grown else 0


if __name__ == '__main__':
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--tasks', type=int, default=50)
    sys.exit(soak(options.parse_args().tasks))
