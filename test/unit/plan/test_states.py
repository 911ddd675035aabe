# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that can be in several states: goals about them, and plans that need one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import CompletedStep, PlanReply, PlanRequest, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject, Shape, States
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.judging import judge
from replan_agent.geometry.steps.after_step import after_step
from replan_agent.geometry.steps.done_steps import split_undone
from replan_agent.geometry.steps.forecast import Forecast
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.replan.local.blocked_step import BlockedSet
from replan_agent.replan.local.local_planner import blocked_step
from replan_agent.replan.local.local_skills import LocalSkills

MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]
SHUT, OUT = Pose((0.70, 0.0, 0.06)), Pose((0.54, 0.0, 0.06))
KNOB = SceneObject('knob', Shape.BOX, (0.02, 0.02, 0.02), Pose((0.57, 0.0, 0.06)), movable=False)


def setter(name: str, state: str) -> SkillSpec:
    return SkillSpec(name, f'make it {state}', {
        'type': 'object', 'properties': {'object': {'type': 'string'}}, 'required': ['object']},
        ('object',), False, Effect(EffectKind.SET, object='object', state=state))


SKILLS = (*standard_skills().specs(), setter('open', 'open'), setter('close', 'closed'))


def drawer(now: str = 'closed') -> SceneObject:
    return SceneObject('drawer', Shape.BIN, (0.22, 0.24, 0.1), OUT if now == 'open' else SHUT,
                       'white', False, states=States(now, ('open', 'closed'), (OUT, SHUT),
                                                     'open', ('knob',)))


@pytest.fixture
def kitchen(make_scene: MakeScene, make_object: MakeObject) -> Callable[..., Scene]:
    def make(now: str = 'closed', *more: SceneObject) -> Scene:
        return make_scene(make_object('red_cube', 0.4, 0.3), make_object('blue_cube', 0.4, -0.3),
                          drawer(now), KNOB, *more)

    return make


def plan(task: str, scene: Scene, **more: object) -> PlanReply:
    return SearchPlanner(build_reader()).plan(
        replace(PlanRequest(task, scene, SKILLS), **more), Context())  # type: ignore[arg-type]


def calls(reply: PlanReply) -> list[str]:
    return [' '.join([s.skill, *map(str, s.args.values())]) for s in reply.steps]


FILL = ['open drawer', 'pick red_cube', 'place_on drawer', 'close drawer']


@pytest.mark.parametrize(('task', 'now', 'steps', 'goals'), [
    ('open the drawer', 'closed', FILL[:1], ['open(drawer)']),
    ('the drawer should be closed', 'open', FILL[-1:], ['closed(drawer)']),
    ('put the red cube in the drawer', 'closed', FILL, ['in(red_cube, drawer)',
                                                        'closed(drawer)']),
    ('put the red cube in the drawer', 'open', FILL[1:3], ['in(red_cube, drawer)']),
    ('put the red cube in the drawer and close it', 'open', FILL[1:],
     ['in(red_cube, drawer)', 'closed(drawer)']),
    ('open the drawer and put the red cube in it', 'closed', FILL[:3],
     ['open(drawer)', 'in(red_cube, drawer)']),
    ('put the cubes in the drawer', 'closed',
     [*FILL[:3], 'pick blue_cube', 'place_on drawer', 'close drawer'],
     ['in(all (cube), drawer)', 'closed(drawer)'])])
def test_a_plan_opens_what_is_shut_and_leaves_it_as_it_was(
        kitchen: Callable[..., Scene], task: str, now: str, steps: list[str],
        goals: list[str]) -> None:
    reply = plan(task, kitchen(now))
    assert calls(reply) == steps
    assert [str(goal) for goal in reply.goals][-1] == goals[-1]
    assert len(reply.goals) == len(goals)


def test_what_is_in_a_shut_thing_is_taken_out_of_it(kitchen: Callable[..., Scene],
                                                    make_object: MakeObject) -> None:
    lemon = make_object('lemon', 0.7, 0.0, 0.035, Shape.SPHERE, colour='yellow')
    assert calls(plan('pick up the lemon', kitchen('closed', lemon))) == [
        'open drawer', 'pick lemon']
    assert calls(plan('put the lemon on the table', kitchen('closed', lemon)))[-1] == (
        'close drawer')


