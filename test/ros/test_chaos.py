# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `make chaos` draws, judges and tells. test_interrupt.py has a slice of it on processes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.task import Future
from replan_agent_interfaces.action import ExecuteTask
from std_srvs.srv import Trigger

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from tools.chaos import judge  # noqa: E402
from tools.chaos.faults import AGENT_KILLED, DRIVER, FAULTS, Fault, drawn  # noqa: E402
from tools.chaos.graph import NODES  # noqa: E402
from tools.chaos.judge import UNCONFIRMED, untrue  # noqa: E402
from tools.chaos.outcomes import Outcome, read, table, write  # noqa: E402


def named(name: str) -> Fault:
    (fault,) = [fault for fault in FAULTS if fault.name == name]
    return fault


def test_a_seed_decides_the_faults_and_each_kind_comes_as_often() -> None:
    faults = drawn(2 * len(FAULTS), 3)
    assert faults == drawn(2 * len(FAULTS), 3) != drawn(2 * len(FAULTS), 4)
    assert {faults.count(fault) for fault in FAULTS} == {2}


def test_the_graph_is_the_one_that_is_launched() -> None:
    launched = (ROOT / 'launch' / 'agent.launch.py').read_text('utf-8')
    assert {name for name in NODES if f"'{name}'" in launched} == {*NODES} - {DRIVER}


def test_each_node_that_matters_to_the_arm_is_killed_and_frozen_with_a_limit() -> None:
    for node in ('skill_node', 'agent_node', 'guard_node', DRIVER):
        assert all(named(f'{node} {how}').limit_s for how in ('killed', 'frozen for 4 s'))


def test_the_table_counts_what_was_survived_and_the_worst_stop(tmp_path: Path) -> None:
    file = tmp_path / 'chaos.json'
    write(file, {'seed': 1}, [
        Outcome('skill_node killed', 'node_lost', stop_s, problems, answer_s=3.0, number=number)
        for number, (stop_s, problems) in enumerate(
            ((0.5, ()), (0.7, ()), (1.4, ('moved for 1.4 s',))))])
    settings, outcomes = read(file)
    assert settings == {'seed': 1} and [outcome.number for outcome in outcomes] == [0, 1, 2]
    assert table(outcomes).splitlines()[2:] == [
        '| skill_node killed | 3 | 2 | node_lost | 0.70, 1.40 | 3.00, 3.00 | 0 | 0 |',
        '| all | 3 | 2 |  | 0.70, 1.40 | 3.00, 3.00 | 0 | 0 |']


def said(folder: Path, detail: str = '') -> ExecuteTask.Result:
    """An answer whose record says the same."""
    (folder / 'result.json').write_text(json.dumps(
        {'success': False, 'final_reason': 'node_lost', 'final_detail': detail}), 'utf-8')
    return ExecuteTask.Result(final_reason='node_lost', final_detail=detail,
                              run_folder=str(folder))


def test_an_answer_that_physics_and_record_show_is_true(tmp_path: Path) -> None:
    assert untrue(said(tmp_path), named('skill_node killed'), 0.0, moved_on_s=0.0) == []


def test_an_arm_that_moves_on_after_the_answer_is_told(tmp_path: Path) -> None:
    fault = named('skill_node killed')
    (told,) = untrue(said(tmp_path), fault, 0.0, moved_on_s=1.0)
    assert '1.0 s' in told
    (told,) = untrue(said(tmp_path, UNCONFIRMED), fault, 0.0, moved_on_s=1.0)
    assert told.startswith('doubted the standstill')


def test_a_record_that_differs_from_the_answer_is_told(tmp_path: Path) -> None:
    answer = said(tmp_path)
    answer.final_detail = 'all is well'
    (told,) = untrue(answer, named('skill_node killed'), 0.0, 0.0)
    assert 'result.json' in told and 'final_detail' in told


def test_only_a_stop_on_purpose_may_need_a_person() -> None:
    assert named(AGENT_KILLED).latches and not named('skill_node killed').latches


class Agent:
    """Stands in for the caller of a graph whose agent gives these ends, one a task."""

    def __init__(self, *ends: str) -> None:
        self.ends, self.moved_at = list(ends), 0.0

    def send(self, _: str, __: float) -> Future[Any]:
        self.moved_at += 1.0
        answer: Future[Any] = Future()
        result = ExecuteTask.Result(final_reason=self.ends.pop(0))
        answer.set_result(SimpleNamespace(result=result))
        return answer

    def trigger(self, _: str) -> Trigger.Response:
        return Trigger.Response(message='was not stopped')


def test_an_agent_that_refuses_while_it_is_busy_is_one_problem(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, 'AGAIN_S', 0.0)
    agent = Agent('', '', '', '', 'already_done', 'plan_complete')
    graph: Any = SimpleNamespace(caller=agent, slow=1.0, note=lambda text: None)
    assert judge.ready(graph, must_move=True) == (
        False, ('the next tasks failed: refused, refused',))
    assert not agent.ends
