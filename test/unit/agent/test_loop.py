# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop against scripted ports: what it does with each answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import CancelToken, Context, DeadlineExceeded
from replan_agent.domain.event import WarningRaised
from replan_agent.domain.failure import AttemptStage, Severity
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanProblem, PlanReply, ReplyKind
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.skill import REPLAN_STEP, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
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
    unreachable,
)

PICK_PLAN = steps(step(), goals=[HOLDING])


def test_a_plan_is_complete_if_the_scene_shows_its_goal():
    rig = Rig(FakePlanner(PICK_PLAN))
    result = rig.run()
    assert result.success and result.final_reason is FinalReason.PLAN_COMPLETE
    assert result.goal_verified is True and len(result.steps) == 1 and result.replans == 0


def test_a_structural_failure_exhausts_the_replans_and_surfaces_the_true_cause():
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(unreachable()),
              config=AgentConfig(max_replans=2, repeat_guard=False))
    result = rig.run()
    assert not result.success and result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert (result.replans, len(result.steps), len(result.attempts)) == (2, 3, 3)
    assert result.final_detail.startswith(
        'pick failed: unreachable — IK did not converge in 400 iters '
        '(pos_err=0.7052m > tol=0.001m)')


def test_the_planner_gets_every_prior_attempt_in_fixed_words():
    planner = FakePlanner(PICK_PLAN)
    Rig(planner, FakeSkills(unreachable(), succeeded())).run()
    assert planner.requests[0].prior_attempts == ()
    attempt = planner.requests[1].prior_attempts[0].as_dict()
    assert {k: attempt[k] for k in ('step_idx', 'skill', 'args', 'reason')} == {
        'step_idx': 0, 'skill': 'pick', 'args': {'object': 'red_cube'}, 'reason': 'unreachable'}
    assert 'IK did not converge' in attempt['reason_detail'] and attempt['stage'] == 'execute'
    assert planner.requests[1].replan == 1


def test_a_transient_failure_is_retried_after_a_fresh_look_without_a_new_plan():
    perception = FakePerception(scene(n=1), scene(n=2), scene(held='red_cube', n=3))
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(slipped(), succeeded()), perception)
    result = rig.run()
    assert result.success and result.replans == 0 and len(rig.planner.requests) == 1
    assert [s.scene_id for s in rig.skills.scenes] == ['s1', 's2']
    assert [s.retry for s in result.steps] == [0, 1] and len(result.attempts) == 1


def test_a_transient_failure_without_retries_left_is_replanned():
    config = AgentConfig(max_step_retries=2, max_replans=1)
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(slipped()), config=config)
    result = rig.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert len(rig.skills.executed) == 6 and len(rig.planner.requests) == 2


def test_the_repeat_guard_keeps_the_arm_still_but_the_attempts_count():
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(unreachable()))
    result = rig.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert len(rig.skills.executed) == 1 and len(result.attempts) == 4
    assert 'repeat_guard' in result.attempts[1].reason_detail


def test_the_repeat_guard_lets_a_step_through_when_the_object_has_moved():
    perception = FakePerception(scene(cube(1.2)), scene(cube(0.5)),
                                scene(cube(0.5), held='red_cube'))
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(unreachable(), succeeded()), perception)
    assert rig.run().success
    assert len(rig.skills.executed) == 2


@pytest.mark.parametrize(('cause', 'helps'), [
    (Cause.TOO_HEAVY, 'something lighter'), (Cause.SLIPPED_IN_LIFT, 'rougher fingers')])
def test_what_no_force_holds_is_not_picked_again_elsewhere_or_with_other_arguments(cause, helps):
    heavy = failed(Reason.GRASP_SLIPPED, '70 N do not hold red_cube', cause=cause,
                   proved_impossible=True)
    perception = FakePerception(scene(cube(0.5)), scene(cube(0.6)), scene(cube(0.55)))
    planner = FakePlanner(steps(step(object='red_cube', force=70), goals=[HOLDING]), PICK_PLAN)
    rig = Rig(planner, FakeSkills(heavy), perception)
    result = rig.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert '70 N do not hold red_cube' in result.final_detail
    assert len(rig.skills.executed) == 1 and len(result.attempts) == 4
    assert {a.diagnosis.cause for a in result.attempts} == {cause}
    assert result.would_help.startswith(helps)


