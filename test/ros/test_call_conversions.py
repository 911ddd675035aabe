# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals, feedback and results: both ways, and goals that are refused."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import domain_strategies as s
import pytest
from builtin_interfaces.msg import Duration
from hypothesis import given, settings
from hypothesis import strategies as st
from replan_agent_interfaces.action import ExecuteTask, MakePlan
from replan_agent_interfaces.srv import ApprovePlan
from wire import over_the_wire

from replan_agent.agent.task_progress import Progress, State
from replan_agent.arms.franka import FR3
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.event import AttemptRecorded, Event, PlanMade, StateChanged
from replan_agent.domain.plan import PlanReply, PlanRequest, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult
from replan_agent.domain.task_result import TaskResult
from replan_agent.ros.messages import call_messages as c
from replan_agent.ros.messages.message_fields import (
    MessageError,
    budget_from_msg,
    budget_to_msg,
    id_from_msg,
    time_from_msg,
)
from replan_agent.ros.messages.message_table import from_msg, to_msg, with_hand
from replan_agent.ros.messages.task_order import BUDGETS, TaskOrder
from replan_agent.text.plain_values import plain

TASK = '0a' * 16

progress = st.builds(Progress, st.sampled_from(State), s.count, s.count, st.none() | s.step,
                     s.count, st.none() | s.attempt, s.text, s.text)
budget_s = st.integers(10**9, 3600 * 10**9).map(lambda ns: ns / 10**9)
order = st.builds(
    TaskOrder, s.name.filter(str.strip), s.several(s.text), st.fixed_dictionaries({}, optional={
        'max_replans': st.integers(0, 100), 'max_total_replans': st.integers(0, 100),
        'max_api_calls': st.integers(0, 10_000), 'max_step_retries': st.integers(0, 100),
        'max_steps': st.integers(1, 1000), 'replan_timeout': budget_s,
        'skill_timeout': budget_s, 'task_timeout': budget_s}),
    st.none() | s.name, st.none() | s.name, st.none() | st.sampled_from(['auto', 'remote']),
    s.several(s.step))
few = settings(max_examples=25)


@few
@given(order)
def test_an_order_comes_back_as_it_went(value: TaskOrder) -> None:
    assert c.order_from_msg(over_the_wire(to_msg(value))) == value


@few
@given(s.task_result)
def test_a_task_result_comes_back_as_it_went(value: TaskResult) -> None:
    msg = over_the_wire(c.task_result_to_msg(value, 'a1', '/runs/x'))
    assert from_msg(TaskResult, msg) == value
    assert msg.run_folder == '/runs/x'
    assert (msg.error_code == ExecuteTask.Result.NONE) == value.success


@few
@given(progress)
def test_progress_comes_back_as_it_went(value: Progress) -> None:
    assert from_msg(Progress, over_the_wire(to_msg(value))) == value


@few
@given(s.request, s.seconds)
def test_a_plan_request_comes_back_as_it_went(value: PlanRequest, timeout_s: float) -> None:
    msg = over_the_wire(c.plan_request_to_msg(value, timeout_s))
    assert from_msg(PlanRequest, msg) == value
    assert time_from_msg(msg.timeout) == timeout_s


@few
@given(s.request)
def test_every_scene_of_a_request_has_the_hand_of_our_arm(value: PlanRequest) -> None:
    request = c.plan_request_from_msg(over_the_wire(c.plan_request_to_msg(value)), FR3.hand)
    assert {scene.hand for scene in (request.scene, *(proof.scene for proof in request.proofs))
            } == {FR3.hand}


@few
@given(s.scene)
def test_a_client_without_an_arm_finds_it_by_the_frame_of_the_scene(scene: Scene) -> None:
    assert with_hand(replace(scene, frame='left/fr3_link0')).hand is FR3.hand
    assert with_hand(replace(scene, frame='world')).hand is None


@pytest.mark.parametrize('left', [None, 0, 1, 30])
def test_a_budget_comes_back_as_it_went(left: int | None) -> None:
    assert budget_from_msg(budget_to_msg(left), 'max_api_calls') == left


