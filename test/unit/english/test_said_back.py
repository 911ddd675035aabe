# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every goal can be said in one sentence, and the sentence is read as the same goal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

from replan_agent.domain.goal import DIRECTED, MEASURED, Goal, Predicate
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.orders import Order, final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.reading import Reading
from replan_agent.domain.refusals import Open
from replan_agent.domain.scene import Scene, SceneObject, Shape, States
from replan_agent.domain.things import Quantity, Things
from replan_agent.english.dictionary import words
from replan_agent.english.reader import EnglishReader
from replan_agent.geometry.goal_check import meanings
from replan_agent.geometry.relations import symmetry_deg
from replan_agent.geometry.towers import why_unsteady

FEW = settings(suppress_health_check=list(HealthCheck))
COLOURS = ('red', 'blue', 'green', 'dark_green', 'lavender', 'orange', 'white')
NOUNS = ('cube', 'block', 'can', 'tin', 'bar', 'ball', 'lemon', 'mug', 'cup', 'toy dog',
         'screw driver', 'tea box', 'box', 'orange', 'left block', 'top', 'stack', 'hand',
         'thing', 'home', 'rubbish')
KINDS = ('cube', 'block', 'can', 'ball', 'thing', 'box', 'fruit', 'container', 'round', 'bar')
SIZES = {Shape.BOX: (0.05, 0.04, 0.04), Shape.CYLINDER: (0.05, 0.05, 0.08),
         Shape.SPHERE: (0.05,) * 3, Shape.BOWL: (0.16, 0.16, 0.06), Shape.BIN: (0.2, 0.16, 0.1)}
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.6, 0.04), Pose((0.6, 0.0, -0.02)), 'wood', False)


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Things on a table, whose names may share words or be words of one another."""
    objects = [TABLE]
    names = {'table'}
    for number in range(draw(st.integers(4, 8))):
        shape = draw(st.sampled_from(list(SIZES)))
        colour = draw(st.sampled_from(COLOURS))
        noun = draw(st.sampled_from(('bowl', 'box', 'basket') if shape in (Shape.BOWL, Shape.BIN)
                                    else NOUNS))
        parts = [*([colour] if draw(st.booleans()) else []), *noun.split(),
                 *draw(st.sampled_from(((), (), ('2',), ('a',), ('b', '3'))))]
        name = draw(st.sampled_from('_ -')).join(parts) if draw(st.integers(0, 5)) == 0 else (
            '_'.join(parts))
        if name in names:
            continue
        names.add(name)
        size = SIZES[shape]
        x, y = 0.3 + 0.25 * (number % 3), -0.5 + 0.25 * (number // 3)
        pose = Pose.from_rpy(x, y, size[2] / 2, yaw=draw(st.floats(-1, 1)))
        states = States('closed', ('open', 'closed'), (pose, pose)) if shape is Shape.BIN else None
        objects.append(SceneObject(name, shape, size, pose, colour.replace('_', ' '),
                                   states=states))
    return Scene('random', 0.0, tuple(objects), 'by_hand', None)


def _things(draw: st.DrawFn, scene: Scene, of: Sequence[SceneObject]) -> Things:
    names = [o.name for o in of]
    if draw(st.booleans()):
        noun, colour = draw(st.sampled_from(KINDS)), draw(st.sampled_from(('', *COLOURS[:3])))
        texts = [*([colour] if colour else []), noun, *draw(st.sampled_from(
            ((), (), ('-red',), ('-ball',), ('-cube', '-blue'))))]
        things = Things(words=words(*texts))
    else:
        things = Things(named=tuple(draw(st.lists(st.sampled_from(names), unique=True, min_size=1,
                                                  max_size=3))))
    found = [n for n in things.names(scene) if n in names]
    assume(found and set(things.names(scene)) <= set(names))
    if things.words and len(found) > 1 and draw(st.booleans()):
        things = replace(things, without=(draw(st.sampled_from(found)),))
    quantity = draw(st.sampled_from(Quantity))
    return things if quantity is Quantity.ALL else replace(
        things, quantity=quantity, count=draw(st.integers(
            quantity is Quantity.AT_LEAST, len(things.names(scene)))))


@st.composite
def goals(draw: st.DrawFn, scene: Scene) -> Goal:
    """A goal that can be true: what is to be on a ball is refused, and that is right."""
    predicate = draw(st.sampled_from(Predicate))
    loose = [o for o in scene.objects if is_loose(o)]
    holders = [o for o in scene.objects if o.is_container]
    assume(len(loose) > 2)
    negated = draw(st.integers(0, 3)) == 0
    if predicate is Predicate.HOME:
        return Goal(predicate, negated=negated)
    if predicate is Predicate.IS:
        lids = [o.name for o in holders if o.states]
        assume(lids)
        return Goal(predicate, draw(st.sampled_from(lids)), negated=negated,
                    state=draw(st.sampled_from(('open', 'closed'))))
    thing, target, second = (o.name for o in draw(st.permutations(loose))[:3])
    goal = Goal(predicate, thing, negated=negated)
    if predicate is Predicate.HOLDING and draw(st.integers(0, 3)) == 0:
        return replace(goal, object=None)
    if predicate is Predicate.AT:
        goal = replace(goal, position=(draw(st.floats(0.25, 0.9)), draw(st.floats(-0.5, 0.5))))
    if predicate is Predicate.TURNED:
        goal = replace(goal, degrees=draw(st.floats(-360, 360)))
        loose = [o for o in loose if symmetry_deg(o) is not None]
        assume(loose)
        goal = replace(goal, object=loose[0].name)
    if predicate is Predicate.IN:
        assume(holders)
        target = draw(st.sampled_from(holders)).name
    if predicate in (Predicate.ON, Predicate.STACKED) and draw(st.booleans()):
        target = 'table'
    if predicate in (Predicate.ON, Predicate.STACKED, Predicate.IN, Predicate.BETWEEN, *MEASURED):
        goal = replace(goal, target=target)
    if predicate is Predicate.BETWEEN:
        goal = replace(goal, second=second)
    if predicate in DIRECTED:
        goal = replace(goal, viewpoint=draw(st.sampled_from(('', 'arm', 'person'))))
    if predicate in MEASURED and draw(st.booleans()):
        goal = replace(goal, distance=draw(st.integers(5, 400)) / 1000)
    if draw(st.booleans()):
        things = _things(draw, scene, loose)
        if predicate in (Predicate.IN, Predicate.ON) and draw(st.integers(0, 3)) == 0:
            of = holders if predicate is Predicate.IN else loose
            targets = Things(named=tuple(o.name for o in of if o.name not in things.names(scene)))
            assume(targets.named and (things.count or len(things.names(scene)))
                   <= len(targets.named) and (things.quantity is Quantity.ALL or things.count))
            goal = replace(goal, targets=targets, target=None)
        goal = replace(goal, object=None, things=things)
        assume(goal.named(scene) and len(goal.named(scene)) >= things.count)
    assume(negated or predicate not in (Predicate.ON, Predicate.STACKED) or _stays(goal, scene))
    return goal


def _stays(goal: Goal, scene: Scene) -> bool:
    below = goal.targets.names(scene) if goal.targets else (goal.target,)
    return not any(why_unsteady(scene.get(p.object or ''), target) for p in goal.named(scene)
                   for name in below if (target := scene.get(name or '')) and name != 'table')


def read(sentence: str, scene: Scene, viewpoint: str = 'arm') -> Reading:
    return EnglishReader(viewpoint).read(PlanRequest(sentence, scene, ()),
                                         lambda order, now, *_, **__: now)


def same(sentence: str, wanted: Iterable[Goal], scene: Scene, viewpoint: str = 'arm') -> None:
    reading = read(sentence, scene, viewpoint)
    assert reading.refusal is None, sentence
    assert meanings(final_goals(reading.orders, scene), scene, 3) == meanings(
        wanted, scene, 3), sentence


def _said_back(data: st.DataObject, viewpoint: str) -> None:
    scene = data.draw(scenes())
    goal = data.draw(goals(scene))
    same(EnglishReader(viewpoint).said([goal], scene), [goal], scene, viewpoint)


VIEWPOINT = st.sampled_from(('arm', 'person'))
test_a_goal_that_is_said_is_read_as_the_same_goal = pytest.mark.fuzz(FEW(
    given(st.data(), VIEWPOINT)(_said_back)))


@pytest.mark.release
@pytest.mark.parametrize('part', range(8))
def test_of_ten_thousand_goals_each_is_read_as_the_same_goal(part: int) -> None:
    seed(part)(settings(FEW, max_examples=10_000 // 8)(
        given(st.data(), VIEWPOINT)(_said_back)))()


def _apart(draw: st.DrawFn, scene: Scene) -> list[Goal]:
    """Goals about things of their own: one thing at two places is asked about."""
    found: list[Goal] = []
    taken: set[str] = set()
    for goal in draw(st.lists(goals(scene).filter(
            lambda goal: goal.predicate not in (Predicate.HOME, Predicate.HOLDING)),
            min_size=2, max_size=4)):
        names = {name for part in goal.named(scene) for name in part.names} | {
            *(goal.targets.names(scene) if goal.targets else ())} - {'table'}
        if names.isdisjoint(taken):
            taken |= names
            found.append(goal)
    assume(len(found) > 1)
    return found


@pytest.mark.fuzz
@FEW
@given(st.data())
def test_goals_that_are_said_together_are_read_as_the_same_goals(data: st.DataObject) -> None:
    scene = data.draw(scenes())
    several = _apart(data.draw, scene)
    same(EnglishReader().said(several, scene), several, scene)


@pytest.mark.fuzz
@FEW
@given(st.data())
def test_an_order_of_goals_that_is_said_is_read_as_the_same_order(data: st.DataObject) -> None:
    scene = data.draw(scenes())
    several = _apart(data.draw, scene)
    sentence = EnglishReader().said_in_order([Order((goal,)) for goal in several], scene)
    assert [meanings(order.goals, scene, 3) for order in read(sentence, scene).orders] == [
        meanings([goal], scene, 3) for goal in several], sentence


@pytest.mark.parametrize(('names', 'sentence'), [
    (('cube', 'blue_cube', 'bowl'), '"cube" should be in the bowl.'),
    (('cube', 'blue cube', 'Bowl'), '"cube" should be in the Bowl.'),
    (('cube', 'ball', 'bowl'), 'The cube should be in the bowl.')])
def test_a_name_that_fits_two_things_is_said_as_it_is_written(
        names: tuple[str, ...], sentence: str) -> None:
    shapes = (Shape.BOX, Shape.BOX if 'cube' in names[1] else Shape.SPHERE, Shape.BOWL)
    scene = Scene('few', 0.0, (TABLE, *(
        SceneObject(name, shape, SIZES[shape], Pose((0.3 + 0.2 * i, 0.1, 0.02)), 'blue')
        for i, (name, shape) in enumerate(zip(names, shapes)))), 'by_hand', None)
    goal = Goal('in', names[0], names[2])
    assert EnglishReader().said([goal], scene) == sentence
    same(sentence, [goal], scene)


def test_a_thing_that_is_called_everything_is_asked_about() -> None:
    scene = Scene('scene', 0.0, (
        SceneObject('everything', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.45, 0.1, 0.02))),
        SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.45, -0.1, 0.02))),
        SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.05), Pose((0.5, 0.3, 0.025)))), 'test')
    with pytest.raises(Open, match='what is meant'):
        EnglishReader().read(PlanRequest('put everything in the bowl', scene, ()),
                             lambda reading, *_, **__: scene)
