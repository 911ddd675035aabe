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
from replan_agent.domain.goal import Goal
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.plan import CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.skill import FailedStage

Json = Mapping[str, Any]


def step_from(data: Json) -> Step:
    return Step(data['step_number'], data['skill'], dict(data['args']), data['description'],
                data['expected_change'])


def completed_from(data: Json) -> CompletedStep:
    return CompletedStep(step_from(data), data['held'])


def plan_from(data: Json) -> Plan:
    return Plan(data['version'], data['task'], tuple(map(step_from, data['steps'])),
                tuple(map(Goal.from_dict, data['goals'])), PlanCause(data['cause']),
                data['parent'], data['scene_id'], data['planner'], data.get('reason', ''),
                data.get('context', {}))


def attempt_from(data: Json) -> Attempt:
    ik, diagnosis, stage = data.get('ik'), data.get('diagnosis'), data.get('failed_stage')
    return Attempt(
        data['step_idx'], data['skill'], dict(data['args']), data['reason'],
        data['reason_detail'], AttemptStage(data['stage']), data['plan_version'],
        ik_from(ik) if ik else None, diagnosis_from(diagnosis) if diagnosis else None,
        dict(data.get('evidence', {})), FailedStage(stage) if stage else None,
        _cause(data), tuple(data.get('blockers', ())))


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


def _cause(data: Json) -> Cause | None:
    cause = data.get('cause')
    return Cause(cause) if cause else None
