# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The settings put a model beside the rules; what it costs in a task."""

from __future__ import annotations

import pytest
from agent.test_loop_with_model import HELD, PLACED, rig, start
from model_server import PUT, says
from replan_agent_advice.model_monitor import ModelMonitor
from replan_agent_advice.model_reflection import ModelReflector

from replan_agent.app.build.build_agent import build_recovery_parts
from replan_agent.domain.config import AgentConfig, Config
from replan_agent.replan.monitor.rule_monitor import RuleMonitor


def test_a_model_that_watches_costs_one_more_call_for_each_plan():
    with rig(scenes=(start(), HELD, PLACED), rules=says(PUT, [('no_problem', {})])
             ) as (agent, server):
        agent.ports['monitor'] = ModelMonitor(RuleMonitor(), agent.planner.model)
        result = agent.run('put the red cube in the bowl')
    assert result.success and not result.guidance
    assert result.api_calls == 2 == len(server.requests)
    assert 'You watch a robot arm' in str(server.requests[1]['messages'][0])


@pytest.mark.parametrize(('setting', 'kind'), [
    ('monitor', ModelMonitor), ('reflection', ModelReflector)])
def test_the_setting_asks_a_model_too(setting, kind):
    config = Config(agent=AgentConfig(**{setting: 'model'}))
    parts = build_recovery_parts(config, model=object)
    assert type(parts['monitor' if setting == 'monitor' else 'reflector']) is kind