def test_a_replan_step_looks_again_and_plans_the_rest_with_what_is_done():
    rig = Rig(FakePlanner(steps(step(), step(REPLAN_STEP, 2), goals=[HOLDING]),
                          steps(step('home', 1))))
    result = rig.run()
    assert result.success and (result.replans, result.total_replans) == (0, 1)
    (done,) = rig.planner.requests[1].completed
    assert (done.step, done.text) == (step(), 'pick step 1')
    assert [s.skill for s in rig.skills.executed] == ['pick', 'home']


def test_an_attempt_keeps_the_facts_of_the_failure_and_what_was_held():
    blocked = failed(Reason.PATH_BLOCKED, 'no way', cause=Cause.APPROACH_BLOCKED,
                     blockers=('blue_cube',))
    rig = Rig(FakePlanner(steps(step('place_on', target='bowl'), goals=[HOLDING])),
              FakeSkills(blocked), FakePerception(scene(cube(), held='red_cube')))
    attempt = rig.run().attempts[0]
    assert (attempt.cause, attempt.blockers) == (Cause.APPROACH_BLOCKED, ('blue_cube',))
    assert attempt.objects(None) == {'bowl', 'red_cube', 'blue_cube'}


def test_a_completed_step_says_what_was_held_before_it():
    rig = Rig(FakePlanner(steps(step('home'), goals=[HOLDING])),
              perception=FakePerception(scene(held='red_cube')))
    (done,) = rig.run().completed
    assert (done.step.skill, done.held) == ('home', 'red_cube')


def test_an_empty_plan_after_a_replan_step_ends_with_fixed_words():
    rig = Rig(FakePlanner(steps(step(), step(REPLAN_STEP, 2)), steps()))
    result = rig.run()
    assert result.final_reason is FinalReason.NO_PLAN
    assert result.final_detail == 'Adaptive replan failed'


def test_an_empty_first_plan_is_a_critical_failure_that_is_replanned():
    rig = Rig(FakePlanner(steps(), PICK_PLAN))
    result = rig.run()
    assert result.success and result.replans == 1
    assert result.attempts[0].stage is AttemptStage.PLAN
    assert result.attempts[0].diagnosis.severity is Severity.CRITICAL


@pytest.mark.parametrize(('kind', 'reason'), [
    (ReplyKind.UNRECOGNIZED, FinalReason.UNRECOGNIZED_PROMPT),
    (ReplyKind.GIVE_UP, FinalReason.GAVE_UP),
    (ReplyKind.EXHAUSTED, FinalReason.REPLAN_EXHAUSTED),
    (ReplyKind.TRANSPORT, FinalReason.VLM_TRANSPORT),
])
def test_a_planner_that_cannot_help_ends_the_task_with_its_words(kind, reason):
    result = Rig(FakePlanner(PlanReply(kind, detail='because'))).run()
    assert (result.final_reason, result.final_detail) == (reason, 'because')


def test_a_planner_failure_is_an_attempt_of_the_plan_stage():
    reply = PlanReply(ReplyKind.FAILED, reason=Reason.TIMEOUT, detail='too slow')
    result = Rig(FakePlanner(reply), config=AgentConfig(max_replans=1)).run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert [a.reason for a in result.attempts] == ['timeout'] * 2 and result.why == 'too slow'
    assert [a.stage for a in result.attempts] == [AttemptStage.PLAN] * 2 and not result.steps


@pytest.mark.parametrize('reason', [Reason.AMBIGUOUS_OBJECT, Reason.BAD_ARGUMENTS,
                                    Reason.OBJECT_NOT_FOUND])
def test_a_question_of_a_planner_without_a_model_ends_the_task(reason):
    reply = PlanReply(ReplyKind.FAILED, reason=reason, detail='which one?')
    result = Rig(FakePlanner(reply), config=AgentConfig(max_replans=3)).run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert [a.reason for a in result.attempts] == [reason.value]
    assert result.replans == 0 and result.why == 'which one?'


