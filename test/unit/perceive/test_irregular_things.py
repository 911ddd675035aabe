# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that no single shape explains: one thing, made of pieces of its own cloud."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.context import Context
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, SceneObject, Shape
from replan_agent.perceive.camera import whole_things
from replan_agent.perceive.camera.one_look import MOST_PARTS, flat_parts, look
from replan_agent.perceive.camera.plane import find_table
from replan_agent.perceive.camera.segments import Scan, Segment
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.looks.in_hand import in_the_air, lies_elsewhere, new_grip
from replan_agent.perceive.looks.tracks import Tracks, is_covered

from .synthetic import StillRobot, box, cylinder, perception, picture
from .test_colour_depth import seen

LONG = box(0.50, 0.00, (0.12, 0.03, 0.04))
SHORT = box(0.545, 0.045, (0.03, 0.06, 0.04))


def is_inside(thing: SceneObject, x: float, y: float, z: float) -> bool:
    T = thing.pose.matrix()
    local = T[:3, :3].T @ (np.array([x, y, z]) - T[:3, 3])
    return any(np.all(piece.planes[:, :3] @ local + piece.planes[:, 3] <= 0)
               for piece in thing.pieces)


def test_an_l_of_one_colour_is_one_thing():
    scene = seen(LONG, SHORT)
    assert scene.names() == ('table', 'red_thing')
    assert scene.get('red_thing').shape is Shape.IRREGULAR


def test_its_pieces_fill_its_arms_and_leave_the_corner_between_them_free():
    thing = seen(LONG, SHORT).get('red_thing')
    assert len(thing.pieces) >= 2
    assert is_inside(thing, 0.47, 0.0, 0.02) and is_inside(thing, 0.545, 0.05, 0.02)
    assert not is_inside(thing, 0.47, 0.05, 0.02)


def test_its_size_and_place_are_those_of_what_is_seen():
    thing = seen(LONG, SHORT).get('red_thing')
    assert abs(thing.bottom_z) < 0.003 and abs(thing.top_z - 0.04) < 0.003
    assert sorted(thing.size) == pytest.approx((0.04, 0.09, 0.12), abs=0.008)


@pytest.mark.parametrize(('notch_m', 'shape'), [(0.0, Shape.BOX), (0.02, Shape.IRREGULAR)])
def test_a_box_with_a_notch_is_no_box(notch_m, shape):
    """The fingers can take it at an arm: as a box it would be too wide for them."""
    arm_m = (0.092 - notch_m) / 2
    arms = [box(0.557, side * (notch_m + arm_m) / 2, (0.022, arm_m, 0.033)) for side in (-1, 1)]
    scene = seen(box(0.50, 0.0, (0.092, 0.092, 0.033)), *arms)
    assert [o.shape for o in scene.objects[1:]] == [shape]


def test_two_colours_that_touch_are_two_things():
    other = box(0.545, 0.045, (0.03, 0.06, 0.04), colour='blue')
    assert len(seen(LONG, other).names()) == 3


HANDLE = box(0.50, 0.00, (0.12, 0.02, 0.02))
BLADE = (0.08, 0.07, 0.003)


def test_a_blade_thinner_than_any_thing_is_seen_as_a_part_of_its_handle():
    thing = seen(HANDLE, box(0.60, 0.00, BLADE)).get('red_thing')
    assert sorted(thing.size) == pytest.approx((0.02, 0.07, 0.20), abs=0.008)
    assert is_inside(thing, 0.62, 0.02, 0.001) and not is_inside(thing, 0.62, 0.02, 0.012)


def test_a_sheet_of_another_colour_beside_a_thing_is_no_part_of_it():
    scene = seen(HANDLE, box(0.60, 0.00, BLADE, colour='blue'))
    assert scene.names() == ('table', 'red_bar')
    assert max(scene.get('red_bar').size) == pytest.approx(0.12, abs=0.004)


def test_what_is_flat_everywhere_is_not_seen():
    assert seen(box(0.60, 0.00, BLADE)).names() == ('table',)


def test_the_foot_of_a_thing_is_no_flat_part():
    view = View(picture(LONG, cylinder(0.4, -0.2), cylinder(0.6, 0.2, 0.03, 0.03)))
    table = find_table(view, PANDA)
    heights = table.heights(view)
    shown = Scan(view, table, heights, np.zeros(heights.shape, dtype=bool))
    assert not flat_parts(shown, heights > shown.lowest_m).any()


