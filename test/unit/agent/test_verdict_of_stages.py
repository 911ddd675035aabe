# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Places on the way: what the verdict says of them, and that no workaround moves them."""

from __future__ import annotations

import pytest

from replan_agent.agent.ending import _on_the_way
from replan_agent.agent.state.task_goals import TaskGoals
from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.skill import UNCHECKED, Reason, succeeded
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.things import Quantity, Things

from .fakes import FakePlanner, FakeSkills, Rig, scene, step, steps

FIRST = Goal(Predicate.AT, 'red_cube', position=(0.6, 0.0))
LAST = Goal(Predicate.AT, 'red_cube', position=(0.4, 0.0))


def _said(*, seen: bool) -> list[str]:
    plan = SuggestedPlan((SuggestedGoal('first', FIRST, seen), SuggestedGoal('last', LAST, True)))
    return _on_the_way(TaskGoals(lambda event: None, (LAST,), suggested=plan))


def test_the_verdict_names_the_place_on_the_way_that_was_seen() -> None:
    assert _said(seen=True) == [
        'first, the red cube is at (0.600, 0.000): seen so on the way']


def test_a_place_on_the_way_that_nobody_saw_is_not_claimed() -> None:
    assert _said(seen=False) == ['first, the red cube is at (0.600, 0.000): not seen so']


IN, ON = Predicate.IN, Predicate.ON


@pytest.mark.parametrize('goal, stays', [
    (Goal(IN, 'red_cube', 'bowl'), 'bowl'),
    (Goal(ON, 'red_cube', 'plate'), 'plate'),
    (Goal(IN, 'red_cube', targets=Things(named=('bowl', 'bin'))), 'bowl bin'),
    (Goal(IN, 'red_cube', 'bin', negated=True), ''),
    (Goal(IN, target='bin', things=Things(Quantity.EXACTLY, 0, named=('red_cube',))), ''),
])
def test_what_the_task_fills_or_loads_stays_and_what_it_empties_may_move(goal, stays) -> None:
    goals = TaskGoals(lambda event: None, (goal,), left_alone=frozenset({'vase'}))
    assert goals.staying(scene()) == {'vase', *stays.split()}


def test_what_is_filled_on_the_way_stays_and_the_middle_of_a_tower_may_move() -> None:
    first, last = Goal(IN, 'red_cube', 'bowl'), Goal(IN, 'red_cube', 'bin')
    plan = SuggestedPlan((SuggestedGoal('first', first), SuggestedGoal('last', last)))
    goals = TaskGoals(lambda event: None, (last,), suggested=plan)
    assert goals.staying(scene()) == {'bowl', 'bin'}
    tower = (Goal(ON, 'red_cube', 'blue_cube'), Goal(ON, 'blue_cube', 'green_cube'))
    assert TaskGoals(lambda event: None, tower).staying(scene()) == {'green_cube'}


def test_two_places_for_one_thing_end_the_task_as_conflicting_goals_with_what_to_say() -> None:
    asked = PlanReply(ReplyKind.FAILED, reason=Reason.AMBIGUOUS_OBJECT, cause=Cause.TWO_PLACES,
                      detail='which place counts?')
    rig = Rig(FakePlanner(asked))
    result = rig.run()
    assert result.final_reason is FinalReason.CONFLICTING_GOALS and not rig.skills.executed
    assert result.why == 'which place counts?'


def test_a_skill_whose_check_looked_at_nothing_is_named_in_the_verdict() -> None:
    unchecked = succeeded(**{UNCHECKED: True})
    result = Rig(FakePlanner(steps(step('nod'))), skills=FakeSkills(unchecked)).run('nod')
    assert result.success
    assert 'nod' in result.final_detail and 'verified itself' not in result.final_detail
