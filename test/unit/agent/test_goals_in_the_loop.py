# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals in the loop: checked before anything moves, judged before giving up, with their author."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.task_result import FinalReason

from .fakes import HOLDING, FakePerception, FakePlanner, Rig, cube, scene, step, steps

PICK_PLAN = steps(step(), goals=[HOLDING])


@pytest.mark.parametrize(('goal', 'words'), [
    (Goal(Predicate.IN, 'red_cube', 'no_such_bowl'), "target 'no_such_bowl' is not in the scene"),
    (Goal(Predicate.ON, 'red_cube'), 'on needs target'),
    ('in(red_cube, bowl)', 'is not a Goal'),
])
@pytest.mark.parametrize('kind', [ReplyKind.STEPS, ReplyKind.DONE])
def test_a_goal_that_cannot_be_judged_is_refused_before_anything_moves(kind, goal, words):
    given = (step(),) if kind is ReplyKind.STEPS else ()
    rig = Rig(FakePlanner(PlanReply(kind, given, (goal,)), PICK_PLAN))
    result = rig.run()
    assert result.success and result.goals == (HOLDING,)
    assert words in result.attempts[0].reason_detail
    assert result.attempts[0].stage is AttemptStage.PLAN and len(rig.skills.executed) == 1


def given_up_after(*scenes, goals=(HOLDING,), certain=True):
    said = PlanReply(ReplyKind.GIVE_UP, goals=goals, detail='I cannot', goals_certain=certain)
    return Rig(FakePlanner(said), perception=FakePerception(*scenes)).run()


def test_giving_up_is_success_if_the_scene_shows_the_goal_of_the_task():
    result = given_up_after(scene(held='red_cube'))
    assert result.success and result.final_reason is FinalReason.ALREADY_DONE
    assert result.goal_verified is True and 'gave up' in result.final_detail


@pytest.mark.parametrize(('held', 'goals', 'certain'), [
    (None, (HOLDING,), True),  # not met
    ('red_cube', (), True),  # nothing to judge
    ('red_cube', (HOLDING,), False),  # only the planner named it, and it was true before
])
def test_giving_up_is_no_success_otherwise(held, goals, certain):
    result = given_up_after(scene(held=held), goals=goals, certain=certain)
    assert not result.success
    assert (result.final_reason, result.final_detail) == (FinalReason.GAVE_UP, 'I cannot')


@pytest.mark.parametrize(('certain', 'by'), [(True, 'task'), (False, 'fake')])
def test_the_result_says_who_named_the_goal(certain, by):
    plan = replace(PICK_PLAN, goals_certain=certain)
    result = Rig(FakePlanner(plan), perception=FakePerception(
        scene(), scene(held='red_cube'))).run()
    assert result.success and result.as_dict()['goals_named_by'] == by


def test_without_goals_nobody_named_them():
    assert Rig(FakePlanner(steps(step('look')))).run('look').as_dict()['goals_named_by'] == ''


AT_ONE_PLACE = tuple(Goal(Predicate.AT, name, position=(0.5, 0.0))
                     for name in ('red_cube', 'blue_cube'))


@pytest.mark.parametrize('certain', [True, False])
def test_goals_that_exclude_each_other_end_the_task_or_are_refused_before_anything_moves(certain):
    said = replace(steps(step(), goals=AT_ONE_PLACE), goals_certain=certain)
    cubes = cube(), cube(0.6, 'blue_cube')
    rig = Rig(FakePlanner(said, PICK_PLAN), perception=FakePerception(
        scene(*cubes), scene(*cubes), scene(*cubes, held='red_cube')))
    result = rig.run()
    if certain:
        assert result.final_reason is FinalReason.CONFLICTING_GOALS and not rig.skills.executed
    else:
        assert result.attempts[0].stage is AttemptStage.PLAN and result.success
