# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""pick's optional arguments change what they name; without them nothing changes."""

from __future__ import annotations

import math

import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason
from replan_agent.execute.skills.pick import Pick

from .fakes import BOWL, Bench, lifted, scene, thing

BOTTLE = thing('bottle', size=(0.05, 0.05, 0.2), z=0.1, shape=Shape.CYLINDER)


def pick(bench: Bench, item, **args):
    return bench.do(Step(1, 'pick', {'object': item.name, **args}), scene(item))


def holding(item) -> Bench:
    return Bench(after=scene(lifted(item), held=item.name))


def test_the_fingers_press_with_the_force_that_was_asked_for():
    bench = holding(thing())
    assert pick(bench, thing()).success and bench.robot.force == 40.0
    assert pick(bench, thing(), force=65).success and bench.robot.force == 65


@pytest.mark.parametrize('wrong', [
    {'force': 5}, {'force': 80}, {'speed': 0.05}, {'speed': 1.5}, {'grasp': 'upside_down'},
    {'turn': 270}, {'width': 0.05}])
def test_arguments_outside_their_range_are_refused_before_anything_moves(wrong):
    bench = holding(thing())
    result = pick(bench, thing(), **wrong)
    assert result.reason is Reason.BAD_ARGUMENTS and not bench.robot.log


@pytest.mark.parametrize(('hand_n', 'usual', 'after_slips'), [
    ((10.0, 70.0), 40.0, [60, 70, 70, 70]), ((5.0, 20.0), 20.0, [20, 20, 20, 20]),
    ((20.0, 235.0), 40.0, [60, 70, 235, 235]), ((50.0, 90.0), 50.0, [60, 70, 90, 90])])
def test_the_force_is_that_of_the_hand(hand_n, usual, after_slips):
    spec = Pick(hand_n).spec
    force = spec.argument_schema('force')
    assert (force['minimum'], force['maximum'], force['default']) == (*hand_n, usual)
    assert [changes['force'] for changes in spec.adjustments['slipped_in_lift']] == after_slips


def test_every_motion_is_planned_at_the_speed_that_was_asked_for():
    bench, speeds = holding(thing()), []
    for name in ('straight', 'to_joints'):
        plan = getattr(bench.motion, name)

        def noting(start, goal, request, ctx, plan=plan):
            speeds.append(request.speed)
            return plan(start, goal, request, ctx)

        setattr(bench.motion, name, noting)
    assert pick(bench, thing(), speed=0.2).success
    assert len(speeds) >= 4 and set(speeds) == {0.2}


@pytest.mark.parametrize(('kind', 'tilt'), [('top_down', 0.0), ('tilted', 25.0), ('side', 90.0)])
def test_the_evidence_names_the_kind_of_grasp_that_was_asked_for(kind, tilt):
    result = pick(holding(BOTTLE), BOTTLE, grasp=kind)
    assert result.success, result.reason_detail
    assert result.evidence['grasp']['kind'] == kind
    assert result.evidence['grasp']['tilt_deg'] == pytest.approx(tilt, abs=0.1)


def test_a_kind_of_grasp_that_the_shape_does_not_offer_names_those_it_does():
    bench = Bench()
    result = pick(bench, BOWL, grasp='side')
    assert result.reason is Reason.PRECONDITION_FAILED and not bench.robot.log
    assert 'side' in result.reason_detail and 'rim' in result.reason_detail
    assert not result.proved_impossible  # it can be picked in another way


def test_the_closing_is_given_relative_to_the_object_and_a_turn_takes_the_other_sides():
    item = thing(yaw=0.3)
    plain = pick(holding(item), item).evidence['grasp']['closing_deg']
    turned = pick(holding(item), item, turn=90).evidence['grasp']['closing_deg']
    assert plain == pytest.approx(0.0, abs=0.1) or abs(plain) == pytest.approx(90.0, abs=0.1)
    assert abs(math.remainder(turned - plain, 180.0)) == pytest.approx(90.0, abs=0.1)


def test_a_failed_pick_names_the_grasp_that_failed():
    bench = Bench()
    bench.robot.grip_width = 0.0
    result = pick(bench, thing())
    assert result.reason is Reason.GRASP_MISSED and result.evidence['grasp']['kind'] == 'top_down'


def test_foreseeing_a_pick_finds_the_grasp_and_moves_nothing():
    bench, step = Bench(), Step(1, 'pick', {'object': 'red_cube'})
    foreseen = bench.executor.foresee(step, scene(thing()), Context())
    assert foreseen.success and foreseen.evidence['grasp']['kind'] == 'top_down'
    far = bench.executor.foresee(step, scene(thing(x=1.2)), Context())
    assert far.reason is Reason.UNREACHABLE and far.proved_impossible
    assert not bench.robot.log
