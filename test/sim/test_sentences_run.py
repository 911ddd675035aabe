# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everyday sentences on real physics, with the default planner."""

from __future__ import annotations

import math

import pytest
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentence_worlds import world_of

from replan_agent import Simulation
from replan_agent.domain.task_result import FinalReason


@pytest.mark.parametrize('task', [
    'swap the red and the blue cube', 'put the bar to the left of the bowl', 'stack all cubes',
    'line up the cubes', 'put the green cylinder between the red cube and the blue cube',
])
def test_an_everyday_sentence_is_carried_out(task: str) -> None:
    result = Simulation('tabletop').run(task)
    assert result.success and result.goal_verified, result.final_detail


def test_a_direction_without_a_landmark_moves_by_the_distance_that_the_plan_states() -> None:
    simulation = Simulation('tabletop')
    before = simulation.scene.get('blue_cube')
    result = simulation.run('move the blue cube to the left')
    after = simulation.scene.get('blue_cube')
    assert result.success and before is not None and after is not None
    moved = after.position[1] - before.position[1]
    assert moved == pytest.approx(0.10, abs=0.02)
    assert math.isclose(after.position[0], before.position[0], abs_tol=0.02)
    assert '(0.560, 0.040)' in result.plans[0].steps[-1].description


def test_a_bowl_stands_where_the_plan_says_although_it_hangs_askew() -> None:
    simulation = Simulation('tabletop')
    result = simulation.run('place the bowl at (0.48, 0.25)')
    bowl = simulation.scene.get('bowl')
    assert result.success and bowl is not None
    assert math.dist(bowl.position[:2], (0.48, 0.25)) < 0.01


def test_two_cubes_stand_side_by_side_on_a_plate() -> None:
    simulation = Simulation(world_of(SCENES['plates']))
    result = simulation.run('put the red cube and the blue cube on the white plate')
    assert result.success and result.replans == 0, result.final_detail


def test_a_task_that_asks_only_to_look_succeeds_when_it_has_looked() -> None:
    assert Simulation('tabletop').run('look again').success


def test_the_record_says_in_words_what_was_put_away_and_where_everything_is() -> None:
    result = Simulation('tabletop').run('put the cubes away')
    written = result.as_dict()
    assert 'the red cube is in the bin: yes' in written['verdicts']
    there = {each['name']: each for each in written['final_scene']}
    assert there['blue_cube']['in'] == 'bin' and there['yellow_bar']['on'] == 'table'


@pytest.mark.parametrize(('scene', 'task', 'why'), [
    ('kitchen', 'put the dog on the mug', 'the top of mug is not flat'),
    ('tabletop', 'put the bowl on the red cube', '160 mm long'),
    ('tabletop', 'put the cubes on the bar', 'room for 1 of these 2')])
def test_what_would_fall_is_refused_at_once_with_the_true_reason(
        scene: str, task: str, why: str) -> None:
    result = Simulation(scene).run(task)
    assert not result.success and not result.steps and result.replans == 0
    assert why in result.final_detail


@pytest.mark.parametrize('task', ['drop the blue cube', 'put the cube in the bowl',
                                  'put the red cube under the bowl'])
def test_what_cannot_be_meant_never_moves_the_arm(task: str) -> None:
    simulation = Simulation('tabletop')
    result = simulation.run(task)
    assert not result.success and not result.steps
    assert result.final_reason in (FinalReason.REPLAN_EXHAUSTED, FinalReason.UNRECOGNIZED_PROMPT)
    assert simulation.world.time == 0.0
