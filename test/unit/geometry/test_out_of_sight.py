# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a look does not show may still be there, until the contrary is seen."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.agent.state.sight import SeenScenes
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.things import Things
from replan_agent.english.dictionary import words
from replan_agent.geometry.goal_words import verdicts_in_words
from replan_agent.geometry.judging import is_inside, judge
from replan_agent.geometry.out_of_sight import (
    Sight,
    became_one,
    believed,
    same_colour,
    still_there,
)

BIN = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.07), Pose((0.5, -0.3, 0.035)), 'grey')
CUBE = SceneObject('blue_cube', Shape.BOX, (0.04,) * 3, Pose((0.5, -0.3, 0.026)), 'blue')
ABOVE = replace(CUBE, pose=Pose((0.52, -0.28, 0.11)))
BESIDE = replace(CUBE, pose=Pose((0.3, -0.1, 0.02)))
PLATE = SceneObject('red_plate', Shape.BOX, (0.18, 0.18, 0.01), Pose((0.5, -0.3, 0.055)), 'red')
NOTHING_SEEN = Sight(sees_past=lambda place: False)
ALL_SEEN = Sight()


def scene(*things: SceneObject, held: str | None = None, container: SceneObject = BIN) -> Scene:
    return Scene('s', 0.0, (container, *things), 'fake', held=held)


def kept(before: Scene, now: Scene, sight: Sight = NOTHING_SEEN) -> list[str]:
    return [thing.name for thing in still_there(before, now, sight, 60.0)]


def test_what_its_container_hides_stays_where_it_was():
    assert still_there(scene(CUBE), scene(PLATE), NOTHING_SEEN, 60.0) == (CUBE,)


@pytest.mark.parametrize(('bottom', 'there'), [(0.0125, True), (0.0, False), (0.03, False)])
def test_what_something_lies_on_is_there_though_hardly_anything_of_it_is_seen(bottom, there):
    table = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                        movable=False)
    low = SceneObject('orange_box', Shape.BOX, (0.058, 0.065, 0.012), Pose((0.3, 0.0, 0.006)))
    upon = SceneObject('pink_box', Shape.BOX, (0.07, 0.074, 0.013),
                       Pose((0.302, 0.004, bottom + 0.0065)))
    before = scene(table, low, replace(upon, pose=Pose((0.3, 0.1, 0.2))), held='pink_box')
    assert kept(before, scene(table, upon), ALL_SEEN) == ['orange_box'] * there


def test_what_was_let_go_above_a_container_is_in_it():
    (there,) = still_there(scene(ABOVE, held='blue_cube'), scene(PLATE), NOTHING_SEEN, 60.0)
    assert there.position[:2] == pytest.approx(ABOVE.position[:2], abs=0.01)
    assert there.bottom_z < BIN.top_z - 0.005


def test_it_may_have_slid_to_a_place_that_is_not_seen():
    left = Sight(sees_past=lambda place: place.position[0] > 0.47)
    (there,) = still_there(scene(CUBE), scene(), left, 60.0)
    assert there.position[0] <= 0.47


def test_what_others_have_buried_may_lie_anywhere_below_or_beside_them():
    """Its own outline has no hidden place there, but it may be turned: a part of it has one."""
    heap = replace(PLATE, size=(0.06, 0.06, 0.01), pose=Pose((0.44, -0.3, 0.055)))
    below = Sight(sees_past=lambda place: place.size[0] > 0.03 or place.position[0] > 0.46)
    bar = replace(CUBE, size=(0.12, 0.03, 0.03))
    above = replace(bar, pose=ABOVE.pose)
    for before in (scene(bar), scene(above, held='blue_cube')):
        (there,) = still_there(before, scene(heap), below, 60.0)
        assert judge(Goal(Predicate.IN, 'blue_cube', 'bin'), scene(there)) is True
    assert kept(scene(bar), scene(), below) == []
    assert kept(scene(bar), scene(heap), ALL_SEEN) == []


def test_what_has_thin_arms_may_be_buried_where_a_bulky_thing_may_not():
    heap = replace(PLATE, size=(0.06, 0.06, 0.01), pose=Pose((0.44, -0.3, 0.055)))
    below = Sight(sees_past=lambda place: place.size[0] > 0.03 or place.position[0] > 0.46)
    jack = replace(CUBE, shape=Shape.IRREGULAR, size=(0.08,) * 3, pieces=tuple(
        box_piece(size) for size in ((0.08, 0.02, 0.02), (0.02, 0.08, 0.02), (0.02, 0.02, 0.08))))
    assert kept(scene(jack), scene(heap), below) == ['blue_cube']
    assert kept(scene(replace(jack, shape=Shape.BOX, pieces=())), scene(heap), below) == []


