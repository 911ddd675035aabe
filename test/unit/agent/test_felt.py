# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the arm felt and no look shows is in every later scene of the task."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from replan_agent.agent.state.sight import MOST_FELT, SeenScenes
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
UP = (0.0, 0.0, 1.0)


def look(sight: SeenScenes) -> Scene:
    sight.take(Scene('s', 0.0, (CUBE,), 'fake'))
    return sight.now


def test_what_was_felt_is_avoided_in_every_later_scene():
    sight = SeenScenes()
    look(sight)
    assert sight.feel((0.5, 0.0, 0.10), UP)
    assert sight.now.names() == look(sight).names() == ('red_cube', 'unseen_1')
    plate = sight.now.get('unseen_1')
    assert not plate.movable and plate.top_z == pytest.approx(0.10)
    assert np.allclose(plate.pose.rotation[:, 2], UP)


def test_a_contact_with_what_is_seen_there_is_not_something_unseen():
    sight = SeenScenes()
    look(sight)
    assert not sight.feel((0.5, 0.025, 0.03), UP) and sight.now.names() == ('red_cube',)


def test_a_contact_close_to_a_thing_beside_the_handled_one_is_with_that_thing():
    sight, at = SeenScenes(), (0.5, 0.042, 0.03)  # 22 mm from the cube
    look(sight)
    assert not sight.feel(at, UP, handled='blue_cube') and sight.feel(at, UP, handled='red_cube')


@pytest.mark.parametrize(('y', 'unseen'), [(0.03, False), (0.1, True)])
def test_a_contact_of_a_hand_at_what_was_seen_before_may_be_one_with_that(y, unseen):
    sight = SeenScenes()
    look(sight)
    sight.take(Scene('s', 1.0, (replace(CUBE, name='blue_cube', pose=Pose((0.3, 0.0, 0.02))),),
                     'fake'))
    assert sight.feel((0.5, 0.0, 0.15), UP, 'blue_cube', tool=(0.5, y, 0.03)) is unseen


@pytest.mark.parametrize('guessed', [True, False])
def test_a_contact_beside_a_thing_whose_hidden_side_is_a_guess_is_with_that_side(guessed):
    sight = SeenScenes()
    piece = Piece.around(np.array(box_piece(CUBE.size).corners), guessed)
    sight.take(Scene('s', 0.0, (replace(CUBE, shape=Shape.IRREGULAR, pieces=(piece,)),), 'fake'))
    assert sight.feel((0.5, 0.042, 0.03), UP, handled='red_cube') is not guessed


def test_a_few_contacts_are_remembered():
    sight = SeenScenes()
    look(sight)
    noted = [sight.feel((0.5, 0.0, 0.1 + 0.05 * k), UP) for k in range(MOST_FELT + 2)]
    assert noted == [True] * MOST_FELT + [False] * 2


def test_of_what_was_felt_at_two_places_only_the_last_is_forgotten_and_only_once():
    sight = SeenScenes()
    look(sight)
    assert sight.feel((0.5, 0.0, 0.10), UP) and sight.feel((0.45, 0.06, 0.11), UP)
    assert sight.forget_felt() and look(sight).names() == ('red_cube', 'unseen_1')
    assert sight.feel((0.45, 0.06, 0.11), UP)
    assert not sight.forget_felt() and 'unseen_2' in look(sight).names()


def test_what_was_felt_is_forgotten_for_good_if_it_leaves_no_way():
    sight = SeenScenes()
    look(sight)
    assert sight.feel((0.5, 0.0, 0.10), UP) and sight.forget_felt()
    assert sight.now.names() == look(sight).names() == ('red_cube',)
    assert not sight.feel((0.5, 0.0, 0.10), UP)
