# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop with a plan monitor: what guidance does to plans, goals, counters and records."""

from __future__ import annotations

from replan_agent.domain.chat import ModelError, ModelFailure
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import BudgetExhausted, DeadlineExceeded
from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.plan import PlanCause, PlanReply, ReplyKind
from replan_agent.domain.skill import REPLAN_STEP
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.task_view import Guidance

from .fakes import HOLDING, FakePerception, FakePlanner, Rig, scene, step, steps

PICK_PLAN = steps(step(), goals=[HOLDING])
LONG_PLAN = steps(step(number=1), step('home', 2), step('look', 3), goals=[HOLDING])
BEWARE = Guidance('undone_work', 'leave the blue cube alone')


class FakeMonitor:
    """Gives the n-th prepared answer to the n-th plan or step. It may be None or an error."""

    def __init__(self, reviews=(), watches=()):
        self.reviews, self.watches = list(reviews), list(watches)
        self.reviewed: list = []
        self.watched: list = []

    def review(self, plan, view, ctx):
        self.reviewed.append((plan, view))
        return self._next(self.reviews)

    def watch(self, plan, view, ctx):
        self.watched.append((plan, view))
        return self._next(self.watches)

    @staticmethod
    def _next(says):
        said = says.pop(0) if says else None
        if isinstance(said, Exception):
            raise said
        return said


def rig(monitor, *replies, **more):
    return Rig(FakePlanner(*replies), ports={'monitor': monitor}, **more)


def with_suggested(reply, *goals):
    return PlanReply(
        reply.kind, reply.steps, reply.goals, suggested_plan=SuggestedPlan(tuple(goals))
    )


def test_without_planning_enable_no_suggested_plan_is_kept():
    reply = with_suggested(PICK_PLAN, SuggestedGoal('hold it', HOLDING))
    assert rig(None, reply).run().suggested_plan is not None
    off = rig(None, reply, config=AgentConfig(planning_enable=False))
    assert off.run().suggested_plan is None


def test_guidance_before_running_refuses_the_plan_and_goes_to_the_planner():
    agent = rig(FakeMonitor([BEWARE]), PICK_PLAN)
    result = agent.run()
    assert result.success and len(agent.skills.executed) == 1 and agent.approver.asked == 1
    attempt, = result.attempts
    assert attempt.stage is AttemptStage.PLAN and attempt.plan_version == 1
    assert attempt.reason_detail.endswith(BEWARE.text)
    assert agent.planner.requests[1].context['optimization_guidance'] == BEWARE.text
    assert (result.replans, result.total_replans, result.guidance) == (1, 1, (BEWARE.text,))


def test_a_planner_that_never_heeds_runs_out_of_replans_and_nothing_moves():
    agent = rig(FakeMonitor([BEWARE] * 9), PICK_PLAN, config=AgentConfig(max_replans=2))
    result = agent.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED and not agent.skills.executed
    assert 'leave the blue cube alone' in result.final_detail


def test_guidance_after_a_step_makes_a_new_plan_that_is_no_error():
    agent = rig(FakeMonitor(watches=[BEWARE]), LONG_PLAN, PICK_PLAN)
    result = agent.run()
    assert result.success and (result.replans, result.total_replans) == (0, 1)
    assert not result.attempts and len(agent.skills.executed) == 2
    assert [p.cause for p in result.plans] == [PlanCause.INITIAL, PlanCause.MONITOR]
    assert result.plans[1].reason.endswith(BEWARE.text)


def test_a_monitor_that_always_objects_meets_the_ceiling_of_all_replans():
    agent = rig(FakeMonitor(watches=[BEWARE] * 99), LONG_PLAN,
                config=AgentConfig(max_total_replans=2))
    result = agent.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED and result.total_replans == 2


def test_after_the_last_step_the_goal_is_judged_without_the_monitor():
    monitor = FakeMonitor(watches=[BEWARE])
    assert rig(monitor, PICK_PLAN).run().success and not monitor.watched


def guidance_given(agent):
    """The guidance that came with each request for a plan."""
    return [r.context.get('optimization_guidance') for r in agent.planner.requests]


def test_guidance_holds_while_no_plan_is_made():
    agent = rig(FakeMonitor([BEWARE]), LONG_PLAN, steps(), PICK_PLAN)
    agent.run()
    assert guidance_given(agent) == [None, BEWARE.text, BEWARE.text]


def test_a_plan_that_passes_closes_the_guidance():
    again = steps(step(), step(REPLAN_STEP, 2), goals=[HOLDING])
    agent = rig(FakeMonitor([BEWARE]), again, again, PICK_PLAN)
    agent.run()
    assert guidance_given(agent) == [None, BEWARE.text, None]


def test_guidance_replaces_unmet_goals_and_never_touches_met_ones():
    met, unmet = SuggestedGoal('have it', HOLDING), SuggestedGoal('then something')
    advice = Guidance('no_progress', 'otherwise', (SuggestedGoal('then something else'),))
    agent = rig(FakeMonitor([advice]), with_suggested(PICK_PLAN, met, unmet), PICK_PLAN)
    result = agent.run()
    assert [(g.text, g.done) for g in agent.planner.requests[1].suggested_plan.goals] == [
        ('have it', True), ('then something else', False)]
    assert result.as_dict()['suggested_plan']['progress_step'] == 2


def test_progress_is_an_event_when_the_scene_shows_it():
    perception = FakePerception(scene(), scene(held='red_cube'))
    agent = rig(
        None, with_suggested(PICK_PLAN, SuggestedGoal('have it', HOLDING)), perception=perception
    )
    agent.run()
    seen = [e.progress_step for e in agent.recorder.events if e.kind == 'progress_seen']
    assert seen == [1, 2]


def test_the_monitor_sees_scenes_steps_and_what_was_said():
    monitor = FakeMonitor([BEWARE], [None])
    rig(monitor, LONG_PLAN).run()
    plan, first = monitor.reviewed[0]
    assert (plan.version, first.steps, len(first.scenes), first.guidance) == (1, (), 1, ())
    _, later = monitor.watched[0]
    assert len(later.scenes) == 2 and later.now is later.scenes[-1]
    assert [r.step.skill for r in later.steps] == ['pick'] and later.guidance == (BEWARE,)


def test_a_monitor_that_cannot_answer_is_a_warning_and_the_plan_goes_on():
    for error in (ModelError(ModelFailure.TIMEOUT, 'no answer'), DeadlineExceeded()):
        agent = rig(FakeMonitor([error]), PICK_PLAN)
        assert agent.run().success
        warning, = (e.message for e in agent.recorder.events if e.kind == 'warning_raised')
        assert warning.startswith('plan 1 was not reviewed to the end: ')


def test_nothing_to_do_is_not_reviewed():
    monitor = FakeMonitor([BEWARE])
    done = PlanReply(ReplyKind.DONE, goals=(HOLDING,))
    assert rig(monitor, done).run().final_reason is FinalReason.ALREADY_DONE
    assert not monitor.reviewed


def test_a_monitor_without_a_call_left_is_a_warning_and_the_plan_goes_on():
    agent = rig(FakeMonitor([BudgetExhausted('kept for plans')]), PICK_PLAN)
    assert agent.run().success and 'warning_raised' in agent.kinds()
