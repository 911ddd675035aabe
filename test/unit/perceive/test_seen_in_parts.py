# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What something hides or the picture cuts is still the one thing that it was, or is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.perceive.camera.contour import Contour, bottom_height
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.one_look import look
from replan_agent.perceive.camera.view import View
from replan_agent.perceive.looks.fusing import as_one
from replan_agent.perceive.looks.in_hand import is_beside, is_where_it_was
from replan_agent.perceive.looks.tracks import Tracks, is_covered, merged

from .synthetic import box, picture
from .test_irregular_things import LONG, SHORT

ARM = PANDA, np.array(HOME), 0.08


def fits(*things: SceneObject, stamp: float = 1.0) -> tuple[Fitted, ...]:
    return look(View(picture(*things)), *ARM, stamp).fits


def known_l() -> Tracks:
    tracks = Tracks()
    tracks.identify(fits(LONG, SHORT, stamp=0.0))
    return tracks


def test_two_arms_that_one_look_shows_apart_are_still_the_one_known_thing():
    tracks = known_l()
    (known,), arms = tracks.known, [*fits(LONG), *fits(SHORT)]
    (whole,) = tracks.made_whole(arms, lambda thing: False)
    assert (whole.thing.pose, whole.thing.size) == (known.pose, known.size)
    assert [o.name for o in tracks.identify([whole])] == [known.name]
    assert tracks.made_whole(arms, lambda thing: True) == arms
    beside = [*fits(LONG), *fits(replace(SHORT, pose=SHORT.pose.moved(dy=0.03)))]
    assert tracks.made_whole(beside, lambda thing: False) == beside


def test_a_thing_that_is_seen_whole_is_not_told_apart_into_ends_that_were_not():
    (whole,) = fits(LONG, SHORT)
    for confidence, parts in ((0.6, 1), (0.9, 2)):
        tracks = Tracks()
        for number, part in enumerate((LONG, SHORT)):
            tracks.note(replace(part, name=f'red_box_{number}', confidence=confidence))
        assert len(tracks.told_apart([whole])) == parts


@pytest.mark.parametrize(('cut', 'bottom'), [(False, 0.021), (True, None)])
def test_a_thing_that_the_border_of_the_picture_cuts_is_not_in_the_air(cut, bottom):
    """All that is seen of it is its top."""
    shown = look(View(picture(LONG)), *ARM, 0.0).picture
    edge = np.arange(40) + 200 * 640
    contour = Contour(edge, np.full(40, 0.021), np.arange(40) > 9, np.zeros((40, 2)), cut)
    assert bottom_height(shown, contour) == bottom


def test_a_bin_of_which_the_hand_hides_an_end_keeps_its_size_and_place():
    known = SceneObject('bin', Shape.BIN, (0.18, 0.22, 0.05), Pose((0.48, -0.32, 0.025)), 'grey')
    rim = [(x, y, z) for x in (0.39, 0.57) for y in np.arange(-0.36, -0.21, 0.01)
           for z in (0.01, 0.03, 0.05)]
    (fit,) = fits(LONG)
    cut = replace(known, size=(0.18, 0.155, 0.05), pose=Pose((0.48, -0.288, 0.025)), seen_at=1.0,
                  confidence=0.79)
    now = merged(known, replace(fit, thing=cut, points=np.array(rim)))
    assert (now.pose, now.size) == (known.pose, known.size)


@pytest.mark.parametrize(('seen_past', 'height'), [(False, 0.2), (True, 0.175)])
def test_what_stands_is_lower_than_before_only_if_the_camera_sees_over_it(seen_past, height):
    known = SceneObject('can', Shape.CYLINDER, (0.05, 0.05, 0.2), Pose((0.5, 0.0, 0.1)), 'green')
    (fit,) = fits(LONG)
    cut = replace(known, size=(0.05, 0.05, 0.175), pose=Pose((0.5, 0.0, 0.0875)), seen_at=1.0)
    side = np.array([(0.475, 0.0, z) for z in np.arange(0.0, 0.17, 0.01)])
    asked = []
    now = merged(known, replace(fit, thing=cut, points=side, bottom_seen=True),
                 lambda place: asked.append(place) or seen_past)
    assert now.size[2] == height and now.bottom_z == pytest.approx(0.0)
    assert (asked[-1].bottom_z, asked[-1].top_z) == pytest.approx((0.175, 0.2))


def test_what_is_seen_to_lie_stands_no_longer_though_something_hides_where_its_top_was():
    known = SceneObject('can', Shape.CYLINDER, (0.05, 0.05, 0.2), Pose((0.5, 0.0, 0.1)), 'green')
    (fit,) = fits(LONG)
    lying = replace(known, pose=Pose.from_rpy(0.58, 0.0, 0.025, pitch=np.pi / 2), seen_at=1.0)
    now = merged(known, replace(fit, thing=lying, bottom_seen=True), lambda place: False)
    assert now.top_z == pytest.approx(0.05)


