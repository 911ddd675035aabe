"""What was in a bin and is not seen any more may still be in it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.out_of_sight import keeping_contents, may_still_be_there
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

BIN = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.07), Pose((0.5, -0.3, 0.035)), 'grey')
CUBE = SceneObject('blue_cube', Shape.BOX, (0.04,) * 3, Pose((0.5, -0.3, 0.026)), 'blue')
CLEAR = Goal(Predicate.CLEAR, 'bin')


def scene(*things: SceneObject, held: str | None = None) -> Scene:
    return Scene('s', 0.0, (BIN, *things), 'fake', held=held)


@pytest.mark.parametrize(('then', 'now', 'left'), [
    (scene(CUBE), scene(), ['blue_cube']),
    (scene(CUBE, held='blue_cube'), scene(), ['blue_cube']),  # it may have been dropped into it
    (scene(CUBE), scene(replace(CUBE, pose=Pose((0.4, 0.1, 0.02)))), []),
    (scene(replace(CUBE, pose=Pose((0.4, 0.1, 0.02)))), scene(), []),  # it was on the table
    (scene(CUBE), scene(replace(CUBE, name='blue_cylinder', pose=Pose((0.4, 0.1, 0.02)))), []),
])
def test_what_is_not_seen_any_more_may_still_be_there(then, now, left):
    assert may_still_be_there([CLEAR], [then, now]) == left


def test_only_what_should_be_clear_counts():
    assert may_still_be_there([Goal(Predicate.HOME)], [scene(CUBE), scene()]) == []


BALL = SceneObject('red_ball', Shape.SPHERE, (0.04,) * 3, Pose((0.53, -0.3, 0.05)), 'red')


def test_a_thing_that_the_other_contents_may_cover_is_still_in_its_container():
    moved = replace(BIN, pose=Pose((0.6, -0.3, 0.035)))
    now = replace(scene(BALL), objects=(moved, replace(BALL, pose=Pose((0.63, -0.3, 0.05)))))
    assert keeping_contents(scene(CUBE), now).get('blue_cube').position == pytest.approx(
        (0.6, -0.3, 0.026))


@pytest.mark.parametrize(('then', 'now'), [
    (scene(CUBE), scene()),  # nothing hides it: it is gone
    (scene(CUBE), scene(replace(BALL, pose=Pose((0.4, 0.2, 0.02))))),  # not in the bin
    (scene(CUBE, held='blue_cube'), scene(BALL)),
    (scene(replace(CUBE, pose=Pose((0.4, 0.1, 0.02)))), scene(BALL)),  # it was on the table
    (scene(CUBE), scene(BALL, replace(CUBE, name='blue_cylinder'))),  # it has a new name
    (scene(CUBE), replace(scene(BALL), stale=True)),
])
def test_nothing_else_is_kept(then, now):
    assert keeping_contents(then, now) == now
