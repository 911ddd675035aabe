# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds the planners of tasks and of motions, and the model, that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.agent.ports import ChatModel, PlanCheck, Planner, Reader, Snapshot
from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import MOTION_PLANNERS, PLANNERS, Config, ConfigError, VLMConfig
from replan_agent.motion.motion_protocols import CollisionChecker
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.plan.validation import PlanValidator

from .build_reader import build_reader
from .own_planner import own_planner
from .plugins import MODELS, instance_of, offered, part_named

if TYPE_CHECKING:  # slow: imported only if needed
    from replan_agent.motion.planner import JointPlanner


@dataclass(frozen=True)
class PlannerParts:
    """What a planner may use. `model` and `snapshot` are functions that make them.

    `reader` reads the words of a task.
    """

    config: Config
    model: Callable[[], ChatModel]
    check: PlanCheck
    snapshot: Callable[[], Snapshot]
    reader: Reader


def build_planner(config: Config, model: Callable[[], ChatModel], check: PlanCheck,
                  snapshot: Callable[[], Snapshot]) -> Planner:
    """The planner of the settings. Raises ConfigError, which lists the available names."""
    reader = build_reader(config.viewpoint)
    make = part_named(PLANNERS, config.planner, BUILT_IN,
                      lambda made: own_planner(made, reader, config.planner))
    planner: Planner = make(PlannerParts(config, model, check, snapshot, reader))
    return planner


@dataclass(frozen=True)
class MotionParts:
    """What a motion planner is made of. `collision` checks every motion before the arm gets it."""

    config: Config
    collision: CollisionChecker
    seed: int = 0
    node: Any = None  # over ROS: the node that plans, and its settings
    settings: Any = None

    @property
    def arm(self) -> ArmModel:
        """The arm of the settings."""
        return arm_named(self.config.robot.model)


def build_motion(parts: MotionParts) -> JointPlanner:
    """The motion planner of the settings. Raises ConfigError, which lists the available names."""
    from replan_agent.motion.planner import JointPlanner, joint_planner

    planner: JointPlanner = part_named(
        MOTION_PLANNERS, parts.config.motion_planner,
        {'builtin': lambda parts: joint_planner(
            parts.config, parts.arm, parts.collision, parts.seed)},
        partial(instance_of, JointPlanner))(parts)
    return planner


def build_check(config: Config) -> PlanCheck:
    """The validation of every plan before anything moves."""
    most = config.agent.max_steps * config.agent.budget_ceiling  # goals met on the way renew it
    return PlanValidator(config.workspace, most)


def vlm_of(config: VLMConfig, owner: str) -> VLMConfig:
    """The settings with recordings of the owner's own: `model.json` is `model.<owner>.json`.

    Two that ask the model, each for itself, must not share a recording.
    """
    def own(file: str) -> str:
        path = Path(file)
        return str(path.with_name(f'{path.stem}.{owner}{path.suffix}')) if file else ''

    return replace(config, record=own(config.record), replay=own(config.replay))


def chat_model(config: VLMConfig) -> ChatModel:
    """The configured model. Raises ConfigError if the settings cannot work."""
    if config.record and config.replay:
        raise ConfigError('vlm.record and vlm.replay cannot be used together: an answer comes '
                          'either from the model or from a recording')
    if config.replay:
        replayed: ChatModel = offered(MODELS, 'replayed')(Path(config.replay))
        return replayed
    from replan_agent.vlm.client import ChatClient  # slow: import only if needed

    model: ChatModel = ChatClient(config)
    return offered(MODELS, 'recording')(model, Path(config.record)) if config.record else model


def _vlm(parts: PlannerParts) -> Planner:
    # slow: import only if needed
    from replan_agent.plan.model.asking.samples import Samples
    from replan_agent.plan.model.asking.ways import Asking
    from replan_agent.plan.model.goals_planner import GoalsPlanner
    from replan_agent.plan.model.vlm import VLMPlanner
    from replan_agent.vlm.found_ways import FoundWays

    vlm = parts.config.vlm
    snapshot = parts.snapshot() if vlm.images else None
    asking = Asking(vlm.mode, vlm.prompt, vlm.ask, FoundWays(vlm),
                    parts.config.agent.planning_enable)
    model, viewpoint = parts.model(), parts.config.viewpoint
    samples = Samples(vlm.samples, vlm.agreement, vlm.opinions)
    steps = None if vlm.output == 'goals' else VLMPlanner(
        model, parts.check, parts.reader, snapshot, viewpoint, asking=asking, samples=samples,
        needs_tools=vlm.output == 'auto')
    if steps is not None and vlm.output == 'steps':
        return steps
    return GoalsPlanner(model, parts.reader, snapshot, viewpoint, asking=asking, samples=samples,
                        steps=steps)


BUILT_IN: Mapping[str, Callable[[PlannerParts], Planner]] = {
    'search': lambda parts: SearchPlanner(parts.reader),
    'stub': lambda parts: SearchPlanner(parts.reader, ignores_attempts=True), 'vlm': _vlm}
