"""Turns parts of result.json back into domain objects."""

from __future__ import annotations

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
from replan_agent.domain.recovery import Fix, Reflection
from replan_agent.domain.resume import Proof
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, SkillResult

from .run_json import Json


def step_from(data: Json) -> Step:
    return Step(data['step_number'], data['skill'], dict(data['args']), data['description'],
                data['expected_change'])


def completed_from(data: Json | str) -> CompletedStep:
    """A completed step. Old results hold only its description."""
    if isinstance(data, str):
        return CompletedStep(Step(0, '', {}, data))
    return CompletedStep(step_from(data), data['held'])


def goal_from(data: Json) -> Goal:
    position = data['position']
    return Goal(Predicate(data['predicate']), data['object'], data['target'],
                (position[0], position[1]) if position else None)


def plan_from(data: Json) -> Plan:
    return Plan(data['version'], data['task'], tuple(map(step_from, data['steps'])),
                tuple(map(goal_from, data['goals'])), PlanCause(data['cause']), data['parent'],
                data['scene_id'], data['planner'], data.get('reason', ''),
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
    return IKReport(
        data['converged'], data['iterations'], data['pos_err'], data['rot_err'], data['pos_tol'],
        data['rot_tol'], pose_from(data['target']),
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


def pose_from(data: Json) -> Pose:
    return Pose(tuple(data['position']), tuple(data['quaternion_wxyz']))


def skill_result_from(data: Json) -> SkillResult:
    ik = data['ik']
    return SkillResult(data['success'], data['reason'], data['reason_detail'], data['stage'],
                       ik_from(ik) if ik else None, dict(data['evidence']), data['cause'],
                       tuple(data['blockers']))


def scene_from(data: Json) -> Scene:
    """The scene as it was seen. What the encoders reported is not in the record."""
    return Scene(data['scene_id'], data['stamp'], tuple(map(_object_from, data['objects'])),
                 data['perception'], None, data['held'], data['frame'], data['stale'],
                 tuple(data['warnings']))


def _object_from(data: Json) -> SceneObject:
    return SceneObject(data['name'], Shape(data['shape']), tuple(data['size']),
                       pose_from(data['pose']), data['colour'], data['movable'],
                       data['confidence'], data['seen_at'])


def proof_from(data: Json) -> Proof:
    return Proof(step_from(data['step']), scene_from(data['scene']),
                 skill_result_from(data['result']))


def reflection_from(data: Json) -> Reflection:
    fix = data['fix']
    return Reflection(data['error_type'], data['root_cause'],
                      tuple(data['contributing_factors']),
                      Fix(fix['message'], dict(fix['changes']), fix['option'], fix['source'])
                      if fix else None, data['preventable'], data['by'])
