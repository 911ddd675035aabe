# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the loop could let something through: stops, denials, broken recorders, old scenes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from replan_agent.approve.adaptive import AdaptiveApprover
from replan_agent.approve.risk import PlanRisk
from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig, ApprovalConfig, Config
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption
from replan_agent.domain.plan import PlanCause, PlanProblem, PlanReply, ReplyKind
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.task_view import Guidance, RehearsalResult
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.replan.reflect.reflection import RuleReflector

from .fakes import (
    HOLDING,
    FakeApprover,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    slipped,
    step,
    steps,
)

PLAN = steps(step(), goals=[HOLDING])
BLOCKED = failed(Reason.IN_COLLISION, 'none of 40 grasps is free', FailedStage.PLANNING)
HELD = scene(held='red_cube')
EMPTY_HANDED = scene()


class Options:
    """A local planner that proposes these, and decides always the same."""

    goal = 'red_cube can be grasped'
    saw_all = False

    def __init__(self, decision: Decision, *options: LocalOption) -> None:
        self._decision, self._left = decision, list(options)

    def begin(self, *_: Any):
        return self if self._left else None

    def score(self, scene, ctx):
        return 5.0

    def next_option(self, scene, ctx):
        return self._left.pop(0) if self._left else None

    def judge(self, number, option, before, after, succeeded, ctx):
        return LocalNode(number, option, 5.0, 5.0, succeeded, self._decision)


def push(metres: float) -> LocalOption:
    return LocalOption(f'push {metres}', 'push',
                       (step('push', object='red_cube', distance=metres),), None)


TO_THE_SIDE = LocalOption('side', 'other_grasp', changes={'grasp': 'side'})


def rig(skills: FakeSkills, local: Options | None, *scenes, **more) -> Rig:
    ports = {'local_planner': local, 'reflector': RuleReflector()}
    return Rig(FakePlanner(PLAN), skills, FakePerception(*(scenes or (EMPTY_HANDED,))),
               ports=ports, **more)


@pytest.mark.parametrize('saw_all', [True, False])
def test_that_no_other_plan_exists_needs_a_local_search_that_looked_at_everything(saw_all):
    boxed_in = failed(Reason.IN_COLLISION, 'none of 40 grasps is free', FailedStage.PLANNING,
                      cause=Cause.BOXED_IN, blockers=('wall',))
    local, planner = Options(Decision.CANCEL), FakePlanner(PLAN, PLAN, PLAN, PLAN)
    local.saw_all = saw_all
    result = Rig(planner, FakeSkills(boxed_in), FakePerception(scene(cube(), cube(0.55, 'wall'))),
                 ports={'local_planner': local, 'reflector': RuleReflector()}).run()
    assert not result.success and bool(planner.requests[-1].proofs) is saw_all
    assert all(proof.result.proved_impossible for proof in planner.requests[-1].proofs)


def test_a_stop_during_local_planning_ends_the_task():
    skills = FakeSkills(BLOCKED, failed(Reason.STOPPED, 'someone pressed stop'), succeeded())
    run = rig(skills, Options(Decision.EXPLORE, push(0.06), push(0.12)))
    assert run.run().final_reason is FinalReason.STOPPED
    assert len(skills.executed) == 2


def test_a_step_that_local_planning_changed_is_checked_and_approved():
    seen = []

    def check(plan, scene, specs):
        seen.append(plan)
        changed = 'grasp' in plan.steps[0].args
        return [PlanProblem(Reason.BAD_ARGUMENTS, 'not like that')] if changed else []

    skills = FakeSkills(BLOCKED, succeeded())
    run = rig(skills, Options(Decision.SUCCESS, TO_THE_SIDE), check=check,
              config=AgentConfig(max_replans=0))
    assert not run.run().success
    assert len(seen) == 2 and [dict(s.args) for s in skills.executed] == [{'object': 'red_cube'}]


