# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is foreseen in an imagined scene is what happens when the scene is real."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import Reason
from replan_agent.geometry.steps.after_step import grasped, put_down

from .test_motion_skills import box, do, sim_of, truth

PICK = Step(1, 'pick', {'object': 'red_cube'})


def neighbours(gap: float):
    away = 0.04 + gap
    return [box(f'cube_{k}', 0.5 + away * math.cos(k * math.pi / 2),
                away * math.sin(k * math.pi / 2)) for k in range(4)]


def test_a_boxed_in_cube_is_graspable_only_in_the_scene_where_two_sides_are_clear():
    sim = sim_of(box('red_cube', 0.5, 0.0), *neighbours(0.012))
    seen = sim.perception.observe(Context())
    boxed = sim.skills.foresee(PICK, seen, Context())
    assert boxed.reason is Reason.IN_COLLISION
    assert {f'cube_{k}' for k in range(4)} == set(boxed.blockers) - {'table'}
    one = put_down(seen, 'cube_0', at=(0.45, 0.3))
    assert not sim.skills.foresee(PICK, one, Context()).success
    two = put_down(one, 'cube_2', at=(0.45, -0.3))
    assert sim.skills.foresee(PICK, two, Context()).success
    assert sim.world.time == 0.0


def test_a_placing_is_foreseen_with_an_object_that_is_only_imagined_in_the_hand():
    sim = sim_of(box('red_cube', 0.5, 0.0, yaw=0.3), box('blue_cube', 0.45, 0.2))
    held = grasped(sim.perception.observe(Context()), 'red_cube')

    def place(x: float, y: float):
        return sim.skills.foresee(Step(1, 'place_at', {'x': x, 'y': y}), held, Context())

    assert place(0.5, -0.2).success
    taken_spot = place(0.45, 0.22)
    assert taken_spot.reason is Reason.TARGET_OCCUPIED and taken_spot.blockers == ('blue_cube',)
    assert place(0.95, 0.0).reason is Reason.UNREACHABLE
    assert sim.world.time == 0.0
    assert do(sim, 'pick', object='red_cube').success
    assert do(sim, 'place_at', x=0.5, y=-0.2).success


def test_an_object_is_put_back_between_neighbours_as_it_stood():
    sim = sim_of(box('red_cube', 0.5, 0.0), *neighbours(0.012))
    before = {o.name: o.position for o in sim.world.true_objects()}
    assert do(sim, 'pick', object='cube_1').success
    result = do(sim, 'place_at', x=before['cube_1'][0], y=before['cube_1'][1], yaw=0, snug=True)
    assert result.success, result.reason_detail
    for thing in sim.world.true_objects():
        assert math.dist(thing.position, before[thing.name]) < 0.01, thing.name


@pytest.mark.parametrize('seed', range(4))
def test_a_bar_that_lies_across_beyond_the_reach_of_a_grasp_is_pulled_into_it(seed):
    rng = np.random.default_rng(seed)
    radius, bearing = rng.uniform(0.81, 0.83), rng.uniform(-0.6, 0.6)
    sim = sim_of(box('bar', radius * math.cos(bearing), radius * math.sin(bearing),
                     (0.03, 0.11, 0.03), yaw=bearing + rng.uniform(-0.15, 0.15)))
    assert do(sim, 'pick', object='bar').reason is Reason.UNREACHABLE
    result = do(sim, 'pull', object='bar', distance=0.12)
    assert result.success, result.reason_detail
    assert math.hypot(*truth(sim, 'bar').position[:2]) == pytest.approx(radius - 0.12, abs=0.03)
    assert do(sim, 'pick', object='bar').success
