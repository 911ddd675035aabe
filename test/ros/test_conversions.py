# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Domain values survive the trip to a message, over the wire format, and back."""

from __future__ import annotations

import json
import math
from dataclasses import MISSING, Field, dataclass, fields, replace
from enum import Enum
from types import NoneType
from typing import Any, get_args, get_origin

import domain_strategies as s
import pytest
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from hypothesis import strategies as st
from replan_agent_interfaces.msg import ArgumentFit, NamedArguments
from replan_agent_interfaces.msg import Effect as EffectMsg
from replan_agent_interfaces.msg import SceneObject as SceneObjectMsg
from replan_agent_interfaces.msg import SkillSpec as SkillSpecMsg
from replan_agent_interfaces.msg import Step as StepMsg
from wire import over_the_wire

from replan_agent.domain.failure import Attempt, Diagnosis
from replan_agent.domain.goal import Goal
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.piece import Point, box_piece
from replan_agent.domain.plan import CompletedStep, Plan, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillResult, SkillSpec, succeeded
from replan_agent.domain.task_result import FinalReason, StepRecord, TaskResult
from replan_agent.ros.messages.message_fields import (
    MessageError,
    map_from_msg,
    map_to_msg,
    pose_from_msg,
    pose_to_msg,
    time_from_msg,
    time_to_msg,
)
from replan_agent.ros.messages.message_table import KINDS, from_msg, to_msg
from replan_agent.ros.messages.message_walk import Sent, Walker
from replan_agent.ros.messages.task_order import COUNTS, TIMEOUTS, TaskOrder
from replan_agent.text.plain_values import hints

BOTH_WAYS = {
    SceneObject: s.scene_object, ArmSnapshot: s.arm, Scene: s.scene, Goal: s.goal, Step: s.step,
    CompletedStep: s.completed_step, Plan: s.plan, IKReport: s.ik, Diagnosis: s.diagnosis,
    Attempt: s.attempt, SkillSpec: s.spec, SkillResult: s.result, StepRecord: s.record}


@pytest.mark.parametrize('kind', BOTH_WAYS)
def test_a_value_comes_back_as_it_went(kind: type) -> None:
    @settings(max_examples=40)
    @given(BOTH_WAYS[kind])
    def check(value: Any) -> None:
        assert from_msg(kind, over_the_wire(to_msg(value))) == value

    check()


# What a message has beside the fields of its class.
BESIDE = {
    Scene: {'arm_model'}, Plan: {'task_id', 'request'},
    PlanRequest: {'timeout', 'max_api_calls', 'planner'},
    PlanReply: {'api_calls', 'planner'}, TaskResult: {'run_folder'}}


@pytest.mark.parametrize('kind', KINDS)
def test_no_field_of_a_class_or_of_its_message_is_forgotten(kind: type) -> None:
    value = unusual(kind)
    for field in sent(kind):
        default = field.default if field.default_factory is MISSING else field.default_factory()
        assert getattr(value, field.name) != default, f'{field.name} proves nothing'
    msg = to_msg(value)
    assert from_msg(kind, over_the_wire(msg)) == value
    empty = type(msg)()
    assert BESIDE.get(kind, set()) == {
        name for name, place in msg.get_fields_and_field_types().items()
        if place != 'boolean' and getattr(msg, name) == getattr(empty, name)}


def sent(kind: Any) -> list[Field[Any]]:
    unsent = KINDS[kind].unsent.split() if kind in KINDS else ()
    return [field for field in fields(kind) if field.name not in unsent]


def unusual(hint: Any, default: Any = MISSING) -> Any:
    """A value of this type with no field that is sent as it is by default."""
    parts = get_args(hint)
    if NoneType in parts:
        return unusual(next(part for part in parts if part is not NoneType))
    if hint in UNUSUAL:
        return UNUSUAL[hint]
    if get_origin(hint) in (tuple, frozenset):
        return get_origin(hint)(unusual(part) for part in parts if part is not Ellipsis)
    if parts:
        return {'a key': unusual(parts[1])}
    if hint is bool:
        return default is not True
    if issubclass(hint, Enum):
        return next(member for member in hint if member is not default)
    return hint(**{field.name: unusual(hints(hint)[field.name], field.default)
                   for field in sent(hint)} | ONLY.get(hint, {}))


UNUSUAL = {Any: 'anything', str: 'text', int: 7, float: 0.25, Pose: Pose((1, 2, 3), (0, 1, 0, 0)),
           tuple[Point, ...]: box_piece((0.1, 0.2, 0.3)).vertices}
ONLY: dict[Any, dict[str, Any]] = {  # what else would be wrong
    SceneObject: {'shape': Shape.IRREGULAR}, SkillResult: {'success': False},
    TaskResult: {'success': False, 'final_reason': FinalReason.GAVE_UP},
    PlanReply: {'kind': ReplyKind.FAILED},
    TaskOrder: {'budgets': dict.fromkeys(COUNTS, 5) | dict.fromkeys(TIMEOUTS, 2.5)}}


def test_a_field_without_a_place_is_an_error() -> None:
    @dataclass(frozen=True)
    class Longer(Step):
        patience: float = 0.0

    with pytest.raises(TypeError, match='Longer.patience has no place in Step'):
        Walker({Longer: Sent(StepMsg)}, {}).to_msg(Longer(1, 'wait'))


@given(st.integers(-2**31, 2**31 - 1), st.integers(0, 999_999_999))
@settings(max_examples=60)
def test_a_time_is_kept_as_well_as_a_float_can(sec: int, nanosec: int) -> None:
    seconds = time_from_msg(Time(sec=sec, nanosec=nanosec))
    assert seconds == pytest.approx(sec + nanosec / 1e9, abs=1e-9)
    if seconds < 2**31:
        assert time_from_msg(time_to_msg(seconds)) == seconds