def test_what_fell_into_a_container_may_lie_on_its_side_behind_a_wall_of_it():
    """What only lay in it does not get there by itself, and a plate is too large to hide there."""
    tall = replace(CUBE, size=(0.03, 0.03, 0.12), pose=Pose((0.55, -0.3, 0.13)))
    behind_wall = Sight(sees_past=lambda place: bool(
        place.top_z > 0.04 or place.position[0] - place.half_extents_in_base()[0] < 0.4
        or place.position[0] + place.half_extents_in_base()[0] > 0.45))
    (there,) = still_there(scene(tall, held='blue_cube'), scene(), behind_wall, 60.0)
    assert there.top_z < 0.04 and is_inside(there, BIN)
    plate = replace(PLATE, name='blue_cube', pose=Pose((0.5, -0.3, 0.13)))
    assert kept(scene(plate, held='blue_cube'), scene(), behind_wall) == []
    lay = replace(tall, pose=Pose.from_rpy(0.55, -0.3, 0.02, roll=math.pi / 2))
    assert kept(scene(lay), scene(), behind_wall) == []


def test_in_a_round_bowl_it_does_not_hide_where_the_wall_is():
    bowl = replace(BIN, name='bowl', shape=Shape.BOWL, size=(0.16, 0.16, 0.07))
    inside = Sight(sees_past=lambda place: math.dist(place.position[:2], bowl.position[:2])
                   + place.size[0] / 2 < bowl.size[0] / 2)
    assert kept(scene(CUBE, container=bowl), scene(container=bowl), inside) == []
    above = scene(ABOVE, held='blue_cube', container=bowl)
    assert kept(above, scene(container=bowl), inside) == []
    assert kept(above, scene(container=bowl)) == ['blue_cube']


def test_it_does_not_slide_far_by_itself():
    corner = Sight(sees_past=lambda place: place.position[0] > 0.44)
    assert kept(scene(CUBE), scene(), corner) == []


def test_what_is_in_a_container_moves_along_with_it():
    moved = replace(BIN, pose=BIN.pose.moved(dx=0.03))
    (there,) = still_there(scene(CUBE), scene(container=moved), NOTHING_SEEN, 60.0)
    assert there.position == pytest.approx((0.53, -0.3, 0.026))


AWAY = replace(BIN, pose=BIN.pose.moved(dy=0.2))
TIPPED = replace(BIN, pose=Pose.from_rpy(0.5, -0.3, 0.035, roll=3.1))
ON_ITS_PLACE = replace(CUBE, name='red_box', colour='red', size=(0.05, 0.05, 0.1))
SMALL_BIN = replace(BIN, size=(0.06, 0.06, 0.07))


@pytest.mark.parametrize(('before', 'now', 'sight'), [
    (scene(CUBE), scene(), ALL_SEEN),  # taken out: the camera sees the bare floor
    (scene(ABOVE, held='blue_cube'), scene(), ALL_SEEN),  # bounced out, and is not seen
    (scene(BESIDE, held='blue_cube'), scene(), NOTHING_SEEN),  # let go beside the bin
    (scene(BESIDE), scene(), NOTHING_SEEN),  # it was on the table
    (scene(CUBE), scene(replace(BESIDE, name='blue_cylinder')), NOTHING_SEEN),  # a new name
    (scene(CUBE), scene(container=AWAY), NOTHING_SEEN),
    (scene(CUBE), scene(container=TIPPED), NOTHING_SEEN),
    (scene(CUBE), scene(container=replace(BIN, name='box')), NOTHING_SEEN),
    (scene(CUBE, container=SMALL_BIN), scene(ON_ITS_PLACE, container=SMALL_BIN), NOTHING_SEEN),
])
def test_the_belief_ends_when_the_contrary_is_seen(before, now, sight):
    assert kept(before, now, sight) == []


def test_what_fell_beside_the_container_is_where_it_is_seen():
    assert kept(scene(ABOVE, held='blue_cube'), scene(BESIDE)) == []


def test_what_left_the_hand_does_not_hang_in_the_air():
    hidden = Sight(is_hidden=lambda place: True)
    assert kept(scene(BESIDE, held='blue_cube'), scene(), hidden) == []


STRIP = SceneObject('white_thing', Shape.IRREGULAR, (0.01, 0.1, 0.05), Pose((0.41, -0.3, 0.03)),
                    'white', pieces=(box_piece((0.01, 0.1, 0.05)),))
SLIVER = replace(CUBE, name='grey_bar', size=(0.006, 0.018, 0.065), colour='grey')


@pytest.mark.parametrize('part', [STRIP, SLIVER])
def test_a_part_of_the_bin_that_was_taken_for_a_thing_is_forgotten(part):
    assert kept(scene(part), scene()) == []


def test_a_thing_of_any_shape_is_no_part_of_the_bin_of_its_colour_that_it_lies_in():
    mug = replace(STRIP, size=(0.04,) * 3, pieces=(box_piece((0.04,) * 3),), pose=CUBE.pose)
    assert kept(scene(mug), scene()) == ['white_thing']


