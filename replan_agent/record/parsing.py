"""Reads parts of result.json back into domain objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import (
    Attempt,
    AttemptStage,
    Category,
    Diagnosis,
    Kind,
    Severity,
)
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.plan import CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.skill import FailedStage
from replan_agent.domain.text import shown

Json = Mapping[str, Any]


def step_from(data: Json) -> Step:
    return Step(_whole(data, 'step_number'), _text(data, 'skill'), dict(data['args']),
                _text(data, 'description'), _text(data, 'expected_change'))


def completed_from(data: Json) -> CompletedStep:
    return CompletedStep(step_from(data), _text_or_none(data, 'held'))


def goal_from(data: Json) -> Goal:
    position = data['position']
    return Goal(Predicate(data['predicate']), _text_or_none(data, 'object'),
                _text_or_none(data, 'target'),
                (float(position[0]), float(position[1])) if position else None)


def plan_from(data: Json) -> Plan:
    parent = data['parent']
    return Plan(_whole(data, 'version'), _text(data, 'task'),
                tuple(map(step_from, data['steps'])), tuple(map(goal_from, data['goals'])),
                PlanCause(data['cause']), None if parent is None else _whole(data, 'parent'),
                _text(data, 'scene_id'), _text(data, 'planner'), str(data.get('reason', '')),
                dict(data.get('context', {})))


def attempt_from(data: Json) -> Attempt:
    ik, diagnosis, stage = data.get('ik'), data.get('diagnosis'), data.get('failed_stage')
    return Attempt(
        _whole(data, 'step_idx'), _text(data, 'skill'), dict(data['args']),
        _text(data, 'reason'), _text(data, 'reason_detail'), AttemptStage(data['stage']),
        _whole(data, 'plan_version'),
        ik_from(ik) if ik else None, diagnosis_from(diagnosis) if diagnosis else None,
        dict(data.get('evidence', {})), FailedStage(stage) if stage else None,
        _cause(data), tuple(map(str, data.get('blockers', ()))))


def ik_from(data: Json) -> IKReport:
    target = data['target']
    return IKReport(
        data['converged'], data['iterations'], data['pos_err'], data['rot_err'], data['pos_tol'],
        data['rot_tol'], Pose(tuple(target['position']), tuple(target['quaternion_wxyz'])),
        data['frame'], tuple(data['joints']), data['limiting_joint'],
        Reachability(data['reachability']), data['out_of_reach_m'], data['proof'],
        data['solver'])


def diagnosis_from(data: Json) -> Diagnosis:
    stage = data.get('stage')
    return Diagnosis(Severity(data['severity']), Category(data['category']), Kind(data['kind']),
                     FailedStage(stage) if stage else None, _cause(data),
                     data.get('proved', False), data.get('remedy', ''))


def _text(data: Json, key: str) -> str:
    if not isinstance(data[key], str):
        raise TypeError(f'{key}: text expected, not {shown(data[key])}')
    return str(data[key])


def _text_or_none(data: Json, key: str) -> str | None:
    return None if data[key] is None else _text(data, key)


def _whole(data: Json, key: str) -> int:
    if type(data[key]) is not int:
        raise TypeError(f'{key}: a whole number expected, not {shown(data[key])}')
    return int(data[key])


def _cause(data: Json) -> Cause | None:
    cause = data.get('cause')
    return Cause(cause) if cause else None
