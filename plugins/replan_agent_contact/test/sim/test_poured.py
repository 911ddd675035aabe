# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grains fall from a tilted cup into a bowl, and what falls beside it is told with numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replan_agent_contact.cell import furnished
from replan_agent_contact.furniture import parse_furnished

from replan_agent import Agent, load_config

CONFIG = load_config()
ONCE = replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0, replanning=False))
VALUES = {
    'objects': [
        {'name': 'cup', 'shape': 'bin', 'size': [0.06, 0.06, 0.09], 'mass': 0.08, 'yaw': 0.3,
         'colour': 'blue', 'position': [0.45, 0.22]},
        {'name': 'bowl', 'shape': 'bowl', 'size': [0.16, 0.055], 'mass': 0.3,
         'position': [0.50, -0.10]}],
    'grains': [{'holder': 'cup', 'count': 12}]}


def poured(seen=lambda thing: thing):
    world, cell = furnished(CONFIG, *parse_furnished(VALUES, 'here'))
    cell = replace(cell, true_objects=lambda: tuple(map(seen, world.visible_objects())))
    return world, Agent(cell, config=ONCE).run('pour the cup into the bowl')


def test_what_was_in_the_cup_is_in_the_bowl_and_the_arm_felt_it_go():
    world, result = poured()
    bowl = next(o for o in world.true_objects() if o.name == 'bowl')
    told = result.steps[-1].result.evidence
    assert result.success and result.goal_verified and bowl.grains >= 11
    mass = sum(float(world.model.body(name).mass[0]) for name in world.grains[0].names)
    assert told['poured_kg'] == pytest.approx(mass, abs=0.004) and told['spilled'] <= 1


@pytest.mark.release
def test_what_falls_beside_the_bowl_is_told_and_not_called_poured():
    _, result = poured(lambda o: replace(o, pose=o.pose.moved(0.0, -0.13)) if (
        o.name == 'bowl') else o)
    told = result.steps[-1].result
    assert not result.success and told.reason == 'verification_failed'
    assert told.evidence['spilled'] > 0 and 'beside it' in told.reason_detail
