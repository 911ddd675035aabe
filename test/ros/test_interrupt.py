"""The whole graph as processes: a task, then Ctrl-C in a motion. The arm stands, as recorded.

It prints how long the processes took to end; run this file alone to see it.
"""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from rig import Process, joint_speed, spun

NAMES = ('sim_node', 'perception_node', 'planner_node', 'skill_node', 'guard_node',
         'starter_node', 'agent_node')  # as they are launched
MOVING = 0.02  # rad/s
STANDSTILL = 0.01  # rad/s
# Patient: only the end is tested. A node is seen by its name before it serves anything: the others
# wait for it.
SETTINGS: dict[str, Any] = {
    'autostart': False, 'use_sim_time': True, 'realtime_factor': 1.0, 'linger': 60.0,
    'motion__max_velocity_scaling_factor': 0.3, 'motion__max_acceleration_scaling_factor': 0.3,
    'timeouts__appear_timeout': 150.0, 'timeouts__answer_timeout': 30.0,
    'timeouts__silence_timeout': 60.0, 'guard__heartbeat_timeout': 60.0, 'alive_timeout': 60.0}


def test_a_task_succeeds_and_an_interrupt_of_all_leaves_an_arm_at_rest_and_a_true_record(
        ros: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = {'namespace': 'interrupted'}
    with ExitStack() as kept:
        started = [kept.enter_context(Process(
            '-m', f'replan_agent.ros.nodes.{name}', tasks__runs=str(tmp_path), **place,
            **SETTINGS)) for name in NAMES]
        sim, *others = started
        with spun(**place) as caller:
            speed = joint_speed(caller)
            caller.await_nodes(NAMES)
            done = caller.run('pick up the red cube')
            caller.send('put it in the bowl').reaches(lambda progress: speed() > MOVING)
            for process in started:
                process.interrupt()
            began = time.monotonic()
            statuses = [process.status() for process in others]
            nodes_s, left = time.monotonic() - began, speed()
        began = time.monotonic()
        statuses.append(sim.status())  # it goes on while this test listens to the joints
        sim_s = time.monotonic() - began
    with capsys.disabled():
        print(f'\nfrom the signal to the end of the last node {nodes_s:.2f} s; then to the end of '
              f'the simulation {sim_s:.2f} s')
    first, record = sorted(tmp_path.glob('*/result.json'))
    assert done.result.success and json.loads(first.read_text())['success']
    result = json.loads(record.read_text())
    said = ''.join(process.errors() for process in started)
    assert statuses == [0] * len(NAMES), said
    assert left < STANDSTILL
    assert (result['final_reason'], result['final_detail']) == ('cancelled', 'agent_node ends')
    assert 'Traceback' not in said and 'never retrieved' not in said, said
    assert 'may still move' not in said, said
