"""A short slice of `make chaos`: tasks that are disturbed end with a name, and the next one works.

The limits are patient: only `make chaos` has those of a real arm.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

from replan_agent.ros.rclpy_tools.node_process import Spinning

sys.path.append(str(Path(__file__).resolve().parents[2]))

from tools.chaos.__main__ import Outcome, one, ready, table  # noqa: E402
from tools.chaos.faults import FAULTS, drawn  # noqa: E402
from tools.chaos.graph import Caller, Graph  # noqa: E402

PATIENT = {'guard.heartbeat_timeout': 30.0, 'watchdog.heartbeat_timeout': 30.0,
           'timeouts.silence_timeout': 30.0, 'safety.joint_states_timeout': 30.0,
           'driver_silence': 30.0, 'pause_limit': 60.0, 'server_timeout': 20.0,
           'timeouts.appear_timeout': 150.0, 'timeouts.answer_timeout': 30.0,
           'realtime_factor': 1.0, 'motion.max_velocity_scaling_factor': 0.5,
           'motion.max_acceleration_scaling_factor': 0.5}


def test_a_motion_that_the_controller_aborts_is_survived(ros: Any, tmp_path: Path) -> None:
    (fault,) = [fault for fault in FAULTS if fault.name == 'the controller aborts']
    caller = Caller()
    with Spinning([caller]), Graph(
            caller, tmp_path, PATIENT, nodes=('all_in_one', 'guard_node')) as graph:
        assert ready(graph, must_move=False)[1] == ()
        outcome = one(graph, fault, random.Random(1))
    assert outcome.problems == (), (tmp_path / 'graph.log').read_text('utf-8')
    assert outcome.end


def test_a_seed_decides_the_faults_and_each_kind_comes_as_often() -> None:
    faults = drawn(2 * len(FAULTS), 3)
    assert faults == drawn(2 * len(FAULTS), 3) != drawn(2 * len(FAULTS), 4)
    assert {faults.count(fault) for fault in FAULTS} == {2}


def test_the_table_counts_what_was_survived_and_the_worst_stop() -> None:
    outcomes = [Outcome('skill_node killed', 'node_lost', stop_s, problems, False)
                for stop_s, problems in ((0.5, ()), (0.7, ()), (1.4, ('moved for 1.4 s',)))]
    assert table(outcomes).splitlines()[-1] == (
        '| skill_node killed | 3 | 2 | node_lost | 0.70, 1.40 | 0 |')

