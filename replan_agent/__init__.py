# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A language model runs a robot arm. If a task fails, the result says why.

PERCEIVE → PLAN → APPROVE → EXECUTE → (VERIFY) → next step, or DIAGNOSE → REPLAN

    from replan_agent import Simulation
    result = Simulation('tabletop').run('put the red cube in the bowl')
    print(result.success, result.final_reason, result.final_detail)

`__all__` lists the names that a program needs. Each name is loaded when it is first used.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .app.build.arm_agent import ArmAgent as Agent
    from .app.build.build_agent import Ports, build_agent
    from .app.build.build_perception import PerceptionParts
    from .app.build.build_planner import PlannerParts
    from .app.build.compose import Picture, Simulation
    from .app.build.config_file import load_config
    from .app.build.robot_cell import RobotCell, RobotParts
    from .domain.approval_request import Approval, ApprovalRequest
    from .domain.cause import Cause
    from .domain.config import Config, ConfigError
    from .domain.context import CancelToken, Context
    from .domain.event import Event, StepFinished
    from .domain.goal import Goal, Predicate
    from .domain.plan import Plan, PlanReply, PlanRequest, ReplyKind, Step
    from .domain.port_errors import PerceptionError
    from .domain.pose import Pose
    from .domain.resume import Resume
    from .domain.scene import Scene, SceneObject
    from .domain.skill import FailedStage, Reason, SkillResult, SkillSpec, failed, succeeded
    from .domain.skill_effect import Effect, EffectKind, Fit
    from .domain.task_result import FinalReason, TaskResult
    from .execute.arm import Arm
    from .execute.contract import Call, Skill
    from .motion.motion_protocols import MotionRequest
    from .record.stored_run import StoredRun
    from .robot.mujoco.scene.scene_spec import SceneSpec

__version__ = '0.1.0'
__all__ = [
    'Agent', 'Approval', 'ApprovalRequest', 'Arm', 'Call', 'CancelToken', 'Cause', 'Config',
    'ConfigError', 'Context', 'Effect', 'EffectKind', 'Event', 'FailedStage', 'FinalReason',
    'Fit', 'Goal', 'MotionRequest', 'PerceptionError', 'PerceptionParts', 'Picture', 'Plan',
    'PlanReply', 'PlanRequest', 'PlannerParts', 'Ports', 'Pose', 'Predicate', 'Reason',
    'ReplyKind', 'Resume', 'RobotCell', 'RobotParts', 'Scene', 'SceneObject', 'SceneSpec',
    'Simulation', 'Skill', 'SkillResult', 'SkillSpec', 'Step', 'StepFinished', 'StoredRun',
    'TaskResult', 'build_agent', 'failed', 'load_config', 'succeeded',
]

_WHERE = {  # the names above, by module
    'app.build.arm_agent': 'Agent',
    'app.build.build_agent': 'Ports build_agent',
    'app.build.build_perception': 'PerceptionParts',
    'app.build.build_planner': 'PlannerParts',
    'app.build.compose': 'Picture Simulation',
    'app.build.config_file': 'load_config',
    'app.build.robot_cell': 'RobotCell RobotParts',
    'domain.approval_request': 'Approval ApprovalRequest',
    'domain.cause': 'Cause',
    'domain.config': 'Config ConfigError',
    'domain.context': 'CancelToken Context',
    'domain.event': 'Event StepFinished',
    'domain.goal': 'Goal Predicate',
    'domain.plan': 'Plan PlanReply PlanRequest ReplyKind Step',
    'domain.port_errors': 'PerceptionError',
    'domain.pose': 'Pose',
    'domain.resume': 'Resume',
    'domain.scene': 'Scene SceneObject',
    'domain.skill': 'FailedStage Reason SkillResult SkillSpec failed succeeded',
    'domain.skill_effect': 'Effect EffectKind Fit',
    'domain.task_result': 'FinalReason TaskResult',
    'execute.arm': 'Arm',
    'execute.contract': 'Call Skill',
    'motion.motion_protocols': 'MotionRequest',
    'record.stored_run': 'StoredRun',
    'robot.mujoco.scene.scene_spec': 'SceneSpec',
}
_MODULES = {name: module for module, names in _WHERE.items() for name in names.split()}
_NAMED_OTHERWISE = {'Agent': 'ArmAgent'}  # agent/loop.py has another Agent


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    module = _import_module(f'.{_MODULES[name]}', __name__)
    globals()[name] = value = getattr(module, _NAMED_OTHERWISE.get(name, name))
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