def test_the_twin_rehearses_the_rest_of_the_path_with_its_first_action():
    rehearsed = []

    class Twin:
        def is_due(self, plan, scene):
            return True

        def rehearse(self, plan, scene, ctx):
            rehearsed.append([s.skill for s in plan.steps])
            return RehearsalResult(True, 0.0)

    skills = FakeSkills(BLOCKED, succeeded(), succeeded())
    first = replace(push(0.3), later=(step(),))
    run = rig(skills, Options(Decision.SUCCESS, first), EMPTY_HANDED, EMPTY_HANDED, HELD,
              rehearsal=Twin())
    assert run.run().success
    assert ['push', 'pick'] in rehearsed
    assert [s.skill for s in skills.executed] == ['pick', 'push', 'pick']


def test_the_monitor_reviews_local_actions_like_plans():
    class Objects:
        def review(self, plan, view, ctx):
            if plan.cause is PlanCause.LOCAL:
                return Guidance('undone_work', 'leave it there')
            return None

        def watch(self, plan, view, ctx):
            return None

    skills = FakeSkills(BLOCKED, succeeded())
    ports = {'local_planner': Options(Decision.CANCEL, push(0.3)), 'monitor': Objects()}
    result = Rig(FakePlanner(PLAN), skills, FakePerception(EMPTY_HANDED), ports=ports,
                 config=AgentConfig(max_replans=0)).run()
    assert [s.skill for s in skills.executed] == ['pick']
    assert not result.local[0].nodes[0].succeeded


def test_a_search_without_an_option_is_recorded():
    run = rig(FakeSkills(BLOCKED), Options(Decision.CANCEL), config=AgentConfig(max_replans=0))
    (record,) = run.run().local
    assert not record.nodes and not record.solved and record.detail


def test_what_the_agent_plans_itself_is_rehearsed_too():
    rehearsed = []

    class Twin:
        def is_due(self, plan, scene):
            return True

        def rehearse(self, plan, scene, ctx):
            rehearsed.append(plan.steps[0].call)
            return RehearsalResult(True, 0.0)

    skills = FakeSkills(BLOCKED, succeeded(), slipped(), succeeded())
    run = rig(skills, Options(Decision.SUCCESS, push(0.3)), EMPTY_HANDED, EMPTY_HANDED,
              EMPTY_HANDED, HELD, rehearsal=Twin())
    assert run.run().success
    assert [s.call for s in skills.executed][1] in rehearsed  # the local action
    assert [s.call for s in skills.executed][3] in rehearsed  # the firmer grip


def test_the_chance_of_a_version_is_that_of_the_plan_not_of_the_agents_own_steps():
    class Twin:
        def is_due(self, plan, scene):
            return True

        def rehearse(self, plan, scene, ctx):
            return RehearsalResult(True, 0.0, chance={'said': plan.planner})

    skills = FakeSkills(BLOCKED, succeeded(), succeeded())
    run = rig(skills, Options(Decision.SUCCESS, push(0.3)), EMPTY_HANDED, EMPTY_HANDED, HELD,
              rehearsal=Twin())
    result = run.run()
    assert result.extra['chances'] == {1: {'said': result.plans[0].planner}}


def test_a_failed_local_action_does_not_hide_why_the_step_is_blocked():
    aborted = failed(Reason.CONTROLLER_ABORTED, 'the push was held up')
    run = rig(FakeSkills(BLOCKED, aborted, BLOCKED), Options(Decision.EXPLORE, push(0.06)),
              config=AgentConfig(max_replans=1, repeat_guard=False))
    result = run.run()
    assert result.final_detail.startswith('pick failed: in_collision')
    assert 'push' not in run.planner.requests[1].context['error_analysis']['root_cause']


@pytest.mark.parametrize('local', [None, Options(Decision.EXPLORE)])
def test_without_a_local_solution_the_triggers_still_decide_about_a_new_plan(local):
    run = rig(FakeSkills(BLOCKED), local, config=AgentConfig(replan_on_high=False))
    assert not run.run().success
    assert len(run.planner.requests) == 1


