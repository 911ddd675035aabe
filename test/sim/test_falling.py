# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nothing is dropped off the table and reported as done."""

from __future__ import annotations

import pytest

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.cause import Cause
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Shape
from replan_agent.geometry.steps.slide import Slide
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

CUBE = ObjectSpec('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named('red'),
                  (0.40, 0.55, None))


def test_a_place_beside_the_table_ends_the_task_before_anything_moves():
    sim = Simulation('tabletop')
    result = sim.run('pick up the red cube, then place it at -0.4, 0.3')
    assert not result.success and not result.steps
    assert 'it would fall' in result.final_detail
    cube = sim.scene.get('red_cube')
    assert cube is not None and cube.position[2] > 0


def test_a_push_over_the_edge_is_refused():
    push = Step(1, 'push', {'object': 'red_cube', 'direction': 'left', 'distance': 0.2})
    sim = Simulation(SceneSpec('edge', objects=(CUBE,)), planner=lambda request, ctx: [push],
                     max_replans=0)
    result = sim.run('push the red cube left by 20 cm')
    assert not result.success and not result.steps
    cube = sim.scene.get('red_cube')
    assert cube is not None and cube.position[2] > 0


def thing(name: str, at: tuple[float, float], shape: Shape = Shape.BOX,
          size: tuple[float, float, float] = (0.04, 0.04, 0.04), **more) -> ObjectSpec:
    return ObjectSpec(name, shape, size, Colour.named('blue'), (*at, None), **more)


def sim_of(*things: ObjectSpec) -> Simulation:
    return Simulation(SceneSpec('edge', objects=things))


NEIGHBOURS = (thing('red_cube', (0.4, 0.49)), thing('blue_cube', (0.4, 0.62)))


def test_a_push_that_takes_a_neighbour_over_the_edge_is_refused():
    result = sim_of(*NEIGHBOURS).run('push the red cube 13 cm to the left')
    assert not result.success and not result.steps
    assert 'red_cube' in result.final_detail and 'blue_cube' in result.final_detail


def test_a_neighbour_that_fell_in_a_push_is_a_failure_that_names_it(monkeypatch):
    monkeypatch.setattr(Slide, 'pushed_along', lambda self, others: [])  # nobody foresaw it
    result = sim_of(*NEIGHBOURS).run('push the red cube 12 cm to the left')
    assert not result.success and 'blue_cube fell' in result.final_detail
    assert result.attempts[-1].cause is Cause.FELL


@pytest.mark.parametrize(('pushed', 'centimetres'), [
    (thing('thing', (0.46, 0.43), Shape.SPHERE, (0.05, 0.05, 0.05)), 20),
    (thing('thing', (0.5, 0.3), friction=0.001), 8)])
def test_what_rolls_or_slides_off_the_table_after_the_push_is_a_failure(pushed, centimetres):
    result = sim_of(pushed).run(f'push the thing {centimetres} cm to the left')
    assert not result.success and 'thing fell' in result.final_detail


def test_a_ball_that_rolls_much_farther_than_asked_is_a_failure_with_the_numbers():
    ball = thing('ball', (0.46, 0.0), Shape.SPHERE, (0.05, 0.05, 0.05))
    result = sim_of(ball).run('push the ball 8 cm to the left')
    assert not result.success
    assert result.attempts[-1].cause is Cause.PUSH_WENT_TOO_FAR
    assert '80 mm' in result.final_detail


def test_a_toppled_can_is_not_pushed_again_until_it_looks_done():
    can = thing('can', (0.5, 0.3), Shape.CYLINDER, (0.03, 0.03, 0.15))
    result = sim_of(can).run('push the can 5 cm to the left')
    assert not result.success and len(result.steps) == 1
    assert 'can fell' in result.final_detail


def test_an_irregular_thing_is_not_put_where_its_weight_is_over_the_edge():
    result = Simulation('kitchen').run('place the hammer at (0.4, 0.64)')
    assert not result.success and not result.steps
    assert 'it would fall' in result.final_detail


def test_a_place_says_that_the_thing_fell_off_the_table(monkeypatch):
    monkeypatch.setattr('replan_agent.geometry.steps.forecast.is_on_top', lambda *args: True)
    monkeypatch.setattr('replan_agent.execute.choice_of_spot.stands_on', lambda *args: True)
    result = Simulation('kitchen').run('pick(object=hammer), place_at(x=0.4, y=0.64)')
    assert not result.success and 'fell' in result.causes, result.why
    assert 'hammer is not on the table: it lies ' in result.why