def test_an_object_that_another_look_shows_is_planned_with():
    lost = PlanReply(ReplyKind.FAILED, reason=Reason.OBJECT_NOT_FOUND, detail='no red cube')
    rig = Rig(FakePlanner(lost, PICK_PLAN), perception=FakePerception(
        scene(cube(name='blue_cube')), scene(held='red_cube')))
    assert rig.run().replans == 1 and len(rig.planner.requests) == 2


def test_the_result_says_why_only_of_a_failure_that_ended_the_task():
    failing = Rig(FakePlanner(PICK_PLAN), FakeSkills(slipped()),
                  config=AgentConfig(max_replans=0, max_step_retries=0),
                  ports={'reflector': RuleReflector()}).run()
    assert failing.why == failing.reflections[-1].root_cause and failing.would_help
    assert failing.why not in ('', failing.final_detail)
    unknown = Rig(FakePlanner(PlanReply(ReplyKind.UNRECOGNIZED, detail='what?'))).run()
    assert (unknown.why, unknown.would_help) == ('what?', '')
    done = Rig(FakePlanner(PICK_PLAN)).run()
    assert done.success and (done.why, done.would_help) == ('', '')


def test_done_is_a_success_only_when_the_scene_agrees():
    done = PlanReply(ReplyKind.DONE, goals=(HOLDING,))
    assert Rig(FakePlanner(done)).run().final_reason is FinalReason.ALREADY_DONE
    lying = Rig(FakePlanner(done), perception=FakePerception(scene())).run()
    assert not lying.success and lying.final_reason is FinalReason.GOAL_NOT_MET
    assert lying.attempts[0].stage is AttemptStage.GOAL


def test_a_goal_that_only_the_planner_named_and_that_was_true_from_the_start_is_no_success():
    done = PlanReply(ReplyKind.DONE, goals=(HOLDING,), goals_certain=False)
    result = Rig(FakePlanner(done)).run()
    assert not result.success and result.final_reason is FinalReason.GOAL_NOT_MET
    assert result.goal_verified is None


def test_a_goal_that_only_the_planner_named_counts_when_it_comes_true():
    plan = replace(PICK_PLAN, goals_certain=False)
    perception = FakePerception(scene(), scene(held='red_cube'))
    assert Rig(FakePlanner(plan), perception=perception).run().success


def test_steps_that_all_succeed_are_no_success_while_the_goal_is_unmet():
    rig = Rig(FakePlanner(PICK_PLAN), perception=FakePerception(scene()))
    result = rig.run()
    assert not result.success and result.final_reason is FinalReason.GOAL_NOT_MET
    assert result.goal_verified is False and result.replans == 3
    assert 'holding(red_cube)' in result.final_detail


def test_a_goal_the_scene_cannot_tell_is_never_assumed():
    goal = Goal(Predicate.IN, 'red_cube', 'bowl')
    plan = steps(step(), goals=[goal])
    seen = scene(cube(), cube(0.6, 'bowl'))
    result = Rig(FakePlanner(plan), perception=FakePerception(seen, scene())).run()  # it vanishes
    assert not result.success and result.goal_verified is None
    assert 'bowl was at (0.60, 0.00, 0.02) m before, and is not seen any more' in result.why
    assert result.would_help.startswith('bowl brought back') and result.causes == (
        'lost_from_view',)


def test_a_replan_cannot_weaken_the_goal():
    easy = steps(step(), goals=[Goal(Predicate.AT, 'red_cube', position=(0.5, 0.0))])
    rig = Rig(FakePlanner(PICK_PLAN, easy), FakeSkills(unreachable(), succeeded()),
              FakePerception(scene()), config=AgentConfig(max_replans=1, repeat_guard=False))
    result = rig.run()
    assert result.goals == (HOLDING,) and not result.success


def test_without_approval_nothing_moves():
    rig = Rig(FakePlanner(PICK_PLAN), approver=FakeApprover(False))
    result = rig.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED and not rig.skills.executed


def test_every_version_of_the_plan_needs_approval():
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(unreachable(), succeeded()),
              config=AgentConfig(repeat_guard=False))
    result = rig.run()
    assert rig.approver.asked == 2
    assert [(p.version, p.parent) for p in result.plans] == [(1, None), (2, 1)]