class FullDisk(MemoryRecorder):
    """Fails from the first phase of a skill on."""

    full = False

    def record(self, event):
        self.full = self.full or event.kind == 'phase_started'
        if self.full:
            raise OSError(28, 'No space left on device')
        super().record(event)

    def finish(self, result):
        raise OSError(28, 'No space left on device')


class Phased(FakeSkills):
    def execute(self, step, scene, ctx, on_phase):
        on_phase('approach')
        return super().execute(step, scene, ctx, on_phase)


def test_a_recorder_that_fails_stops_the_arm_and_is_said_in_the_result():
    skills = Phased()
    result = Rig(FakePlanner(PLAN), skills, recorder=FullDisk()).run()
    assert result.final_reason is FinalReason.INTERNAL_ERROR and skills.stops == 1
    assert 'No space left' in result.final_detail and 'not recorded' in result.final_detail


def test_done_without_a_goal_is_no_success_after_a_step_failed():
    place = step('place_on', 2, target='bowl')
    full = failed(Reason.TARGET_OCCUPIED, 'the bowl is full', FailedStage.PLANNING)
    result = Rig(FakePlanner(steps(step(), place), PlanReply(ReplyKind.DONE)),
                 FakeSkills(succeeded(), full)).run('put the red cube in the bowl')
    assert not result.success and result.final_reason is FinalReason.GOAL_NOT_MET
    assert result.goal_verified is None


class Complains:
    """A monitor that objects after each step."""

    def __init__(self) -> None:
        self.watched = 0

    def review(self, plan, view, ctx):
        return None

    def watch(self, plan, view, ctx):
        self.watched += 1


@pytest.mark.parametrize(('looks', 'watched'), [(True, 1), (False, 0)])
def test_the_monitor_judges_only_what_was_looked_at_since_the_step(looks, watched):
    monitor = Complains()
    Rig(FakePlanner(steps(step(), step(number=2), goals=[HOLDING])),
        config=AgentConfig(recapture_after_step=looks), ports={'monitor': monitor}).run()
    assert monitor.watched == watched


def adaptive(person: FakeApprover | None = None, **approval) -> AdaptiveApprover:
    config = Config(approval=ApprovalConfig(speed_risk=0.0, **approval))
    return AdaptiveApprover(PlanRisk(config, PANDA.home_tcp), config.approval,
                            person or FakeApprover())


def test_a_cancelled_task_does_not_make_the_next_one_more_trusted():
    approver, token = adaptive(threshold=0.3, fragile=('*red*',)), CancelToken()
    skills = FakeSkills()
    skills.before_result = lambda ctx: (token.cancel(), ctx.check())
    Rig(FakePlanner(PLAN), skills, approver=approver).run(ctx=Context(cancel=token))
    Rig(FakePlanner(PlanReply(ReplyKind.DONE, goals=(HOLDING,))), approver=approver).run()
    assert approver.threshold.value <= 0.3


def test_a_denied_change_does_not_hide_that_the_approved_plan_failed():
    config = Config(approval=ApprovalConfig(threshold=0.5, speed_risk=0.0, failure_risk=0.6))
    approver = AdaptiveApprover(PlanRisk(config, PANDA.home_tcp), config.approval, None)
    rig(FakeSkills(slipped()), None, approver=approver,
        config=AgentConfig(max_replans=0, max_step_retries=1)).run()
    assert approver.threshold.value < 0.5


TOUCHED = failed(Reason.IN_COLLISION, 'unexpected contact', contact=True)
PICK_AND_PLACE = steps(step(), step('place_on', 2, target='bowl'), goals=[HOLDING])


@pytest.mark.parametrize('adapt', [True, False])
def test_after_a_contact_nothing_moves_that_a_person_denies(adapt):
    person, skills = FakeApprover(False), FakeSkills(TOUCHED, succeeded())
    result = rig(skills, None, approver=adaptive(person),
                 config=AgentConfig(adapt_retries=adapt)).run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert len(skills.executed) == 1 and person.asked == 1


