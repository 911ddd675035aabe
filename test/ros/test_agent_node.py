# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The agent node on its own: goals, cancel, approval and lost nodes. Nothing moves here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Duration
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Event as EventMsg
from replan_agent_interfaces.msg import Plan as PlanMsg
from replan_agent_interfaces.srv import ApprovePlan
from rig import Caller, Process, finished, overrides, spun, until
from stand_ins import EndlessPlanner, StandInPerception, StandInSkills

from replan_agent.agent.task_progress import State
from replan_agent.domain.chat import THINKING
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest
from replan_agent.domain.skill import Reason, failed
from replan_agent.ros.messages.message_fields import id_from_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.qos import EVENTS, LATCHED

Result = ExecuteTask.Result
PICK = 'pick up the red cube'


def test_a_wrong_person_area_stops_the_node_at_its_start(ros: Any) -> None:
    with pytest.raises(ConfigError, match='person_areas'):
        AgentNode(parameter_overrides=overrides(approval__person_areas=['desk']))


def is_planning(progress: Any) -> bool:
    return bool(progress.state is State.PLANNING)


@pytest.fixture
def thinking(ros: Any) -> Iterator[Caller]:
    """An agent with a planner that never ends; one more task may wait."""
    parameters = overrides(tasks__max_queued=1)
    agent = AgentNode(parameter_overrides=parameters)
    planner = EndlessPlanner()
    with spun(agent, PlannerNode(planner), StandInPerception(), StandInSkills()) as caller:
        caller.agent, caller.planner = agent, planner
        yield caller


@pytest.mark.parametrize(('goal', 'reason'), [
    ({'task': '  '}, 'task must not be empty'),
    ({'task': PICK, 'max_replans': 1000}, 'max_replans: 1000 is outside the allowed range'),
    ({'task': PICK, 'max_steps': -1}, 'max_steps: -1 is outside the allowed range'),
    ({'task': PICK, 'approval': 'maybe'},
     "approval 'maybe' is not one of: none, remote, adaptive, auto"),
    ({'task': PICK, 'approval': 'adaptive'}, 'more lenient than approver='),
    ({'task': PICK, 'approval': 'auto'}, 'more lenient than approver='),
    ({'task': PICK, 'planner': 'oracle'}, "planner 'oracle' is not one of: search, stub, vlm"),
])
def test_a_malformed_goal_is_refused_with_the_reason(
    ros: Any, goal: dict[str, Any], reason: str
) -> None:
    with spun(AgentNode(parameter_overrides=overrides(approver='remote'))) as caller:
        answer = caller.run(**goal)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_code == Result.REFUSED
    assert reason in answer.result.error_msg
    assert not answer.result.success


def test_one_task_runs_one_waits_and_the_third_is_refused(thinking: Caller) -> None:
    first = thinking.send(PICK)
    first.reaches(is_planning)
    second = thinking.send('the second')
    until(lambda: thinking.agent._server._waiting)
    third = thinking.run('the third')
    assert (third.status, third.result.error_code) == (GoalStatus.STATUS_ABORTED, Result.REFUSED)
    assert re.findall(r'\d+', third.result.error_msg)[:2] == ['1', '1']  # running, waiting

    waits = second.reaches(lambda progress: progress.state is State.IDLE)
    assert waits.message == 'waits: 1 task before it' and len(second.feedback) == 1
    first.cancel()
    assert first.end().result.final_reason == Result.FINAL_CANCELLED
    second.reaches(is_planning)
    second.cancel()
    assert second.end().status == GoalStatus.STATUS_CANCELED


def test_a_waiting_task_is_cancelled_at_once(thinking: Caller) -> None:
    first = thinking.send(PICK)
    first.reaches(is_planning)
    waiting = thinking.send('the second')
    waiting.cancel()
    answer = waiting.end()
    assert answer.status == GoalStatus.STATUS_CANCELED and answer.result.error_msg
    first.cancel()
    assert first.end().status == GoalStatus.STATUS_CANCELED


def test_a_cancel_reaches_the_planner(thinking: Caller) -> None:
    task = thinking.send(PICK)
    until(lambda: thinking.planner.begun)
    assert len(task.cancel().goals_canceling) == 1
    answer = task.end()
    assert answer.status == GoalStatus.STATUS_CANCELED
    assert answer.result.final_reason == Result.FINAL_CANCELLED
    assert answer.result.error_code == Result.CANCELLED
    assert answer.result.api_calls == 1, 'what the planner node spent counts here'