def test_an_invalid_plan_never_reaches_the_skills():
    problem = PlanProblem(Reason.UNKNOWN_SKILL, "no skill named 'fly'")
    rig = Rig(FakePlanner(PICK_PLAN), check=lambda plan, scene, skills: [problem])
    result = rig.run()
    assert not rig.skills.executed and not rig.approver.asked
    assert result.attempts[0].stage is AttemptStage.PLAN
    assert result.attempts[0].reason == 'unknown_skill' and result.why == problem.detail


def test_the_result_says_what_the_gripper_holds_at_the_end():
    held = Rig(FakePlanner(PICK_PLAN), perception=FakePerception(scene(held='red_cube'))).run()
    assert held.extra['held'] == 'red_cube'
    empty = Rig(FakePlanner(PICK_PLAN), perception=FakePerception(scene())).run()
    assert 'held' not in empty.extra


def test_the_number_of_steps_is_bounded():
    plan = steps(*(step(number=n) for n in range(1, 9)), goals=[HOLDING])
    result = Rig(FakePlanner(plan), config=AgentConfig(max_steps=5)).run()
    assert result.final_reason is FinalReason.MAX_STEPS and len(result.steps) == 5


def test_replans_after_errors_and_replan_steps_share_a_ceiling():
    again = steps(step(), step(REPLAN_STEP, 2))
    result = Rig(FakePlanner(again), config=AgentConfig(max_total_replans=2)).run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert result.total_replans == 2 and 'max_total_replans=2' in result.final_detail


def test_model_calls_are_counted_before_they_are_made():
    planner = FakePlanner(steps(step(), step(REPLAN_STEP, 2)), uses_model=True)
    perception = FakePerception(uses_model=True)
    result = Rig(planner, perception=perception, config=AgentConfig(max_api_calls=4)).run()
    assert result.final_reason is FinalReason.BUDGET_EXHAUSTED
    assert result.api_calls == 4 == len(planner.requests) + perception.calls
    assert len(result.steps) == 1  # the partial result is kept


def test_no_recapture_between_steps_saves_model_calls():
    perception = FakePerception(scene(held='red_cube'), uses_model=True)
    plan = steps(step(), step(number=2), goals=[HOLDING])
    result = Rig(FakePlanner(plan), perception=perception,
                 config=AgentConfig(recapture_after_step=False)).run()
    assert result.success and result.api_calls == 2  # the first look, and one to judge the goal


def test_a_task_that_takes_too_long_ends_with_its_budget():
    rig = Rig(FakePlanner(PICK_PLAN), config=AgentConfig(task_timeout=10))

    def overrun(ctx):
        rig.clock.advance(11)
        ctx.check()

    rig.skills.before_result = overrun
    result = rig.run()
    assert result.final_reason is FinalReason.BUDGET_EXHAUSTED and rig.skills.stops == 1
    assert 'task_timeout=10s' in result.final_detail


def test_a_skill_that_takes_too_long_is_stopped_and_tried_again():
    rig = Rig(FakePlanner(PICK_PLAN), config=AgentConfig(skill_timeout=5))

    def overrun_once(ctx):
        if len(rig.skills.executed) == 1:
            rig.clock.advance(6)
            ctx.check()

    rig.skills.before_result = overrun_once
    result = rig.run()
    assert result.success and result.attempts[0].reason == 'timeout' and rig.skills.stops == 1


def test_a_planner_that_takes_too_long_is_a_failed_attempt():
    def overrun(ctx):
        raise DeadlineExceeded

    planner = FakePlanner(PICK_PLAN)
    planner.before_reply = overrun
    result = Rig(planner, config=AgentConfig(max_replans=1)).run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert 'replan_timeout=300s' in result.final_detail and len(planner.requests) == 2


@pytest.mark.parametrize(('backoff', 'longest', 'waited'),
                         [(1, 60, 3 * 5), (2, 60, 5 + 10 + 20), (2, 12, 5 + 10 + 12)])