def test_a_hand_that_holds_something_is_emptied_before_it_opens(
        kitchen: Callable[..., Scene]) -> None:
    reply = plan('put the red cube in the drawer', replace(kitchen(), held='red_cube'))
    assert [s.skill for s in reply.steps][0].startswith('place') and calls(reply)[-4:] == FILL


def test_what_was_shut_is_shut_again_although_a_later_look_shows_it_open(
        kitchen: Callable[..., Scene]) -> None:
    task, opened = 'put the red cube in the drawer', kitchen('open')
    done = CompletedStep(Step(1, 'open', {'object': 'drawer'}), None)
    first = plan(task, kitchen())
    reply = plan(task, opened, goals=first.goals, goals_certain=True, completed=(done,))
    assert calls(reply) == FILL[1:]


def test_a_thing_that_has_no_such_state_is_refused(kitchen: Callable[..., Scene]) -> None:
    reply = plan('open the red cube', kitchen())
    assert not reply.steps and 'red_cube cannot be open' in reply.detail


def test_the_scene_after_it_has_the_thing_its_handle_and_its_load_there(
        kitchen: Callable[..., Scene], make_object: MakeObject) -> None:
    lemon = make_object('lemon', 0.7, 0.05, 0.035, Shape.SPHERE)
    after = after_step(Step(1, 'open', {'object': 'drawer'}), find_spec(SKILLS, 'open'),
                       kitchen('closed', lemon))
    assert after is not None
    moved = {o.name: o.position for o in after.objects}
    assert moved['drawer'] == pytest.approx(OUT.position)
    assert moved['knob'] == pytest.approx((0.41, 0.0, 0.06))
    assert moved['lemon'] == pytest.approx((0.54, 0.05, 0.035))
    assert judge(Goal(Predicate.IS, 'drawer', state='open'), after) is True
    assert judge(Goal(Predicate.IS, 'drawer', state='closed'), after) is False
    assert judge(Goal(Predicate.IS, 'red_cube', state='open'), after) is None


def test_a_plan_that_puts_something_in_a_shut_thing_is_objected_to(
        kitchen: Callable[..., Scene]) -> None:
    scene, put, opening = replace(kitchen(), held='red_cube'), SKILLS, Step(
        1, 'open', {'object': 'drawer'})
    spec = find_spec(put, 'place_on')
    assert spec is not None
    before = Forecast(scene, 'red_cube')
    assert 'drawer is not open' in list(before.objections(spec, {'target': 'drawer'}))
    after = before.after(opening, find_spec(SKILLS, 'open'))
    assert not list(after.objections(spec, {'target': 'drawer'}))


def test_what_closes_by_itself_undoes_the_step_that_opened_it(
        kitchen: Callable[..., Scene]) -> None:
    done = CompletedStep(Step(1, 'open', {'object': 'drawer'}), None)
    assert split_undone([done], kitchen('closed'), SKILLS) == ((), (done,))
    assert split_undone([done], kitchen('open'), SKILLS) == ((done,), ())


def test_what_stands_in_the_way_is_taken_away_and_not_put_where_it_goes(
        kitchen: Callable[..., Scene], make_object: MakeObject) -> None:
    scene, step = kitchen('closed', make_object('can', 0.5, 0.0)), Step(
        1, 'open', {'object': 'drawer'})
    failure = Attempt(0, 'open', step.args, 'path_blocked', '', blockers=('can',))
    blocked = blocked_step(step, FailureCase(failure, scene), scene, LocalSkills(SKILLS))
    assert isinstance(blocked, BlockedSet) and blocked.loss(scene) == 1
    found = list(blocked.proposals(scene, Context()))
    assert {p.option.object for p in found} == {'can'}
    spots = [p.leads_to.get('can') for p in found if p.option.kind == 'clear_obstacle']
    assert spots and all(abs(o.position[0] - 0.54) > 0.11 or abs(o.position[1]) > 0.12
                         for o in spots if o is not None)
    assert all(blocked.loss(p.leads_to) == 0 for p in found
               if p.option.kind == 'clear_obstacle')


