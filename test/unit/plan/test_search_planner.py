# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The first plan of a task by SearchPlanner."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from hand_scenes import SCENES, cube, plate
from hand_scenes import scene as scene_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replan_agent.app.build.build_reader import build_reader
from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Cancelled, CancelToken, Context, DeadlineExceeded
from replan_agent.domain.failure import Attempt, Category, Diagnosis, Kind, Severity
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import (
    Plan,
    PlanCause,
    PlanReply,
    PlanRequest,
    Proof,
    ReplyKind,
    Step,
)
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import REPLAN_STEP, Reason, SkillResult, SkillSpec, failed
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry import outlines
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.plan.validation import PlanValidator

READER = build_reader()
SKILLS = standard_skills().specs()
BOWL = next(thing for thing in SCENES['tabletop'].objects if thing.name == 'bowl')
MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]


def plan(task: str, scene: Scene, *proofs: Proof) -> PlanReply:
    return SearchPlanner(READER).plan(PlanRequest(task, scene, SKILLS, proofs=proofs), Context())


def calls(reply: PlanReply) -> list[str]:
    """The steps as `skill value value`."""
    return [' '.join([s.skill, *map(str, s.args.values())]) for s in reply.steps]


def goals(reply: PlanReply) -> list[str]:
    return [str(goal) for goal in reply.goals]


@pytest.mark.parametrize(('task', 'steps', 'wanted'), [
    ('pick up the red cube', ['pick red_cube'], ['holding(red_cube)']),
    ('put the red cube in the bowl', ['pick red_cube', 'place_on bowl'], ['in(red_cube, bowl)']),
    ('move the red cube to the bowl', ['pick red_cube', 'place_on bowl'], ['in(red_cube, bowl)']),
    ('put the red cube on the blue cube', ['pick red_cube', 'place_on blue_cube'],
     ['on(red_cube, blue_cube)']),
    ('stack the red block on the blue block', ['pick red_cube', 'place_on blue_cube'],
     ['stacked(red_cube, blue_cube)']),
    ('place the red cube at (0.4, -0.2)', ['pick red_cube', 'place_at 0.4 -0.2'],
     ['at(red_cube, 0.400, -0.200)']),
    ('go home', ['home'], ['home()']),
    ('open the gripper', ['open_gripper'], []),
    ('look around', ['look'], []),
    ('pick up the red cube and put it in the bowl', ['pick red_cube', 'place_on bowl'],
     ['in(red_cube, bowl)']),
    ('put the leftmost cube in the bowl, then go home',
     ['pick red_cube', 'place_on bowl', 'home'], ['in(red_cube, bowl)', 'home()']),
    ('put the red cube and the blue cube in the bowl',
     ['pick red_cube', 'place_on bowl', 'pick blue_cube', 'place_on bowl'],
     ['in(red_cube, bowl)', 'in(blue_cube, bowl)']),
    ('stack the red cube on the blue cube on the green cube',
     ['pick blue_cube', 'place_on green_cube', 'pick red_cube', 'place_on blue_cube'],
     ['stacked(blue_cube, green_cube)', 'stacked(red_cube, blue_cube)']),
])
def test_a_task_becomes_steps_and_goals(task: str, steps: list[str], wanted: list[str],
                                        make_scene: MakeScene) -> None:
    reply = plan(task, make_scene())
    assert reply.kind is ReplyKind.STEPS
    assert calls(reply) == steps
    assert goals(reply) == wanted


@pytest.mark.parametrize(('task', 'wanted'), [
    ('pick up the red cube, then put it on the blue cube', ['on(red_cube, blue_cube)']),
    ('put the red cube on the blue cube, then put it in the bowl', ['in(red_cube, bowl)']),
    ('put the red cube in the bowl, then pick it up', ['holding(red_cube)']),
    ('pick up the red cube, then release it', []),
    ('go home, then pick up the red cube', ['holding(red_cube)']),
    ('pick up the red cube, go home', ['holding(red_cube)', 'home()']),
    ('go home, open the gripper and look', ['home()']),
])
def test_a_later_command_supersedes_what_it_undoes(task: str, wanted: list[str],
                                                   make_scene: MakeScene) -> None:
    assert goals(plan(task, make_scene())) == wanted


