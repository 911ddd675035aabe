# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A container that can be filled, as a hole can, is filled by the skill that says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape, States
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner

INSERT = SkillSpec('insert', 'put it in', {
    'type': 'object', 'properties': {'target': {'type': 'string'}}, 'required': ['target']},
    object_arguments=('target',), needs_held=True,
    effect=Effect(EffectKind.PUT_IN, target='target', state='filled'))
TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)))
PEG = SceneObject('peg', Shape.BOX, (0.0235, 0.0235, 0.1), Pose((0.4, 0.3, 0.05)))
HOLE = SceneObject('hole', Shape.BIN, (0.036, 0.036, 0.036), Pose((0.5, 0.0, 0.032)),
                   movable=False)


@pytest.mark.parametrize(('can_be_filled', 'skill'), [(True, 'insert'), (False, None)])
def test_what_just_fits_is_put_in_by_the_skill_that_fills_it(
        can_be_filled: bool, skill: str | None) -> None:
    hole = replace(HOLE, states=States('', ('filled',), (HOLE.pose,))) if can_be_filled else HOLE
    scene = Scene('s', 0.0, (TABLE, PEG, hole), 'ground_truth')
    reply = SearchPlanner(build_reader()).plan(PlanRequest(
        'put the peg in the hole', scene, (*standard_skills().specs(), INSERT)), Context())
    assert (reply.steps[-1].skill if reply.steps else None) == skill


def test_what_is_no_hole_is_filled_as_ever() -> None:
    bowl = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Pose((0.5, 0.0, 0.028)))
    scene = Scene('s', 0.0, (TABLE, PEG, bowl), 'ground_truth')
    reply = SearchPlanner(build_reader()).plan(PlanRequest(
        'put the peg in the bowl', scene, (*standard_skills().specs(), INSERT)), Context())
    assert [step.skill for step in reply.steps] == ['pick', 'place_on']