def test_flat_specks_on_a_noisy_table_are_not_all_examined():
    """Thousands of them, each beside a thing: only the largest can be parts of it."""
    view = View(picture())
    table = find_table(view, PANDA)
    low, things = np.zeros(view.depth.shape), np.zeros(view.depth.shape, dtype=bool)
    for row in range(200, 400, 20):
        for column in range(100, 500, 20):
            low[row:row + 9, column:column + 9] = 0.004
            things[row + 9, column:column + 9] = True
    low[420:450, 100:400], things[450, 100:400] = 0.004, True
    shown = Scan(view, replace(table, noise_m=0.0), low, np.zeros_like(things))
    rgb = view.rgb.copy()
    rgb[(low > 0) | things] = (200, 0, 0)
    shown = replace(shown, view=View(replace(picture(), rgb=rgb)))
    found = flat_parts(shown, things)
    assert found[435, 200] and 0 < found[200:400].sum() <= MOST_PARTS * 81


def reaches(thing: SceneObject, guessed: bool | None = None) -> np.ndarray:
    """Low and high corner (2, 3) of its pieces in the base frame; only of guessed ones or not."""
    T = thing.pose.matrix()
    corners = np.concatenate([piece.corners for piece in thing.pieces
                              if guessed in (None, piece.guessed)]) @ T[:3, :3].T + T[:3, 3]
    return np.array([corners.min(axis=0), corners.max(axis=0)])


BOTTLE = (cylinder(0.5, 0.0, 0.056, 0.11), cylinder(0.5, 0.0, 0.024, 0.05, bottom=0.11))


def test_the_hidden_back_of_a_bottle_is_guessed_from_its_front():
    thing = seen(*BOTTLE).get('green_thing')
    low, high = reaches(thing)
    assert low[:2] == pytest.approx((0.472, -0.028), abs=0.006)
    assert high[:2] == pytest.approx((0.528, 0.028), abs=0.006)
    assert thing.position[:2] == pytest.approx((0.5, 0.0), abs=0.005)


def test_what_is_guessed_is_marked_and_lies_behind_what_is_seen():
    thing = seen(*BOTTLE).get('green_thing')
    away = np.array([0.5, 0.0]) - (1.4, 0.55)  # from the camera
    behind, before = (reaches(thing, guessed).mean(axis=0)[:2] @ away for guessed in (True, False))
    assert behind > before


def test_nothing_is_guessed_where_the_camera_sees_past():
    """An L that lies flat shows its whole outline: the guess does not fill its corner."""
    thing = seen(LONG, SHORT).get('red_thing')
    assert not is_inside(thing, 0.47, 0.05, 0.02)
    low, high = reaches(thing)
    assert np.all(low > (0.43, -0.025, -0.01)) and np.all(high < (0.57, 0.085, 0.05))


def test_an_arm_that_grows_out_of_a_bar_is_a_part_of_it_however_it_is_turned():
    arm = box(0.535, 0.03, (0.03, 0.05, 0.04), yaw=0.3)
    assert seen(LONG, arm).names() == ('table', 'red_thing')


def test_a_part_in_the_air_beside_another_hangs_on_it():
    shelf = box(0.52, 0.06, (0.03, 0.09, 0.012), bottom=0.028, yaw=0.1)
    assert seen(LONG, shelf).names() == ('table', 'red_thing')


def test_a_thing_keeps_its_name_when_a_better_look_changes_its_kind():
    whole, hidden = box(0.5, 0.0, (0.05, 0.05, 0.05)), box(0.54, 0.02, (0.02, 0.03, 0.02))
    looks = perception(picture(whole, hidden), picture(whole), robot=StillRobot())
    first, second = looks.observe(Context()), looks.observe(Context())
    assert first.names() == second.names() == ('table', 'red_thing')
    assert first.get('red_thing').shape is Shape.IRREGULAR
    assert second.get('red_thing').shape is Shape.BOX


SPATULA = box(0.45, 0.0, (0.24, 0.03, 0.02), bottom=0.12)


@pytest.mark.parametrize(('below', 'is_held'), [
    (box(0.56, 0.0, (0.03, 0.03, 0.11), colour='blue'), True),
    (box(0.45, 0.0, (0.2, 0.06, 0.11), colour='blue'), False)])
def test_a_long_thing_in_the_air_is_in_the_hand_unless_its_middle_is_carried(below, is_held):
    links = PANDA, np.array(HOME)
    fits = look(View(picture(SPATULA, below)), *links, 0.02, 0.0).fits
    arm = ArmSnapshot((0.0,) * 7, Pose((0.40, 0.0, 0.15)), 0.02, at_home=False)
    assert bool(in_the_air(fits, arm, 0.0)) is is_held


