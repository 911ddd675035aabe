# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rules of the plan monitor: what each reports, and that it is reported once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.failure import DEFAULT_DIAGNOSIS, Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.skill import REPLAN_STEP, Reason, failed
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_view import RehearsalResult
from replan_agent.domain.things import Things
from replan_agent.english.dictionary import words
from replan_agent.geometry.judging import judge
from replan_agent.replan.monitor.no_progress import CAME_BACK, IRRELEVANT
from replan_agent.replan.monitor.rule_monitor import RuleMonitor

from .watched import Toy, inside, move, on, plan, records, scene, view

RED_IN, BLUE_IN = inside('red'), inside('blue')
RED_DONE = scene(red='bowl')
TAKE_OUT = plan(*move('blue', 'bowl'), *move('red', 'table'))
UNREACHABLE = failed(Reason.UNREACHABLE, 'IK did not converge')


def review(of, seen):
    return RuleMonitor().review(of, seen, Context())


def watch(of, seen):
    return RuleMonitor().watch(of, seen, Context())


# Work undone by the plan.

def test_a_plan_that_undoes_a_met_goal_is_stopped_with_the_name_of_the_step():
    guidance = review(TAKE_OUT, view(RED_DONE, RED_IN, BLUE_IN))
    assert guidance.problem == 'undone_work'
    assert guidance.text.startswith('step 3, pick(object=red), undoes in(red, bowl)')


def test_a_plan_that_lets_go_of_what_must_be_held_is_refused():
    holding = Goal(Predicate.HOLDING, 'red')
    guidance = review(plan(('open_gripper',)), view(scene(held='red'), holding))
    assert 'holding(red)' in guidance.text


@pytest.mark.parametrize('calls', [
    [*move('red', 'table'), *move('blue', 'bowl'), *move('red', 'bowl')],
    [*move('red', 'table'), *move('blue', 'bowl'), (REPLAN_STEP,)],
    [*move('red', 'table'), ('juggle', {})],
], ids=['restored', 'to be planned on', 'who knows'])
def test_undoing_on_the_way_is_allowed(calls):
    assert review(plan(*calls), view(RED_DONE, RED_IN, BLUE_IN)) is None


def test_a_goal_that_is_not_met_yet_cannot_be_undone():
    assert review(plan(*move('red', 'table')), view(scene(), RED_IN)) is None


def test_without_goals_of_the_task_those_of_the_suggested_plan_count():
    suggested_plan = SuggestedPlan((SuggestedGoal('red away', RED_IN),))
    assert review(TAKE_OUT, view(RED_DONE, suggested_plan=suggested_plan)).problem == 'undone_work'


def test_a_stage_of_the_suggested_plan_may_be_undone():
    stages = SuggestedPlan(
        (SuggestedGoal('aside', on('red', 'blue')), SuggestedGoal('away', RED_IN))
    )
    aside = scene(red='blue')
    assert review(plan(*move('red', 'table')), view(aside, suggested_plan=stages)) is None


def test_the_suggested_plan_itself_is_not_enforced():
    suggested_plan = SuggestedPlan((SuggestedGoal('clear the way', on('green', 'table')),))
    moved = plan(*move('green', 'blue'))
    assert review(moved, view(RED_DONE, RED_IN, suggested_plan=suggested_plan)) is None


def test_a_goal_broken_in_the_rehearsal_is_reported_even_if_no_step_names_it():
    knocked = RehearsalResult(True, 1.0, after=scene())
    guidance = review(plan(*move('blue', 'bowl')), view(RED_DONE, RED_IN, rehearsal=knocked))
    assert guidance.problem == 'undone_work' and 'rehearsal' in guidance.text


def test_a_rehearsal_that_went_well_settles_it():
    fine = RehearsalResult(True, 1.0, after=RED_DONE)
    assert review(TAKE_OUT, view(RED_DONE, RED_IN, rehearsal=fine)) is None


def test_a_stale_scene_gives_no_guidance():
    stale = replace(RED_DONE, stale=True)
    assert review(TAKE_OUT, view(stale, RED_IN)) is None
    assert watch(TAKE_OUT, view(stale, RED_IN, scenes=(RED_DONE, stale))) is None


# Steps repeated.

FAILING = [plan(('look',), ('pick', {'object': 'red'}), version=v) for v in (1, 2, 3, 4)]


def failures(count, result=UNREACHABLE):
    return tuple(r for p in FAILING[:count] for r in records(p, ends=result, first=2 * p.version))


def test_the_fourth_plan_that_fails_like_three_before_is_stopped_with_the_cause():
    guidance = review(FAILING[3], view(scene(), RED_IN, steps=failures(3)))
    assert guidance.problem == 'repeated_steps'
    assert 'unreachable' in guidance.text


