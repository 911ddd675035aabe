# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""People over ROS: adaptive approval that asks one, and hints for a task that is stuck."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from replan_agent_interfaces.msg import Plan as PlanMsg
from replan_agent_interfaces.msg import Question
from replan_agent_interfaces.srv import ApprovePlan, GiveHint
from rig import Caller, finished, overrides, spun, until
from stand_ins import SEEN, StandInPerception, StandInSkills

from replan_agent.agent.task_progress import State
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed, succeeded
from replan_agent.ros.messages.message_fields import id_to_msg
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.qos import LATCHED

PICK = 'pick up the red cube'


class NotingPlanner:
    """Always picks the cube, and keeps what it was asked."""

    name = 'noting'
    uses_model = False

    def __init__(self) -> None:
        self.requests: list[PlanRequest] = []

    def plan(self, request: PlanRequest, ctx: Any) -> PlanReply:
        self.requests.append(request)
        return PlanReply(ReplyKind.STEPS, (Step(1, 'pick', {'object': 'red_cube'}),))


def blocked(call: Any) -> SkillResult:
    return failed(Reason.IN_COLLISION, 'link5 would touch the wall')


def called(caller: Caller, kind: Any, name: str, **request: Any) -> Any:
    client = caller.create_client(kind, name)
    assert client.wait_for_service(30)
    return finished(client.call_async(kind.Request(**request)))


def listen(caller: Caller) -> None:
    """Let the caller hear questions, as a panel does."""
    caller.create_subscription(Question, 'agent_node/question', lambda _: None, LATCHED)


def agent(**parameters: Any) -> AgentNode:
    quick = {'agent.local_planning': False, 'approval.speed_limit': 1.0, **parameters}
    return AgentNode(parameter_overrides=overrides(**quick))


