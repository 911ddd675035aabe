# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Heavy things: what the gripper can hold is picked, what it cannot is named with numbers."""

from __future__ import annotations

import math

import pytest

from replan_agent import Simulation
from replan_agent.domain.cause import Cause
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

CUBE = (0.04, 0.04, 0.04)


def world_with(size, mass: float, friction: float = 1.0, shape: Shape = Shape.BOX) -> Simulation:
    it = ObjectSpec('red_thing', shape, size, Colour.named('red'), (0.5, 0.1, None),
                    rpy=(0.0, 0.0, 0.4), mass=mass, friction=friction)
    return Simulation(SceneSpec('heavy', objects=(it,)))


def position(sim: Simulation):
    return next(o for o in sim.world.true_objects() if o.name == 'red_thing').position


@pytest.mark.parametrize(('size', 'mass', 'friction', 'shape'), [
    (CUBE, 0.9, 1.0, Shape.BOX), (CUBE, 2.0, 1.0, Shape.BOX), (CUBE, 1.2, 0.3, Shape.BOX),
    ((0.02, 0.02, 0.02), 1.0, 1.0, Shape.BOX), ((0.069, 0.104, 0.064), 0.4, 1.0, Shape.BOX),
    ((0.03, 0.16, 0.03), 1.0, 1.0, Shape.BOX), ((0.05, 0.05, 0.2), 1.0, 1.0, Shape.BOX),
    ((0.07, 0.07, 0.12), 0.9, 0.6, Shape.CYLINDER), ((0.07, 0.07, 0.07), 1.0, 0.6, Shape.SPHERE),
])  # fmt: skip
def test_what_the_gripper_can_hold_is_picked_at_once(size, mass, friction, shape):
    sim = world_with(size, mass, friction, shape)
    result = sim.run('pick up the red_thing')
    assert result.success and not result.attempts, result.final_detail
    assert position(sim)[2] > 0.1


def test_two_kilograms_are_carried_across_the_table():
    sim = world_with((0.05, 0.05, 0.05), 2.0)
    result = sim.run('pick up the red_thing, then place it at 0.35, -0.3')
    assert result.success and not result.attempts, result.final_detail
    assert math.dist(position(sim)[:2], (0.35, -0.3)) < 0.02


@pytest.mark.parametrize(('shape', 'mass', 'friction', 'cause'), [
    (Shape.BOX, 0.05, 0.003, Cause.SLIPPED_IN_LIFT), (Shape.BOX, 0.6, 0.04, Cause.SLIPPED_IN_LIFT),
    (Shape.BOX, 2.0, 0.12, Cause.TOO_HEAVY), (Shape.CYLINDER, 1.5, 0.06, Cause.SLIPPED_IN_LIFT),
    (Shape.SPHERE, 1.5, 0.06, Cause.SLIPPED_IN_LIFT)])
def test_what_the_highest_force_does_not_hold_is_too_heavy_or_slippery_and_not_tried_again(
        shape, mass, friction, cause):
    result = world_with((0.05, 0.05, 0.05), mass, friction, shape).run('pick up the red_thing')
    assert [s.step.args.get('force') for s in result.steps] == [None, 60, 70]
    last = result.attempts[-1]
    assert (last.diagnosis.cause, last.reason) == (cause, Reason.GRASP_SLIPPED.value)
    assert '70 N' in result.why and result.causes == (cause.value,)
    assert ('rougher fingers' in result.would_help) is (cause is Cause.SLIPPED_IN_LIFT)
    assert 0.4 * friction < last.evidence['load_n'] / 140 < 1.1 * friction


def test_what_weighs_more_than_the_arm_carries_is_weighed_once_and_set_down():
    sim = world_with(CUBE, 3.0)
    before = position(sim)
    result = sim.run('pick up the red_thing')
    assert len(result.steps) == 1
    assert result.attempts[-1].diagnosis.cause is Cause.TOO_HEAVY
    assert result.attempts[0].evidence['load_n'] / 9.81 == pytest.approx(3.0, rel=0.03)
    assert math.dist(position(sim), before) < 0.005


def test_what_is_stuck_to_its_place_does_not_overload_the_arm():
    sim = world_with(CUBE, 30.0)
    result = sim.run('pick up the red_thing')
    assert len(result.steps) == 1 and 'stuck' in result.final_detail
    assert result.attempts[-1].diagnosis.cause is Cause.TOO_HEAVY