def lying(name: str, x: float, y: float, size: tuple[float, float, float]) -> SceneObject:
    return SceneObject(name, Shape.IRREGULAR, size, Pose((x, y, size[2] / 2)), 'green',
                       pieces=(box_piece(size),))


SPOON = lying('spoon', 0.5, 0.2, (0.2, 0.02, 0.02))
HIDDEN = Sight(is_hidden=lambda thing: True)


@pytest.mark.parametrize(('y', 'names'), [
    (0.27, ['knob']),   # beside its long side: far from it
    (0.215, ['knob']),  # close to it
    (0.205, [])])       # at its place
def test_a_hidden_thing_of_any_shape_is_a_part_only_of_what_is_at_its_place(y, names):
    knob = lying('knob', 0.5, y + 0.01, (0.02,) * 3)
    assert kept(scene(knob, SPOON), scene(SPOON), HIDDEN) == names


@pytest.mark.parametrize(('y', 'names'), [(0.27, ['knob']), (0.215, [])])
def test_a_thing_that_is_lost_far_from_the_side_of_another_was_no_part_of_it(y, names):
    knob = lying('knob', 0.5, y + 0.01, (0.02,) * 3)
    assert lost(ALL_IN, scene(knob, SPOON), scene(SPOON)) == names


CLEAR = (Goal(Predicate.CLEAR, 'bin'),)
ALL_IN = (Goal(Predicate.IN, target='bin', things=Things(words=words('thing'))),)


def lost(goals: tuple[Goal, ...], *looks: Scene) -> list[str]:
    sight = SeenScenes()
    for stamp, look in enumerate(looks):
        sight.take(replace(look, stamp=float(stamp)))
    return [thing.name for thing in sight.lost(goals)]


def test_what_was_in_a_bin_and_is_seen_nowhere_keeps_it_from_being_clear():
    assert lost(CLEAR, scene(CUBE), scene()) == ['blue_cube']
    assert lost(CLEAR, scene(CUBE), scene(BESIDE)) == []


def test_a_thing_that_is_nowhere_any_more_is_not_where_all_things_should_be():
    """It may be on the floor, outside the picture. It was not there when the task was planned."""
    red = replace(CUBE, name='red_cube', colour='red')
    assert lost(ALL_IN, scene(red, BESIDE), scene(red)) == ['blue_cube']
    assert lost(ALL_IN, scene(red, BESIDE), scene(red, CUBE)) == []
    new = replace(BESIDE, name='blue_box', pose=BESIDE.pose.moved(dx=0.1))
    assert lost(ALL_IN, scene(red, BESIDE), scene(red, new)) == []


def test_a_new_name_far_away_is_that_of_what_the_hand_held_only():
    """A thing of its colour may have been below others, and it may be on the floor."""
    there = replace(CUBE, name='blue_box')
    for held, names in ((None, ['blue_cube']), ('blue_cube', [])):
        assert lost(ALL_IN, scene(BESIDE, held=held), scene(there)) == names


@pytest.mark.parametrize(('off_m', 'long_m', 'names'), [
    (0.2, 0.04, []), (0.2, 0.08, ['blue_cube']), (0.35, 0.04, ['blue_cube'])])
def test_what_was_pushed_farther_is_as_large_there_under_its_new_name(off_m, long_m, names):
    there = replace(BESIDE, name='blue_bar', size=(long_m, *BESIDE.size[1:]),
                    pose=BESIDE.pose.moved(dy=off_m))
    assert lost(ALL_IN, scene(BESIDE), scene(there)) == names


def test_a_thing_that_was_hidden_for_a_while_is_not_the_new_name_of_a_lost_one():
    other = replace(BESIDE, name='blue_box')
    assert lost(ALL_IN, scene(CUBE, other), scene(CUBE), scene(other)) == ['blue_cube']
    assert lost(ALL_IN, scene(BESIDE), scene(other)) == []


def test_a_new_name_is_that_of_one_lost_thing_and_the_goal_is_about_the_new_one():
    third, red = replace(CUBE, name='blue_thing'), replace(CUBE, name='red_cube', colour='red')
    two = scene(CUBE, replace(CUBE, name='blue_box'), red)
    assert lost(ALL_IN, two, scene(third, red)) == ['blue_box']
    sight = SeenScenes()
    for stamp, look in enumerate((scene(CUBE, red), scene(third, red))):
        sight.take(replace(look, stamp=float(stamp)))
    goal = Goal(Predicate.IN, target='bin', things=Things(
        words=words('thing'), named=('blue_cube', 'red_cube')))
    assert judge(goal, sight.now) is None
    assert judge(goal.renamed(sight.others(sure=True)), sight.now) is True