def test_three_plans_may_fail_in_the_same_way():
    assert review(FAILING[2], view(scene(), RED_IN, steps=failures(2))) is None


def test_another_way_to_the_same_step_is_not_the_same():
    other = plan(('push', {'object': 'red', 'direction': 'left'}), ('pick', {'object': 'red'}))
    assert review(other, view(scene(), RED_IN, steps=failures(3))) is None


def test_failures_with_other_numbers_are_not_the_same():
    varied = tuple(replace(r, result=failed(Reason.GRASP_SLIPPED, 'it slipped',
                                              gripper_width=r.step_idx / 1000))
                   if not r.result.success else r for r in failures(3))
    assert review(FAILING[3], view(scene(), RED_IN, steps=varied)) is None


def test_the_noise_of_a_camera_does_not_make_failures_different():
    noisy = tuple(replace(r, result=failed(Reason.PRECONDITION_FAILED, f'too wide: {r.step_idx}',
                                           narrowest_width=0.12 + r.step_idx / 1e5))
                  if not r.result.success else r for r in failures(3))
    assert review(FAILING[3], view(scene(), RED_IN, steps=noisy)).problem == 'repeated_steps'


def test_guidance_in_other_words_about_the_same_step_is_not_given_again():
    said = review(FAILING[3], view(scene(), RED_IN, steps=failures(3)))
    reworded = replace(said, text='this step is hopeless')
    seen = view(scene(), RED_IN, steps=failures(3), guidance=(reworded,))
    assert review(FAILING[3], seen) is None


def test_temporary_failures_may_be_tried_again():
    slips = failures(3, failed(Reason.GRASP_SLIPPED, 'it slipped'))
    attempts = tuple(Attempt(r.step_idx, 'pick', {}, 'grasp_slipped', 'it slipped',
                             plan_version=r.plan_version,
                             diagnosis=DEFAULT_DIAGNOSIS[Reason.GRASP_SLIPPED])
                     for r in slips if not r.result.success)
    assert review(FAILING[3], view(scene(), RED_IN, steps=slips, attempts=attempts)) is None


def test_guidance_that_was_ignored_is_not_repeated():
    said = review(FAILING[3], view(scene(), RED_IN, steps=failures(3)))
    assert review(FAILING[3], view(scene(), RED_IN, steps=failures(3), guidance=(said,))) is None


def test_putting_an_object_where_it_already_is_is_stopped():
    steps = records(plan(*move('red', 'bowl')))
    again = plan(*move('red', 'bowl'), *move('blue', 'bowl'), version=2)
    guidance = review(again, view(RED_DONE, RED_IN, BLUE_IN, steps=steps))
    assert guidance.problem == 'repeated_steps' and guidance.about.startswith('red: place_on')


def test_a_look_or_the_way_home_between_does_not_hide_that_it_is_done_again():
    steps = records(plan(*move('red', 'bowl')))
    take, put = move('red', 'bowl')
    again = plan(take, ('home',), ('look',), put, version=2)
    assert review(again, view(RED_DONE, RED_IN, steps=steps)).problem == 'repeated_steps'


def test_a_plan_that_does_it_again_all_the_same_goes_on_and_that_is_said():
    steps = records(plan(*move('red', 'bowl')))
    again = plan(*move('red', 'bowl'), version=2)
    said = review(again, view(RED_DONE, RED_IN, steps=steps))
    insisted = review(again, view(RED_DONE, RED_IN, steps=steps, guidance=(said,)))
    assert said.stops and not insisted.stops and insisted.text == said.text


@pytest.mark.parametrize(('cause', 'problem'), [
    (Cause.SLIPPED_IN_CARRY, 'repeated_steps'), (Cause.CONTAINER_FULL, None)])
def test_what_slipped_out_of_the_hand_is_no_reason_to_move_what_is_in_the_bowl(cause, problem):
    steps = records(plan(*move('red', 'bowl'), *move('blue', 'bowl')), 3)
    trouble = Attempt(3, 'place_on', {'target': 'bowl'}, 'grasp_slipped', 'it slipped',
                      evidence={'held': 'blue'}, diagnosis=replace(
                          DEFAULT_DIAGNOSIS[Reason.GRASP_SLIPPED], cause=cause))
    again = plan(*move('red', 'bowl'), *move('blue', 'bowl'), version=2)
    guidance = review(again, view(RED_DONE, RED_IN, BLUE_IN, steps=steps, attempts=(trouble,)))
    assert (guidance.problem if guidance else None) == problem


def test_putting_again_what_fell_out_is_needed():
    steps = records(plan(*move('red', 'bowl')))
    again = plan(*move('red', 'bowl'), version=2)
    assert review(again, view(scene(), RED_IN, steps=steps)) is None