HAND = box(0.52, 0.012, (0.08, 0.14, 0.14), bottom=0.14, colour='grey')
RAISED = ArmSnapshot((0.0,) * 7, Pose.from_rpy(0.51, 0.01, 0.17, roll=np.pi), 0.03, at_home=False)


def on_table(size: tuple[float, float, float]) -> SceneObject:
    return SceneObject('it', Shape.IRREGULAR, size, Pose((0.5, 0.0, size[2] / 2)),
                       pieces=(box_piece(size),))


def test_a_thing_that_is_gone_and_that_the_hand_hides_is_in_the_hand():
    grip = new_grip((), [on_table((0.06, 0.05, 0.04))], View(picture(HAND)), RAISED)
    held = grip.at(RAISED, 0.0)
    assert held.position[:2] == pytest.approx((0.5, 0.0)) and held.position[2] > 0.1


@pytest.mark.parametrize(('colour', 'held'), [('red', 'it'), ('orange', None), ('grey', 'it')])
def test_a_hidden_thing_is_not_in_the_hand_if_only_another_colour_shows_there(colour, held):
    edge = box(0.536, 0.0, (0.012, 0.05, 0.03), bottom=0.10, colour=colour)
    gone = replace(on_table((0.06, 0.05, 0.04)), colour='red')
    assert new_grip((), [gone], View(picture(HAND, edge)), RAISED).held == held


def test_what_is_too_large_for_the_hand_to_hide_is_not_in_it_if_nothing_of_it_shows():
    large = replace(on_table((0.06, 0.1, 0.04)), colour='red')
    assert new_grip((), [large], View(picture(HAND)), RAISED).held is None


@pytest.mark.parametrize(('whole', 'name'), [((), 'part'), (('it',), 'it')])
def test_what_was_seen_whole_where_the_pads_are_is_taken_not_a_part_that_was_seen_since(
        whole, name):
    view = View(picture(box(0.5, 0.0, (0.06, 0.05, 0.04), bottom=0.15)))
    seen = look(view, PANDA, np.array(HOME), 0.03, 0.0).fits
    known = replace(on_table((0.06, 0.05, 0.04)), colour='red')
    part = replace(known, name='part', size=(0.04, 0.04, 0.04), pose=Pose((0.51, 0.01, 0.03)))
    far = replace(known, name='far', pose=Pose((0.7, 0.2, 0.02)))
    assert new_grip(seen, [known, part, far], view, RAISED, whole=(*whole, 'far')).held == name


def test_a_thing_that_is_gone_is_not_in_a_hand_that_the_camera_sees_past():
    assert new_grip((), [on_table((0.06, 0.05, 0.04))], View(picture()), RAISED).held is None


@pytest.mark.parametrize(('place', 'elsewhere'), [
    (box(0.30, 0.2, (0.06, 0.05, 0.04)), True),
    (box(0.30, 0.2, (0.06, 0.05, 0.04), colour='blue'), False),
    (box(0.30, 0.2, (0.15, 0.05, 0.1)), False),  # too large to be it
    (box(0.50, 0.0, (0.06, 0.05, 0.04), bottom=0.15), False)])  # it is seen in the hand
def test_what_is_seen_on_the_table_is_not_in_the_hand(place, elsewhere):
    """Whatever the pads feel: fingers that are stuck stay as far apart as before."""
    links = PANDA, np.array(HOME)
    fits = look(View(picture(place)), *links, 0.05, 0.0).fits
    in_hand = [fit for fit in fits if fit.thing.bottom_z > 0.1]
    others = [fit for fit in fits if fit not in in_hand]
    held = replace(on_table((0.06, 0.05, 0.04)), colour='red', pose=Pose((0.5, 0.0, 0.17)))
    assert lies_elsewhere(held, in_hand, others, 0.0) is elsewhere


