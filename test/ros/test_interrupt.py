"""Ctrl-C on a whole graph in motion: the arm stands, and the record says what was seen."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rig import Process, joint_speed, spun

NAMES = ('sim_node', 'perception_node', 'planner_node', 'skill_node', 'agent_node')
MOVING = 0.02  # rad/s
STANDSTILL = 0.01  # rad/s
# Slow: the motion would go on for long after the signal. Patient: only the end is tested.
SETTINGS: dict[str, Any] = {
    'use_sim_time': True, 'realtime_factor': 1.0, 'linger': 60.0,
    'motion__max_velocity_scaling_factor': 0.05, 'motion__max_acceleration_scaling_factor': 0.05,
    'timeouts__appear_timeout': 60.0, 'timeouts__answer_timeout': 30.0,
    'timeouts__silence_timeout': 60.0}


def test_an_interrupt_of_all_processes_leaves_an_arm_at_rest_and_a_true_record(
        ros: Any, tmp_path: Path) -> None:
    place = {'namespace': 'interrupted'}
    with ExitStack() as kept:
        started = [kept.enter_context(Process(
            '-m', f'replan_agent.ros.nodes.{name}', tasks__runs=str(tmp_path), **place,
            **SETTINGS)) for name in NAMES]
        sim, *others = started
        with spun(**place) as caller:
            speed = joint_speed(caller)
            caller.await_nodes(NAMES)
            caller.send('pick up the red cube').reaches(lambda progress: speed() > MOVING)
            for process in started:
                process.interrupt()
            statuses = [process.status() for process in others]
            left = speed()
        statuses.append(sim.status())  # it goes on while this test listens to the joints
    (record,) = tmp_path.glob('*/result.json')
    result = json.loads(record.read_text())
    said = ''.join(process.errors() for process in started)
    assert statuses == [0] * len(NAMES), said
    assert left < STANDSTILL
    assert (result['final_reason'], result['final_detail']) == ('cancelled', 'agent_node ends')
    assert 'Traceback' not in said and 'never retrieved' not in said, said
    assert 'may still move' not in said, said
