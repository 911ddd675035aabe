# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the hand holds: by the encoders and the last grasp, not by an old picture."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.plan import Step
from replan_agent.domain.skill import Reason

from .fakes import BOWL, Bench, lifted, scene, thing

PICK = Step(1, 'pick', {'object': 'red_cube'})
OTHER = Step(2, 'pick', {'object': 'blue_cube'})
PLACE = Step(2, 'place_in', {'target': 'bowl'})
BOTH = (thing(), thing('blue_cube', 0.4, 0.2), BOWL)
BEFORE = scene(*BOTH)
STALE = replace(BEFORE, stale=True, warnings=('it is dark',))


def blind_pick() -> Bench:
    """A bench where the cube was picked, and no look has shown it since."""
    bench = Bench(after=STALE)
    result = bench.do(PICK, BEFORE)
    assert result.reason is Reason.STALE_SCENE
    bench.robot.log.clear()
    return bench


def test_a_retry_after_a_blind_pick_does_not_open_the_hand():
    bench = blind_pick()
    result = bench.do(PICK, STALE)
    assert result.reason is Reason.PRECONDITION_FAILED and 'red_cube' in result.reason_detail
    assert not bench.robot.log and bench.robot.width == bench.robot.grip_width


def test_an_object_that_the_pads_feel_is_held_even_if_no_look_shows_it():
    bench = Bench(after=scene(*BOTH[1:]))  # the hand hides the cube from the camera
    assert bench.do(PICK, BEFORE).reason is Reason.VERIFICATION_FAILED
    bench.robot.log.clear()
    result = bench.do(OTHER, scene(*BOTH[1:]))
    assert 'it holds red_cube' in result.reason_detail and not bench.robot.log


def test_pads_that_closed_further_have_let_go():
    bench = blind_pick()
    bench.robot.width = 0.0
    bench.do(PICK, STALE)
    assert 'grasp' in bench.robot.log


def test_a_fresh_picture_of_the_object_on_the_table_is_believed():
    bench = blind_pick()
    bench.do(PICK, BEFORE)
    assert 'grasp' in bench.robot.log


def test_nothing_is_put_down_by_a_picture_from_before_the_grasp():
    bench = blind_pick()
    result = bench.do(PLACE, STALE)
    assert result.reason is Reason.STALE_SCENE and 'look first' in result.reason_detail
    assert not bench.robot.log


def test_after_a_place_an_old_picture_does_not_fill_the_hand_again():
    held = scene(lifted(thing()), *BOTH[1:], held='red_cube')
    bench = Bench(after=held)
    assert bench.do(PICK, BEFORE).success
    bench.do(PLACE, held)
    bench.robot.log.clear()
    bench.do(OTHER, replace(held, stale=True))
    assert 'grasp' in bench.robot.log
