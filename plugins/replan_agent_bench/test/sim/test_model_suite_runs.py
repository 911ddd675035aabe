# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite of language models on real physics, with the scripted model behind real HTTP."""

from __future__ import annotations

from dataclasses import replace

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.suites.model_episode import modes
from replan_agent_bench.suites.model_suite import run_model, table
from replan_agent_bench.worlds.judges import Truth
from replan_agent_bench.worlds.sentence_scenes import SCENES
from replan_agent_bench.worlds.sentence_worlds import Judge, world_of

from replan_agent.app.build.config_file import load_config
from replan_agent.arms.franka import PANDA
from replan_agent.robot.mujoco.world import World

TOOLS = 'tools'


def outcome(column: str, *misbehave: str):
    """How the first sentence inside the grammar ends."""
    pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")
    with scripted_model(misbehave) as server:
        config = load_config(None)
        config = replace(config, vlm=replace(config.vlm, base_url=server.base_url,
                                             model='fake-model', max_retries=0))
        return run_model(config, Job('model', 'inside', 0, column))[0]


def test_a_good_plan_is_done_and_counted():
    found = outcome(f'{TOOLS}/once')
    assert found.success and found.valid_first and found.calls == 1
    assert found.first_plan.startswith('pick red_cube') and found.invalid_motions == 0


def test_without_new_plans_a_plan_that_stays_invalid_ends_the_task_and_nothing_moves():
    wrong = ('unknown_object', 'unknown_object')  # the plan and its correction
    once, again = (outcome(f'{TOOLS}/{how}', *wrong) for how in ('once', 'again'))
    assert not once.success and not once.valid_first and once.calls == 2
    assert once.invalid_motions == again.invalid_motions == 0
    assert again.success and not again.valid_first


def test_a_model_that_only_says_done_is_no_success():
    found = outcome(f'{TOOLS}/once', *['false_done'] * 4)
    assert not found.success and not found.claimed and not found.false_success


@pytest.mark.parametrize('scene', sorted({c.scene for c in table('inside')}))
def test_no_sentence_is_true_before_anything_is_done(scene):
    world = World(world_of(SCENES[scene]), PANDA, seed=0)
    before = {o.name: o for o in world.true_objects()}
    judge = Judge(Truth(world), before)
    for case in (*table('inside'), *table('outside')):
        if case.scene == scene:
            assert judge.objection(case.parts, set()), case.text


def test_tools_are_one_of_the_ways_to_ask():
    assert TOOLS in modes()
