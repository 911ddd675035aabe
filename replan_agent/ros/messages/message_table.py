# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which class goes in which message, and what is not the same in both, field by field."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from operator import eq, is_
from typing import Any

from replan_agent_interfaces import msg as ros
from replan_agent_interfaces.action import ExecuteTask, MakePlan
from std_msgs.msg import Header

from replan_agent.agent.task_progress import Progress, State
from replan_agent.arms.known_arms import told_arm
from replan_agent.domain import failure, local_planning
from replan_agent.domain import plan as plans
from replan_agent.domain.event import ApprovalDecided
from replan_agent.domain.failure import Attempt, Diagnosis
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.kinds import Form, Word
from replan_agent.domain.piece import Piece
from replan_agent.domain.recovery import Fix, Reflection
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape, States
from replan_agent.domain.skill import FailedStage, SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import StepRecord, TaskResult
from replan_agent.domain.things import Quantity, Things

from . import message_fields as fields
from .error_codes import PLAN_CODES, task_code
from .message_walk import Sent, Walker, Ways
from .task_order import TaskOrder, budgets_from_msg, budgets_to_msg


class _Last:
    """A conversion that keeps its last value for an argument that is the same."""

    def __init__(self, convert: Callable[[Any], Any], same: Callable[[Any, Any], bool]) -> None:
        self._convert, self._same = convert, same
        self._last: tuple[Any, Any] | None = None

    def __call__(self, given: Any) -> Any:
        last = self._last
        if last is None or not self._same(given, last[0]):
            self._last = last = (given, self._convert(given))
        return last[1]


# Every task asks for the skills, and every plan request has them: they hardly ever change.
specs_to_msgs = _Last(lambda specs: list(map(WALKER.to_msg, specs)), is_)
specs_from_msgs = _Last(lambda msgs: tuple(WALKER.from_msg(SkillSpec, msg) for msg in msgs), eq)


def _wrong_scene(msg: ros.Scene) -> str:
    names = [thing.name for thing in msg.objects]
    twice = sorted({name for name in names if names.count(name) > 1})
    return f'more than one object is called {twice[0]!r}' if twice else ''


def _numbered(kind: type[Enum], message: Any, prefix: str) -> Ways:
    """Its members as the constants of a message; 0 says none."""
    numbers = {member: getattr(message, f'{prefix}_{member.name}') for member in kind}
    members = {number: member for member, number in numbers.items()}

    def read(number: int, field: str) -> Enum:
        if number not in members:
            allowed = ', '.join(f'{n} ({member.value})' for n, member in members.items())
            raise fields.MessageError(f'{field}: {number} is not one of: {allowed}')
        return members[number]

    return Ways(numbers.__getitem__, read)


def _named(name: str, args: Mapping[str, Any]) -> ros.NamedArguments:
    return ros.NamedArguments(name=name, args_json=fields.map_to_msg(args))


def _args(msg: ros.NamedArguments) -> dict[str, Any]:
    return fields.map_from_msg(msg.args_json, f'{msg.name}: args_json')


def _task_fields(result: TaskResult) -> dict[str, Any]:
    return {'timings': [ros.StageTime(stage=stage, duration=fields.duration_to_msg(seconds))
                        for stage, seconds in result.timings.items()],
            'error_code': task_code(result),
            'error_msg': '' if result.success else result.final_detail}


def _reply_fields(reply: plans.PlanReply) -> dict[str, Any]:
    code = PLAN_CODES[reply.kind]
    return {'error_code': code, 'error_msg': (reply.detail or reply.kind.value) if code else ''}


TURN: dict[str, Any] = {  # degrees here, rad in messages
    'write': lambda one: {'yaw': [] if one.degrees is None else [math.radians(one.degrees)]},
    'read': {'degrees': lambda msg: round(math.degrees(*msg.yaw), 9) if msg.yaw else None}}
SAME: tuple[Any, ...] = (
    Piece, ArmSnapshot, Word, IKReport, Diagnosis, Attempt, SkillResult, SuggestedGoal,
    Effect, Reflection, local_planning.LocalNode, local_planning.LocalRecord,
    plans.CompletedStep, plans.Adaptation, plans.Plan, plans.Proof)