@pytest.mark.parametrize('seconds', [math.nan, math.inf, 2.0**31, -(2.0**31) - 1])
def test_a_time_that_no_message_holds_is_refused(seconds: float) -> None:
    with pytest.raises(MessageError, match='time'):
        time_to_msg(seconds)


def test_the_real_part_of_a_quaternion_is_w() -> None:
    msg = pose_to_msg(Pose((1.0, 2.0, 3.0), (0.5, 0.1, 0.7, 0.5)))
    assert (msg.orientation.w, msg.orientation.x) == (0.5, 0.1)
    assert (msg.position.x, msg.position.z) == (1.0, 3.0)


@pytest.mark.parametrize('broken', [
    Pose((math.nan, 0, 0)), Pose((0, 0, math.inf)), Pose((0, 0, 0), (0, 0, 0, 0)),
    Pose((0, 0, 0), (2, 0, 0, 0)),
])
def test_an_invalid_pose_is_refused(broken: Pose) -> None:
    with pytest.raises(MessageError, match='gripper: '):
        pose_from_msg(pose_to_msg(broken), 'gripper')


def test_numpy_numbers_and_tuples_become_plain_json() -> None:
    np = pytest.importorskip('numpy')
    values = {'width': np.float64(0.04), 'at': (1, 2), 'table': np.eye(2)}
    assert map_from_msg(map_to_msg(values), 'x') == {
        'width': 0.04, 'at': [1, 2], 'table': [[1.0, 0.0], [0.0, 1.0]]}


@pytest.mark.parametrize('value', [math.nan, math.inf])
def test_a_value_that_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(MessageError, match='JSON'):
        map_to_msg({'x': value})


def test_an_object_that_json_cannot_hold_goes_as_its_repr() -> None:
    assert json.loads(map_to_msg({'seen': {1, 2}})) == {'seen': '{1, 2}'}


@pytest.mark.parametrize(('text', 'complaint'), [
    ('{', 'not valid JSON'), ('[1]', 'must be a JSON object, not list'),
    ('{"x": NaN}', "'NaN' is not a finite number"), ('"x"', 'not str'),
])
def test_broken_json_is_refused_with_the_name_of_its_field(text: str, complaint: str) -> None:
    with pytest.raises(MessageError, match=f'args: .*{complaint}'):
        map_from_msg(text, 'args')


def test_no_arguments_may_be_an_empty_string() -> None:
    assert map_from_msg('', 'args') == {}


def _edited(msg: Any, **changes: Any) -> Any:
    for name, value in changes.items():
        setattr(msg, name, value)
    return msg


CUBE = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)))
SPEC = SkillSpec('grab', 'Take something.', {})
SCENE = Scene('s1', 1.0, (CUBE,), 'ground_truth')


@pytest.mark.parametrize(('kind', 'msg', 'complaint'), [
    (SceneObject, _edited(to_msg(CUBE), shape=99),
     r"object 'cube': shape: 99 is not one of: 1 \(box\), 2 \(cylinder\)"),
    (SceneObject, _edited(to_msg(CUBE), name=''), 'name must not be empty'),
    (SceneObject, _edited(to_msg(CUBE), shape=SceneObjectMsg.SHAPE_IRREGULAR),
     "object 'cube': .*an irregular object has pieces"),
    (SceneObject, to_msg(replace(CUBE, size=(0.1, -0.1, 0.1))), 'size: .*lengths'),
    (Scene, to_msg(replace(SCENE, objects=(CUBE, CUBE))),
     "more than one object is called 'cube'"),
    (Attempt, _edited(to_msg(Attempt(0, 'pick', {}, 'x', 'y')), stage=0),
     r'stage: 0 is not one of: 1 \(plan\), 2 \(execute\), 3 \(goal\)'),
    (SkillResult, _edited(to_msg(succeeded()), success=False),
     'skill result: a failed SkillResult needs a reason'),
    (SkillResult, _edited(to_msg(succeeded()), success=False, reason='bad luck',
                                reason_detail='it fell'),
     "reason: 'bad luck' is not one of: object_not_found"),
    (SkillResult, _edited(to_msg(succeeded()), reason='timeout'),
     "a successful SkillResult has no reason, and this one has 'timeout'"),
    (SkillSpec, _edited(to_msg(SPEC), effect=EffectMsg(kind=99)),
     r"skill 'grab': effect: kind: 99 is not one of: 1 \(take\), 2 \(put_on\)"),
    (SkillSpec, _edited(to_msg(SPEC), effect=EffectMsg(kind=EffectMsg.KIND_TAKE)),
     'effect: an effect take must say which argument is its object'),
    (SkillSpec, _edited(to_msg(SPEC), must_be=[ArgumentFit(argument='object')]),
     r'must_be: 0 is not one of: 1 \(movable\)'),
    (SkillSpec, _edited(to_msg(SPEC), adjustments=[NamedArguments(name='slipped', args_json='5')]),
     'slipped: args_json: must be a JSON object, not int'),
])
def test_a_malformed_message_is_refused_with_what_is_allowed(
    kind: type, msg: Any, complaint: str
) -> None:
    with pytest.raises(MessageError, match=complaint):
        from_msg(kind, msg)


def test_a_skill_whose_sender_says_nothing_about_motion_moves_the_arm() -> None:
    msg = SkillSpecMsg(name='wave', effect=EffectMsg(kind=EffectMsg.KIND_UNKNOWN))
    assert from_msg(SkillSpec, msg).moves_arm