def test_a_thing_with_a_new_name_is_still_one_of_both():
    red = replace(CUBE, name='red_cube', colour='red', pose=BESIDE.pose)
    sight = SeenScenes()
    for stamp, look in enumerate((scene(BESIDE, red), scene(CUBE, replace(red, name='red_bar')))):
        sight.take(replace(look, stamp=float(stamp)))
    both = Goal(Predicate.IN, target='bin', things=Things(named=('blue_cube', 'red_cube')))
    now = both.renamed(sight.others(sure=True))
    assert judge(now, sight.now) is False, 'it lies beside the bin'


def stick(name: str, x: float, length: float) -> SceneObject:
    size = (length, 0.03, 0.03)
    return SceneObject(name, Shape.IRREGULAR, size, Pose((x, 0.1, 0.015)), 'green',
                       pieces=(box_piece(size),))


ENDS = stick('green_thing_1', 0.35, 0.05), stick('green_thing_2', 0.45, 0.05)


def test_two_ends_of_a_stick_are_one_when_it_is_seen_whole():
    """Something lay across it. It moved when that was taken away."""
    for x in (0.4, 0.44):
        whole = stick('green_thing_2', x, 0.15)
        assert became_one(scene(*ENDS), scene(whole)) == {'green_thing_1'}


@pytest.mark.parametrize('now', [
    scene(ENDS[1]),                                           # it has not grown,
    scene(stick('green_thing_2', 0.4, 0.09)),                 # or not enough
    scene(stick('green_thing_2', 0.6, 0.15)),                 # far away
    scene(replace(stick('green_thing_2', 0.4, 0.15), colour='red')),
    scene(*ENDS),
    scene(stick('green_thing_3', 0.4, 0.15)),                 # a new thing
    scene(stick('green_thing_2', 0.4, 0.15), held='green_thing_2'),
    replace(scene(stick('green_thing_2', 0.4, 0.15)), stamp=5.0)])  # not seen now
def test_a_thing_that_is_gone_is_no_part_of_another_for_other_reasons(now):
    assert became_one(scene(*ENDS), now) == set()


def test_a_ball_whose_place_a_longer_thing_takes_was_a_part_of_it():
    ball = replace(CUBE, name='green_ball', shape=Shape.SPHERE, size=(0.03,) * 3, colour='green',
                   pose=Pose((0.38, 0.1, 0.015)))
    whole = stick('green_thing_2', 0.4, 0.15)
    far = stick('green_thing_2', 0.47, 0.04)  # its middle is elsewhere when it is seen whole
    for rest in (ENDS[1], far):
        assert became_one(scene(ball, rest), scene(whole)) == {'green_ball'}
    assert became_one(scene(ball, ENDS[1]), scene(ENDS[1])) == set()


def test_what_was_seen_only_beside_a_longer_thing_moves_along_with_it():
    end, rest = stick('green_thing_1', 0.35, 0.02), stick('green_thing_2', 0.4, 0.07)
    taken = replace(rest, pose=rest.pose.moved(dz=0.12))
    assert became_one(scene(end, rest), scene(taken, held=rest.name)) == {'green_thing_1'}
    apart, across = stick('green_thing_1', 0.3, 0.02), replace(PLATE, pose=Pose((0.33, 0.1, 0.05)))
    assert became_one(scene(apart, rest), scene(taken, held=rest.name)) == set()
    assert became_one(scene(apart, rest, across), scene(taken, held=rest.name)) == {
        'green_thing_1'}


def test_a_thing_that_has_grown_by_what_was_beside_it_had_that_as_a_part():
    """A knob of a box was taken for a cube on it, and all of it came along."""
    knob, rest = stick('green_thing_2', 0.365, 0.02), replace(CUBE, colour='green', name='box',
                                                             pose=Pose((0.4, 0.1, 0.02)))
    whole = replace(stick('green_thing_2', 0.5, 0.07), pose=BIN.pose)
    assert became_one(scene(knob, rest), scene(whole), at_once=False) == {'box'}
    assert became_one(scene(knob, rest), scene(replace(knob, pose=BIN.pose)), False) == set()
    apart = replace(rest, pose=Pose((0.5, 0.1, 0.02)))
    assert became_one(scene(knob, apart), scene(whole), at_once=False) == set()


def test_what_is_missed_as_soon_as_its_neighbour_is_lifted_was_a_part_of_it():
    """The thin middle of a dumbbell is not seen. A box that is seen clearly is a thing."""
    end, other = stick('green_thing_1', 0.35, 0.03), stick('green_thing_2', 0.4, 0.03)
    lifted = scene(replace(other, pose=other.pose.moved(dz=0.12)), held=other.name)
    assert became_one(scene(end, other), lifted) == {end.name}
    assert became_one(scene(end, other), lifted, at_once=False) == set()
    cube = replace(CUBE, colour='green', name=end.name, pose=end.pose)
    assert became_one(scene(cube, other), lifted) == set()


