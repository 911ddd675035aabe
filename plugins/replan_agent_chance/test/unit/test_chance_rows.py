# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tasks of the suites: what stands around, what is told of them, and what was changed."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_chance import chance_suite, choice_suite
from replan_agent_chance.chance_rows import ROWS
from replan_agent_chance.chance_suite import Tried
from replan_agent_chance.likeliest import Chosen

from replan_agent.domain.config import Config
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.scene import Scene
from replan_agent.robot.mujoco.scene.placement import overlap, place

RESULT = SimpleNamespace(success=True, goals=(), final_detail='', final_reason=SimpleNamespace(
    value='plan_complete'))


def ran(skill: str) -> Tried:
    """A run of a plan with one step of this skill, in an empty scene."""
    plan = Plan(1, 'task', (Step(1, skill, {'object': 'red_cube'}),), (), PlanCause.INITIAL, None,
                'scene-1', 'search')
    scene = Scene('scene-1', 0.0, (), 'ground_truth')
    return Tried(True, '', RESULT, 1.0, 0.1, plan, scene)  # type: ignore[arg-type]


def test_things_stand_around_without_touching_and_each_number_of_them_occurs() -> None:
    found = set()
    for seed in range(19300, 19330):
        case = ROWS[0].case(seed)
        placed = place(case.scene, seed)
        found.add(len(placed))
        assert not any(overlap(a, b, 0.0) for k, a in enumerate(placed) for b in placed[k + 1:])
        assert all(math.hypot(*one.pose.position[:2]) < 0.8 for one in placed)
        assert place(case.scene, seed + 1) == placed  # a repeated look is at the same scene
    assert found >= {1, 3, 5, 7}


def test_a_task_that_is_not_covered_runs_in_no_twin_and_has_no_chance(monkeypatch) -> None:
    monkeypatch.setattr(chance_suite, 'tried', lambda *_, **__: ran('push'))
    outcome, = chance_suite.run_case(Config(), Job('chance', 'pick', 19300))
    assert outcome.chance is None and 'not told for plans with push' in outcome.outside
    assert outcome.success and outcome.twins == 0


@pytest.mark.parametrize(('column', 'changes'), [
    ('once', False), ('likeliest', True), ('again', False), ('compared', True)])
def test_what_was_changed_is_read_from_what_chose_it(monkeypatch, column: str, changes: bool
                                                     ) -> None:
    def tried(config: Config, *_: Any, planner: Any = None,
              changed: Callable[[Any], Any], **__: Any) -> Tried:
        assert (config.agent.max_step_retries == 0) == (column in ('once', 'likeliest'))
        agent = changed(FakeAgent())
        if planner is not None:
            planner.chosen = Chosen('pick(force=70)', 14, 3)
        if agent.policy != 'usual':
            agent.policy.chosen.append(SimpleNamespace(said='another retry'))
        return ran('pick')

    monkeypatch.setattr(choice_suite, 'tried', tried)
    monkeypatch.setattr(choice_suite, 'replace', replaced)
    outcome, = choice_suite.run_case(Config(), Job('choice', 'pick', 19300, column))
    assert bool(outcome.changed) is changes


class FakeAgent:
    policy, reflector = 'usual', 'usual'


def replaced(value: Any, **changes: Any) -> Any:
    if not isinstance(value, FakeAgent):
        return REPLACE(value, **changes)
    vars(value).update(changes)
    return value


REPLACE = choice_suite.replace
