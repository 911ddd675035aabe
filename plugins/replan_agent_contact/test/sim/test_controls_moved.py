# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Buttons are pressed and lids are opened by contact alone."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from replan_agent_contact.cell import furnished, furnished_cell
from replan_agent_contact.furniture import parse_furnished

from replan_agent import Agent, RobotParts, load_config
from replan_agent.geometry.judging import is_inside

CONFIG = load_config()
ONCE = replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0, replanning=False))


def panel(objects=(), **button):
    values = {'objects': list(objects), 'furniture': [{
        'name': 'panel', 'size': [0.14, 0.2, 0.08], 'position': [0.5, 0.1],
        'buttons': [{'name': 'button', **button}]}]}
    return furnished(CONFIG, *parse_furnished(values, 'here'))


def failed_step(result):
    return next(step.result for step in result.steps if not step.result.success)


def test_a_button_is_pressed_until_it_clicks_and_stays_down():
    world, cell = panel(force=10.0)
    result = Agent(cell, config=CONFIG).run('press the button')
    told = result.steps[-1].result.evidence
    assert result.goal_verified and world.opened('button') == pytest.approx(0.008, abs=0.001)
    assert told['clicked'] and 7 < told['force_n'] < 20
    assert Agent(cell, config=CONFIG).run('press the button').final_reason == 'already_done'


def test_a_button_that_needs_more_than_the_limit_is_told_as_stuck():
    world, cell = panel(force=30.0)
    result = Agent(cell, config=CONFIG).run('press the button')
    assert not result.success and failed_step(result).proved_impossible
    assert world.opened('button') < 0.003 and 'allow more force' in result.final_detail
    assert Agent(cell, config=CONFIG).run('press(object="button", force=40)').success


def test_a_button_that_jams_half_way_is_told_as_jammed():
    _, cell = panel(jams_at=0.0035, force=5.0)
    result = Agent(cell, config=ONCE).run('press the button')
    assert 'is jammed' in failed_step(result).reason_detail


def test_what_stands_on_a_button_is_taken_away_first():
    cube = {'name': 'cup', 'shape': 'box', 'size': 0.04, 'position': [0.5, 0.1, 0.115]}
    world, cell = panel([cube])
    result = Agent(cell, config=CONFIG).run('press the button')
    assert failed_step(result).blockers == ('cup',)
    assert result.goal_verified and world.opened('button') > 0.007


def test_a_box_is_opened_to_fill_it_and_its_lid_closed_again():
    cell = furnished_cell(RobotParts(CONFIG, 'chest'))
    result = Agent(cell, config=CONFIG).run('put the red cube in the chest')
    things = {o.name: o for o in cell.world.true_objects()}
    assert [step.step.skill for step in result.steps] == ['open', 'pick', 'place_on', 'close']
    assert result.goal_verified and is_inside(things['red_cube'], things['chest'])
    assert cell.world.opened('lid') == pytest.approx(0.0, abs=0.05)


def panel_with_knob(**knob):
    values = {'objects': [], 'furniture': [{
        'name': 'panel', 'size': [0.14, 0.2, 0.08], 'position': [0.5, 0.1],
        'knobs': [{'name': 'knob', **knob}]}]}
    return furnished(CONFIG, *parse_furnished(values, 'here'))


def test_a_knob_is_turned_to_an_angle_and_then_by_one():
    world, cell = panel_with_knob(friction=0.1)
    for task, degrees in (('turn the knob to 90 degrees', 90),
                          ('turn the knob by -40 degrees', 50)):
        result = Agent(cell, config=CONFIG).run(task)
        assert result.goal_verified and [s.step.skill for s in result.steps] == ['turn']
        assert math.degrees(world.opened('knob')) == pytest.approx(degrees, abs=3)
    assert Agent(cell, config=CONFIG).run(
        'turn the knob to 50 degrees').final_reason == 'already_done'


def test_a_knob_that_turns_farther_than_the_wrist_is_grasped_again():
    world, cell = panel_with_knob(travel=4.5)
    result = Agent(cell, config=CONFIG).run('turn the knob to 240 degrees')
    assert result.goal_verified and len(result.steps) == 1
    assert math.degrees(world.opened('knob')) == pytest.approx(240, abs=3)


def test_a_locked_knob_is_told_as_stuck_by_its_torque():
    world, cell = panel_with_knob(locked=True)
    result = Agent(cell, config=CONFIG).run('turn the knob to 90 degrees')
    step = failed_step(result)
    assert step.proved_impossible and 'N·m at knob' in step.reason_detail
    assert not result.success and abs(world.opened('knob')) < 0.02


def test_a_knob_is_not_turned_past_its_range():
    _, cell = panel_with_knob()
    result = Agent(cell, config=ONCE).run('turn the knob to 200 degrees')
    assert 'turns from 0 degrees to 120 degrees, not to 200 degrees' in failed_step(
        result).reason_detail