def test_moving_again_what_was_in_the_way_is_needed():
    steps = records(plan(*move('red', 'bowl')))
    trouble = Attempt(3, 'place_on', {'target': 'bowl'}, 'target_occupied', 'no room beside red')
    again = plan(*move('red', 'bowl'), version=2)
    assert review(again, view(RED_DONE, RED_IN, steps=steps, attempts=(trouble,))) is None


def test_what_was_let_go_is_not_what_the_next_step_put_down():
    steps = records(plan(('pick', {'object': 'red'}), ('open_gripper',),
                         ('place_on', {'target': 'bowl'})))
    assert review(plan(*move('red', 'bowl'), version=2),
                  view(RED_DONE, RED_IN, steps=steps)) is None


def test_to_the_table_again_may_be_another_place_on_it():
    steps = records(plan(*move('red', 'table')))
    assert review(plan(*move('red', 'table'), version=2), view(scene(), RED_IN, steps=steps)) \
        is None


# A goal broken on the way.

PLAN = plan(*move('red', 'bowl'), *move('blue', 'bowl'), ('home',))
BOTH = (scene(), RED_DONE, scene(held='blue'))


def test_a_goal_that_a_later_step_broke_is_restored_first():
    suggested_plan = SuggestedPlan(
        (SuggestedGoal('red away', RED_IN), SuggestedGoal('blue away', BLUE_IN))
    )
    seen = view(
        scene(),
        RED_IN,
        BLUE_IN,
        scenes=(*BOTH, scene()),
        steps=records(PLAN, 4),
        suggested_plan=suggested_plan,
    )
    guidance = watch(PLAN, seen)
    assert guidance.problem == 'broken_goal' and guidance.text.startswith('in(red, bowl) was met')
    assert [(g.text, g.goal) for g in guidance.goals] == [
        ('Restore in(red, bowl)', RED_IN), ('blue away', BLUE_IN)]


def test_a_broken_goal_waits_until_the_hand_is_empty():
    full = view(BOTH[-1], RED_IN, BLUE_IN, scenes=BOTH, steps=records(PLAN, 3))
    assert watch(PLAN, full) is None
    onto_red = plan(*move('red', 'bowl'), *move('blue', 'red'), ('home',))
    moved = view(BOTH[-1], RED_IN, scenes=BOTH, steps=records(onto_red, 3))
    assert watch(onto_red, moved).problem == 'broken_goal'  # the next step is about red


def test_a_goal_that_another_agent_broke_is_said_to_be_so():
    steps = records(PLAN, 2)
    by_other = view(scene(), RED_IN, scenes=(scene(), RED_DONE, scene()), steps=steps)
    assert 'no step of the arm moved the red since' in watch(replace(PLAN, steps=PLAN.steps[:2] + (
        PLAN.steps[-1],)), by_other).text
    back = plan(*move('red', 'table'), ('home',))
    by_arm = view(scene(), RED_IN, scenes=(RED_DONE, scene(held='red'), scene()),
                  steps=records(back, 2))
    assert 'no step of the arm' not in watch(back, by_arm).text


def test_a_goal_that_the_rest_of_the_plan_restores_is_left_to_it():
    swap = plan(*move('red', 'table'), *move('blue', 'bowl'), *move('red', 'bowl'))
    seen = view(scene(), RED_IN, scenes=(RED_DONE, scene()), steps=records(swap, 2))
    assert watch(swap, seen) is None
    assert watch(replace(swap, steps=swap.steps[:4]), seen).problem == 'broken_goal'


def test_a_plan_that_ends_with_a_replan_may_leave_it_for_later():
    part = plan(*move('red', 'table'), *move('blue', 'bowl'), (REPLAN_STEP,))
    seen = view(scene(), RED_IN, scenes=(RED_DONE, scene()), steps=records(part, 2))
    assert watch(part, seen) is None


def test_a_goal_that_only_looks_unmet_is_not_broken():
    """Seen 13 mm higher, it rests on nothing; but it has not moved."""
    up = replace(RED_DONE, objects=tuple(
        replace(o, pose=Pose((*o.position[:2], o.position[2] + 0.013)))
        if o.name == 'red' else o for o in scene(red='blue').objects))
    goal = on('red', 'blue')
    seen = view(up, goal, scenes=(scene(red='blue'), up), steps=records(PLAN, 4))
    assert judge(goal, up) is False
    assert watch(PLAN, seen) is None


def test_a_goal_about_everything_makes_progress_with_each_thing():
    names = ['red', 'green', 'yellow']
    everything = Goal(Predicate.IN, target='bowl', things=Things(named=(*names, 'blue')))
    scenes = wander('bowl', 'bowl', 'bowl', names=names)
    assert watch(LONG, view(scenes[-1], everything, task='tidy up', scenes=scenes)) is None


