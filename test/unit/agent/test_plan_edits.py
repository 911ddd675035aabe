"""A person changes a plan instead of denying it: nothing moves before a yes."""

from __future__ import annotations

import pytest

from replan_agent.agent.plan_edits import edited_steps
from replan_agent.agent.ports import Approval
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.plan import PlanCause
from replan_agent.domain.skill import Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.validation import PlanValidator

from .fakes import HOLDING, SPECS, FakePerception, FakePlanner, FakeSkills, Rig, scene, step, steps

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


def test_a_step_is_left_out_and_the_new_version_is_asked_about():
    editor = Editor('without step 1', 'y')
    setup = rig(editor)
    result = setup.run()
    assert result.success and editor.offered == [('look', 'pick', 'home'), ('pick', 'home')]
    assert [s.skill for s in setup.skills.executed] == ['pick', 'home']
    assert [(p.version, p.cause, p.reason) for p in result.plans[1:]] == [
        (2, PlanCause.HUMAN, 'a person said: without step 1')]
    assert [s.step_number for s in editor.plans[1].steps] == [1, 2]
    assert result.hints == ('without step 1',) and len(setup.planner.requests) == 1


def test_slower_lowers_the_speed_of_every_step_that_has_one():
    editor = Editor('slower', 'slower', 'y')
    setup = rig(editor)
    assert setup.run().success
    assert [s.args.get('speed') for s in setup.skills.executed] == [None, 0.25, None]


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
    assert 'must be in the gripper' in setup.planner.requests[1].prior_attempts[0].reason_detail


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
    ('leave out the step 3', [1, 2]), ('no step 2!', [1, 3])])
def test_words_that_leave_steps_out(wish, left):
    kept = edited_steps((LOOK, PICK, HOME), wish, SPECS)
    assert [s.skill for s in kept] == [('look', 'pick', 'home')[n - 1] for n in left]


@pytest.mark.parametrize('wish', [
    'without step 7', 'without steps 1, 2 and 3', 'without step 2 but with the blue one',
    'take the other one', 'faster', 'without step', '10 times slower than step 2'])
def test_what_the_agent_cannot_do_itself_is_not_guessed(wish):
    assert edited_steps((LOOK, PICK, HOME), wish, SPECS) is None


def test_slower_means_nothing_where_no_step_has_a_speed_or_it_is_the_lowest():
    assert edited_steps((LOOK, HOME), 'slower', SPECS) is None
    lowest = step(object='red_cube', speed=0.1)
    assert edited_steps((lowest,), 'slower', SPECS) is None


def test_both_at_once():
    (kept,) = edited_steps((LOOK, PICK), 'slower, and without step 1', SPECS)
    assert kept.args == {'object': 'red_cube', 'speed': 0.5}


def test_carrying_can_be_slower_in_every_skill_that_takes_or_puts():
    for spec in standard_skills().specs():
        if spec.effect.takes or spec.effect.puts:
            assert spec.effect.speed, spec.name
