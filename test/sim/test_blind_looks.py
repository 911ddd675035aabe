# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Looks that fail in the middle of a task, with real physics: nothing is dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent import FinalReason, Simulation, load_config
from replan_agent.domain.event import PhaseStarted
from replan_agent.domain.port_errors import PerceptionError

TASK = 'put the red cube in the bowl'


class Fading:
    """Eyes that see nothing for `dark_s` of robot time after the first lift."""

    def __init__(self, perception, dark_s: float) -> None:
        self._perception, self._dark_s = perception, dark_s
        self.robot = None
        self.dark_from = float('inf')
        self.frozen = None  # the scene to repeat instead of an error
        self.name, self.uses_model = perception.name, False

    def observe(self, ctx):
        now = self.robot.state().stamp if self.robot else 0.0
        if self.dark_from <= now < self.dark_from + self._dark_s:
            if self.frozen is None:
                raise PerceptionError('it is dark')
            return self.frozen
        seen = self._perception.observe(ctx)
        if self.frozen is not None:
            self.frozen = seen
        return seen


def run(dark_s: float, repeats: bool = False, **memory):
    """The result, and the phases of the skills in their order."""
    eyes = []

    def wrap(perception):
        eyes.append(Fading(perception, dark_s))
        return eyes[0]

    config = load_config(None)
    config = replace(config, scene_memory=replace(config.scene_memory, **memory))
    simulation = Simulation('tabletop', config=config, wrap_perception=wrap)
    eyes[0].robot = simulation.robot
    eyes[0].frozen = simulation.scene if repeats else None
    phases: list[str] = []

    def on_event(event):
        if isinstance(event, PhaseStarted):
            phases.append(event.phase)
            if event.phase == 'lift' and eyes[0].dark_from == float('inf'):
                eyes[0].dark_from = simulation.robot.state().stamp

    return simulation.run(TASK, on_event=on_event), phases


@pytest.mark.parametrize('repeats', [False, True], ids=['errors', 'the same picture again'])
def test_a_pick_waits_for_a_look_in_the_robots_time_and_drops_nothing(repeats):
    result, phases = run(12.0, repeats)
    assert result.success and not result.attempts
    assert phases.count('open') == 1 and phases.count('grasp') == 1


def test_looks_that_fail_for_longer_than_lost_after_end_the_task_with_the_cube_in_the_hand():
    result, phases = run(1000.0, lost_after=5.0)
    assert result.final_reason is FinalReason.PERCEPTION_LOST
    assert 'lost_after=5s' in result.final_detail and phases.count('open') == 1


