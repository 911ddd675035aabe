# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A person changes a plan instead of denying it: nothing moves before a yes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.agent.state.approvals import SpeedCaps, edited_steps, wants_slower
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.local_planning import Decision, LocalOption
from replan_agent.domain.plan import PlanCause
from replan_agent.domain.recovery import Fix
from replan_agent.domain.resume import Resume
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.validation import PlanValidator
from replan_agent.replan.reflect.reflection import RuleReflector

from .fakes import (
    HOLDING,
    SPECS,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    step,
    steps,
)
from .test_loop_edges import BLOCKED, Options

LOOK, PICK, HOME = step('look'), step(number=2), step('home', 3)
PLAN = steps(LOOK, PICK, HOME, goals=[HOLDING])


class Editor:
    """An approver that answers with these texts in turn: 'y', 'n', or what to change."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.offered: list[tuple[str, ...]] = []
        self.plans: list = []

    def approve(self, request, ctx) -> Approval:
        self.offered.append(tuple(s.skill for s in request.plan.steps))
        self.plans.append(request.plan)
        answer = self.answers.pop(0)
        if answer in 'yn':
            return Approval(answer == 'y', 'Ada', '' if answer == 'y' else 'no, thanks')
        return Approval(False, 'Ada', edit=answer)

    def report_outcome(self, success: bool) -> None:
        """Not interested."""


def rig(editor: Editor, *replies, skills: FakeSkills | None = None, **more) -> Rig:
    return Rig(FakePlanner(*(replies or (PLAN,))), skills or FakeSkills(),
               approver=editor, **more)  # type: ignore[arg-type]


def edited(steps, wish):
    """The steps as wished, where nobody wanted anything before."""
    caps = SpeedCaps()
    if wants_slower(wish):
        caps.lower(steps, SPECS)
    return edited_steps(steps, wish, lambda kept: caps.applied(kept, SPECS))


def test_a_step_is_left_out_and_the_new_version_is_asked_about():
    editor = Editor('without step 1', 'y')
    setup = rig(editor)
    result = setup.run()
    assert result.success and editor.offered == [('look', 'pick', 'home'), ('pick', 'home')]
    assert [s.skill for s in setup.skills.executed] == ['pick', 'home']
    assert [(p.version, p.cause) for p in result.plans[1:]] == [(2, PlanCause.HUMAN)]
    assert [s.step_number for s in editor.plans[1].steps] == [1, 2]
    assert result.hints == ('without step 1',) and len(setup.planner.requests) == 1


def test_slower_lowers_the_speed_of_every_step_that_has_one():
    editor = Editor('slower', 'slower', 'y')
    setup = rig(editor)
    assert setup.run().success
    assert [s.args.get('speed') for s in setup.skills.executed] == [None, 0.25, None]


STILL = steps(LOOK, HOME, goals=[HOLDING])  # no step has a speed


def test_a_plan_that_cannot_be_slower_is_asked_about_as_it_is():
    editor = Editor('slower', 'y')
    setup = rig(editor, STILL, perception=FakePerception(scene(), scene(held='red_cube')))
    assert setup.run().success and len(setup.planner.requests) == 1
    assert editor.offered == [('look', 'home')] * 2
    said = [e.message for e in setup.recorder.events if e.kind == 'warning_raised']
    assert any('no step of this plan has a speed' in message for message in said)


def test_slower_to_what_is_slowest_moves_nothing_and_says_why():
    setup = rig(Editor('slower', 'slower please'), STILL)
    result = setup.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED and not setup.skills.executed
    assert 'has a speed that can be lowered' in result.final_detail
    assert 'same plan' not in result.final_detail


def test_nothing_moves_if_the_changed_plan_is_denied():
    setup = rig(Editor('without step 3', 'n'))
    result = setup.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert not setup.skills.executed
    assert [(a.approved, a.edit) for a in result.approvals] == [
        (False, 'without step 3'), (False, '')]


def test_any_other_wish_is_a_hint_for_the_planner():
    editor = Editor('use the left hand side', 'y')
    setup = rig(editor, PLAN, steps(PICK, goals=[HOLDING]))
    assert setup.run().success
    assert setup.planner.requests[1].context['hints'] == ['use the left hand side']
    assert editor.offered == [('look', 'pick', 'home'), ('pick',)]


def test_a_planner_that_makes_the_same_plan_again_ends_the_task_without_asking_again():
    editor = Editor('use the left hand side', 'y')
    setup = rig(editor)
    result = setup.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert "'use the left hand side'" in result.final_detail
    assert len(editor.offered) == 1 and not setup.skills.executed


def test_a_change_that_makes_the_plan_invalid_is_left_to_the_planner():
    check = PlanValidator(WorkspaceConfig(), 20)
    editor = Editor('without step 1', 'y')
    carry = steps(step(), step('place_at', 2, x=0.4, y=0.0), goals=[HOLDING])
    setup = rig(editor, carry, steps(step(), goals=[HOLDING]), check=check,
                perception=FakePerception(scene(), scene(), scene(held='red_cube')))
    setup.run()
    assert editor.offered == [('pick', 'place_at'), ('pick',)]
    assert setup.planner.requests[1].prior_attempts[0].reason == Reason.PRECONDITION_FAILED


def test_a_wish_holds_for_later_plans_too():
    slipped = failed(Reason.UNREACHABLE, 'too far')
    editor = Editor('without step 1', 'y', 'y')
    setup = rig(editor, skills=FakeSkills(slipped, succeeded()))
    assert setup.run().success and len(setup.planner.requests) == 2
    assert editor.offered == [('look', 'pick', 'home'), ('pick', 'home'), ('pick', 'home')]


def test_a_retry_can_be_changed_too():
    editor = Editor('y', 'slower', 'y')
    setup = rig(editor, steps(step(), goals=[HOLDING]),
                skills=FakeSkills(failed(Reason.GRASP_SLIPPED, 'it slipped'), succeeded()))
    assert setup.run().success
    assert [s.args.get('speed') for s in setup.skills.executed] == [None, 0.5]


@pytest.mark.parametrize(('wish', 'left'), [
    ('without step 2', [1, 3]), ('Skip step 1 and 3, please.', [2]), ('drop steps 1, 2', [3]),
    ('leave out the step 3', [1, 2])])
def test_words_that_leave_steps_out(wish, left):
    kept = edited((LOOK, PICK, HOME), wish)
    assert [s.skill for s in kept] == [('look', 'pick', 'home')[n - 1] for n in left]


@pytest.mark.parametrize('wish', [
    'without step 7', 'without steps 1, 2 and 3', 'without step 2 but with the blue one',
    'take the other one', 'faster', 'skip step 2, not step 3', 'too slow',
    'without step', '10 times slower than step 2'])
def test_what_the_agent_cannot_do_itself_is_not_guessed(wish):
    assert edited((LOOK, PICK, HOME), wish) is None


def test_slower_means_nothing_where_no_step_has_a_speed_or_it_is_the_lowest():
    assert edited((LOOK, HOME), 'slower') is None
    lowest = step(object='red_cube', speed=0.1)
    assert edited((lowest,), 'slower') is None


def test_both_at_once():
    (kept,) = edited((LOOK, PICK), 'slower, and without step 1')
    assert kept.args == {'object': 'red_cube', 'speed': 0.5}


@pytest.mark.parametrize('no', ['no stop', "don't", 'stop'])
def test_a_wish_that_is_a_refusal_is_a_no(no):
    setup = rig(Editor(no, 'y'))
    result = setup.run()
    assert result.final_reason is FinalReason.APPROVAL_DENIED and no in result.final_detail
    assert not setup.skills.executed and not result.hints


@pytest.mark.parametrize(('text', 'slower'), [
    ('slower', True), ('slow', True), ('slower, and use the left side', True),
    ("slower, and don't touch the bowl", True), ('not so slowly', False), ('too slow', False),
    ("the red one, don't go slower", False), ('it slipped in the slow grip', False)])
def test_words_that_ask_for_less_speed(text, slower):
    assert wants_slower(text) is slower


def speeds(setup: Rig) -> list[float | None]:
    return [s.args.get('speed') for s in setup.skills.executed if s.skill == 'pick']


TOO_FAR = failed(Reason.UNREACHABLE, 'too far')


def test_slower_holds_for_other_plans_of_the_task():
    editor = Editor('slower', 'y', 'y')
    setup = rig(editor, steps(step(), goals=[HOLDING]),
                steps(LOOK, step(number=2, object='red_cube', speed=0.8), goals=[HOLDING]),
                skills=FakeSkills(TOO_FAR, succeeded()))
    assert setup.run().success and speeds(setup) == [0.5, 0.5]
    said = [e.message for e in setup.recorder.events if e.kind == 'warning_raised']
    assert any('0.5' in message for message in said)


def test_a_plan_that_is_slower_than_allowed_stays_as_it_is():
    slow = steps(step(object='red_cube', speed=0.2), goals=[HOLDING])
    setup = rig(Editor('slower', 'y', 'y'), steps(step(), goals=[HOLDING]), slow,
                skills=FakeSkills(TOO_FAR, succeeded()))
    assert setup.run().success and speeds(setup) == [0.5, 0.2]


def test_a_firmer_grip_does_not_raise_a_speed_that_a_person_lowered():
    slip = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
                  closed_width=0.04, gripper_width=0.0)
    setup = rig(Editor('slower', 'slower', 'y', 'y', 'y'), steps(step(), goals=[HOLDING]),
                skills=FakeSkills(slip, slip, succeeded()),
                ports={'reflector': RuleReflector()},
                perception=FakePerception(*[scene()] * 3, scene(held='red_cube')))
    assert setup.run().success
    assert speeds(setup) == [0.25] * 3
    assert [s.args.get('force') for s in setup.skills.executed] == [None, 60, 70]


def test_slower_and_less_steps_holds_for_the_same_plan_later():
    editor = Editor('slower, without step 1', 'y', 'y')
    setup = rig(editor, skills=FakeSkills(TOO_FAR, succeeded()))
    assert setup.run().success and speeds(setup) == [0.5, 0.5]
    assert editor.offered == [('look', 'pick', 'home'), ('pick', 'home'), ('pick', 'home')]


def test_slower_from_an_earlier_run_holds_when_it_is_resumed():
    setup = rig(Editor('y'), steps(step(), goals=[HOLDING]))
    assert setup.run(resume=Resume(hints=('slower',))).success and speeds(setup) == [0.5]


AWAY = LocalOption('clear', 'clear_obstacle', (
    step('pick', 1, object='blue_cube'), step('place_at', 2, x=0.4, y=0.2)), None)


def blocked(editor: Editor, before: int = 4) -> Rig:
    """The second step of a plan is blocked, and local planning wants to clear the way.

    The cube is held after `before` looks.
    """
    plan = steps(LOOK, PICK, step('place_at', 3, x=0.4, y=-0.2), goals=[HOLDING])
    looks = [scene(cube(), cube(0.3, 'blue_cube'))] * before
    return rig(editor, plan, steps(PICK, goals=[HOLDING]),
               skills=FakeSkills(succeeded(), BLOCKED, succeeded()),
               ports={'local_planner': Options(Decision.SUCCESS, AWAY)},
               perception=FakePerception(*looks, scene(held='red_cube')))


def test_a_local_action_can_be_slower_and_stays_a_local_action():
    editor = Editor('y', 'slower', 'y', 'y')
    setup = blocked(editor)
    result = setup.run()
    assert result.success and len(result.plans) == 1 and result.total_replans == 0
    assert editor.offered[1:] == [('pick', 'place_at')] * 3
    [local] = result.local
    assert local.solved
    assert [(s.skill, s.args.get('speed')) for s in setup.skills.executed[2:]] == [
        ('pick', 0.5), ('place_at', 0.5)] * 2, 'the rest of the plan is slower too'


def test_slower_about_the_plan_holds_for_local_actions():
    editor = Editor('slower', 'y', 'y', 'y')
    setup = blocked(editor)
    result = setup.run()
    assert result.success and result.local[0].solved
    assert [s.args.get('speed') for s in setup.skills.executed] == [None, *[0.5] * 5]


class AsksForSpeed(RuleReflector):
    """Suggests full speed after each failure."""

    def reflect(self, *args, **more):
        quick = Fix('quickly', {'speed': 1, 'turn': 90})
        return replace(super().reflect(*args, **more), fix=quick)


def test_what_reflection_suggests_is_not_faster_than_a_person_allows():
    slip = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
                  closed_width=0.04, gripper_width=0.0)
    setup = rig(Editor('slower', 'y', 'y'), steps(step(), goals=[HOLDING]),
                skills=FakeSkills(slip, succeeded()), ports={'reflector': AsksForSpeed()})
    assert setup.run().success
    assert [s.args for s in setup.skills.executed][1:] == [
        {'object': 'red_cube', 'speed': 0.5, 'turn': 90}]


@pytest.mark.parametrize('wish', ['without step 2', 'leave the blue one alone'])
def test_another_wish_about_a_local_action_ends_local_planning_and_goes_to_the_planner(wish):
    editor = Editor('y', wish, 'y')
    setup = blocked(editor, before=2)
    result = setup.run()
    assert editor.offered == [('look', 'pick', 'place_at'), ('pick', 'place_at'), ('pick',)]
    assert all(s.args.get('object') != 'blue_cube' for s in setup.skills.executed)
    [local] = result.local
    assert not local.solved and local.detail.endswith(wish)
    assert setup.planner.requests[1].context['hints'] == [wish]


def test_carrying_can_be_slower_in_every_skill_that_takes_or_puts():
    for spec in standard_skills().specs():
        if spec.effect.takes or spec.effect.puts:
            assert spec.effect.speed, spec.name
