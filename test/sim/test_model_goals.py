# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model says a task in plain English over real HTTP; the search plans, physics shows it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from model_server import ModelServer, completion

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.record.recorders import MemoryRecorder

pytest.importorskip('openai', reason="pip install 'replan_agent[vlm]'")

PARTS = {'english': 'the ruby block wants to sit where soup goes',
         'means': 'ruby is red, block = cube, so ruby block = red cube; where soup goes = bowl',
         'order': 'put the red cube in the bowl'}


def named(request):
    fields = request['response_format']['json_schema']['schema']['properties']
    return completion([], json.dumps({name: PARTS[name] for name in fields}), finish='stop')


def test_goals_of_a_model_are_reached_and_judged():
    with ModelServer(rules=named) as model:
        config = load_config()
        config = replace(config, planner='vlm', vlm=replace(
            config.vlm, model='any', base_url=model.base_url, images=False, mode='json_schema'))
        recorder = MemoryRecorder()
        result = Simulation('tabletop', config=config).agent(recorder).run(
            'the ruby block wants to sit where soup goes')
    assert result.success and result.goal_verified, result.final_detail
    assert result.goals == (Goal(Predicate.IN, 'red_cube', 'bowl'),)
    assert len(model.requests) == 2
    assert any('I understood: the red cube should be in the bowl' in str(e)
               for e in recorder.events)
