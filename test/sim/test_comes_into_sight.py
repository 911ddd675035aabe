# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A thing that another one hides at first, with real physics: the other one is done before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent import Simulation
from replan_agent.domain.event import WarningRaised

TASK = 'put the blue cube and the red cube in the bowl'


class Behind:
    """Eyes that do not see the blue cube while the red one is where it was, or `never`."""

    uses_model = False

    def __init__(self, perception, never: bool) -> None:
        self._perception, self._never, self._red = perception, never, None
        self.name = 'eyes'

    def observe(self, ctx):
        seen = self._perception.observe(ctx)
        red = seen.get('red_cube').position
        self._red = self._red or red
        hidden = self._never or max(abs(a - b) for a, b in zip(red, self._red)) < 0.05
        return replace(seen, perception='eyes', objects=tuple(
            o for o in seen.objects if not (hidden and o.name == 'blue_cube')))


def run(never: bool, planner: str):
    warnings: list[str] = []
    simulation = Simulation('tabletop', planner=planner, perception='ground_truth',
                            approver='auto', wrap_perception=lambda real: Behind(real, never))
    result = simulation.run(TASK, on_event=lambda e: warnings.append(e.message)
                            if isinstance(e, WarningRaised) else None)
    return result, warnings


@pytest.mark.parametrize('planner', ['stub', 'search'])
def test_a_thing_that_comes_into_sight_is_planned_after_another_look(planner):
    result, warnings = run(never=False, planner=planner)
    assert result.success and result.goal_verified, result.final_detail
    assert {g.object for g in result.goals} == {'blue_cube', 'red_cube'}
    assert [plan.cause.value for plan in result.plans] == ['initial', 'adaptive']
    assert any('blue cube' in warning for warning in warnings)


def test_a_thing_that_is_never_seen_is_why_the_task_failed():
    result, _ = run(never=True, planner='stub')
    assert not result.success and 'blue cube' in result.final_detail
    assert [record.step.skill for record in result.steps] == ['pick', 'place_on']


def test_what_is_not_in_the_simulator_is_refused_before_anything_moves():
    simulation = Simulation('tabletop', planner='stub', perception='ground_truth', approver='auto')
    result = simulation.run('put the red cube and the purple cube in the bowl')
    assert not result.success and not result.steps