def test_a_message_that_names_no_budget_sets_no_limit() -> None:
    assert budget_from_msg(MakePlan.Goal().max_api_calls, 'max_api_calls') is None


@few
@given(s.reply)
def test_a_plan_reply_comes_back_as_it_went(value: PlanReply) -> None:
    msg = over_the_wire(to_msg(value))
    assert from_msg(PlanReply, msg) == value
    assert bool(msg.error_code) == bool(msg.error_msg)


@few
@given(s.step, s.scene)
def test_a_skill_call_comes_back_as_it_went(step: Step, scene: Scene) -> None:
    msg = over_the_wire(c.skill_call_to_msg(step, scene, 'a1', 5.0))
    assert (from_msg(Step, msg.step), from_msg(Scene, msg.scene)) == (step, scene)


@few
@given(s.result)
def test_a_skill_outcome_comes_back_as_it_went(value: SkillResult) -> None:
    msg = over_the_wire(c.skill_outcome_to_msg(value))
    assert from_msg(SkillResult, msg.result) == value
    assert (msg.error_code == 0, msg.error_msg == '') == (value.success, value.success)


@few
@given(st.booleans(), s.text, s.text)
def test_an_approval_arrives_as_it_was_sent(approved: bool, approver: str, detail: str) -> None:
    request = ApprovePlan.Request(approved=approved, approver=approver, detail=detail)
    approval = c.approval_from_request(over_the_wire(request))
    assert approval == Approval(approved, approver, detail)


@few
@given(st.builds(StateChanged, s.text) | st.builds(PlanMade, s.plan, s.extent)
       | st.builds(AttemptRecorded, s.attempt.filter(
           lambda a: a.ik is None)))
def test_an_event_arrives_with_its_kind_and_fields(event: Event) -> None:
    msg = over_the_wire(c.event_to_msg(event, 1.5, TASK, 7))
    assert (time_from_msg(msg.header.stamp), msg.sequence) == (1.5, 7)
    assert id_from_msg(msg.task_id) == TASK
    assert (msg.kind, json.loads(msg.data_json)) == (event.kind, plain(event.as_dict()))


def goal(**changes: Any) -> ExecuteTask.Goal:
    return ExecuteTask.Goal(task='pick up the red cube', **changes)


def test_a_goal_that_says_nothing_changes_nothing() -> None:
    assert c.order_from_msg(goal()).applied_to(AgentConfig()) == AgentConfig()


def test_a_goal_changes_the_budgets_it_names() -> None:
    order = c.order_from_msg(goal(max_replans=7, max_api_calls=-1, task_timeout=Duration(sec=60)))
    config = order.applied_to(AgentConfig(max_steps=5))
    assert (config.max_replans, config.max_api_calls, config.max_steps) == (7, 0, 5)
    assert config.max_total_replans == 7, 'no other limit is nearer'
    assert config.task_timeout == 60.0


@pytest.mark.parametrize(('changes', 'complaint'), [
    ({'max_replans': -2}, 'max_replans: -2 is outside the allowed range 0 to 100'),
    ({'max_steps': -1}, 'max_steps: -1 is outside the allowed range 1 to 1000'),
    ({'task_timeout': Duration(sec=86_401)}, 'task_timeout: 86401.0 is outside'),
    ({'skill_timeout': Duration(sec=-3)}, 'skill_timeout: -3.0 is outside'),
])
def test_a_budget_out_of_range_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        c.order_from_msg(goal(**changes))


@pytest.mark.parametrize('task', ['', '  '])
def test_a_goal_without_a_task_is_refused(task: str) -> None:
    with pytest.raises(MessageError, match='task must not be empty'):
        c.order_from_msg(ExecuteTask.Goal(task=task))


def test_every_budget_of_a_goal_is_a_setting() -> None:
    of_agent = {field.name for field in fields(AgentConfig)}
    assert set(BUDGETS) <= of_agent & set(ExecuteTask.Goal.get_fields_and_field_types())
