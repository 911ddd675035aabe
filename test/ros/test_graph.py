# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole graph in one process, on the simulated arm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import all_nodes
from replan_agent_sim.sim_node import SimNode
from rig import Caller, overrides, spun

from replan_agent.agent.task_progress import State
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages.message_table import from_msg

Result = ExecuteTask.Result
STANDSTILL = 0.01  # rad/s


def speed(sim: SimNode) -> float:
    """Of the fastest joint, rad/s."""
    return float(np.abs(sim.robot.state().velocities).max())


@pytest.fixture
def graph(ros: Any, request: pytest.FixtureRequest,
          tmp_path: Path) -> Iterator[tuple[Caller, SimNode]]:
    """A caller of the whole graph, and its simulation; tests may give parameters."""
    given = {'scene': 'tabletop', **getattr(request, 'param', {})}
    parameters = overrides(use_sim_time=True, tasks__runs=str(tmp_path), **given)
    nodes = all_nodes(parameter_overrides=parameters)
    with spun(*nodes) as caller:
        yield caller, nodes[0]


def test_a_task_succeeds(graph: tuple[Caller, SimNode], tmp_path: Path) -> None:
    task = graph[0].send('pick up the red cube')
    answer = task.end()
    assert answer.status == GoalStatus.STATUS_SUCCEEDED
    result = from_msg(TaskResult, answer.result)
    assert (result.success, result.final_reason.value) == (True, 'plan_complete')
    assert result.goal_verified is True
    assert (answer.result.error_code, answer.result.error_msg) == (Result.NONE, '')

    phases = [p.message for p in task.feedback if p.message.startswith('pick: ')]
    expected = ['pick: approach', 'pick: grasp', 'pick: lift', 'pick: verify']
    assert [phase for phase in phases if phase in expected] == expected

    folder = Path(answer.result.run_folder)
    assert folder.parent == tmp_path
    saved = json.loads((folder / 'result.json').read_text())
    assert saved['final_detail'] == result.final_detail
    assert (folder / 'events.jsonl').read_text().count('"event": "phase_started"') == len(phases)


@pytest.mark.parametrize('graph', [{'scene': 'far_cube'}], indirect=True)
def test_what_cannot_be_reached_ends_with_the_attempts_and_their_ik_reports(
    graph: tuple[Caller, SimNode]
) -> None:
    answer = graph[0].run('pick up the red cube', max_replans=1)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.REPLAN_EXHAUSTED
    assert answer.result.error_msg == answer.result.final_detail
    result = from_msg(TaskResult, answer.result)
    assert result.final_reason.value == 'replan_exhausted'
    assert [attempt.reason for attempt in result.attempts] == ['unreachable']
    for attempt in result.attempts:
        assert attempt.ik is not None and not attempt.ik.converged
        assert attempt.ik.pos_err > attempt.ik.pos_tol
        assert attempt.ik.reachability is Reachability.PROVED_UNREACHABLE
    assert [plan.version for plan in result.plans] == [1]


@pytest.mark.parametrize('graph', [{'agent__rehearse': True}], indirect=True)
def test_a_plan_is_rehearsed_before_the_arm_moves(graph: tuple[Caller, SimNode]) -> None:
    task = graph[0].send('pick up the red cube')
    result = task.end().result
    assert result.final_reason == Result.FINAL_PLAN_COMPLETE, result.final_detail
    states = [p.state for p in task.feedback if p.message == p.state.value]
    assert states.index(State.REHEARSING) < states.index(State.EXECUTING)


@pytest.mark.parametrize('graph', [{'agent__rehearse': True, 'scene': 'far_cube'}], indirect=True)
def test_a_plan_that_fails_in_rehearsal_moves_nothing(graph: tuple[Caller, SimNode]) -> None:
    caller, sim = graph
    result = from_msg(TaskResult, caller.run('pick up the red cube', max_replans=-1).result)
    assert result.final_reason.value == 'replan_exhausted'
    (attempt,) = result.attempts
    assert attempt.reason == 'unreachable' and 'rehears' in attempt.reason_detail
    assert not result.steps
    assert sim.world.time == 0, 'robot time passes only while the arm is commanded'


@pytest.mark.parametrize('graph', [{'realtime_factor': 2.0}], indirect=True)
def test_a_cancel_during_motion_ends_at_standstill(graph: tuple[Caller, SimNode]) -> None:
    caller, sim = graph
    task = caller.send('pick up the red cube')
    task.reaches(lambda progress: speed(sim) > 20 * STANDSTILL)
    assert len(task.cancel().goals_canceling) == 1
    answer = task.end()
    left = speed(sim)
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.final_reason == Result.FINAL_CANCELLED
    assert 'NOT confirmed' not in answer.result.final_detail
    assert left < STANDSTILL

    assert caller.run('pick up the red cube').result.success, 'the next task finds all in order'


@pytest.mark.parametrize('graph', [{'realtime_factor': 2.0}], indirect=True)
def test_a_stop_ends_the_task_and_nothing_moves_until_it_is_reset(
    graph: tuple[Caller, SimNode]
) -> None:
    caller, sim = graph
    task = caller.send('pick up the red cube')
    task.reaches(lambda progress: speed(sim) > 20 * STANDSTILL)
    assert caller.trigger('stop').success
    assert speed(sim) < STANDSTILL
    assert task.end().result.final_reason == Result.FINAL_STOPPED

    refused = caller.run('pick up the red cube').result
    assert refused.final_reason == Result.FINAL_STOPPED
    assert 'reset_stop' in refused.final_detail
    assert speed(sim) < STANDSTILL
    assert caller.trigger('reset_stop').success
    assert caller.run('pick up the red cube').result.success