def test_after_a_contact_the_rest_of_the_plan_is_approved_once():
    person, skills = FakeApprover(True), FakeSkills(TOUCHED, succeeded(), succeeded())
    run = Rig(FakePlanner(PICK_AND_PLACE), skills, FakePerception(EMPTY_HANDED, HELD),
              approver=adaptive(person), ports={'reflector': RuleReflector()})
    result = run.run()
    assert result.success and person.asked == 1
    again = person.plans[-1]
    assert [s.skill for s in again.steps] == ['pick', 'place_on']
    assert again.reason.endswith('after a contact: unexpected contact')


def test_a_new_plan_that_a_person_approved_after_a_contact_is_not_asked_about_again():
    person, skills = FakeApprover(True), FakeSkills(TOUCHED, succeeded())
    run = Rig(FakePlanner(PICK_AND_PLACE), skills, FakePerception(EMPTY_HANDED, HELD),
              approver=adaptive(person), config=AgentConfig(max_step_retries=0))
    result = run.run()
    assert result.success and len(run.planner.requests) == 2
    assert person.asked == 1, 'the person who approved the new plan knew of the contact'
    assert [plan.cause for plan in result.plans] == [PlanCause.INITIAL, PlanCause.ERROR]


def test_a_step_that_needs_a_fresh_view_is_tried_again_after_another_look():
    stale = failed(Reason.STALE_SCENE, 'red_cube was seen 90 s ago', FailedStage.PRECONDITION)
    skills = FakeSkills(stale, succeeded())
    perception = FakePerception(*(scene(held='red_cube', n=n) for n in (1, 2, 3)))
    assert Rig(FakePlanner(PLAN), skills, perception).run().success
    assert [seen.scene_id for seen in skills.scenes] == ['s1', 's2']


def test_what_local_planning_changed_stays_changed_in_a_further_retry():
    missed = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
                    closed_width=0.04, gripper_width=0.0)
    run = rig(FakeSkills(BLOCKED, missed, succeeded()), Options(Decision.SUCCESS, TO_THE_SIDE),
              EMPTY_HANDED, EMPTY_HANDED, HELD)
    assert run.run().success
    assert [s.args.get('grasp') for s in run.skills.executed] == [None, 'side', 'side']
    assert run.skills.executed[-1].args['force'] == 60


def test_an_undone_action_counts_as_reverted_only_when_everything_is_seen_back():
    there = scene(cube(), cube(0.4, 'blue_cube'))
    elsewhere = scene(cube(), cube(0.43, 'blue_cube'))
    clear = LocalOption('clear', 'clear_obstacle', (step('pick', object='blue_cube'),),
                        (step('place_at', x=0.4, y=0.0),))
    for after, back in ((there, True), (elsewhere, False)):
        run = rig(FakeSkills(BLOCKED, succeeded(), succeeded(), BLOCKED),
                  Options(Decision.REVERT, clear), there, elsewhere, after,
                  config=AgentConfig(max_replans=0))
        assert run.run().local[0].nodes[0].reverted is back


def test_a_cancelled_step_is_on_record_as_interrupted():
    token, skills = CancelToken(), FakeSkills()
    skills.before_result = lambda ctx: (token.cancel(), ctx.check())
    run = Rig(FakePlanner(PLAN), skills)
    result = run.run(ctx=Context(cancel=token))
    assert result.final_reason is FinalReason.CANCELLED
    (record,) = result.steps
    assert record.result.reason_detail.startswith('interrupted')
    assert 'step_finished' in run.kinds()


class Guides(Complains):
    def watch(self, plan, view, ctx):
        return Guidance('no_progress', 'this leads nowhere')


def test_without_replanning_guidance_is_recorded_and_the_plan_continues():
    run = Rig(FakePlanner(PICK_AND_PLACE), FakeSkills(),
              config=AgentConfig(replanning=False, recapture_after_step=True),
              ports={'monitor': Guides()})
    result = run.run()
    assert len(run.planner.requests) == 1 and result.guidance
