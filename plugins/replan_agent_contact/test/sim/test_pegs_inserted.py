# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pegs go into holes by contact alone, also where a hole is not quite where it was seen."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replan_agent_contact.cell import furnished
from replan_agent_contact.furniture import parse_furnished

from replan_agent import Agent, load_config

CONFIG = load_config()
ONCE = replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0, replanning=False))
TASK = 'put the peg in the hole'


def board(off=(0.0, 0.0), thick=0.022, objects=()):
    """A board with a hole 24 mm wide and 30 mm deep that is seen `off` (m), and a peg."""
    peg = {'name': 'peg', 'shape': 'box', 'size': [thick, thick, 0.11], 'colour': 'red',
           'mass': 0.06, 'position': [0.45, 0.25]}
    values = {'objects': [peg, *objects], 'furniture': [{
        'name': 'board', 'size': [0.1, 0.1, 0.05], 'position': [0.52, 0.0],
        'holes': [{'name': 'hole', 'size': 0.024, 'depth': 0.03}]}]}
    world, cell = furnished(CONFIG, *parse_furnished(values, 'here'))

    def seen():
        for o in world.visible_objects():
            yield replace(o, pose=o.pose.moved(*off)) if o.name in ('hole', 'board') else o

    return world, replace(cell, true_objects=lambda: tuple(seen()))


def depth_mm(world):
    things = {o.name: o for o in world.true_objects()}
    return 1000 * (things['hole'].top_z - things['peg'].bottom_z)


def failed_step(result):
    return next(step.result for step in result.steps if not step.result.success)


@pytest.mark.parametrize('off', [(0.0, 0.0), (0.0025, -0.002)])
def test_a_peg_is_put_in_a_hole_and_felt_for_if_it_is_beside_it(off):
    world, cell = board(off)
    result = Agent(cell, config=CONFIG).run(TASK)
    told = result.steps[-1].result.evidence
    assert [step.step.skill for step in result.steps] == ['pick', 'insert']
    assert result.goal_verified and depth_mm(world) == pytest.approx(30, abs=1)
    assert (told['searched_m'] > 0.002) is (off != (0.0, 0.0))
    assert world.gripper_width > 0.023


def test_a_peg_that_is_too_thick_is_told_by_its_size_before_it_touches_anything():
    _, cell = board(thick=0.0245)
    result = Agent(cell, config=CONFIG).run(TASK)
    told = failed_step(result)
    assert told.cause == 'does_not_fit' and told.proved_impossible and not result.success
    assert 'too thick for hole' in told.reason_detail


def test_a_hole_that_is_not_as_deep_as_it_seems_is_told_as_jammed():
    plug = {'name': 'plug', 'shape': 'box', 'size': [0.014, 0.014, 0.018], 'fixed': True,
            'unseen': True, 'position': [0.52, 0.0, 0.0295]}
    world, cell = board(objects=[plug])
    result = Agent(cell, config=ONCE).run(TASK)
    assert 'peg is jammed in hole: it went 1' in failed_step(result).reason_detail
    assert failed_step(result).evidence['force_n'] < 25 and not result.success


def test_where_no_hole_is_felt_the_peg_stays_in_the_hand_and_that_is_told():
    _, cell = board((0.03, 0.0))
    result = Agent(cell, config=ONCE).run(TASK)
    assert 'peg touches the rim of hole' in failed_step(result).reason_detail
    assert cell.robot.state().gripper_width == pytest.approx(0.022, abs=0.001)
