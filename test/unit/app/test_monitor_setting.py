# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which parts `agent.monitor` and `agent.reflection` put behind the ports."""

from __future__ import annotations

import pytest

from replan_agent.app.build.build_agent import build_recovery_parts
from replan_agent.domain.config import AgentConfig, Config, ConfigError
from replan_agent.replan.monitor.rule_monitor import RuleMonitor


@pytest.mark.parametrize(('setting', 'kind'), [('none', type(None)), ('rules', RuleMonitor)])
def test_the_setting_chooses_the_monitor(setting, kind):
    parts = build_recovery_parts(Config(agent=AgentConfig(monitor=setting)), model=object)
    assert type(parts['monitor']) is kind


@pytest.mark.parametrize('setting', ['monitor', 'reflection'])
def test_a_model_that_is_not_there_is_a_wrong_setting(setting):
    with pytest.raises(ConfigError, match=f'agent.{setting} is model, but no model was given'):
        build_recovery_parts(Config(agent=AgentConfig(**{setting: 'model'})))