def test_a_lifted_thing_is_at_the_height_at_which_it_is_seen():
    """Only a part of it is seen beside the hand. It has not moved sideways."""
    stick = on_table((0.16, 0.03, 0.03))
    view = View(picture(box(0.5, 0.0, (0.16, 0.03, 0.03), bottom=0.15),
                        box(0.47, 0.02, (0.08, 0.1, 0.12), bottom=0.14, colour='grey')))
    fits = look(view, PANDA, np.array(HOME), 0.03, 0.0).fits
    seen = [fit for fit in fits if fit.thing.colour == 'red']
    known = replace(stick, colour='red', seen_at=30.0)
    held = new_grip(seen, [known], view, RAISED).at(RAISED, 0.0)
    assert held.position == pytest.approx((0.5, 0.0, 0.165), abs=0.006)
    lost = replace(known, name='lost', size=(0.06, 0.05, 0.09), pose=known.pose.moved(dz=0.03))
    for seen_at, name in ((30.0, 'lost'), (1.0, known.name)):  # an earlier name of the stick
        names = [known, replace(lost, seen_at=seen_at)]
        assert new_grip(seen, names, view, RAISED).held == name


def test_a_low_ring_that_the_hand_lifts_by_its_wall_keeps_name_and_place():
    """On the table it looked like a bowl, as low as its wall is thick. The hand is not over its
    middle, and hides a part of it."""
    ring = SceneObject('bowl', Shape.BOWL, (0.1, 0.1, 0.03), Pose((0.5, 0.0, 0.015)), 'red')
    view = View(picture(box(0.5, 0.0, (0.1, 0.07, 0.03), bottom=0.15)))
    fits = look(view, PANDA, np.array(HOME), 0.03, 0.0).fits
    seen = [replace(fit, thing=replace(fit.thing, shape=Shape.IRREGULAR,
                                       pieces=(box_piece(fit.thing.size),))) for fit in fits]
    assert new_grip(seen, [ring], view, RAISED).held is None
    tracks = Tracks()
    tracks.note(ring)
    (lifted,) = tracks.identify(seen)
    assert lifted.name == 'bowl'
    assert lifted.position == pytest.approx((0.5, 0.0, 0.165), abs=0.006)


@pytest.mark.parametrize(('poor', 'colour', 'left'), [
    ((True, True), 'red', 1),
    ((True, False), 'red', 2),  # clearly seen: a thing of its own
    ((True, True), 'blue', 2)])
def test_a_known_thing_that_the_hand_cuts_in_two_is_not_two(poor, colour, left):
    size = (0.05, 0.2, 0.04)
    tracks = Tracks()
    tracks.note(replace(on_table(size), colour='red'))
    ends = box(0.5, -0.06, (0.05, 0.08, 0.04)), box(0.5, 0.07, (0.05, 0.06, 0.04), colour=colour)
    links = PANDA, np.array(HOME)
    fits = look(View(picture(*ends)), *links, 0.08, 0.0).fits
    seen = [replace(fit, thing=replace(fit.thing, confidence=0.5 if is_poor else 0.9))
            for fit, is_poor in zip(sorted(fits, key=lambda f: f.thing.position[1]), poor)]
    assert len(tracks.without_pieces(seen)) == left


@pytest.mark.parametrize(('turn', 'apart_m', 'seen'), [
    (0.0, 0.0, 1),
    (0.2, 0.0, 2),    # not at right angles: two bars
    (0.0, 0.025, 2)])
def test_a_tee_that_hides_where_its_bars_meet_is_one_thing(turn, apart_m, seen):
    """Its head hides the near end of the handle, but at a part of the seam the surface goes on."""
    yaw, away = np.pi / 4, 0.061 + apart_m
    bars = (box(0.5, 0.0, (0.026, 0.09, 0.03), yaw),
            box(0.5 + away * np.cos(yaw), away * np.sin(yaw), (0.1, 0.022, 0.026), yaw + turn))
    links = PANDA, np.array(HOME)
    assert len(look(View(picture(*bars)), *links, 0.08, 0.0).fits) == seen


def test_a_tower_near_the_hand_is_not_in_the_hand():
    """Its upper cubes are high above the table, but each stands on the next lower one."""
    tower = [box(0.5, 0.0, bottom=0.04 * n, colour=colour)
             for n, colour in enumerate(('blue', 'green', 'yellow'))]
    links = PANDA, np.array(HOME)
    fits = look(View(picture(*tower)), *links, 0.04, 0.0).fits
    arm = ArmSnapshot((0.0,) * 7, Pose((0.43, -0.06, 0.14)), 0.04, at_home=False)
    assert in_the_air(fits, arm, 0.0) == []


LOW = (0.171, 0.757, -0.101, -2.233, 0.423, 2.973, 0.466)  # joints: the TCP is at (0.5, 0, -0.07)