def test_a_model_that_thinks_is_heard_by_the_caller_and_on_the_topic(ros: Any) -> None:
    said = f'{THINKING}: 5 s, 12 tokens'

    class SlowModel(EndlessPlanner):
        def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
            ctx.report(said)
            return super().plan(request, ctx)

    events: list[EventMsg] = []
    with spun(AgentNode(parameter_overrides=overrides()), PlannerNode(SlowModel()),
              StandInPerception(), StandInSkills()) as caller:
        caller.create_subscription(EventMsg, 'events', events.append, EVENTS)
        task = caller.send(PICK)
        assert task.reaches(lambda progress: progress.message == said).state is State.PLANNING
        until(lambda: any(e.kind == EventMsg.KIND_MODEL_THINKING for e in list(events)))
        task.cancel()
        task.end()
    told = [e for e in events if e.kind == EventMsg.KIND_MODEL_THINKING and said in e.data_json]
    assert len(told) == 1


def test_a_plan_that_takes_too_long_is_a_failed_attempt(thinking: Caller) -> None:
    answer = thinking.run(PICK, replan_timeout=Duration(nanosec=300_000_000), max_replans=1)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.final_reason == Result.FINAL_REPLAN_EXHAUSTED
    assert [a.reason for a in answer.result.attempts] == ['timeout', 'timeout']


def test_a_planner_killed_while_it_plans_is_a_lost_node_and_is_found_again(ros: Any) -> None:
    def planner() -> Process:
        return Process(str(Path(__file__).with_name('stand_ins.py')), namespace='killed')

    place = {'namespace': 'killed'}
    parameters = overrides(timeouts__silence_timeout=6.0, timeouts__appear_timeout=40.0,
                           timeouts__answer_timeout=30.0)
    agent = AgentNode(parameter_overrides=parameters, **place)
    nodes = (agent, StandInPerception(**place), StandInSkills(**place))
    with planner() as first, spun(*nodes, **place) as caller:
        first.says('ready')
        task = caller.send(PICK)
        first.says('thinking')
        first.kill()
        answer = task.end()
        with planner() as second:
            second.says('ready')
            again = caller.send(PICK)
            again.reaches(lambda progress: THINKING in progress.message)
            again.cancel()
            found = again.end().result
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.final_reason == Result.FINAL_NODE_LOST
    assert answer.result.error_code == Result.NODE_LOST
    assert 'planner_node' in answer.result.final_detail
    assert 'waited' in answer.result.final_detail
    assert (found.final_reason, found.api_calls) == (Result.FINAL_CANCELLED, 1)


def test_a_node_that_is_not_there_is_named(ros: Any) -> None:
    parameters = overrides(timeouts__appear_timeout=0.5)
    with spun(AgentNode(parameter_overrides=parameters), StandInPerception(),
              StandInSkills()) as caller:
        answer = caller.run(PICK)
    assert answer.result.final_reason == Result.FINAL_NODE_LOST
    assert answer.result.final_detail.startswith('planner_node')
    assert answer.result.final_detail.endswith('0.5 s (make_plan)')


def test_a_silent_perception_ends_the_task_and_is_found_again(ros: Any) -> None:
    perception = StandInPerception(looks=0)
    parameters = overrides(timeouts__observe_timeout=0.5, scene_memory__lost_after=0.0)
    with spun(AgentNode(parameter_overrides=parameters), PlannerNode(), perception,
              StandInSkills()) as caller:
        silent = caller.run(PICK).result
        perception.looks = 10**6
        again = caller.run(PICK, max_replans=-1).result
    assert silent.final_reason == Result.FINAL_PERCEPTION_LOST
    assert silent.error_code == Result.PERCEPTION_LOST
    assert silent.final_detail.endswith(
        ': perception_node does not answer; waited 1.5 s (observe)')
    assert again.final_reason == Result.FINAL_GOAL_NOT_MET
    assert again.perception == 'stand_in'


def test_a_goal_may_ask_for_another_planner(ros: Any) -> None:
    """The other planner fails because its model cannot be reached."""
    vlm = overrides(vlm__base_url='http://127.0.0.1:9/v1', vlm__model='fake', vlm__images=False,
                    vlm__max_retries=0)
    with spun(AgentNode(parameter_overrides=overrides()), StandInPerception(), StandInSkills(),
              PlannerNode(parameter_overrides=vlm)) as caller:
        result = caller.run(PICK, planner='vlm').result
    assert result.final_reason == Result.FINAL_VLM_TRANSPORT
    assert (result.planner, result.api_calls) == ('vlm:fake', 1)