def test_steps_say_what_they_do_and_what_should_change(make_scene: MakeScene) -> None:
    first, second = plan('put the red cube in the bowl', make_scene()).steps
    assert (first.step_number, second.step_number) == (1, 2)
    assert [step.description for step in (first, second)] == [
        'Pick up the red_cube', 'Place the red_cube in the bowl']
    assert 'gripper' in first.expected_change and 'bowl' in second.expected_change


@pytest.mark.parametrize(('stays', 'goes'), [('red', 'blue'), ('blue', 'red')])
@pytest.mark.parametrize('task', [
    'at most one cube should be in the bowl and the {} cube should be in the bowl',
    'exactly one cube should be in the bowl and every {} cube should be in the bowl',
    'the {} cube should be in the bowl and no more than one cube should be in the bowl'])
def test_what_is_too_many_is_none_that_another_goal_wants_there(task: str, stays: str, goes: str
                                                                ) -> None:
    made = calls(plan(task.format(stays), SCENES['bowl_full']))
    assert len(made) == 2 and f'{goes}_cube' in made[0]


def test_what_is_held_is_not_picked_again(make_scene: MakeScene) -> None:
    reply = plan('put the red cube in the bowl', make_scene(held='red_cube'))
    assert calls(reply) == ['place_on bowl']


def test_what_is_held_is_put_down_before_another_is_picked(make_scene: MakeScene) -> None:
    reply = plan('put the red cube in the bowl', make_scene(held='blue_cube'))
    assert calls(reply) == ['place_on table', 'pick red_cube', 'place_on bowl']
    assert goals(reply) == ['in(red_cube, bowl)']


@pytest.mark.parametrize('then', ['pick up the blue cube', 'put the blue cube in the bowl'])
def test_what_stays_in_the_hand_while_the_hand_does_something_else_is_refused(
        then: str, make_scene: MakeScene) -> None:
    reply = plan(f'pick up the red cube, then {then}', make_scene())
    assert reply.kind is ReplyKind.FAILED and not reply.steps and not reply.goals
    assert 'holding(red_cube)' in reply.detail


def test_putting_it_down_uses_what_is_held(make_scene: MakeScene) -> None:
    reply = plan('put it down', make_scene(held='green_cube'))
    assert calls(reply) == ['place_on table']
    assert goals(reply) == ['on(green_cube, table)']


def test_a_pick_may_be_separated_from_its_placement(make_scene: MakeScene) -> None:
    reply = plan('pick up the red cube, go home, then put it in the bowl', make_scene())
    assert calls(reply) == ['pick red_cube', 'home', 'place_on bowl']


def test_later_phrases_are_read_in_the_expected_scene(make_scene: MakeScene) -> None:
    task = 'put the leftmost cube in the bowl, then pick up the cube that is in the bowl'
    assert calls(plan(task, make_scene())) == ['pick red_cube', 'place_on bowl', 'pick red_cube']
    again = plan('put the leftmost cube in the bowl, then put the leftmost cube in the bowl',
                 make_scene())
    assert 'after what was moved before' in again.detail