def test_a_piece_farther_off_is_a_part_if_it_is_gone_with_what_is_lifted_and_could_not_fall():
    """What joins them was hidden. A box that is seen clearly is a thing."""
    piece, other = stick('green_thing_1', 0.35, 0.02), stick('green_thing_2', 0.45, 0.09)
    lifted = scene(TABLE, replace(other, pose=other.pose.moved(dz=0.12)), held=other.name)
    assert became_one(scene(TABLE, piece, other), lifted) == {piece.name}
    for part, at_once in ((piece, False), (replace(piece, pose=Pose((0.05, 0.1, 0.015))), True),
                          (replace(piece, shape=Shape.BOX, pieces=()), True)):
        assert became_one(scene(TABLE, part, other), lifted, at_once) == set()


@pytest.mark.parametrize(('before', 'now', 'at_once', 'parts'), [
    (0.3, 0.99, True, {'green_thing_2'}), (0.99, 0.99, True, set()), (0.3, 0.3, True, set()),
    (0.3, 0.99, False, set())])
def test_a_piece_in_the_place_of_what_is_half_hidden_is_a_part_if_it_is_gone_when_all_is_seen(
        before, now, at_once, parts):
    whole = stick('green_thing_1', 0.4, 0.09)
    piece = replace(CUBE, name='green_thing_2', colour='green', pose=Pose((0.42, 0.115, 0.02)))
    shown = replace(whole, pose=whole.pose.moved(dy=0.06), confidence=now)
    first = scene(TABLE, replace(whole, confidence=before), piece)
    assert became_one(first, scene(TABLE, shown), at_once) == parts


def test_what_is_beside_a_part_of_a_lifted_thing_was_a_part_of_it_too():
    """The handle of a dumbbell is seen in two pieces."""
    pieces = [stick(f'green_thing_{i}', 0.3 + 0.05 * i, 0.03) for i in range(3)]
    lifted = replace(pieces[2], pose=pieces[2].pose.moved(dz=0.12))
    for before in (pieces, pieces[::-1]):
        assert became_one(scene(*before), scene(lifted, held=lifted.name)) == {
            'green_thing_0', 'green_thing_1'}
    assert became_one(scene(*pieces[::2]), scene(lifted, held=lifted.name)) == set()


def test_what_was_let_go_is_one_with_the_part_that_is_seen_again_in_its_place():
    """A leaf of it was taken for the thing, and the rest for a part of the leaf."""
    sight, leaf, rest = SeenScenes(), stick('leaf', 0.35, 0.03), stick('rest', 0.4, 0.09)
    held = replace(leaf, pose=leaf.pose.moved(dz=0.12))
    dropped = replace(rest, pose=Pose((0.6, 0.1, 0.015)))
    for stamp, (now, parts) in enumerate((
            (scene(leaf, rest), set()), (scene(held, held='leaf'), {'rest'}),
            (scene(dropped), {'leaf'}))):
        sight.take(replace(now, stamp=stamp, objects=tuple(
            replace(o, seen_at=stamp) for o in now.objects)))
        assert sight.parts == parts


TABLE = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.04), Pose((0.5, 0.0, -0.02)),
                    movable=False)


@pytest.mark.parametrize(('part', 'parts'), [
    (BESIDE, {'blue_cube'}),
    (replace(BESIDE, shape=Shape.SPHERE), set()),                    # it may roll off the table,
    (replace(BESIDE, shape=Shape.CYLINDER, size=(0.03, 0.03, 0.1)), set()),
    (replace(BESIDE, pose=BESIDE.pose.moved(dx=-0.02)), set()),        # or is not beside it
])
def test_what_touches_a_thing_and_is_missed_as_that_is_lifted_was_a_part_of_it(part, parts):
    """A bracket of two clear bars. What the hand pushes stays on the table, far from its edge."""
    bar = replace(BESIDE, name='bar', size=(0.04, 0.2, 0.04), pose=BESIDE.pose.moved(dx=0.045))
    for dy, found in ((0.0, parts), (0.52, set())):
        before = [replace(o, pose=o.pose.moved(dy=dy)) for o in (part, bar)]
        now = scene(TABLE, replace(before[1], pose=bar.pose.moved(dz=0.12)), held='bar')
        assert became_one(scene(TABLE, *before), now) == found
        assert became_one(scene(TABLE, *before), now, at_once=False) == set()


@pytest.mark.parametrize('apart', [0.02, 0.04, 0.055])
def test_a_clear_cube_that_is_taken_away_while_its_neighbour_is_lifted_stays_in_the_goal(apart):
    """A person took it: no goal about both may succeed without it."""
    sight, other = SeenScenes(), replace(BESIDE, name='blue_cube_2',
                                         pose=BESIDE.pose.moved(dy=-0.04 - apart))
    both = Goal(Predicate.IN, target='bin', things=Things(named=('blue_cube', 'blue_cube_2')))
    raised = replace(BESIDE, pose=BESIDE.pose.moved(dz=0.15))
    for stamp, (things, held) in enumerate((((BESIDE, other), None), ((raised,), 'blue_cube'),
                                            ((CUBE,), None))):
        sight.take(replace(scene(TABLE, *(replace(o, seen_at=stamp) for o in things), held=held),
                           stamp=stamp))
    assert sight.parts == set()
    assert judge(both.renamed(sight.others(sure=True)), sight.now) is not True