def test_feedback_reports_the_task_in_order(ros: Any) -> None:
    answers = iter([failed(Reason.IN_COLLISION, 'link5 would touch the wall')] * 2)
    parameters = overrides(agent__local_planning=False)
    with spun(AgentNode(parameter_overrides=parameters), PlannerNode(), StandInPerception(),
              StandInSkills(lambda call: next(answers))) as caller:
        task = caller.send(PICK, max_replans=1)
        result = task.end().result
    assert result.final_reason == Result.FINAL_REPLAN_EXHAUSTED
    once = [State.PLANNING, State.APPROVING, State.EXECUTING, State.DIAGNOSING]
    states = [p.state for p in task.feedback if p.message == p.state.value]
    assert states == [State.PERCEIVING, *once, State.REPLANNING, *once, State.FAILED]
    versions = [p.plan_version for p in task.feedback]
    assert versions == sorted(versions) and versions[-1] == 2
    last = task.feedback[-1].last_attempt
    assert last is not None and last.reason_detail == 'link5 would touch the wall'


def test_events_are_numbered_without_a_gap_and_a_late_joiner_gets_the_plan(ros: Any) -> None:
    with spun(AgentNode(parameter_overrides=overrides()), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        events: list[EventMsg] = []
        caller.create_subscription(EventMsg, 'events', events.append, EVENTS)
        task = caller.send(PICK, max_replans=-1)
        task.end()
        plans: list[PlanMsg] = []
        caller.create_subscription(PlanMsg, 'agent_node/plan', plans.append, LATCHED)
        until(lambda: plans and events and events[-1].kind == EventMsg.KIND_TASK_FINISHED,
              lambda: 'the last event, or the plan, did not come')
    ours = [e for e in events
            if id_from_msg(e.task_id) == id_from_msg(task.handle.goal_id)]
    numbers = [e.sequence for e in ours]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert ours[-1].kind == EventMsg.KIND_TASK_FINISHED
    assert [s.skill for s in plans[0].steps] == ['pick']
    assert id_from_msg(plans[0].task_id) == id_from_msg(ours[0].task_id)


class Person:
    """A person who calls `approve_plan`."""

    def __init__(self, caller: Caller) -> None:
        self._client = caller.create_client(ApprovePlan, 'approve_plan')

    def says(self, task: Any, version: int, approved: bool, detail: str = '') -> Any:
        assert self._client.wait_for_service(10)
        return finished(self._client.call_async(ApprovePlan.Request(
            task_id=task.handle.goal_id, plan_version=version,
            approved=approved, approver='Ada', detail=detail)))


def test_a_plan_waits_for_a_person(ros: Any) -> None:
    with spun(AgentNode(parameter_overrides=overrides(approver='remote')), PlannerNode(),
              StandInPerception(), StandInSkills()) as caller:
        person = Person(caller)
        task = caller.send(PICK, max_replans=-1, approval='remote')
        task.reaches(lambda progress: progress.state is State.PENDING_APPROVAL)
        task.reaches(lambda progress: 'waited 0 s of' in progress.message
                     and 's for a person: plan 1 needs' in progress.message)
        wrong = person.says(task, 7, True)
        assert (wrong.error_code, bool(wrong.error_msg)) == (wrong.WRONG_PLAN, True)
        assert not any(p.state is State.EXECUTING for p in task.feedback)
        assert person.says(task, 1, True).error_code == ApprovePlan.Response.NONE
        assert task.end().result.steps[0].step.skill == 'pick'
        late = person.says(task, 1, True)
        assert late.error_code == late.NOTHING_WAITS

        denied = caller.send(PICK, approval='remote')
        denied.reaches(lambda progress: progress.state is State.PENDING_APPROVAL)
        person.says(denied, 1, False, 'not now')
        result = denied.end().result
    assert (result.final_reason, result.final_detail) == ('approval_denied', 'not now')
    assert len(result.steps) == 0


def test_a_plan_that_is_not_approved_in_time_is_denied(ros: Any) -> None:
    parameters = overrides(approval__timeout=0.3)
    with spun(AgentNode(parameter_overrides=parameters), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        result = caller.run(PICK, approval='remote').result
    assert result.final_reason == Result.FINAL_APPROVAL_DENIED
    assert 'approval.timeout=0.3s' in result.final_detail


