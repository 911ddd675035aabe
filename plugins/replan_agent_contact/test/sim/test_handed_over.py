# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is presented is let go when somebody pulls at it, and not before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from replan_agent_contact.cell import furnished
from replan_agent_contact.furniture import load_furnished, parse_furnished
from replan_agent_contact.person import Person

from replan_agent import Agent, load_config

CONFIG = load_config()
ONCE = replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0, replanning=False))
TASK = 'pick(object="cup"); hand_over(wait=4)'


def presented(force_n, waits_s=1.0, lasts_s=60.0):
    cup = {'name': 'cup', 'shape': 'box', 'size': 0.04, 'mass': 0.08, 'position': [0.45, 0.2]}
    world, cell = furnished(CONFIG, *parse_furnished({'objects': [cup]}, 'here'))
    person = Person(world, 'cup', force_n, waits_s, lasts_s)
    return world, person, Agent(cell, config=ONCE).run(TASK)


def test_what_a_person_pulls_at_is_theirs_after_the_pull_and_not_before():
    world, person, result = presented((12.0, 0.0, 0.0), waits_s=2.0)
    told = result.steps[-1].result.evidence
    assert result.success and person.has_it and world.gripper_width > 0.07
    assert told['waited_s'] > 1.5 and told['pull_n'] == pytest.approx(12, abs=6)
    world.step(round(1.0 / world.timestep))
    (cup,) = (o for o in world.true_objects() if o.name == 'cup')
    assert cup.bottom_z > 0.2 and np.linalg.norm(world.data.joint('cup').qvel[:3]) < 0.05


@pytest.mark.parametrize(('force_n', 'lasts_s'), [
    ((0.0, 0.0, 0.0), 60.0), ((3.0, 0.0, 0.0), 60.0), ((-12.0, 0.0, 0.0), 60.0),
    ((9.0, 0.0, 0.0), 0.5)], ids=['nobody', 'a light pull', 'a push', 'a bump'])
def test_what_nobody_pulls_at_stays_in_the_hand_and_that_is_told(force_n, lasts_s):
    world, person, result = presented(force_n, lasts_s=lasts_s)
    failed = result.steps[-1].result
    assert failed.reason == 'timeout' and 'nobody took cup' in failed.reason_detail
    assert not person.has_it and world.gripper_width == pytest.approx(0.04, abs=0.002)


def test_who_is_in_the_scene_and_asks_for_a_thing_gets_it():
    agent = Agent(furnished(CONFIG, *load_furnished('person'))[1], config=CONFIG)
    result = agent.run('hand me the red cube')
    assert result.success and [step.step.skill for step in result.steps] == ['pick', 'hand_over']
    assert 'lies' not in result.final_detail