def test_the_clear_halves_of_a_rod_are_one_when_it_is_lifted():
    halves = [SceneObject(f'rod_{i}', Shape.CYLINDER, (0.009, 0.009, 0.04), Pose.from_rpy(
        0.4 + 0.045 * i, 0.1, 0.005, pitch=math.pi / 2), 'yellow') for i in (1, 2)]
    lifted = replace(halves[0], pose=halves[0].pose.moved(dz=0.12))
    assert became_one(scene(TABLE, *halves), scene(TABLE, lifted, held='rod_1')) == {'rod_2'}


@pytest.mark.parametrize(('gap', 'size', 'parts'), [
    (0.014, (0.04, 0.016, 0.016), {'rod_2'}),
    (0.035, (0.04, 0.016, 0.016), set()),  # too far away, too short: two things
    (0.014, (0.02, 0.016, 0.016), set())])
def test_what_joins_two_rods_in_line_is_too_thin_to_be_seen(gap, size, parts):
    rods = [SceneObject(f'rod_{i}', Shape.BOX, size, Pose((0.4 + i * (size[0] + gap), 0.1, 0.008)),
                        'yellow') for i in (1, 2)]
    lifted = replace(rods[0], pose=rods[0].pose.moved(dz=0.12))
    assert became_one(scene(TABLE, *rods), scene(TABLE, lifted, held='rod_1')) == parts


def test_what_was_taken_for_a_part_is_a_thing_as_soon_as_it_is_seen_again():
    """Two cubes that touch look like one box, until one of them is taken."""
    sight, other = SeenScenes(), replace(CUBE, name='blue_box', pose=CUBE.pose.moved(dx=0.04))
    both = replace(CUBE, size=(0.08, 0.04, 0.04), pose=CUBE.pose.moved(dx=0.02))
    for stamp, (things, parts) in enumerate((([CUBE, other], set()), ([both], {'blue_box'}),
                                             ([other], set()))):
        sight.take(replace(scene(*(replace(o, seen_at=stamp) for o in things)), stamp=stamp))
        assert sight.parts == parts


def test_what_hangs_in_the_air_beside_what_the_hand_holds_is_a_part_of_that():
    held, piece = (replace(o, pose=o.pose.moved(dz=0.12)) for o in ENDS)
    far = replace(piece, pose=piece.pose.moved(dx=0.6))  # it tips over the edge
    for part, parts in ((piece, {piece.name}), (ENDS[1], set()), (far, set())):
        before = scene(TABLE, held, part, held=held.name)
        assert became_one(before, scene(TABLE, replace(held, pose=BIN.pose)), False) == parts


def test_of_two_things_that_hang_in_the_air_one_is_a_part_of_the_other():
    """The hand holds them, and no look tells which."""
    one, other = (replace(o, pose=o.pose.moved(dz=0.12)) for o in ENDS)
    down = scene(TABLE, replace(ENDS[0], pose=BIN.pose))
    assert became_one(scene(TABLE, one, other), down, False) == {other.name}
    assert became_one(scene(TABLE, one, ENDS[1]), down, False) == set()


def test_what_hangs_in_the_air_beside_what_the_hand_holds_is_a_part_also_if_it_is_larger():
    """An end of it was taken for a box, and the hand took that."""
    held, rest = stick('box', 0.4, 0.03), stick('rest', 0.47, 0.09)
    for dz, dx, parts in ((0.12, 0.0, {'rest'}), (0.0, 0.0, set()), (0.12, 0.1, set())):
        before = scene(TABLE, replace(held, pose=held.pose.moved(dz=0.12)),
                       replace(rest, pose=rest.pose.moved(dx, dz=dz)), held='box')
        assert became_one(before, scene(TABLE, replace(held, pose=BIN.pose)), False) == parts


@pytest.mark.parametrize(('x', 'y', 'verdict'), [(0.51, -0.31, True), (0.56, -0.36, None),
                                                 (0.51, 0.31, False)])
def test_a_part_in_a_container_of_what_is_seen_there_is_in_it(x, y, verdict):
    """The arm hides one of two parts. Which of them keeps its name is chance."""
    one, other = (replace(stick(f'green_thing_{x}', x, 0.04), pose=Pose((x, -0.3, 0.025)))
                  for x in (0.47, 0.515))
    rest = replace(other, pose=Pose((x, y, 0.025)))
    sight = SeenScenes()
    for stamp, things in enumerate(((one, other), (rest,))):
        sight.take(replace(scene(TABLE, *(replace(o, seen_at=stamp) for o in things)),
                           stamp=stamp))
    goal = Goal(Predicate.IN, target='bin', things=Things(words=words('thing'), named=(
        one.name, other.name)))
    assert judge(goal.renamed(sight.others(sure=True)), sight.now) is verdict


