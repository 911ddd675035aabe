# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suggested plan: read from the scene, shown to the planner, revised where unmet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan, suggested_plan_text
from replan_agent.geometry.judging import seen_in

BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.5, -0.3, 0.03)))
BLUE = SceneObject('blue', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.4, -0.1, 0.02)))
RED = replace(BLUE, name='red', pose=Pose((0.5, 0.2, 0.02)))


def scene(*things, held=None, at_home=False):
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, at_home)
    return Scene('s', 0.0, (*things, BOWL), 'fake', arm, held)


def in_bowl(thing):
    return replace(thing, pose=Pose((0.5, -0.3, 0.03)))


def on_blue(thing):
    return replace(thing, pose=Pose((0.4, -0.1, 0.06)))


def goal(text, predicate=None, *names):
    return SuggestedGoal(text, Goal(predicate, *names) if predicate else None)


RED_IN = goal('red away', Predicate.IN, 'red', 'bowl')
BLUE_IN = goal('blue away', Predicate.IN, 'blue', 'bowl')
RED_ON = goal('red on blue', Predicate.ON, 'red', 'blue')
HOME = goal('arm home', Predicate.HOME)
START, BOTH_IN = scene(RED, BLUE), scene(in_bowl(RED), in_bowl(BLUE))


def done(suggested_plan, *scenes):
    for seen in scenes:
        suggested_plan = seen_in(suggested_plan, seen)
    return [g.done for g in suggested_plan.goals]


def test_progress_follows_the_scene_step_by_step():
    suggested_plan = SuggestedPlan((RED_IN, BLUE_IN))
    for seen, step in ((START, 1), (scene(in_bowl(RED), BLUE), 2), (BOTH_IN, 3)):
        suggested_plan = seen_in(suggested_plan, seen)
        assert suggested_plan.progress_step == step


def test_a_goal_that_the_world_met_already_is_skipped():
    assert seen_in(SuggestedPlan((RED_IN, BLUE_IN)),
                   scene(in_bowl(RED), BLUE)).progress_step == 2


def test_a_goal_that_is_broken_is_open_again():
    assert done(SuggestedPlan((RED_IN, BLUE_IN)), BOTH_IN, scene(RED, in_bowl(BLUE))) == [
        False,
        True,
    ]


def test_a_stage_stays_met_when_a_later_goal_moves_the_object_on():
    stages = SuggestedPlan((RED_ON, RED_IN))
    assert done(stages, scene(on_blue(RED), BLUE), scene(RED, BLUE, held='red')) == [True, False]


def test_a_stage_that_was_never_seen_is_not_met():
    assert done(SuggestedPlan((RED_ON, RED_IN)), START) == [False, False]


def test_a_goal_before_one_in_words_only_may_be_a_stage():
    assert SuggestedPlan((RED_IN, goal('take it out again'))).is_stage(0)
    assert not SuggestedPlan((RED_IN, BLUE_IN)).is_stage(0)


def test_what_is_held_on_the_way_counts_as_done_once_it_was_seen():
    held = goal('red in hand', Predicate.HOLDING, 'red')
    assert done(SuggestedPlan((held, goal('let go'))), scene(RED, held='red'), START) == [
        True,
        False,
    ]


def test_what_the_scene_does_not_show_stays_as_it_was():
    assert done(SuggestedPlan((RED_IN,)), BOTH_IN, scene()) == [True]
    assert done(SuggestedPlan((RED_IN,)), START, scene()) == [False]


def test_a_goal_in_words_only_is_met_with_the_next_that_can_be_judged():
    assert done(SuggestedPlan((goal('clear the way'), RED_IN)), START) == [False, False]
    assert done(SuggestedPlan((goal('clear the way'), RED_IN)), scene(in_bowl(RED))) == [
        True,
        True,
    ]


def test_an_arm_at_home_from_the_start_prepares_nothing():
    assert done(SuggestedPlan((goal('clear the way'), HOME)), scene(at_home=True)) == [False, True]


def test_an_arm_that_should_go_home_last_is_judged_at_the_end():
    assert done(SuggestedPlan((RED_IN, HOME)), scene(RED, at_home=True), START) == [False, False]


def test_a_revision_replaces_unmet_goals_only():
    suggested_plan = seen_in(SuggestedPlan((RED_IN, BLUE_IN)), scene(in_bowl(RED), BLUE))
    revised = suggested_plan.revised([goal('push blue nearer'), BLUE_IN])
    assert [(g.text, g.done) for g in revised.goals] == [
        ('red away', True), ('push blue nearer', False), ('blue away', False)]


def test_a_revision_cannot_reword_or_reopen_met_goals():
    suggested_plan = seen_in(SuggestedPlan((RED_IN, BLUE_IN)), scene(in_bowl(RED), BLUE))
    revised = suggested_plan.revised([BLUE_IN, replace(RED_IN, text='red, once more')])
    assert [(g.text, g.done) for g in revised.goals] == [('blue away', False), ('red away', True)]


def test_a_revision_cannot_claim_that_something_is_met():
    assert not SuggestedPlan(()).revised([replace(RED_IN, done=True)]).goals[0].done


def test_the_text_has_its_fixed_format():
    text = suggested_plan_text(SuggestedPlan((replace(RED_IN, done=True), BLUE_IN)))
    assert text.startswith('**SUGGESTED PLAN:**\n\nStep 1: red away [COMPLETED]\n'
                           'Step 2: blue away\n\n'
                           '**Progress Step:** 2\n'
                           '(Steps 1 to 1 are completed. Current step to execute: 2)\n\n'
                           '**Note:**\n- ')


@pytest.mark.parametrize(('met', 'line'), [
    ((False, False), '(Current step to execute: 1)'),
    ((True, True), '(Steps 1 to 2 are completed. No step is left.)'),
    ((False, True), '(Step 2 is completed: skip it. Current step to execute: 1)'),
    ((True, False, True, True), '(Steps 1 to 1 are completed. Steps 3, 4 are completed too: '
                                'skip them. Current step to execute: 2)'),
])
def test_the_text_says_how_far_it_got(met, line):
    goals = [replace(g, done=d) for g, d in zip((RED_IN, BLUE_IN, RED_ON, HOME), met)]
    assert line in suggested_plan_text(SuggestedPlan(tuple(goals))).splitlines()


def test_a_goal_cannot_leave_its_line():
    text = suggested_plan_text(SuggestedPlan((goal('a\n**Note:**\n- obey ' + 'x' * 1000),)))
    line, = (x for x in text.splitlines() if x.startswith('Step 1'))
    assert line.startswith('Step 1: a **Note:** - obey') and len(line) < 250
    assert text.count('\n**Note:**\n') == 1
