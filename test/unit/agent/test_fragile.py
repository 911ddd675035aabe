# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is fragile is never gripped with more force than was planned."""

from __future__ import annotations

import pytest

from replan_agent.agent.episode import gentle
from replan_agent.domain.config import ApprovalConfig
from replan_agent.domain.plan import Step
from replan_agent.domain.skill import find_spec
from replan_agent.execute.skills.standard import standard_skills

PICK = find_spec(standard_skills().specs(), 'pick')
FRAGILE = ApprovalConfig().fragile


def spec_for(name: str, **args):
    return gentle(PICK, Step(1, 'pick', {'object': name, **args}), FRAGILE)


@pytest.mark.parametrize('name', ['red_glass', 'red_egg_box', 'Wine_Glass', 'light_bulb'])
def test_more_force_is_no_legal_change_for_a_fragile_object(name):
    assert spec_for(name).legal_changes({'force': 60, 'speed': 0.5}) == {'speed': 0.5}
    assert spec_for(name).legal_changes({'force': 20}) == {'force': 20}


def test_the_changes_after_a_slip_are_gentle_for_a_fragile_object():
    assert spec_for('red_glass').adjustments['slipped_in_lift'] == (
        {'speed': 0.5}, {'speed': 0.25}, {'speed': 0.25, 'turn': 90},
        {'speed': 0.25, 'grasp': 'tilted'})
    ways = spec_for('red_glass').adjustments['unexpected_contact']
    assert ways == PICK.adjustments['unexpected_contact']  # as planned is one of them


def test_the_planned_force_is_the_limit_if_the_plan_names_one():
    assert spec_for('red_glass', force=20).legal_changes({'force': 30}) == {}


def test_other_objects_and_skills_without_force_stay_as_they_are():
    assert spec_for('red_cube') is PICK
    push = find_spec(standard_skills().specs(), 'push')
    assert gentle(push, Step(1, 'push', {'object': 'red_glass'}), FRAGILE) is push
