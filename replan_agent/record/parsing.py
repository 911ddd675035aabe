"""Turns parts of result.json back into domain objects.

What has another type than it should raises TypeError, which names it.
"""

from __future__ import annotations

from typing import Any, TypeVar

from replan_agent.domain.cause import Cause
from replan_agent.domain.event import ApprovalDecided
from replan_agent.domain.failure import (
    Attempt,
    AttemptStage,
    Category,
    Diagnosis,
    Kind,
    Severity,
)
from replan_agent.domain.goal import Goal
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.piece import Piece
from replan_agent.domain.plan import Adaptation, CompletedStep, Plan, PlanCause, Proof, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import Fix, Reflection
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, SkillResult

from .run_json import Json

T = TypeVar('T')


def text_from(item: Any) -> str:
    return _typed(item, 'text', str)


def step_from(data: Json) -> Step:
    return Step(_get(data, 'step_number', int), _get(data, 'skill', str),
                _get(data, 'args', dict), _get(data, 'description', str),
                _get(data, 'expected_change', str))


def completed_from(data: Json | str) -> CompletedStep:
    """A completed step. Old results hold only its description."""
    if isinstance(data, str):
        return CompletedStep(Step(0, '', {}, data))
    return CompletedStep(step_from(data), _or_none(data, 'held', str))


def plan_from(data: Json) -> Plan:
    return Plan(_get(data, 'version', int), _get(data, 'task', str),
                tuple(map(step_from, data['steps'])), tuple(map(Goal.from_dict, data['goals'])),
                PlanCause(data['cause']), _or_none(data, 'parent', int),
                _get(data, 'scene_id', str), _get(data, 'planner', str),
                _or_none(data, 'reason', str) or '', _or_none(data, 'context', dict) or {},
                tuple(map(adaptation_from, data.get('adaptations', ()))))


def adaptation_from(data: Json) -> Adaptation:
    return Adaptation(_get(data, 'step_idx', int), tuple(map(step_from, data['steps'])),
                      PlanCause(data['cause']), _get(data, 'reason', str))


def decision_from(data: Json) -> tuple[str, float | None, bool]:
    """Who decided on a plan, the risk from which a person was asked, and whether it was a yes."""
    threshold = data.get('threshold')
    return (_get(data, 'approver', str), None if threshold is None else float(threshold),
            data.get('approved') is True)


def done_from(data: Json) -> tuple[int, int, bool]:
    """The plan of a step, its index in it, and whether it was done as a step of the plan."""
    return (_get(data, 'plan_version', int), _get(data, 'step_idx', int),
            data['result']['success'] is True and not data.get('local_state'))


def approval_from(data: Json) -> ApprovalDecided:
    """A decision as in the events."""
    return ApprovalDecided(
        _get(data, 'plan_version', int), _get(data, 'approved', bool), _get(data, 'approver', str),
        _get(data, 'detail', str), data.get('risk'), data.get('threshold'),
        tuple(map(text_from, data.get('reasons', ()))), _or_none(data, 'edit', str) or '',
        _or_none(data, 'request', int) or 0, tuple(map(step_from, data.get('steps', ()))))


def attempt_from(data: Json) -> Attempt:
    ik, diagnosis, stage = data.get('ik'), data.get('diagnosis'), data.get('failed_stage')
    return Attempt(
        _get(data, 'step_idx', int), _get(data, 'skill', str), _get(data, 'args', dict),
        _get(data, 'reason', str), _get(data, 'reason_detail', str), AttemptStage(data['stage']),
        _get(data, 'plan_version', int), ik_from(ik) if ik else None,
        diagnosis_from(diagnosis) if diagnosis else None,
        _or_none(data, 'evidence', dict) or {}, FailedStage(stage) if stage else None,
        _cause(data), tuple(map(text_from, data.get('blockers', ()))))


def ik_from(data: Json) -> IKReport:
    return IKReport(
        data['converged'], data['iterations'], data['pos_err'], data['rot_err'], data['pos_tol'],
        data['rot_tol'], pose_from(data['target']), data['frame'], tuple(data['joints']),
        data['limiting_joint'], Reachability(data['reachability']), data['out_of_reach_m'],
        data['proof'], data['solver'])


def diagnosis_from(data: Json) -> Diagnosis:
    stage = data.get('stage')
    return Diagnosis(Severity(data['severity']), Category(data['category']), Kind(data['kind']),
                     FailedStage(stage) if stage else None, _cause(data),
                     data.get('proved', False), _or_none(data, 'remedy', str) or '')


def pose_from(data: Json) -> Pose:
    x, y, z = map(float, data['position'])
    w, i, j, k = map(float, data['quaternion_wxyz'])
    return Pose((x, y, z), (w, i, j, k))


def skill_result_from(data: Json) -> SkillResult:
    ik = data['ik']
    return SkillResult(data['success'], data['reason'], _get(data, 'reason_detail', str),
                       data['stage'], ik_from(ik) if ik else None, _get(data, 'evidence', dict),
                       data['cause'], tuple(map(text_from, data['blockers'])))


def scene_from(data: Json) -> Scene:
    """The scene as it was seen. What the encoders reported is not in the record."""
    return Scene(_get(data, 'scene_id', str), data['stamp'],
                 tuple(map(_object_from, data['objects'])), data['perception'], None,
                 _or_none(data, 'held', str), data['frame'], data['stale'],
                 tuple(map(text_from, data['warnings'])))


def _object_from(data: Json) -> SceneObject:
    x, y, z = map(float, data['size'])
    return SceneObject(_get(data, 'name', str), Shape(data['shape']), (x, y, z),
                       pose_from(data['pose']), data['colour'], data['movable'],
                       data['confidence'], data['seen_at'],
                       tuple(Piece(tuple((float(x), float(y), float(z)) for x, y, z in corners),
                                   k in data.get('guessed', ()))
                             for k, corners in enumerate(data.get('pieces', ()))),
                       data.get('turn_unknown', False))


def proof_from(data: Json) -> Proof:
    return Proof(step_from(data['step']), scene_from(data['scene']),
                 skill_result_from(data['result']))


def reflection_from(data: Json) -> Reflection:
    fix = data['fix']
    return Reflection(_get(data, 'error_type', str), _get(data, 'root_cause', str),
                      tuple(map(text_from, data['contributing_factors'])),
                      Fix(_get(fix, 'message', str), _get(fix, 'changes', dict), fix['option'],
                          fix['source']) if fix else None, data['preventable'], data['by'])


def _cause(data: Json) -> Cause | None:
    cause = data.get('cause')
    return Cause(cause) if cause else None


def _get(data: Json, key: str, kind: type[T]) -> T:
    return _typed(data[key], key, kind)


def _or_none(data: Json, key: str, kind: type[T]) -> T | None:
    value = data.get(key)
    return None if value is None else _typed(value, key, kind)


def _typed(value: Any, key: str, kind: type[T]) -> T:
    if type(value) is not kind:
        raise TypeError(f'{key}: {kind.__name__} expected, not {type(value).__name__}')
    return value
