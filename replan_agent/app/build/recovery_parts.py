"""Builds the parts of the loop that handle failures, as the settings say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from replan_agent.agent.ports import (
    ChatModel,
    Foresight,
    LocalPlanner,
    Memory,
    Monitor,
    Policy,
    Reflector,
)
from replan_agent.domain.config import Config, ConfigError
from replan_agent.replan.diagnose.policy import TablePolicy
from replan_agent.replan.local.local_planner import ForesightLocalPlanner
from replan_agent.replan.local.path_search import OptionLimits
from replan_agent.replan.monitor.rule_monitor import RuleMonitor
from replan_agent.replan.reflect.reflection import RuleReflector

from .plugins import FAILURES, MEMORY, part_named


@dataclass(frozen=True)
class RecoveryParts:
    """The ports that handle failures. None means switched off."""

    policy: Policy
    reflector: Reflector | None = None
    memory: Memory | None = None
    local_planner: LocalPlanner | None = None
    monitor: Monitor | None = None


def build_recovery_parts(config: Config, foresight: Foresight | None = None,
                         model: Callable[[], ChatModel] | None = None) -> RecoveryParts:
    """The parts that the settings ask for.

    Local planning needs `foresight`; reflection and monitoring by a model need `model`. Raises
    ConfigError if the settings want a model or a memory and there is none.
    """
    agent = config.agent
    foresight = foresight if agent.local_planning else None
    return RecoveryParts(
        policy=TablePolicy(agent),
        reflector=_reflector(config, model),
        memory=part_named(MEMORY, FAILURES, {})(config) if agent.memory else None,
        local_planner=None if foresight is None else ForesightLocalPlanner(
            foresight, OptionLimits(agent.local_max_foresights, agent.local_max_seconds)),
        monitor=_monitor(config, model))


def _reflector(config: Config, model: Callable[[], ChatModel] | None) -> Reflector | None:
    if config.agent.reflection == 'none':
        return None
    if config.agent.reflection == 'model':
        from replan_agent.replan.reflect.model_reflection import ModelReflector

        return ModelReflector(RuleReflector(), _asked(config, model, 'reflection'))
    return RuleReflector()


def _monitor(config: Config, model: Callable[[], ChatModel] | None) -> Monitor | None:
    if config.agent.monitor == 'none':
        return None
    if config.agent.monitor == 'model':
        from replan_agent.replan.monitor.model_monitor import ModelMonitor

        return ModelMonitor(RuleMonitor(), _asked(config, model, 'monitor'))
    return RuleMonitor()


def _asked(config: Config, model: Callable[[], ChatModel] | None, setting: str) -> ChatModel:
    if model is None:
        raise ConfigError(f'agent.{setting} is model, but no model was given: set it to rules, or '
                          'give Ports a `model`')
    from replan_agent.plan.model.asking.one_call import OneCall, way_of
    from replan_agent.vlm.found_ways import FoundWays

    return OneCall(model(), way_of(config.vlm.mode, FoundWays(config.vlm)))