def test_what_a_goal_means_without_naming_it_has_to_do_with_the_task():
    everything = Goal(Predicate.IN, target='bowl', things=Things(words=words('box')))
    scenes = wander('green', 'yellow', 'table')
    assert watch(LONG, view(scenes[-1], everything, task='tidy up', scenes=scenes)) is None


def test_a_broken_goal_is_reported_once():
    seen = view(BOTH[-1], RED_IN, BLUE_IN, scenes=BOTH, steps=records(PLAN, 3))
    said = watch(PLAN, seen)
    assert watch(PLAN, replace(seen, guidance=(said,))) is None


# Steps that lead nowhere.

def wander(*targets, names=None, start=None):
    """The scenes while cubes are moved one after the other."""
    world, scenes = Toy(start or scene()), []
    for name, target in zip(names or ['red'] * len(targets), targets):
        for step in plan(*move(name, target)).steps:
            world.execute(step)
            scenes.append(world.scene)
    return (start or scene(), *scenes)


LONG = plan(*move('red', 'table') * 6)


def test_moving_one_object_back_and_forth_is_reported_once():
    scenes = wander('green', 'table', 'green', 'table', 'green')
    seen = view(scenes[-1], BLUE_IN, scenes=scenes)
    guidance = watch(LONG, seen)
    assert guidance.problem == 'no_progress' and guidance.about == f'{CAME_BACK}: in(blue, bowl)'
    assert 'in(blue, bowl)' in guidance.text
    assert watch(LONG, replace(seen, guidance=(guidance,))) is None


def test_three_moves_of_irrelevant_objects_are_reported():
    scenes = wander('green', 'yellow', 'table')
    guidance = watch(LONG, view(scenes[-1], BLUE_IN, task='put it away', scenes=scenes))
    assert guidance.problem == 'no_progress' and guidance.about.startswith(IRRELEVANT)
    assert IRRELEVANT in guidance.text


@pytest.mark.parametrize(('task', 'attempt'), [
    ('put the blue cube away, mind the red one', None),
    ('put it away', Attempt(0, 'pick', {'object': 'blue'}, 'path_blocked', 'no way',
                             blockers=('red',))),
    ('put it away', Attempt(0, 'place_on', {'target': 'bowl'}, 'verification_failed', 'gone',
                             evidence={'held': 'red'})),
])
def test_objects_of_the_task_or_of_a_failure_may_be_moved(task, attempt):
    scenes = wander('green', 'yellow', 'table')
    seen = view(scenes[-1], BLUE_IN, task=task, scenes=scenes,
                attempts=(attempt,) if attempt else ())
    assert watch(LONG, seen) is None


def test_digging_down_to_the_lowest_is_progress_of_a_kind():
    """Eight steps without a goal met, and each brings something new."""
    tower = scene(green='blue', red='green', yellow='red')
    scenes = wander('table', 'table', 'table', 'green', names=['yellow', 'red', 'green', 'red'],
                    start=tower)
    assert watch(LONG, view(scenes[-1], BLUE_IN, scenes=scenes)) is None


def test_a_tour_of_the_table_that_the_suggested_plan_wants_is_progress():
    """Each stop is on the table, as before; only the goals show that it leads somewhere."""
    stops = [(0.3, 0.1), (0.5, 0.1), (0.6, 0.3), (0.4, -0.2)]
    world, scenes = Toy(scene()), [scene()]
    for x, y in stops:
        for step in plan(('pick', {'object': 'red'}), ('place_at', {'x': x, 'y': y})).steps:
            world.execute(step)
            scenes.append(world.scene)
    stages = [Goal(Predicate.AT, 'red', position=xy) for xy in stops]
    suggested_plan = SuggestedPlan(tuple(SuggestedGoal(str(g), g) for g in stages))
    seen = view(scenes[-1], BLUE_IN, suggested_plan=suggested_plan, scenes=tuple(scenes))
    assert watch(LONG, seen) is None
    assert watch(LONG, replace(seen, suggested_plan=None)).problem == 'no_progress'


def test_without_any_goal_missing_progress_is_not_reported():
    scenes = wander('green', 'table', 'green', 'table', 'green')
    assert watch(LONG, view(scenes[-1], scenes=scenes)) is None


def test_a_cancelled_task_is_not_watched():
    token = CancelToken()
    token.cancel()
    for look in (RuleMonitor().review, RuleMonitor().watch):
        with pytest.raises(Cancelled):
            look(TAKE_OUT, view(RED_DONE, RED_IN), Context(token))