@pytest.mark.parametrize(('y', 'is_held'), [(0.0, True), (0.12, False)])
def test_open_pads_hold_what_is_lifted_between_them_but_not_what_is_in_the_air_beside_them(
        y, is_held):
    robot, size = StillRobot(joints=LOW), (0.075, 0.12, 0.03)
    looks = perception(picture(box(0.5, y, size, bottom=-0.15), table_z=-0.15),
                       picture(box(0.5, y, size, bottom=-0.09), table_z=-0.15), robot=robot)
    (name,) = (o.name for o in looks.observe(Context()).movable())
    robot.width = 0.079
    assert looks.observe(Context()).held == (name if is_held else None)


def test_on_a_low_table_a_lifted_thing_of_any_shape_is_in_the_hand():
    def parts(rise):
        return (box(0.5, 0.04, (0.03, 0.16, 0.03), bottom=rise - 0.15),
                box(0.53, 0.105, (0.06, 0.03, 0.03), bottom=rise - 0.15))

    robot = StillRobot(joints=LOW)
    looks = perception(picture(*parts(0.0), table_z=-0.15), picture(*parts(0.065), table_z=-0.15),
                       robot=robot)
    (name,) = (o.name for o in looks.observe(Context()).movable())
    robot.width = 0.03
    assert looks.observe(Context()).held == name


PAN = (cylinder(0.5, 0.0, 0.26, 0.05, colour='black'),
       box(0.5, 0.2, (0.02, 0.16, 0.015), colour='black', bottom=0.03))


def test_a_large_thing_keeps_its_far_parts():
    low, high = reaches(seen(*PAN).get('black_thing'))
    assert (low[1], high[1]) == pytest.approx((-0.13, 0.28), abs=0.006)


@pytest.mark.parametrize(('gap_px', 'meet'), [(1, True), (2, False), (100, False)])
def test_parts_meet_within_two_pixels_and_others_are_not_drawn(monkeypatch, gap_px, meet):
    view = View(picture())
    here, there = (Segment((200, column), np.ones((20, 20), dtype=bool))
                   for column in (200, 220 + gap_px))
    drawn = []
    monkeypatch.setattr(whole_things, '_canvas', lambda segments, draw=whole_things._canvas: (
        drawn.append(segments), draw(segments))[1])
    shown = Scan(view, find_table(view, PANDA), np.zeros(view.depth.shape), view.depth < 0)
    for pair in ((here, there), (there, here)):
        assert (whole_things.seam_between(shown, *pair) is not None) is meet
    assert bool(drawn) is meet


def test_a_thing_of_which_something_hides_the_most_keeps_its_shape():
    """If the rest were gone, the camera would see past its place."""
    links, tracks = (PANDA, np.array(HOME)), Tracks()
    corner = box(0.455, 0.0, (0.03, 0.03, 0.03)), box(0.455, 0.04, (0.02, 0.05, 0.015))
    whole = (*corner, box(0.52, 0.0, (0.1, 0.03, 0.03)), box(0.56, 0.05, (0.02, 0.07, 0.06)))
    tracks.identify(look(View(picture(*whole)), *links, 0.08, 0.0).fits)
    (known,), fits = tracks.known, look(View(picture(*corner)), *links, 0.08, 0.1).fits
    ball = replace(fits[0], thing=replace(
        fits[0].thing, shape=Shape.SPHERE, size=(0.03,) * 3, pieces=(), confidence=0.99))
    for part in (fits[0], ball):  # it may look like a shape of its own
        assert is_covered(known, part, lambda thing: False)
        assert not is_covered(known, part, lambda thing: True)
    (now,) = tracks.identify(fits, sees_past=lambda thing: False)
    assert (now.name, now.size, now.pose) == (known.name, known.size, known.pose)
    (now,) = tracks.identify(fits)
    assert now.size != known.size


def test_a_thing_of_which_a_finger_hides_one_side_keeps_its_shape():
    links, tracks = (PANDA, np.array(HOME)), Tracks()
    finger = box(0.51, 0.033, (0.02, 0.01, 0.14), colour='black')
    tracks.identify(look(View(picture(*BOTTLE)), *links, 0.08, 0.0).fits)
    known, fits = tracks.known[0], look(View(picture(*BOTTLE, finger)), *links, 0.08, 0.1).fits
    part = next(fit.thing for fit in fits if fit.thing.colour == 'green')
    assert sorted(part.size)[0] < sorted(known.size)[0] - 0.005
    now = next(o for o in tracks.identify(fits, sees_past=lambda thing: False)
               if o.name == known.name)
    assert (now.name, now.size, now.pose) == (known.name, known.size, known.pose)