def test_a_flat_thing_that_leans_is_not_believed_to_float_at_the_height_of_its_top():
    size = (0.08, 0.07, 0.02)
    known = SceneObject('red_thing', Shape.IRREGULAR, size, Pose((0.5, 0.0, 0.05)), 'red',
                        pieces=(box_piece(size),))
    (fit,) = fits(box(0.5, 0.0, (0.03, 0.07, 0.06)), stamp=0.1)
    shown = (0.03, 0.07, 0.06)
    leans = replace(fit.thing, shape=Shape.IRREGULAR, size=shown, pieces=(box_piece(shown),),
                    confidence=0.7)
    assert merged(known, replace(fit, thing=leans)).bottom_z == pytest.approx(0.0, abs=0.003)



def test_a_guess_of_what_is_behind_does_not_make_a_known_thing_larger():
    size = (0.056, 0.056, 0.158)
    bottle = SceneObject('bottle', Shape.IRREGULAR, size, Pose((0.5, 0.0, 0.079)), 'red',
                         pieces=(box_piece(size),))
    (fit,) = fits(box(0.5, 0.0, (0.05, 0.05, 0.15)), stamp=0.1)
    long = (0.188, 0.054, 0.128)
    shown = replace(fit, thing=replace(fit.thing, shape=Shape.IRREGULAR, size=long,
                                       pieces=(box_piece(long),)))
    assert is_covered(bottle, shown, lambda thing: False)
    assert not is_covered(bottle, shown, lambda thing: True)


@pytest.mark.parametrize(('dy', 'colour', 'is_part'), [
    (0.02, 'red', True), (0.08, 'red', False), (0.02, 'blue', False)])
def test_what_turns_up_beside_the_held_thing_in_its_colour_is_an_end_of_it(dy, colour, is_part):
    held = replace(box(0.5, 0.0, (0.1, 0.03, 0.03), bottom=0.1), name='red_bar')
    (end,) = fits(box(0.5, 0.03 + dy, (0.04, 0.03, 0.03), bottom=0.1, colour=colour))
    assert is_beside(held, end) is is_part


@pytest.mark.parametrize(('known', 'dy', 'number'), [
    ([], 0.0, [2]), ([], 0.08, []),  # the other one lies elsewhere,
    ([box(0.55, 0.0)], 0.0, []),  # or there was one of its colour before
])
def test_what_was_let_go_is_one_thing_though_something_hides_its_middle(known, dy, number):
    tracks = Tracks()
    for each in (replace(box(0.5, 0.0, (0.14, 0.03, 0.03)), name='bar'), *known):
        tracks.note(each)
    ends = [fit for x, y in ((0.44, 0.0), (0.56, dy))
            for fit in fits(box(x, y, (0.04, 0.03, 0.03)))]
    assert tracks.in_parts(ends, '') == []
    for let_go in ('bar', ''):  # and in the looks that follow
        assert [len(parts) for parts in tracks.in_parts(ends, let_go)] == number


@pytest.mark.parametrize('others', [[], fits(box(0.6, 0.0, (0.03,) * 3))])
def test_what_is_seen_whole_again_has_no_parts_and_another_beside_it_is_a_thing(others):
    tracks, bar = Tracks(), replace(box(0.5, 0.0, (0.14, 0.03, 0.03)), name='bar')
    tracks.note(bar)
    (one,), (other,) = (fits(box(x, 0.0, (0.04, 0.03, 0.03))) for x in (0.44, 0.56))
    assert tracks.in_parts([one, other], 'bar') and tracks.in_parts([one, other], '')
    (whole,) = fits(bar)
    assert tracks.in_parts([whole, *others], '') == []
    assert tracks.in_parts([one, other], '') == []


def test_parts_as_one_reach_from_one_end_to_the_other():
    shown = look(View(picture(box(0.44, 0.0), box(0.56, 0.0))), *ARM, 1.0)
    whole = as_one(shown.fits, [shown], 1.0)
    assert whole.thing.size[0] == pytest.approx(0.16, abs=0.01)
    assert whole.thing.position[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(('raised_m', 'stays'), [(0.0, True), (0.03, False)])
def test_below_the_hand_only_what_is_as_high_as_before_is_where_it_was(raised_m, stays):
    """What hides its own foot is seen to hang in the air, whether the hand holds it or not."""
    tall = box(0.5, 0.0, (0.04, 0.04, 0.2))
    (before,) = (fit.thing for fit in fits(tall))
    (now,) = fits(replace(tall, pose=tall.pose.moved(dz=raised_m)))
    assert is_where_it_was(before, now, below=True) is stays
    assert is_where_it_was(before, now, below=False)
    assert not is_where_it_was(replace(before, colour='blue'), now, below=False)
