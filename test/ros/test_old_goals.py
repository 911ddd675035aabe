# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stop ends the goals that were given before it: after the release nothing of them moves.

The arm is the stand-in of fake_driver.py.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from replan_agent_interfaces.action import ExecuteSkill, ExecuteTask
from rig import WAIT_S, Caller, finished, overrides, spun, until
from stand_ins import SEEN, StandInPerception
from test_arm_guard import HOME, Cell, has_heard

from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.ros.messages.call_messages import skill_call_to_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.safety.stop_latch import OUTDATED

Result = ExecuteTask.Result
TASK = 'go home'


class HeldPlanner:
    """Plans to go home, once it may."""

    name = 'held'
    uses_model = False

    def __init__(self) -> None:
        self.may, self.asked = threading.Event(), threading.Event()

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        self.asked.set()
        assert self.may.wait(WAIT_S)
        return PlanReply(ReplyKind.STEPS, (HOME,))


class Graph:
    def __init__(self, cell: Cell, planner: HeldPlanner, caller: Caller, agent: AgentNode) -> None:
        self.cell, self.planner, self.caller, self.agent = cell, planner, caller, agent

    def sent_to_wait(self, count: int, before: int = 0) -> list[Any]:
        """So many tasks in the queue, with the permits of now."""
        tasks = [self.caller.send(TASK) for _ in range(count)]
        queue = self.agent._server._waiting
        until(lambda: len(queue) == before + count and all(call.waited()
                                                           for call in queue[before:]))
        return tasks

    def stop_and_release(self) -> None:
        for service in ('stop', 'reset_stop'):
            answer = self.caller.trigger(service)
            assert answer.success, answer.message


@pytest.fixture
def graph(ros: Any, tmp_path: Path) -> Iterator[Graph]:
    cell, planner = Cell(tmp_path), HeldPlanner()
    cell.outside.beating = False  # the agent beats
    cell.driver.joints = cell.driver.joints + 0.1
    agent = AgentNode(parameter_overrides=overrides(robot__model='fr3', tasks__max_queued=2))
    with spun(cell.driver, cell.outside, cell.skills, agent, PlannerNode(planner),
              StandInPerception()) as caller:
        until(lambda: has_heard(cell.skills, cell.driver))
        yield Graph(cell, planner, caller, agent)
        planner.may.set()


def test_a_task_that_planned_during_a_stop_does_not_move_after_the_release(graph: Graph) -> None:
    task = graph.caller.send(TASK)
    assert graph.planner.asked.wait(WAIT_S)
    graph.stop_and_release()
    graph.planner.may.set()
    ended = task.end().result
    assert (ended.final_reason, ended.error_code) == (Result.FINAL_STOPPED, Result.STOPPED)
    assert OUTDATED in ended.final_detail
    assert not graph.cell.driver.goals
    assert graph.caller.run(TASK).result.success and graph.cell.driver.goals


def test_tasks_that_waited_during_a_stop_are_refused_and_a_new_one_moves(graph: Graph) -> None:
    running = graph.caller.send(TASK)
    assert graph.planner.asked.wait(WAIT_S)
    waiting = graph.sent_to_wait(2)
    graph.stop_and_release()
    running.cancel()  # so it ends before it hears of the stop
    graph.planner.may.set()
    assert running.end().result.final_reason == Result.FINAL_CANCELLED
    for task in waiting:
        refused = task.end().result
        assert refused.error_code == Result.REFUSED
        assert refused.error_msg == f'skill_node: {OUTDATED}'
    assert not graph.cell.driver.goals
    assert graph.caller.run(TASK).result.success


def test_a_task_that_was_sent_after_a_stop_moves_though_the_stopped_one_still_ran(
        graph: Graph) -> None:
    running = graph.caller.send(TASK)
    assert graph.planner.asked.wait(WAIT_S)
    graph.stop_and_release()
    (later,) = graph.sent_to_wait(1)
    graph.planner.may.set()
    assert running.end().result.final_reason == Result.FINAL_STOPPED
    assert later.end().result.success and graph.cell.driver.goals


