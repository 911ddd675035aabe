# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the nodes: the sections of the configuration that each one reads.

A section has the same name and meaning everywhere, so one file can serve all nodes (`/**:`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any

from replan_agent.app.build.plugins import installed_names
from replan_agent.domain import config
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.safety.safety_settings import SafetyConfig
from replan_agent.ros.safety.skill_heartbeat import GuardConfig
from replan_agent.ros.safety.stop_latch import WatchdogConfig

EMBEDDED_ONLY = ('console',)  # agent_node has none
DRIVER, SIMULATED = 'driver', 'sim_node'  # the robot of every node: no embedded one


def choices(name: str) -> tuple[str, ...]:
    """The valid values of a setting such as 'planner': ours and those of installed packages."""
    (spec,) = (f for f in fields(config.Config) if f.name == name)
    group = spec.metadata['plug_ins']
    return (*_ours(spec), *(installed_names(group) if group else ()))


def _ours(spec: Field[Any]) -> tuple[str, ...]:
    return tuple(word for word in spec.metadata['choices'] if word not in EMBEDDED_ONLY)


def _as_in_config(name: str) -> Any:
    """The setting of that name in Config, without the choices that the nodes do not have."""
    (spec,) = (f for f in fields(config.Config) if f.name == name)
    return field(default=spec.default, metadata={**spec.metadata, 'choices': _ours(spec)})


def _part(section: type, only: Callable[[Mapping[str, Any]], Collection[str] | None]) -> Any:
    """A section of which the node has only some parameters (parameters.declared)."""
    return field(default_factory=section, metadata={'only': only})


def _for_twin(section: type, *names: str) -> Any:
    """All of a section if plans are tried in a twin, else only these."""
    return _part(section, lambda given: (
        None if given['agent']['rehearse'] or given['agent']['chance'] else names))


def _for_model(given: Mapping[str, Any]) -> Collection[str] | None:
    return None if 'model' in (given['agent']['reflection'], given['agent']['monitor']) else ()


# What may change while a node runs, from the next task or step on (parameters.LiveSettings).
BUDGETS = tuple(f'agent.{name}' for name in (
    'max_replans', 'max_total_replans', 'max_api_calls', 'max_step_retries', 'max_steps',
    'budget_ceiling', 'replan_timeout', 'skill_timeout', 'task_timeout', 'human_after',
    'human_timeout'))
APPROVAL = ('approval.timeout',)
# Caution: higher, or back down to what it was at the start.
RISKS = tuple(f'approval.{name}' for name in (
    'tighten', 'margin', 'person_risk', 'keep_out_risk', 'fragile_risk', 'heavy_risk',
    'speed_risk', 'collision_risk', 'failure_risk'))
# Limits: lower, or back up to what they were at the start, and only while no task runs.
SPEEDS = ('motion.max_velocity_scaling_factor', 'motion.max_acceleration_scaling_factor')
THRESHOLDS = tuple(f'approval.{name}' for name in (
    'threshold', 'threshold_min', 'threshold_max', 'relax', 'speed_limit'))


@dataclass(frozen=True)
class TaskSettings:
    """How the agent takes tasks."""

    max_queued: int = config.setting(
        0, 'tasks that may wait while one runs; 0: a second task is refused', 0, 100)
    heartbeat_rate: float = config.setting(4.0, 'signs of life, Hz', 0.5, 50)
    runs: str = config.setting('~/.ros/replan_agent/runs',
                               'folder for the record of each task; empty: no records')


@dataclass(frozen=True)
class ArmSettings:
    """Settings of nodes that run skills: on the arm, or in the twin that rehearses plans."""

    agent: config.AgentConfig = field(default_factory=config.AgentConfig)
    ik: config.IKConfig = field(default_factory=config.IKConfig)
    motion: config.MotionConfig = field(default_factory=config.MotionConfig)
    workspace: config.WorkspaceConfig = field(default_factory=config.WorkspaceConfig)
    robot: config.RobotConfig = field(default_factory=config.RobotConfig)
    scene_memory: config.SceneMemoryConfig = field(default_factory=config.SceneMemoryConfig)
    timeouts: Timeouts = field(default_factory=Timeouts)
    skills: tuple[str, ...] = _as_in_config('skills')


@dataclass(frozen=True)
class AgentSettings(ArmSettings):
    """`vlm` is the model for reflection and monitor, if the settings ask for one."""

    ik: config.IKConfig = _for_twin(config.IKConfig)
    motion: config.MotionConfig = _for_twin(
        config.MotionConfig, 'max_velocity_scaling_factor', 'max_acceleration_scaling_factor')
    scene_memory: config.SceneMemoryConfig = _for_twin(config.SceneMemoryConfig, 'lost_after')
    vlm: config.VLMConfig = _part(config.VLMConfig, _for_model)
    approval: config.ApprovalConfig = field(default_factory=config.ApprovalConfig)
    tasks: TaskSettings = field(default_factory=TaskSettings)
    planner: str = _as_in_config('planner')
    perception: str = _as_in_config('perception')
    approver: str = _as_in_config('approver')
    viewpoint: str = _as_in_config('viewpoint')


@dataclass(frozen=True)
class PlannerSettings:
    agent: config.AgentConfig = _part(config.AgentConfig, lambda _: (
        'max_steps', 'budget_ceiling', 'planning_enable', 'replan_timeout'))
    robot: config.RobotConfig = field(default_factory=config.RobotConfig)
    workspace: config.WorkspaceConfig = field(default_factory=config.WorkspaceConfig)
    vlm: config.VLMConfig = field(default_factory=config.VLMConfig)
    planner: str = _as_in_config('planner')
    viewpoint: str = _as_in_config('viewpoint')


@dataclass(frozen=True)
class SkillSettings(ArmSettings):
    agent: config.AgentConfig = _part(config.AgentConfig, lambda _: ('skill_timeout',))
    watchdog: WatchdogConfig = field(default_factory=WatchdogConfig)
    safety: SafetyConfig = field(default_factory=SafetyConfig)
    guard: GuardConfig = field(default_factory=GuardConfig)
    motion_planner: str = _as_in_config('motion_planner')
    motion_seed: int = config.setting(0, 'seed of the path search', 0, 2**31 - 1)


@dataclass(frozen=True)
class GuardSettings:
    robot: config.RobotConfig = field(default_factory=config.RobotConfig)
    guard: GuardConfig = field(default_factory=GuardConfig)
    timeouts: Timeouts = field(default_factory=Timeouts)


@dataclass(frozen=True)
class PerceptionSettings:
    robot: config.RobotConfig = field(default_factory=config.RobotConfig)
    scene_memory: config.SceneMemoryConfig = field(default_factory=config.SceneMemoryConfig)
    timeouts: Timeouts = field(default_factory=Timeouts)
    vlm: config.VLMConfig = field(default_factory=config.VLMConfig)
    perception: str = _as_in_config('perception')
    point_at: tuple[str, ...] = _as_in_config('point_at')
    perception_names: tuple[str, ...] = _as_in_config('perception_names')


def as_config(settings: Any) -> config.Config:
    """A whole Config: the values of `settings`, the driver's robot, defaults for the rest."""
    known = {f.name for f in fields(config.Config)}
    given = {f.name: getattr(settings, f.name) for f in fields(settings) if f.name in known}
    return replace(config.Config(robot_source=DRIVER), **given)