@pytest.mark.parametrize(('seen_again', 'parts'), [(False, {'green_thing_1'}), (True, set())])
def test_a_piece_that_is_hidden_when_its_neighbour_is_lifted_is_a_part_if_it_is_gone_then(
        seen_again, parts):
    """The hand hid its place. A thing of its own would be there."""
    end, rest = stick('green_thing_1', 0.35, 0.02), stick('green_thing_2', 0.4, 0.07)
    taken = replace(rest, pose=rest.pose.moved(dz=0.12))
    sight = SeenScenes()
    for stamp, (held, *things) in enumerate([
            (None, end, rest), (rest.name, taken, end), (None, replace(rest, pose=BIN.pose), end),
            (None, replace(rest, pose=BIN.pose))]):
        hidden = {end.name} if stamp == 1 or not seen_again else set()
        sight.take(replace(scene(TABLE, *(replace(
            o, seen_at=0.0 if o.name in hidden else stamp) for o in things), held=held),
            stamp=stamp))
        assert sight.parts == (parts if stamp == 3 else set())


def test_what_is_hidden_for_so_long_that_it_is_forgotten_is_no_part():
    end, rest = stick('green_thing_1', 0.35, 0.02), stick('green_thing_2', 0.4, 0.07)
    taken, put = replace(rest, pose=rest.pose.moved(dz=0.12)), replace(rest, pose=BIN.pose)
    sight = SeenScenes()
    for stamp, held, things in (0, None, (end, rest)), (5, rest.name, (taken, end)), (
            30, None, (put, end)), (66, None, (put,)):
        seen = (replace(o, seen_at=0.0 if o.name == end.name else stamp) for o in things)
        sight.take(replace(scene(TABLE, *seen, held=held), stamp=stamp))
    assert not sight.parts


def test_a_part_that_is_missed_for_a_while_does_not_come_along_later():
    end, rest = stick('green_thing_1', 0.35, 0.02), stick('green_thing_2', 0.4, 0.07)
    taken = scene(replace(rest, pose=rest.pose.moved(dz=0.12)), held=rest.name)
    assert became_one(scene(end, rest), taken, at_once=False) == set()


def test_an_end_that_was_seen_only_for_a_moment_is_a_part_of_what_is_seen_whole_later():
    sight = SeenScenes()
    for now, parts in ((scene(*ENDS), set()), (scene(ENDS[1]), set()),
                       (scene(stick('green_thing_2', 0.4, 0.15)), {'green_thing_1'})):
        sight.take(replace(now, stamp=sight.recaptures + 1.0, objects=tuple(
            replace(o, seen_at=sight.recaptures + 1.0) for o in now.objects)))
        assert sight.parts == parts


def test_an_end_that_is_seen_alone_for_a_moment_is_a_part_again_when_the_whole_is_seen():
    sight, (end, _), whole = SeenScenes(), ENDS, stick('green_thing_2', 0.4, 0.15)
    for things, parts in (([end, whole], set()), ([whole], {end.name}), ([end], set()),
                          ([whole], {end.name})):
        stamp = sight.recaptures + 1.0
        sight.take(replace(scene(*(replace(o, seen_at=stamp) for o in things)), stamp=stamp))
        assert sight.parts == parts


def test_a_tiny_piece_that_one_look_showed_beside_a_thing_was_a_part_of_it():
    tiny, rest = stick('green_thing_1', 0.345, 0.01), stick('green_thing_2', 0.4, 0.1)
    assert became_one(scene(tiny, rest), scene(rest)) == {'green_thing_1'}
    assert became_one(scene(tiny, rest), scene(tiny, rest)) == set()
    pushed = scene(replace(rest, pose=rest.pose.moved(dy=0.05)))
    for confidence, parts in ((0.3, {'green_thing_1'}), (0.9, set())):
        speck = replace(tiny, confidence=confidence)
        assert became_one(scene(speck, rest), pushed, at_once=False) == parts


def test_what_was_let_go_and_what_lies_there_under_another_name_are_one():
    held, other = stick('green_thing_1', 0.4, 0.07), stick('green_thing_2', 0.6, 0.03)
    there = replace(stick('green_thing_2', 0.4, 0.15), pose=BIN.pose)
    for before in (scene(held, other, held=held.name), scene(held, held=held.name)):
        assert became_one(before, scene(there)) == {'green_thing_1'}
    assert became_one(scene(held, other, held=held.name), scene(other)) == set()


def test_a_thing_that_was_only_pushed_does_not_hide_what_is_lost():
    held, other = stick('green_thing_1', 0.4, 0.07), stick('green_thing_2', 0.6, 0.07)
    pushed = replace(other, pose=other.pose.moved(dx=-0.07))
    assert became_one(scene(held, other, held=held.name), scene(pushed)) == set()
    cube, bar = stick('green_thing_1', 0.4, 0.04), stick('green_thing_2', 0.6, 0.12)
    there = replace(bar, pose=cube.pose)
    assert became_one(scene(cube, bar), scene(there)) == set()