def test_plans_keep_their_minimum_interval_which_grows_with_each_failure(backoff, longest, waited):
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(unreachable()),
              config=AgentConfig(max_replans=3, replan_min_interval=5, replan_backoff=backoff,
                                 replan_backoff_max=longest))
    rig.run()
    assert rig.clock.now() == waited


def test_cancel_during_a_skill_stops_the_arm_and_ends_cancelled():
    token = CancelToken()
    rig = Rig(FakePlanner(PICK_PLAN), perception=FakePerception(scene(held='red_cube')))

    def cancel(ctx):
        token.cancel('Ctrl-C')
        ctx.check()

    rig.skills.before_result = cancel
    result = rig.run(ctx=Context(cancel=token))
    assert result.final_reason is FinalReason.CANCELLED and result.final_detail == 'Ctrl-C'
    assert rig.skills.stops == 1 and rig.recorder.result is result
    assert 'held' not in result.extra, 'nobody has looked since'


def test_a_bug_in_a_port_ends_the_task_and_not_the_process():
    rig = Rig(FakePlanner(PICK_PLAN))

    def bug(ctx):
        raise ZeroDivisionError('oops')

    rig.skills.before_result = bug
    result = rig.run()
    assert result.final_reason is FinalReason.INTERNAL_ERROR and rig.skills.stops == 1
    assert 'ZeroDivisionError: oops' in result.final_detail and 'internal_error' in rig.kinds()


def test_an_arm_that_cannot_be_confirmed_still_is_said_so():
    rig = Rig(FakePlanner(PICK_PLAN))

    def bug(*_):
        raise ConnectionError('no answer')

    rig.skills.before_result = bug
    rig.skills.stop = bug
    assert 'NOT confirmed: no answer' in rig.run().final_detail


def test_a_stopped_arm_ends_the_task_without_a_replan():
    stopped = failed(Reason.STOPPED, 'stop was pressed')
    result = Rig(FakePlanner(PICK_PLAN), FakeSkills(stopped)).run()
    assert result.final_reason is FinalReason.STOPPED and result.replans == 0


def test_no_first_scene_ends_with_perception_lost():
    result = Rig(FakePlanner(PICK_PLAN),
                 perception=FakePerception(PerceptionError('no camera'))).run()
    assert (result.final_reason, result.final_detail) == (
        FinalReason.PERCEPTION_LOST, 'no camera')


STALE = replace(scene(held='red_cube'), stale=True, warnings=('recapture failed (dark)',))


def test_a_perception_that_gives_up_in_the_middle_ends_with_perception_lost():
    perception = FakePerception(scene(), PerceptionError('dark for 31s'))
    result = Rig(FakePlanner(PICK_PLAN), perception=perception).run()
    assert (result.final_reason, result.final_detail) == (
        FinalReason.PERCEPTION_LOST, 'dark for 31s')
    assert len(result.steps) == 1


def test_a_stale_scene_is_worked_with_and_its_warning_is_an_event():
    perception = FakePerception(scene(), STALE, scene(held='red_cube'))
    rig = Rig(FakePlanner(steps(step(), step(number=2), goals=[HOLDING])), perception=perception)
    assert rig.run().success
    assert [s.stale for s in rig.skills.scenes] == [False, True]
    warnings = [e.message for e in rig.recorder.events if e.kind == 'warning_raised']
    assert warnings == ['recapture failed (dark)']


def test_a_stale_scene_at_the_end_is_looked_at_once_more():
    perception = FakePerception(scene(), STALE, scene(held='red_cube'))
    result = Rig(FakePlanner(PICK_PLAN), perception=perception).run()
    assert result.success and result.goal_verified is True and perception.calls == 3


def test_a_goal_is_never_judged_from_a_stale_scene():
    result = Rig(FakePlanner(PICK_PLAN), perception=FakePerception(scene(), STALE)).run()
    assert not result.success and result.goal_verified is None
    assert result.final_reason is FinalReason.GOAL_NOT_MET and 'dark' in result.final_detail


def test_each_attempt_is_recorded_before_the_next_one_starts():
    rig = Rig(FakePlanner(PICK_PLAN), FakeSkills(slipped(), succeeded()))
    rig.run()
    kinds = [k for k in rig.kinds() if k in ('step_started', 'step_finished', 'attempt_recorded')]
    assert kinds == ['step_started', 'step_finished', 'attempt_recorded',
                     'step_started', 'step_finished']


