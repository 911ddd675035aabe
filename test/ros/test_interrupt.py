# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The launched graph as processes: a task with a fault, then Ctrl-C in a motion.

It is a slice of `make chaos`, with patient limits. It prints how long the processes took to end;
run this file alone to see it.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rig import WAIT_S

from replan_agent.ros.rclpy_tools.node_process import Spinning

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tools.chaos.faults import FAULTS  # noqa: E402
from tools.chaos.graph import DRIVER, MOVES, NODES, Caller, Graph  # noqa: E402
from tools.chaos.judge import TASK, in_motion, one  # noqa: E402

# Only the end is tested: a busy machine stalls for longer than a real arm may.
PATIENT: dict[str, Any] = {
    'guard.heartbeat_timeout': 60.0, 'watchdog.heartbeat_timeout': 60.0, 'alive_timeout': 60.0,
    'timeouts.silence_timeout': 60.0, 'safety.joint_states_timeout': 60.0, 'driver_silence': 30.0,
    'standstill_timeout': 20.0, 'pause_limit': 60.0, 'server_timeout': 20.0,
    'timeouts.appear_timeout': 150.0, 'timeouts.answer_timeout': 30.0,
    'timeouts.close_timeout': 60.0, 'agent.skill_timeout': 500.0, 'linger': 60.0,
    'realtime_factor': 1.0, 'motion.max_velocity_scaling_factor': 0.5,
    'motion.max_acceleration_scaling_factor': 0.5}


@pytest.mark.release
def test_an_aborted_motion_is_survived_and_an_interrupt_of_all_leaves_an_arm_at_rest(
        ros: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == 'the controller aborts']
    caller, rng = Caller(), random.Random(1)
    with Graph(caller, tmp_path, PATIENT) as graph:
        with Spinning([caller]):
            outcome = one(graph, fault, rng)
            before = {*tmp_path.glob('runs/*/result.json')}
            answer = caller.send(TASK, WAIT_S)
            assert answer is not None and in_motion(graph, answer, rng)
            graph.interrupt()
            began = time.monotonic()
            statuses = [graph.status(name, WAIT_S) for name in NODES if name != DRIVER]
            nodes_s, left = time.monotonic() - began, caller.speed
        began = time.monotonic()
        statuses.append(graph.status(DRIVER, WAIT_S))  # it goes on while this test listens
        driver_s = time.monotonic() - began
    with capsys.disabled():
        print(f'\nfrom the signal to the end of the last node {nodes_s:.2f} s; then to the end of '
              f'the driver {driver_s:.2f} s')
    said = (tmp_path / 'graph.log').read_text('utf-8')
    assert (outcome.problems, statuses) == ((), [0] * len(NODES)), said
    assert left < MOVES
    (record,) = {*tmp_path.glob('runs/*/result.json')} - before
    result = json.loads(record.read_text('utf-8'))
    assert (result['final_reason'], result['final_detail']) == ('cancelled', 'agent_node ends')
    for bad in ('Traceback', 'never retrieved', 'may still move'):
        assert bad not in said, said
