# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lasting troubles on real physics: what is said is true, and the log shows what happened."""

from __future__ import annotations

import pytest
from replan_agent_bench.command import bench_settings
from replan_agent_bench.outcome import Job
from replan_agent_bench.suite import find
from replan_agent_bench.suites.why_episode import Advice, run_why
from replan_agent_bench.worlds.why_kinds import KINDS

from replan_agent.arms.franka import PANDA
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.start_check import overlaps
from replan_agent.robot.mujoco.world import World


@pytest.mark.parametrize(('kind', 'seed', 'column'), [
    ('beyond', 0, 'ground_truth'), ('occupied', 0, 'ground_truth'), ('stuck', 0, 'ground_truth'),
    ('stuck', 9307, 'ground_truth'),  # at about the width of the thing
    ('exchanged', 9327, 'ground_truth'),  # the fingers come down around the other thing
    ('retreat', 9501, 'ground_truth'),
    ('fallen', 9200, 'camera')])  # the open fingers are as far apart as the thing is high
def test_a_lasting_trouble_is_told_truly_and_the_advice_helps(kind, seed, column):
    found, = run_why(bench_settings(), Job('why', kind, seed, column))
    assert not found.claimed and found.right and found.met and found.untrue == ()
    assert found.advice is Advice.HELPED


def test_a_thing_that_is_glued_to_the_table_stays_there():
    found, = run_why(bench_settings(), Job('why', 'glued', 0, 'ground_truth'))
    assert 'mm above the table' in found.objection and not found.claimed


@pytest.mark.parametrize('seed', [83, 168, 256, 9800])
def test_what_lies_beside_the_foot_of_the_arm_is_not_inside_it(seed):
    drawn = find(KINDS, 'posture').case(seed).objects
    assert overlaps(World(SceneSpec('why', objects=drawn), PANDA, seed)) == {}