def test_a_task_without_a_goal_predicate_rests_on_its_verified_skills_and_says_so():
    result = Rig(FakePlanner(steps(step('look')))).run('look around')
    assert result.success and result.goal_verified is None and not result.goals


def test_a_task_without_a_goal_is_no_success_if_it_moved_what_should_stay():
    before = scene(cube(), cube(0.4, 'blue_cube'))
    after = scene(cube(), cube(0.6, 'blue_cube'), n=2)
    planner = FakePlanner(replace(steps(step('look')), left_alone=('blue_cube',)))
    result = Rig(planner, perception=FakePerception(before, after)).run('look around')
    assert not result.success and result.final_reason is FinalReason.GOAL_NOT_MET
    assert 'blue_cube' in result.final_detail and '200 mm' in result.final_detail


def test_a_later_plan_changes_the_goal_only_to_a_look_alike_of_an_impossible_object():
    twin = cube(0.4, 'red_cube_2')
    both, held = scene(cube(), twin), scene(cube(), twin, held='red_cube_2', n=2)
    other = Goal(Predicate.HOLDING, 'red_cube_2')
    planner = FakePlanner(steps(step(), goals=[HOLDING]),
                          steps(step(object='red_cube_2'), goals=[other]))
    result = Rig(planner, FakeSkills(unreachable(), succeeded()),
                 FakePerception(both, both, held)).run()
    assert result.success and result.goals == (other,)

    planner = FakePlanner(steps(step(), goals=[HOLDING]),
                          steps(step(object='red_cube_2'), goals=[other]))
    result = Rig(planner, FakeSkills(slipped(), succeeded()), FakePerception(both, both, held),
                 config=AgentConfig(max_step_retries=0, max_replans=1)).run()
    assert not result.success and result.goals == (HOLDING,)


IN_BOWL = Goal(Predicate.IN, 'red_cube', 'bowl')


def named(*goals: Goal, certain: bool = False) -> PlanReply:
    return replace(steps(step('look'), step(REPLAN_STEP, 2), goals=goals), goals_certain=certain)


@pytest.mark.parametrize(('first', 'second', 'in_force'), [
    (named(HOLDING), named(HOLDING, IN_BOWL), (HOLDING, IN_BOWL)),  # more: taken
    (named(HOLDING, IN_BOWL), named(HOLDING), (HOLDING, IN_BOWL)),  # less: not
    (named(HOLDING), named(IN_BOWL), (HOLDING,)),  # other: not
    (named(HOLDING), named(IN_BOWL, certain=True), (IN_BOWL,)),  # by the words: taken
    (named(HOLDING, certain=True), named(HOLDING, IN_BOWL), (HOLDING,))])  # certain before
def test_a_goal_that_was_only_named_may_be_added_to_or_set_right(first, second, in_force):
    rig = Rig(FakePlanner(first, second, PlanReply(ReplyKind.GIVE_UP, detail='enough')),
              perception=FakePerception(scene(cube(), cube(0.6, 'bowl'))))
    result = rig.run()
    assert result.goals == in_force
    warned = [e for e in rig.recorder.events if isinstance(e, WarningRaised)]
    assert len(warned) == 1


def test_a_plan_that_failed_twice_with_the_same_words_is_not_asked_for_again():
    reply = PlanReply(ReplyKind.FAILED, goals=(HOLDING,), reason=Reason.PRECONDITION_FAILED,
                      detail='the table has no free spot')
    moved = [scene(cube(x)) for x in (0.5, 0.6)]
    result = Rig(FakePlanner(reply), perception=FakePerception(*moved),
                 config=AgentConfig(max_replans=3)).run()
    assert not result.success and result.replans == 1
    assert result.final_detail.endswith('the table has no free spot')


def test_without_a_certain_goal_verified_skills_are_no_success():
    nothing_named = replace(steps(step('look')), goals_certain=False)
    result = Rig(FakePlanner(nothing_named)).run('make the table nice')
    assert not result.success and result.final_reason is FinalReason.GOAL_NOT_MET
    assert result.goal_verified is None and not result.goals