def test_adaptive_approval_lets_a_harmless_plan_run(ros: Any) -> None:
    with spun(agent(approver='adaptive'), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        result = caller.run(PICK, max_replans=-1).result
    assert len(result.steps) == 1
    (decided,) = result.approvals
    assert (decided.approver, decided.risk, decided.threshold) == ('adaptive', 0.0, 0.5)


def test_adaptive_approval_asks_a_person_about_a_risky_one(ros: Any) -> None:
    node = agent(approver='adaptive', approval__fragile=['red_*'])
    with spun(node, PlannerNode(), StandInPerception(), StandInSkills()) as caller:
        listen(caller)
        task = caller.send(PICK)
        waiting = task.reaches(lambda progress: 'waits for approval' in progress.message)
        assert waiting.state is State.PENDING_APPROVAL
        assert 'red_cube' in waiting.message
        answer = called(caller, ApprovePlan, 'approve_plan', task_id=task.handle.goal_id,
                        plan_version=1, approved=False, approver='Ada', detail='not that one')
        assert answer.error_code == answer.NONE
        result = task.end().result
    assert (result.final_reason, result.final_detail) == ('approval_denied', 'not that one')
    (decided,) = result.approvals
    assert (decided.approver, decided.risk) == ('Ada', 0.5)


def test_a_person_changes_a_plan_and_only_then_approves_it(ros: Any) -> None:
    with spun(agent(approver='remote'), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        listen(caller)
        task = caller.send(PICK, max_replans=-1)
        for version, edit in ((1, 'slower'), (2, '')):
            task.reaches(lambda now, awaited=version: now.state is State.PENDING_APPROVAL
                         and now.plan_version == awaited)
            until(lambda v=version, e=edit: called(  # the state is told just before it waits
                caller, ApprovePlan, 'approve_plan', task_id=task.handle.goal_id, approved=True,
                plan_version=v, approver='Ada', edit=e).error_code == ApprovePlan.Response.NONE)
        result = task.end().result
    (step,) = result.steps
    assert json.loads(step.step.args_json) == {'object': 'red_cube', 'speed': 0.5}
    assert list(result.hints) == ['slower'] and result.goals_named_by == 'task'


def test_a_hint_reaches_the_planner_of_a_task_that_is_stuck(ros: Any) -> None:
    planner = NotingPlanner()
    node = agent(agent__human_after=1)
    with spun(node, PlannerNode(planner), StandInPerception(), StandInSkills(blocked)) as caller:
        listen(caller)
        task = caller.send(PICK, max_steps=2)
        task.reaches(lambda progress: progress.state is State.HUMAN_REQUIRED)
        wrong = called(caller, GiveHint, 'give_hint', task_id=id_to_msg('7' * 32), hint='x')
        assert (wrong.error_code, bool(wrong.error_msg)) == (wrong.WRONG_TASK, True)
        assert called(caller, GiveHint, 'give_hint', hint=' ').error_code == wrong.EMPTY
        assert called(caller, GiveHint, 'give_hint', task_id=task.handle.goal_id,
                      hint='from the left').error_code == wrong.NONE
        task.reaches(lambda progress: progress.plan_version == 2)
        task.cancel()
        result = task.end().result
        assert called(caller, GiveHint, 'give_hint', hint='x').error_code == wrong.NO_TASK
    assert planner.requests[1].context['hints'] == ['from the left']
    assert list(result.hints) == ['from the left']


def test_what_the_words_leave_open_is_asked_and_the_hint_answers_it(ros: Any) -> None:
    asked: list[Question] = []
    done: list[str] = []

    def noted(call: Any) -> SkillResult:
        done.append(str(call.request.step))
        return blocked(call)

    (red,) = SEEN.objects[:1]
    blue = replace(red, name='blue_cube', colour='blue', pose=Pose((0.5, -0.2, 0.02)))
    two = replace(SEEN, objects=(*SEEN.objects, blue))
    with spun(agent(), PlannerNode(), StandInPerception(scene=two),
              StandInSkills(noted)) as caller:
        caller.create_subscription(Question, 'agent_node/question', asked.append, LATCHED)
        task = caller.send('pick up the cube', max_steps=1)
        task.reaches(lambda progress: progress.state is State.HUMAN_REQUIRED)
        until(lambda: any('blue_cube' in question.question for question in asked))
        assert done == []
        called(caller, GiveHint, 'give_hint', hint='the blue one')
        result = task.end().result
    assert 'blue_cube' in done[0] and 'red_cube' not in done[0]
    assert list(result.hints) == ['the blue one']


def test_a_task_that_waits_for_a_person_says_so_on_diagnostics(ros: Any) -> None:
    said: list[DiagnosticStatus] = []
    node = agent(agent__human_after=1)
    with spun(node, PlannerNode(NotingPlanner()), StandInPerception(),
              StandInSkills(blocked)) as caller:
        listen(caller)
        caller.create_subscription(DiagnosticArray, '/diagnostics',
                                   lambda message: said.extend(message.status), 10)
        task = caller.send(PICK, max_steps=2)
        warned = until(lambda: next((s for s in said if s.level == DiagnosticStatus.WARN), None))
        task.cancel()
        task.end()
        said.clear()
        until(lambda: any(s.message == 'idle' for s in said))
    assert '300 s' in warned.message


def test_a_panel_that_starts_late_sees_what_is_waited_for_and_that_it_is_over(ros: Any) -> None:
    seen: list[Question] = []
    with spun(agent(approver='remote'), PlannerNode(), StandInPerception(),
              StandInSkills(slips_once())) as caller:
        task = caller.send(PICK, approval='remote')
        task.reaches(lambda now: 'waits for approval, request 1' in now.message)
        caller.create_subscription(Question, 'agent_node/question', seen.append, LATCHED)
        asked = until(lambda: next(iter(seen), None))
        called(caller, ApprovePlan, 'approve_plan', task_id=task.handle.goal_id, plan_version=1,
               request=asked.plan[0].request, approved=False)
        task.end()
        until(lambda: seen[-1].kind == Question.KIND_NONE)
    assert (asked.kind, asked.task) == (Question.KIND_APPROVAL, PICK)
    assert asked.task_id == task.handle.goal_id and asked.timeout.sec == 300
    assert asked.answer.startswith('ros2 service call /approve_plan ')


def test_a_question_that_nobody_hears_is_not_waited_for(ros: Any) -> None:
    node = agent(agent__human_after=1)
    with spun(node, PlannerNode(NotingPlanner()), StandInPerception(),
              StandInSkills(blocked)) as caller:  # it hears the feedback, as each client does
        result = caller.send(PICK, max_steps=2).end().result
    assert result.final_reason == 'human_required'


def test_a_plan_that_nobody_can_approve_is_denied_and_says_why(ros: Any) -> None:
    with spun(agent(approver='remote'), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        result = caller.send(PICK).end().result
    assert result.final_reason == 'approval_denied'
    assert '/agent_node/question' in result.final_detail


def test_a_goal_that_asks_for_a_person_is_waited_for(ros: Any) -> None:
    with spun(agent(approver='auto'), PlannerNode(), StandInPerception(),
              StandInSkills()) as caller:
        task = caller.send(PICK, approval='remote')
        task.reaches(lambda now: ' s of 300 s for a person' in now.message
                     and int(now.message.split()[2]) >= 2)
        called(caller, ApprovePlan, 'approve_plan', task_id=task.handle.goal_id, plan_version=1,
               approved=False, detail='no')
        assert task.end().result.final_detail == 'no'


@pytest.mark.parametrize('again', [PICK, 'pick up the blue cube'])
def test_a_stuck_task_continues_if_it_is_sent_again_with_a_hint(
    ros: Any, again: str
) -> None:
    planner = NotingPlanner()
    node = agent(agent__human_after=1, agent__human_timeout=0.2)
    with spun(node, PlannerNode(planner), StandInPerception(), StandInSkills(blocked)) as caller:
        stuck = caller.run(PICK).result
        caller.run(again, scene_hints=['from the left'])
    assert stuck.final_reason == 'human_required'
    first, second = planner.requests[:2]
    assert 'hints' not in first.context and second.context['hints'] == ['from the left']
    assert len(second.prior_attempts) == (1 if again == PICK else 0)


def test_a_stuck_task_does_not_continue_with_a_more_lenient_approver(ros: Any) -> None:
    node = agent(approver='auto', agent__human_after=1, agent__human_timeout=0.2,
                 approval__collision_risk=0.0, approval__failure_risk=0.0)  # nobody is asked
    with spun(node, PlannerNode(NotingPlanner()), StandInPerception(),
              StandInSkills(blocked)) as caller:
        caller.run(PICK, approval='adaptive')
        refused = caller.run(PICK, approval='auto', scene_hints=['from the left']).result
        again = caller.run(PICK, scene_hints=['from the left']).result
    assert "'auto'" in refused.error_msg and "'adaptive'" in refused.error_msg
    assert again.approvals[0].approver == 'adaptive'


def slips_once() -> Any:
    done: list[Any] = []

    def answer(call: Any) -> SkillResult:
        done.append(call)
        return (failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION)
                if len(done) == 1 else succeeded())
    return answer


def test_a_late_approval_of_a_plan_does_not_approve_its_retry(ros: Any) -> None:
    plans: list[PlanMsg] = []
    with spun(agent(approver='remote'), PlannerNode(), StandInPerception(),
              StandInSkills(slips_once())) as caller:
        caller.create_subscription(PlanMsg, 'agent_node/plan', plans.append, LATCHED)
        task = caller.send(PICK, max_replans=-1)

        def says(request: int) -> int:
            return int(called(caller, ApprovePlan, 'approve_plan', task_id=task.handle.goal_id,
                              plan_version=1, request=request, approved=True).error_code)

        task.reaches(lambda now: 'waits for approval, request 1' in now.message)
        wrong, accepted = ApprovePlan.Response.WRONG_PLAN, ApprovePlan.Response.NONE
        assert [says(2), says(0)] == [wrong, accepted]
        task.reaches(lambda now: 'waits for approval, request 2' in now.message)
        assert [says(0), says(1), says(2)] == [wrong, wrong, accepted]
        result = task.end().result
    assert len(result.steps) == 2
    first, second = result.approvals
    assert (first.request, second.request) == (1, 2)
    reviewed = next(plan for plan in plans if plan.request == 2)
    assert reviewed.steps == second.steps