def test_the_target_is_not_the_object_itself(make_scene: MakeScene,
                                             make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_cube', 0.4, 0.1), make_object('blue_cube', 0.5, 0.1))
    assert calls(plan('put the red cube on the block', scene)) == [
        'pick red_cube', 'place_on blue_cube']


def test_a_movable_object_is_preferred_for_a_pick(make_scene: MakeScene,
                                                  make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_post', 0.4, 0.1, movable=False),
                       make_object('red_cube', 0.5, 0.1))
    assert calls(plan('pick up the red block', scene)) == ['pick red_cube']


def test_in_the_box_means_the_bin(make_scene: MakeScene, make_object: MakeObject) -> None:
    scene = make_scene(
        make_object('red_cube', 0.4, 0.1), make_object('blue_cube', 0.5, 0.1),
        make_object('bin', 0.6, 0.3, 0.05, Shape.BIN, (0.2, 0.2, 0.1), 'black'))
    assert calls(plan('put the red cube in the box', scene)) == ['pick red_cube', 'place_on bin']


@pytest.mark.parametrize(('task', 'reason', 'words'), [
    ('pick up the purple cube', Reason.OBJECT_NOT_FOUND, ['purple cube', 'red_cube', 'table']),
    ('put the red cube in the bin', Reason.OBJECT_NOT_FOUND, ["'the bin'", 'bowl']),
    ('put it in the bowl', Reason.AMBIGUOUS_OBJECT, ['gripper is empty']),
    ('pick up the cube', Reason.AMBIGUOUS_OBJECT, ['red_cube', 'green_cube', 'blue_cube']),
    ('put the red cube on the cube', Reason.AMBIGUOUS_OBJECT, ['green_cube', 'blue_cube']),
    ('put the red cube on the red cube', Reason.BAD_ARGUMENTS, ['on itself']),
    ('put the red cube in the blue cube', Reason.BAD_ARGUMENTS, ['not a container', 'bowl']),
])
def test_an_object_that_cannot_be_identified_fails_the_plan(
        task: str, reason: Reason, words: list[str], make_scene: MakeScene) -> None:
    reply = plan(task, make_scene())
    assert reply.kind is ReplyKind.FAILED
    assert reply.reason is reason
    assert not reply.steps
    assert all(word in reply.detail for word in words)


def test_a_task_that_it_cannot_parse_is_answered_with_a_similar_one(
        make_scene: MakeScene) -> None:
    reply = plan('juggle with the red cube in the bowl', make_scene())
    assert reply.kind is ReplyKind.UNRECOGNIZED
    assert "did not understand 'juggle with" in reply.detail
    assert 'a similar sentence that works here: "put the red cube in the bowl"' in reply.detail


def test_a_task_that_asks_only_to_look_again_looks(make_scene: MakeScene) -> None:
    reply = plan('look again', make_scene())
    assert [s.skill for s in reply.steps] == ['look'] and reply.goals_certain


@pytest.mark.parametrize('task', ['pick up the red cube', 'pick up the elephant', 'sing'])
def test_each_new_hint_is_reported_as_ignored(make_scene: MakeScene, task: str) -> None:
    scene = make_scene()
    said = {'hints': ['from the left', 'slowly']}
    before = Plan(1, task, (), (), PlanCause.HUMAN, None, 's', 'stub', '',
                  {'hints': ['from the left']})
    request = PlanRequest(task, scene, SKILLS, previous=before, context=said)
    (warning,) = SearchPlanner(READER, ignores_attempts=True).plan(request, Context()).warnings
    assert "'slowly'" in warning and 'left' not in warning and 'vlm' in warning


def test_an_answer_keeps_its_meaning_when_things_move() -> None:
    task, said = 'put the cube in the bowl', {'hints': ['the left one']}
    then = scene_of(cube('red_cube', 0.4, 0.1), cube('blue_cube', 0.4, -0.1), BOWL)
    now = scene_of(cube('red_cube', 0.4, -0.2), cube('blue_cube', 0.4, -0.1), BOWL)
    first = SearchPlanner(READER).plan(PlanRequest(task, then, SKILLS, context=said), Context())
    last = Plan(1, task, first.steps, first.goals, PlanCause.HUMAN, None, 's', 'search', '', said)
    again = SearchPlanner(READER).plan(PlanRequest(
        task, now, SKILLS, goals=first.goals, previous=last, context=said), Context())
    assert calls(again) == calls(first) == ['pick red_cube', 'place_on bowl']
    assert again.goals_certain


@pytest.mark.parametrize(('in_force', 'kind'), [
    (Goal(Predicate.IN, 'red_cube', 'bowl'), ReplyKind.STEPS),
    (Goal(Predicate.ON, 'red_cube', 'bowl'), ReplyKind.STEPS),  # the same, in other words
    (Goal(Predicate.IN, 'blue_cube', 'bowl'), ReplyKind.FAILED),
])
def test_of_two_readings_only_one_with_the_goals_in_force_is_taken(in_force: Goal, kind: ReplyKind
                                                                   ) -> None:
    seen = scene_of(cube('red_cube', 0.4, 0.1), cube('blue_cube', 0.4, -0.1), BOWL)
    request = PlanRequest('the bowl must contain the red cube and nothing else', seen, SKILLS,
                          goals=(in_force,))
    reply = SearchPlanner(READER).plan(request, Context())
    assert reply.kind is kind and reply.reason in (None, Reason.AMBIGUOUS_OBJECT)


def test_goals_that_hold_already_need_no_steps(make_scene: MakeScene) -> None:
    for task, scene in (('put the red cube on the table', make_scene()),
                        ('pick up the red cube', make_scene(held='red_cube')),
                        ('go home', make_scene(at_home=True))):
        reply = plan(task, scene)
        assert reply.kind is ReplyKind.DONE
        assert len(reply.goals) == 1


def test_only_what_does_not_hold_yet_is_planned(make_scene: MakeScene,
                                                make_object: MakeObject) -> None:
    scene = make_scene(make_object('red_cube', 0.5, -0.3, 0.026),
                       make_object('blue_cube', 0.4, 0.1))
    reply = plan('put the red cube and the blue cube in the bowl', scene)
    assert calls(reply) == ['pick blue_cube', 'place_on bowl']
    assert goals(reply) == ['in(red_cube, bowl)', 'in(blue_cube, bowl)']


def test_what_a_planned_step_will_undo_is_planned_again(make_scene: MakeScene) -> None:
    reply = plan('pick up the red cube and go home', make_scene(at_home=True))
    assert calls(reply) == ['pick red_cube', 'home']


def test_a_stage_on_the_way_is_visited_even_if_the_end_already_holds(
        make_scene: MakeScene) -> None:
    task = 'put the red cube on the blue cube, then put it on the table'
    assert calls(plan(task, make_scene())) == [
        'pick red_cube', 'place_on blue_cube', 'pick red_cube', 'place_on table']


def test_back_and_forth_visits_every_stage(make_scene: MakeScene) -> None:
    task = 'put the red cube in the bowl, then put it on the table, then put it in the bowl'
    assert calls(plan(task, make_scene())) == [
        'pick red_cube', 'place_on bowl', 'pick red_cube', 'place_on table', 'pick red_cube',
        'place_on bowl']


def proved(scene: Scene, result: SkillResult | None = None, **args: object) -> Proof:
    step = Step(1, 'pick', args or {'object': 'red_cube'})
    return Proof(step, scene, result or failed(Reason.UNREACHABLE, 'IK did not converge'))


def too_heavy(load_n: float = 60.0) -> SkillResult:
    return failed(Reason.PRECONDITION_FAILED, 'it weighs 6 kg', cause=Cause.TOO_HEAVY,
                  proved_impossible=True, load_n=load_n)


def test_what_was_proved_impossible_is_not_proposed_again(make_scene: MakeScene) -> None:
    reply = plan('pick up the red cube', make_scene(), proved(make_scene()))
    assert reply.kind is ReplyKind.EXHAUSTED and 'unreachable' in reply.detail


def test_what_was_proved_impossible_is_left_out_and_the_rest_is_done(make_scene: MakeScene,
                                                                     ) -> None:
    task, scene = 'put the red cube in the bowl and the blue cube on the table', make_scene()
    both = 'put the red cube in the bowl and put the blue cube in the bowl'
    assert calls(plan(both, scene, proved(scene))) == ['pick blue_cube', 'place_on bowl']
    then = 'put the red cube in the bowl, then put the blue cube in the bowl'
    assert plan(then, scene, proved(scene)).kind is ReplyKind.EXHAUSTED
    assert plan(task, scene, proved(scene)).kind is ReplyKind.EXHAUSTED, 'nothing is left to do'


def test_a_container_that_goes_somewhere_itself_goes_there_before_it_is_filled() -> None:
    bin_ = replace(BOWL, name='bin', shape=Shape.BIN, size=(0.26, 0.26, 0.09),
                   pose=Pose((0.45, -0.35, 0.045)))
    scene = scene_of(cube('red_cube', 0.4, 0.2), BOWL, bin_)
    bowl_first = ['pick bowl', 'place_on bin', 'pick red_cube', 'place_on bowl']
    assert calls(plan('put the red cube in the bowl and the bowl in the bin', scene)) == bowl_first
    assert 'leads to holding(bowl)' in plan('put the red cube in the bowl and lift the bowl',
                                            scene).detail, 'the other one could be done'
    then = plan('put the red cube in the bowl, then put the bowl in the bin', scene)
    assert calls(then)[:2] == ['pick red_cube', 'place_on bowl']


def test_what_covers_a_container_is_put_aside_before_something_is_put_in() -> None:
    lid = replace(cube('plank', *BOWL.position[:2]), size=(0.07, 0.18, 0.01),
                  pose=Pose((*BOWL.position[:2], BOWL.top_z + 0.005)))
    told = calls(plan('put the red cube in the bowl', scene_of(cube('red_cube', 0.4, 0.2), BOWL,
                                                               lid)))
    assert told == ['pick plank', 'place_on table', 'pick red_cube', 'place_on bowl']
    fixed = plan('put the red cube in the bowl', scene_of(
        cube('red_cube', 0.4, 0.2), BOWL, replace(lid, movable=False)))
    assert fixed.kind is ReplyKind.EXHAUSTED and fixed.blockers == ('plank',)
    assert fixed.detail.startswith('plank covers bowl, and plank cannot be moved')
    wide = plan('put the red cube in the bowl', replace(scene_of(
        cube('red_cube', 0.4, 0.2), BOWL, replace(lid, size=(0.18, 0.18, 0.01))), hand=PANDA.hand))
    assert wide.kind is ReplyKind.EXHAUSTED and wide.cause is Cause.TARGET_OCCUPIED
    assert wide.detail.startswith('plank covers bowl, and plank is 180 mm across')
    felt = replace(lid, name='unseen_1', movable=False)  # its place is a guess
    assert calls(plan('put the red cube in the bowl', scene_of(
        cube('red_cube', 0.4, 0.2), BOWL, felt))) == ['pick red_cube', 'place_on bowl']


def test_what_cannot_be_is_told_as_it_is() -> None:
    fallen = replace(BOWL, pose=Pose.from_rpy(*BOWL.position, roll=3.14))
    table = scene_of(cube('red_cube', 0.4, 0.2), fallen)
    assert 'bowl does not stand upright' in plan('put the red cube in the bowl', table).detail
    assert 'table cannot be picked up' in plan('pick up the table', table).detail


@pytest.mark.parametrize('hopeless', ['red_cube', 'green_cube', 'blue_cube'])
@pytest.mark.parametrize('many', ['two cubes', 'one cube', 'at least two cubes'])
def test_with_a_free_choice_what_was_proved_impossible_is_not_chosen(hopeless, many) -> None:
    table = scene_of(cube('red_cube', 0.4, 0.2), BOWL, cube('blue_cube', 0.6, 0.25),
                     cube('green_cube', 0.35, -0.1))
    told = calls(plan(f'put {many} in the bowl', table, proved(table, object=hopeless)))
    taken = [call for call in told if call.startswith('pick')]
    assert len(taken) == 1 + ('two' in many) and f'pick {hopeless}' not in taken


def test_a_failed_attempt_alone_is_no_proof(make_scene: MakeScene) -> None:
    """It may be one of an earlier run, in another world."""
    attempt = Attempt(0, 'pick', {'object': 'red_cube'}, 'precondition_failed', 'it weighs 6 kg',
                      diagnosis=Diagnosis(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL,
                                          proved=True))
    request = PlanRequest('pick up the red cube', make_scene(), SKILLS, (attempt,))
    assert calls(SearchPlanner(READER).plan(request, Context())) == ['pick red_cube']


def test_what_is_too_heavy_is_not_taken_with_another_force_or_elsewhere(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    proof = proved(make_scene(), too_heavy(), object='red_cube', force=70.0)
    elsewhere = make_scene(make_object('red_cube', 0.3, 0.2, 0.02),
                           make_object('blue_cube', 0.5, 0.1, 0.02))
    assert plan('pick up the red cube', elsewhere, proof).kind is ReplyKind.EXHAUSTED
    assert calls(plan('pick up the blue cube', elsewhere, proof)) == ['pick blue_cube']


def test_what_is_too_wide_as_it_lies_is_not_taken_until_it_lies_otherwise(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    wide = failed(Reason.PRECONDITION_FAILED, '90 mm across', cause=Cause.TOO_WIDE)
    lies, blue = make_object('red_cube', 0.3, 0.2, 0.02), make_object('blue_cube', 0.5, 0.1, 0.02)
    proof = proved(make_scene(lies, blue), wide)
    moved = make_scene(lies, make_object('blue_cube', 0.5, -0.1, 0.02))
    assert plan('pick up the red cube', moved, proof).kind is ReplyKind.EXHAUSTED
    turned = make_scene(replace(lies, pose=lies.pose.turned(0.5)), blue)
    assert calls(plan('pick up the red cube', turned, proof)) == ['pick red_cube']


def test_a_proof_with_a_list_among_its_arguments_is_a_proof(make_scene: MakeScene) -> None:
    proof = proved(make_scene(), None, object='red_cube', approach=[0.0, 0.0, 1.0])
    assert calls(plan('pick up the red cube', make_scene(), proof)) == ['pick red_cube']


def test_the_stub_ignores_what_was_proved(make_scene: MakeScene) -> None:
    stub = SearchPlanner(READER, ignores_attempts=True)
    request = PlanRequest('pick up the red cube', make_scene(), SKILLS,
                          proofs=(proved(make_scene()),))
    assert stub.name == 'stub'
    assert calls(stub.plan(request, Context())) == ['pick red_cube']


def test_a_replan_command_ends_the_plan_there(make_scene: MakeScene) -> None:
    reply = plan('pick up the red cube, look again and replan, then put it in the bowl',
                 make_scene())
    assert calls(reply) == ['pick red_cube', REPLAN_STEP]
    assert reply.steps[-1].args == {} and reply.steps[-1].expected_change
    assert goals(reply) == ['in(red_cube, bowl)']


def test_what_is_not_seen_yet_may_follow_a_replan(make_scene: MakeScene) -> None:
    reply = plan('pick up the red cube, replan, then put it in the bin', make_scene())
    assert calls(reply) == ['pick red_cube', REPLAN_STEP]
    assert reply.goals == ()  # the plan that sees the bin sets them


def test_a_cancelled_context_ends_planning(make_scene: MakeScene) -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        SearchPlanner(READER).plan(PlanRequest('go home', make_scene(), SKILLS), Context(token))


@pytest.mark.parametrize('ends_with', [Cancelled, DeadlineExceeded])
def test_a_long_search_ends_when_it_is_cancelled_or_its_time_is_over(
        ends_with: type[Exception]) -> None:
    token, ticks = CancelToken(), itertools.count()

    def now() -> float:
        tick = next(ticks)
        if tick == 5 and ends_with is Cancelled:
            token.cancel()
        return float(tick)

    request = PlanRequest('swap the hammer and the spatula', SCENES['kitchen'], SKILLS)
    with pytest.raises(ends_with):
        SearchPlanner(READER).plan(request, Context(
            token, 5.0 if ends_with is DeadlineExceeded else float('inf'), now))
    assert next(ticks) < 10


def test_a_search_computes_the_sides_of_each_outline_once(monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[object] = []
    normals = outlines._normals
    monkeypatch.setattr(outlines, '_normals', lambda o: computed.append(o) or normals(o))
    reply = SearchPlanner(READER).plan(PlanRequest(
        'swap the hammer and the spatula', SCENES['kitchen'], SKILLS), Context())
    assert len(reply.steps) == 10 and len(computed) < 100


def test_what_is_on_a_plate_already_needs_no_room_for_the_fingers() -> None:
    there = [cube(f'{colour}_cube', 0.58 + dx, dy, on=0.01) for colour, dx, dy in (
        ('red', -0.024, -0.024), ('blue', 0.024, -0.024), ('green', -0.024, 0.024))]
    seen = scene_of(*there, plate('white_plate', 0.58, 0.0))
    reply = plan('put all the cubes on the white plate', seen)
    assert reply.kind is ReplyKind.DONE


def test_with_a_free_choice_those_that_have_room_together_go_on_the_plate() -> None:
    sides = {'red': 0.055, 'blue': 0.055, 'green': 0.03, 'black': 0.03}
    cubes = [cube(f'{colour}_cube', 0.38, 0.1 - 0.1 * n, side)
             for n, (colour, side) in enumerate(sides.items())]
    seen = scene_of(*cubes, plate('white_plate', 0.58, 0.0))
    reply = plan('put two cubes on the white plate', seen)
    assert [c for c in calls(reply) if c.startswith('pick')] == ['pick green_cube',
                                                                 'pick black_cube']


OBJECTS = ('the red cube', 'the blue cube', 'the leftmost cube', 'the biggest block', 'it', 'bowl')
COMMANDS = st.one_of(
    st.sampled_from(['go home', 'look', 'release', 'put it down', 'replan']),
    st.sampled_from(OBJECTS).map('pick up {}'.format),
    st.tuples(st.sampled_from(OBJECTS), st.sampled_from(['in the bowl', 'on the table',
              'on the green cube', 'at (0.4, 0.3)'])).map('put {0[0]} {0[1]}'.format),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(COMMANDS, min_size=1, max_size=5),
       held=st.sampled_from([None, 'red_cube', 'green_cube']))
def test_every_plan_passes_validation(commands: list[str], held: str | None,
                                      make_scene: MakeScene,
                                      skills: tuple[SkillSpec, ...]) -> None:
    scene = make_scene(held=held)
    reply = plan(', then '.join(commands), scene)
    if reply.kind is not ReplyKind.STEPS:
        return
    made = Plan(1, '', reply.steps, reply.goals, PlanCause.INITIAL, None, 'scene-1', 'stub')
    assert PlanValidator(WorkspaceConfig(), 100)(made, scene, skills) == []


@pytest.mark.parametrize(('task', 'goal'), [
    ('move the red cube to the left', 'at(red_cube, 0.450, 0.300)'),
    ('put the red cube to the right', 'at(red_cube, 0.450, 0.100)'),
    ('shift the red cube 5 cm back', 'at(red_cube, 0.400, 0.200)'),
])
def test_a_direction_is_a_distance_that_the_plan_states(task: str, goal: str,
                                                        make_scene: MakeScene) -> None:
    reply = plan(task, make_scene())
    assert goals(reply) == [goal]
    x, y = reply.goals[0].position or (0.0, 0.0)
    assert f'({x:.3f}, {y:.3f})' in reply.steps[-1].description


def test_the_person_has_the_left_on_the_other_side(make_scene: MakeScene) -> None:
    request = PlanRequest('move the red cube to the left', make_scene(), SKILLS)
    reply = SearchPlanner(build_reader('person')).plan(request, Context())
    assert goals(reply) == ['at(red_cube, 0.450, 0.100)']


@pytest.mark.parametrize('held', [None, 'red_cube'])
def test_what_is_not_held_cannot_be_dropped(held: str | None, make_scene: MakeScene) -> None:
    reply = plan('drop the blue cube', make_scene(held=held))
    assert reply.kind is ReplyKind.FAILED
    assert reply.reason is Reason.PRECONDITION_FAILED


WORDS = ('pick put move stack swap sort turn push give empty tidy take up down back in into on '
         'next to left of between and then if there is the a all every both two three rest except '
         'red blue cube cubes ball bowl table it them one tower by colour 90 degrees 5 cm').split()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_any_words_get_an_answer(words: list[str], make_scene: MakeScene) -> None:
    reply = plan(' '.join(words), make_scene())
    if reply.kind in (ReplyKind.UNRECOGNIZED, ReplyKind.FAILED):
        assert reply.detail and not reply.steps


def test_words_about_the_manner_are_not_dropped_in_silence(make_scene: MakeScene) -> None:
    said = plan('slowly pick up the red cube', make_scene())
    assert said.kind is ReplyKind.STEPS and 'slowly' in said.warnings[0]


@pytest.mark.parametrize(('words', 'left'), [
    ('but do not touch the blue cube', {'blue_cube'}),
    ('without moving anything else', {'all'}),
    ('and nothing else', {'all'}),
    ('and leave the other cubes alone', {'blue_cube', 'green_cube'}),
    ('', set()),
])
def test_the_reply_names_what_the_task_says_to_leave_where_it_is(
        words: str, left: set[str], make_scene: MakeScene) -> None:
    scene = make_scene()
    reply = plan(f'put the red cube in the bowl {words}', scene)
    others = {thing.name for thing in scene.movable()} - {'red_cube'}
    assert reply.kind is ReplyKind.STEPS, reply.detail
    assert set(reply.left_alone) == (others if left == {'all'} else left)


def test_an_exception_from_what_was_taken_is_kept(make_scene: MakeScene) -> None:
    reply = plan('pick up the cubes and put them in the bowl, except the red cube', make_scene())
    assert reply.kind is ReplyKind.STEPS, reply.detail
    assert 'red_cube' not in [step.args.get('object') for step in reply.steps]


@pytest.mark.parametrize('task', [
    'pick up the red cube and the blue cube and put them in the bowl, except the red cube',
    'pick up the cubes and put two of them in the bowl'])
def test_some_of_what_was_taken_is_a_question(task: str, make_scene: MakeScene) -> None:
    reply = plan(task, make_scene())
    assert not reply.steps and 'which ones' in reply.detail
