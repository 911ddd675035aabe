# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds the parts of the loop that handle failures, as the settings say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from replan_agent.agent import ports
from replan_agent.domain.config import Config, ConfigError
from replan_agent.plan.model.asking.one_call import OneCall, way_of
from replan_agent.replan.diagnose.policy import TablePolicy
from replan_agent.replan.local.local_planner import ForesightLocalPlanner
from replan_agent.replan.local.path_search import OptionLimits
from replan_agent.replan.monitor.rule_monitor import RuleMonitor
from replan_agent.replan.reflect.reflection import RuleReflector
from replan_agent.vlm.found_ways import FoundWays

from .plugins import ADVISERS, FAILURES, MEMORY, offered, part_named


def build_recovery_parts(config: Config, foresight: ports.Foresight | None = None,
                         model: Callable[[], ports.ChatModel] | None = None) -> dict[str, Any]:
    """The ports of the agent for failures that the settings ask for; None: switched off.

    Local planning needs `foresight`; reflection and monitoring by a model need `model`. Raises
    ConfigError if the settings want a model or a memory and there is none.
    """
    agent = config.agent
    foresight = foresight if agent.local_planning else None
    return dict(
        policy=TablePolicy(agent),
        reflector=_advised(config, 'reflection', RuleReflector(), model),
        memory=part_named(MEMORY, FAILURES, {})(config) if agent.memory else None,
        local_planner=None if foresight is None else ForesightLocalPlanner(
            foresight, OptionLimits(agent.local_max_foresights, agent.local_max_seconds)),
        monitor=_advised(config, 'monitor', RuleMonitor(), model))


def _advised(config: Config, setting: str, rules: Any,
             model: Callable[[], ports.ChatModel] | None) -> Any:
    """Who reflects on failures or watches plans (`agent.<setting>`): rules, a model too, or None.
    """
    chosen = getattr(config.agent, setting)
    if chosen != 'model':
        return rules if chosen == 'rules' else None
    if model is None:
        raise ConfigError(f'agent.{setting} is model, but no model was given: set it to rules, or '
                          'give Ports a `model`')
    adviser = offered(ADVISERS, setting)
    return adviser(rules, OneCall(model(), way_of(config.vlm.mode, FoundWays(config.vlm))))
