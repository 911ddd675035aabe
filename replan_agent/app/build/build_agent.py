# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Puts an agent together, with what handles failures: the same embedded and over ROS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from replan_agent.agent import ports as port
from replan_agent.agent.loop import Agent
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config, ConfigError
from replan_agent.execute.registry import Registry
from replan_agent.plan.model.asking.one_call import OneCall, way_of
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.replan.diagnose.policy import TablePolicy
from replan_agent.replan.local.local_planner import ForesightLocalPlanner
from replan_agent.replan.local.path_search import OptionLimits
from replan_agent.replan.monitor.rule_monitor import RuleMonitor
from replan_agent.replan.reflect.reflection import RuleReflector
from replan_agent.vlm.found_ways import FoundWays

from ..reach_rehearsal import ReachRehearsal
from .build_planner import build_check
from .plugins import ADVISERS, CHANCES, FAILURES, MEMORY, PLANS, offered, part_named


@dataclass(frozen=True)
class Ports:
    """The parts that differ between agents. All others follow from the settings.

    `model` is used only if the settings want a model to reflect or to monitor. `twin_skills`
    are used to rehearse a plan. None means: the standard ones and those that the settings name.
    """

    perception: port.Perception
    skills: port.Skills
    planner: port.Planner
    approver: port.Approver
    recorder: port.Recorder = field(default_factory=MemoryRecorder)
    human: port.Human | None = None
    model: Callable[[], port.ChatModel] | None = None
    twin_skills: Registry | None = None


def build_agent(config: Config, ports: Ports) -> Agent:
    """An agent with validation, policy, reflection, memory, local planning, monitor, rehearsal."""
    # Local planning needs skills that can foresee a step.
    foresight = cast(port.Foresight, ports.skills) if hasattr(ports.skills, 'foresee') else None
    tried = _rehearsal(config, ports.twin_skills) if config.agent.rehearse else ReachRehearsal(
        foresight) if foresight and config.agent.repeat_guard else None
    parts = dict(build_recovery_parts(config, foresight, ports.model), rehearsal=tried)
    if config.agent.chance:
        parts = offered(CHANCES, PLANS)(config, parts, foresight)
    return Agent(
        perception=ports.perception, planner=ports.planner, check_plan=build_check(config),
        skills=ports.skills, approver=ports.approver, recorder=ports.recorder,
        config=config.agent, human=ports.human, fragile=config.approval.fragile,
        looks_around=config.robot.eye_in_hand, **parts)


def _rehearsal(config: Config, skills: Registry | None) -> port.Rehearsal:
    """Rehearsal in a simulated twin, with ground-truth perception inside the twin."""
    from replan_agent.robot.mujoco.world import World  # slow: import only to rehearse

    from .robot_cell import mujoco_cell
    from .skill_set import skill_set
    from .twin import TwinRehearsal
    from .wiring import wire

    known = skills or skill_set(config.skills, simulated=True,
                                eye_in_hand=config.robot.eye_in_hand, arm=config.robot.model)
    inside = replace(config, perception='ground_truth')

    @contextmanager
    def wired(twin: World) -> Iterator[tuple[port.Perception, port.Skills]]:
        found = wire(inside, mujoco_cell(inside, twin), known, _no_model)
        with ExitStack() as closing:  # one that cannot be closed does not keep the other open
            closing.callback(found.motion.close)
            closing.callback(found.close_cameras)
            yield found.perception, found.skills

    return TwinRehearsal(wired, arm_named(config.robot.model), config.robot.eye_in_hand)


def _no_model() -> port.ChatModel:
    raise AssertionError('ground truth asks no model')


def build_recovery_parts(config: Config, foresight: port.Foresight | None = None,
                         model: Callable[[], port.ChatModel] | None = None) -> dict[str, Any]:
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
             model: Callable[[], port.ChatModel] | None) -> Any:
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
