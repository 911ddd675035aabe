"""Which plan monitor the setting `agent.monitor` puts behind the port."""

from __future__ import annotations

import pytest

from replan_agent.app.build.recovery_parts import build_recovery_parts
from replan_agent.domain.config import AgentConfig, Config
from replan_agent.replan.monitor.model_monitor import ModelMonitor
from replan_agent.replan.monitor.rule_monitor import RuleMonitor


@pytest.mark.parametrize(('setting', 'kind'), [
    ('none', type(None)), ('rules', RuleMonitor), ('model', ModelMonitor)])
def test_the_setting_chooses_the_monitor(setting, kind):
    chosen = build_recovery_parts(Config(agent=AgentConfig(monitor=setting)), model=object).monitor
    assert type(chosen) is kind


def test_without_a_model_the_rules_watch():
    assert (
        type(build_recovery_parts(Config(agent=AgentConfig(monitor='model'))).monitor)
        is RuleMonitor
    )