@contextmanager
def answers_late(graph: Graph) -> Iterator[threading.Event]:
    """skill_node answers no question for its skills and permits before the event is set."""
    may, node = threading.Event(), graph.cell.skills
    (service,) = (each for each in node.services if each.srv_name.endswith('list_skills'))
    answer = service.callback

    def late(*words: Any) -> Any:
        assert may.wait(WAIT_S)
        return answer(*words)

    service.callback = late
    try:
        yield may
    finally:
        may.set()
        service.callback = answer


def test_a_permit_that_was_answered_after_a_stop_is_not_that_of_a_task_from_before_it(
        graph: Graph) -> None:
    running = graph.caller.send(TASK)
    assert graph.planner.asked.wait(WAIT_S)
    queue = graph.agent._server._waiting
    with answers_late(graph):
        waiting = graph.caller.send(TASK)
        until(lambda: len(queue) == 1)
        graph.stop_and_release()
    (later,) = graph.sent_to_wait(1, before=1)
    running.cancel()
    graph.planner.may.set()
    refused = waiting.end().result
    assert (refused.error_code, refused.error_msg) == (Result.REFUSED, f'skill_node: {OUTDATED}')
    assert later.end().result.success, 'it was sent after the stop'


def test_without_an_answer_at_all_a_task_in_the_queue_has_the_permit_of_the_one_before_it(
        graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    running = graph.caller.send(TASK)
    assert graph.planner.asked.wait(WAIT_S)
    monkeypatch.setattr(graph.agent._runner._skills._list, 'ask', lambda request: None)
    waiting = graph.caller.send(TASK)
    queue = graph.agent._server._waiting
    until(lambda: len(queue) == 1)
    graph.stop_and_release()
    running.cancel()
    graph.planner.may.set()
    assert waiting.end().result.error_msg == f'skill_node: {OUTDATED}'


def test_a_task_in_the_queue_whose_permit_nobody_knows_is_refused(
        graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """skill_node was not there when it was sent, nor for the task before it."""
    running = graph.caller.send(TASK)
    assert graph.planner.asked.wait(WAIT_S)
    runner = graph.agent._runner
    monkeypatch.setattr(runner._skills._list, 'ask', lambda request: None)
    waiting = graph.caller.send(TASK)
    queue = graph.agent._server._waiting
    until(lambda: len(queue) == 1)
    monkeypatch.setattr(runner._before, 'permit', 0)
    graph.planner.may.set()
    running.end()
    assert waiting.end().result.error_msg == f'skill_node: {OUTDATED}'


def test_a_task_that_waited_without_a_stop_moves(graph: Graph) -> None:
    first, second = graph.caller.send(TASK), graph.caller.send(TASK)
    graph.planner.may.set()
    assert first.end().result.success and second.end().result.success


def test_every_stop_ends_the_permits_before_it_also_one_of_an_arm_that_is_stopped(
        graph: Graph) -> None:
    latch = graph.cell.skills._latch
    permits = [latch.permit]
    for _ in range(2):
        assert graph.caller.trigger('stop').success
        permits.append(latch.permit)
    assert len(set(permits)) == 3
    assert graph.caller.trigger('reset_stop').success
    assert latch.permit == permits[-1], 'a release gives no new one'


@pytest.mark.parametrize(('known', 'moves'), [(True, True), (False, False)])
def test_a_skill_with_a_permit_moves_only_if_no_stop_came_since(graph: Graph, known: bool,
                                                               moves: bool) -> None:
    goal = skill_call_to_msg(HOME, SEEN)
    goal.permit = graph.cell.skills._latch.permit + (not known)
    handle = finished(graph.cell.outside._skills.send_goal_async(goal))
    ended = finished(handle.get_result_async()).result
    assert ended.error_code == (ExecuteSkill.Result.NONE if moves else ExecuteSkill.Result.STOPPED)
    assert bool(graph.cell.driver.goals) is moves