KINDS: Mapping[type, Sent] = {cls: Sent(getattr(ros, cls.__name__)) for cls in SAME} | {
    SceneObject: Sent(ros.SceneObject, 'object {0.name!r}', check=lambda msg: (
        '' if msg.name else 'name must not be empty')),
    Scene: Sent(
        ros.Scene, 'scene {0.scene_id!r}', check=_wrong_scene,
        unsent='hand own_camera',  # who receives a scene sets the hand: `with_hand`
        write=lambda scene: {
            'header': Header(stamp=fields.time_to_msg(scene.stamp), frame_id=scene.frame)},
        read={'stamp': lambda msg: fields.time_from_msg(msg.header.stamp),
              'frame': lambda msg: msg.header.frame_id}),
    Goal: Sent(ros.GoalCondition, 'goal', **TURN),
    States: Sent(ros.States, **TURN),
    Things: Sent(
        ros.Things, write=lambda things: {
            'words': [word.text for word in things.words],
            'meanings': list(map(WALKER.to_msg, things.words))},
        read={'words': lambda msg: tuple(
            [WALKER.from_msg(Word, one) for one in msg.meanings] or map(Word.plain, msg.words))}),
    plans.Step: Sent(ros.Step, check=lambda msg: (
        '' if msg.skill else 'skill must not be empty')),
    SkillSpec: Sent(
        ros.SkillSpec, 'skill {0.name!r}', write=lambda spec: {
            'must_be': [ros.ArgumentFit(argument=argument, fit=FORMS[Fit].write(fit))
                        for argument, fit in spec.must_be.items()],
            'adjustments': [_named(cause, change) for cause, ladder in spec.adjustments.items()
                            for change in ladder],
            'variants': [_named(*variant) for variant in spec.variants.items()],
            'stands_still': not spec.moves_arm, 'most_strokes': spec.most_strokes},
        read={
            'must_be': lambda msg: {
                one.argument: FORMS[Fit].read(one.fit, 'must_be') for one in msg.must_be},
            'adjustments': lambda msg: {
                cause: tuple(_args(one) for one in msg.adjustments if one.name == cause)
                for cause in dict.fromkeys(one.name for one in msg.adjustments)},
            'variants': lambda msg: {one.name: _args(one) for one in msg.variants},
            'moves_arm': lambda msg: not msg.stands_still,
            'most_strokes': lambda msg: max(1, msg.most_strokes)}),
    StepRecord: Sent(ros.StepRecord, renamed={'duration_s': 'duration'}),
    plans.PlanRequest: Sent(MakePlan.Goal, 'plan request'),
    plans.PlanReply: Sent(MakePlan.Result, 'plan reply', write=_reply_fields),
    TaskOrder: Sent(
        ExecuteTask.Goal, 'goal', write=lambda order: budgets_to_msg(order.budgets),
        read={'budgets': budgets_from_msg},
        check=lambda msg: '' if msg.task.strip() else 'task must not be empty'),
    Progress: Sent(ExecuteTask.Feedback, 'feedback'),
    TaskResult: Sent(
        ExecuteTask.Result, 'task result', {'local': 'local_planning'}, write=_task_fields,
        read={'timings': lambda msg: {spent.stage: fields.time_from_msg(spent.duration)
                                      for spent in msg.timings}}),
    ApprovalDecided: Sent(ros.ApprovalDecision),
    Fix: Sent(ros.Fix, renamed={'changes': 'args_json'}),
    local_planning.LocalOption: Sent(
        ros.LocalOption, renamed={'changes': 'args_json'}, write=lambda option: {
            'undoable': option.undo is not None,
            'undo': list(map(WALKER.to_msg, option.undo or ()))},
        read={'undo': lambda msg: tuple(WALKER.from_msg(plans.Step, step) for step in msg.undo)
              if msg.undoable else None}),
}
# What nobody else adds to goes as a number; reasons and causes, which people read, as words.
NUMBERED: Mapping[type[Enum], tuple[Any, str]] = {
    Shape: (ros.SceneObject, 'SHAPE'), Predicate: (ros.GoalCondition, 'PREDICATE'),
    Quantity: (ros.Things, 'QUANTITY'), Form: (ros.Word, 'FORM'),
    plans.PlanCause: (ros.Plan, 'CAUSE'), Reachability: (ros.IKReport, 'REACHABILITY'),
    failure.Severity: (ros.Diagnosis, 'SEVERITY'), failure.Category: (ros.Diagnosis, 'CATEGORY'),
    failure.Kind: (ros.Diagnosis, 'KIND'), failure.AttemptStage: (ros.Attempt, 'STAGE'),
    FailedStage: (ros.SkillResult, 'STAGE'), local_planning.Decision: (ros.LocalNode, 'DECISION'),
    EffectKind: (ros.Effect, 'KIND'), Fit: (ros.ArgumentFit, 'FIT'),
    plans.ReplyKind: (MakePlan.Result, 'KIND'), State: (ExecuteTask.Feedback, 'STATE')}

FORMS: Mapping[Any, Ways] = {kind: _numbered(kind, *of) for kind, of in NUMBERED.items()} | {
    bool | None: Ways(fields.ternary_to_msg, fields.ternary_from_msg),
    tuple[SkillSpec, ...]: Ways(specs_to_msgs, lambda msgs, _: specs_from_msgs(msgs)),
    SuggestedPlan | None: Ways(
        lambda plan: list(map(WALKER.to_msg, plan.goals)) if plan else [],
        lambda msgs, _: SuggestedPlan(tuple(
            WALKER.from_msg(SuggestedGoal, msg) for msg in msgs)) if msgs else None),
}

WALKER: Walker = Walker(KINDS, FORMS)
to_msg, from_msg = WALKER.to_msg, WALKER.from_msg


def with_hand(scene: Scene, hand: HandShape | None = None, arm_model: str = '') -> Scene:
    """A scene that was received, with the hand of our arm.

    A client that does not know its arm is told it, or finds it by the frame of the scene.
    """
    arm = told_arm(arm_model, scene.frame) if hand is None else None
    return replace(scene, hand=arm.hand if arm else hand)
