"""Everyday sentences on real physics, with the default planner."""

from __future__ import annotations

import math

import pytest

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


@pytest.mark.parametrize('task', ['drop the blue cube', 'put the cube in the bowl',
                                  'put the red cube under the bowl'])
def test_what_cannot_be_meant_never_moves_the_arm(task: str) -> None:
    simulation = Simulation('tabletop')
    result = simulation.run(task)
    assert not result.success and not result.steps
    assert result.final_reason in (FinalReason.REPLAN_EXHAUSTED, FinalReason.UNRECOGNIZED_PROMPT)
    assert simulation.world.time == 0.0
