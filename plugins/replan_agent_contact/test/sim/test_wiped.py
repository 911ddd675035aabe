# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stains are wiped by a sponge that is pressed on the table, and by nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from replan_agent_contact.cell import furnished
from replan_agent_contact.furniture import load_furnished
from replan_agent_contact.wiping import FORCE_N, HIGH

from replan_agent import Agent, load_config

CONFIG = load_config()
ONCE = replace(CONFIG, agent=replace(CONFIG.agent, max_step_retries=0, replanning=False))


def test_the_stain_is_gone_and_the_force_was_kept():
    world, cell = furnished(CONFIG, *load_furnished('spill'))
    forces = []
    world.on_step(lambda: forces.append(world.wiping_n('sponge')), 0.01)
    result = Agent(cell, config=CONFIG).run('wipe the stain')
    assert result.success and result.goal_verified and not world.dirt[0].is_there.any()
    told = result.steps[-1].result.evidence
    assert told['least_n'] > 0.4 * FORCE_N and max(forces) < HIGH * FORCE_N
    wiping = np.array([force for force in forces if force > 1.0])
    assert told['least_n'] - 2 < np.median(wiping) < told['most_n'] + 2


@pytest.mark.parametrize('task', ['pick(object="red_cube"); wipe(object="stain", tool="sponge")'])
def test_what_is_not_in_the_hand_wipes_nothing(task):
    world, cell = furnished(CONFIG, *load_furnished('spill'))
    result = Agent(cell, config=ONCE).run(task)
    assert not result.success and 'the hand holds red_cube' in result.final_detail
    assert world.dirt[0].is_there.all()