def test_all_things_are_in_the_bin_without_what_was_only_a_part_of_one():
    things = Things(words=words('thing'), named=('green_thing_1', 'green_thing_2'))
    goal = Goal(Predicate.IN, target='bin', things=things)
    now = scene(replace(ENDS[1], pose=CUBE.pose))
    assert judge(goal, now) is None
    assert judge(goal.renamed({'green_thing_1': ''}), now) is True


def test_a_goal_for_two_things_is_not_met_by_one():
    goal = Goal(Predicate.IN, target='bin', things=Things(named=('green_thing_1',)))
    assert goal.renamed({'green_thing_1': ''}) == goal


def test_what_is_believed_to_be_in_the_bin_is_not_called_seen():
    in_bin = Goal(Predicate.IN, 'blue_cube', 'bin')
    now = replace(scene(replace(PLATE, seen_at=5.0)), stamp=5.0)
    now = replace(now, objects=(*now.objects, *still_there(scene(CUBE), now, NOTHING_SEEN, 60.0)))
    seen = replace(scene(replace(CUBE, seen_at=5.0)), stamp=5.0)
    assert [o.name for o in believed([in_bin], now)] == ['blue_cube']
    assert not believed([in_bin], seen)
    assert verdicts_in_words([in_bin], now)[0].endswith('yes, believed: not seen now')
    assert verdicts_in_words([in_bin], seen)[0].endswith(': yes')


@pytest.mark.parametrize(('one', 'other', 'same'), [
    ('red', 'red', True), ('red', 'blue', False), ('white', 'grey', True),
    ('grey', 'black', True), ('white', 'black', False), ('white', 'red', False)])
def test_a_shadow_makes_a_thing_one_shade_darker(one, other, same):
    assert same_colour(one, other) is same and same_colour(other, one) is same


def test_what_fell_beside_a_bin_in_its_shadow_is_not_believed_to_be_in_it():
    white = replace(CUBE, colour='white')
    grey = replace(BESIDE, name='grey_cube', colour='grey')
    assert kept(scene(white), scene(grey)) == []


def test_what_is_seen_in_the_shadow_of_the_bin_may_be_a_part_of_what_was_there():
    white = replace(CUBE, colour='white')
    part = replace(ON_ITS_PLACE, name='grey_box', colour='grey')
    before = scene(white, part, container=SMALL_BIN)
    assert kept(before, scene(part, container=SMALL_BIN)) == ['blue_cube']


def test_what_lies_on_one_side_of_the_rim_is_not_on_a_heap_in_the_bin():
    plate = replace(PLATE, size=(0.09, 0.09, 0.03))
    for x, inside in ((0.5, True), (0.44, True), (0.405, False)):
        assert is_inside(replace(plate, pose=Pose((x, -0.3, 0.079))), BIN) is inside


def test_what_may_be_seen_a_little_too_short_or_too_low_is_not_said_to_be_in_the_bin():
    def bar(long: float, z: float) -> SceneObject:
        return SceneObject('bar', Shape.BOX, (long, 0.05, 0.03), Pose((0.5, -0.3, z)), 'red')

    half = max(BIN.size[:2]) / 2
    for thing, inside, said in ((bar(half - 0.02, BIN.top_z + 0.005), True, True),
                                (bar(half - 0.002, BIN.top_z + 0.005), True, False),
                                (bar(half + 0.002, BIN.top_z + 0.005), False, False),
                                (bar(half + 0.02, BIN.top_z - 0.002), True, False),
                                (bar(half + 0.02, BIN.top_z - 0.01), True, True)):
        seen = scene(thing)
        assert is_inside(thing, BIN) is inside
        assert judge(Goal(Predicate.IN, 'bar', 'bin'), seen) is said
        assert judge(Goal(Predicate.IN, 'bar', 'bin', negated=True), seen) is False


def test_a_bowl_that_leans_on_a_box_is_neither_on_it_nor_off_it():
    bowl = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.05),
                       Pose.from_rpy(0.5, 0.0, 0.06, roll=0.5), 'white')
    box = SceneObject('box', Shape.BOX, (0.06,) * 3, Pose((0.55, 0.0, 0.03)), 'red')
    for negated in (True, False):
        goal = Goal(Predicate.ON, 'bowl', 'box', negated=negated)
        assert judge(goal, scene(bowl, box)) is None


def test_a_thing_that_fell_is_no_part_of_a_longer_one_that_has_not_grown():
    part, whole = stick('green_thing_1', 0.4, 0.03), stick('green_thing_2', 0.466, 0.10)
    assert became_one(scene(part, whole), scene(whole)) == set()