MOP = SkillSpec('mop', 'make it clean with a mop', {
    'type': 'object', 'properties': {'object': {'type': 'string'}, 'tool': {
        'type': 'string', 'pattern': 'mop|brush'}}, 'required': ['object', 'tool']},
    ('object', 'tool'), True,
    Effect(EffectKind.SET, object='object', target='tool', state='clean'))
SPOT = SceneObject('spot', Shape.BOX, (0.1, 0.1, 0.001), Pose((0.5, 0.0, 0.0)), movable=False,
                   states=States('', ('clean',), (Pose((0.5, 0.0, 0.0)),)))


def test_what_takes_a_tool_is_done_with_one_that_fits_and_the_hand_keeps_it(kitchen, make_object):
    scene, tool = kitchen('closed', SPOT), make_object('grey_mop', 0.4, 0.1)
    skills = (*SKILLS, MOP)
    scene = replace(scene, objects=(*scene.objects, tool))
    reply = SearchPlanner(build_reader()).plan(
        PlanRequest('mop the spot', scene, skills), Context())
    assert [(s.skill, dict(s.args)) for s in reply.steps] == [
        ('pick', {'object': 'grey_mop'}), ('mop', {'object': 'spot', 'tool': 'grey_mop'})]
    held = replace(scene, held='grey_mop')
    again = SearchPlanner(build_reader()).plan(
        PlanRequest('mop the spot', held, skills), Context())
    assert [s.skill for s in again.steps] == ['mop']
    none = replace(scene, objects=scene.without(['grey_mop']))
    assert not SearchPlanner(build_reader()).plan(
        PlanRequest('mop the spot', none, skills), Context()).steps


def test_around_what_stands_in_the_way_of_a_tool_the_hand_has_it_again_in_the_end(
        kitchen, make_object):
    scene = kitchen('closed', SPOT)
    scene = replace(scene, objects=(*scene.objects, make_object('grey_mop', 0.4, 0.1)),
                    held='grey_mop')
    step = Step(1, 'mop', {'object': 'spot', 'tool': 'grey_mop'})
    skills = LocalSkills((*SKILLS, MOP))
    blocked = BlockedSet(step, MOP.effect, skills, ('red_cube',), scene, carried='grey_mop')
    assert not blocked.is_hopeless(scene)
    assert blocked.is_hopeless(replace(scene, held=None))
    freed = [p for p in blocked.proposals(scene, Context()) if p.option.kind == 'free_target']
    assert freed and freed[0].leads_to.held == 'grey_mop'
    assert {p.option.kind for p in blocked.proposals(replace(scene, held='blue_cube'), Context())
            } == {'put_down'}
    assert 'take_again' in {p.option.kind for p in blocked.proposals(
        replace(scene, held=None), Context())}


TIP = SkillSpec('tip', 'tip what is held over another thing', {
    'type': 'object', 'properties': {'object': {'type': 'string'}, 'target': {'type': 'string'}},
    'required': ['object', 'target']}, ('object', 'target'), True,
    Effect(EffectKind.SET, object='object', target='target', state='tipped'))


def test_what_is_done_with_a_thing_to_another_one_is_done_with_that_thing_in_the_hand(
        kitchen, make_object):
    cup = replace(make_object('cup', 0.4, 0.1), states=States('', ('tipped',), (Pose(
        (0.4, 0.1, 0.02)),)))
    scene = kitchen('closed')
    scene = replace(scene, objects=(*scene.objects, cup))
    reply = SearchPlanner(build_reader()).plan(
        PlanRequest('tip the cup over the blue cube', scene, (*SKILLS, TIP)), Context())
    assert not reply.steps  # "over" is no word for its second thing
    reply = SearchPlanner(build_reader()).plan(
        PlanRequest('tip the cup onto the blue cube', scene, (*SKILLS, TIP)), Context())
    assert [(s.skill, dict(s.args)) for s in reply.steps] == [
        ('pick', {'object': 'cup'}), ('tip', {'object': 'cup', 'target': 'blue_cube'})]
    assert reply.goals == (Goal(Predicate.IS, 'cup', 'blue_cube', state='tipped'),)
