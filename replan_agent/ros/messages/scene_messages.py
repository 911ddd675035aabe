"""Domain values to messages and back: pure functions, no node needed.

Incoming messages are checked: MessageError names the wrong field and what is allowed. A value
survives the way out and back, times to the nanosecond; but lists and tuples inside maps (`args`,
`evidence`) come back as lists, as from any JSON.
"""

from __future__ import annotations

import math
from typing import Any

from replan_agent_interfaces import msg as ros
from std_msgs.msg import Header

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
from replan_agent.domain.kinds import Form, Word
from replan_agent.domain.piece import Piece
from replan_agent.domain.plan import Adaptation, CompletedStep, Plan, PlanCause, Proof, Step
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.domain.task_result import StepRecord
from replan_agent.domain.things import Quantity, Things

from .message_fields import (
    MessageError,
    duration_from_msg,
    duration_to_msg,
    enum_from_msg,
    id_to_msg,
    map_from_msg,
    map_to_msg,
    optional_enum_from_msg,
    optional_enum_to_msg,
    optional_from_msg,
    optional_to_msg,
    point_to_msg,
    pose_from_msg,
    pose_to_msg,
    size_from_msg,
    size_to_msg,
    ternary_from_msg,
    ternary_to_msg,
    time_from_msg,
    time_to_msg,
)

# Scenes


def object_to_msg(thing: SceneObject) -> ros.SceneObject:
    return ros.SceneObject(
        name=thing.name, shape=thing.shape.value, size=size_to_msg(thing.size),
        pose=pose_to_msg(thing.pose), colour=thing.colour, movable=thing.movable,
        confidence=float(thing.confidence), seen_at=time_to_msg(thing.seen_at),
        pieces=[ros.Piece(vertices=list(map(point_to_msg, piece.vertices)),
                          guessed=piece.guessed)
                for piece in thing.pieces],
        turn_unknown=thing.turn_unknown)


def object_from_msg(msg: ros.SceneObject) -> SceneObject:
    where = f'object {msg.name!r}'
    if not msg.name:
        raise MessageError('object: name must not be empty')
    try:
        pieces = tuple(Piece(tuple((v.x, v.y, v.z) for v in piece.vertices), piece.guessed)
                       for piece in msg.pieces)
    except ValueError as error:
        raise MessageError(f'{where}: pieces: {error}') from error
    shape = enum_from_msg(Shape, msg.shape, f'{where}: shape')
    if (shape is Shape.IRREGULAR) != bool(pieces):
        raise MessageError(f'{where}: pieces: an irregular object has some, others have none')
    return SceneObject(
        msg.name, shape,
        size_from_msg(msg.size, f'{where}: size'), pose_from_msg(msg.pose, f'{where}: pose'),
        msg.colour, msg.movable, msg.confidence, time_from_msg(msg.seen_at), pieces,
        msg.turn_unknown)


def arm_to_msg(arm: ArmSnapshot) -> ros.ArmSnapshot:
    return ros.ArmSnapshot(joints=list(map(float, arm.joints)), tcp=pose_to_msg(arm.tcp),
                           gripper_width=float(arm.gripper_width), at_home=bool(arm.at_home))


def arm_from_msg(msg: ros.ArmSnapshot) -> ArmSnapshot:
    return ArmSnapshot(tuple(msg.joints), pose_from_msg(msg.tcp, 'arm: tcp'),
                       msg.gripper_width, msg.at_home)


def scene_to_msg(scene: Scene) -> ros.Scene:
    return ros.Scene(
        header=Header(stamp=time_to_msg(scene.stamp), frame_id=scene.frame),
        scene_id=scene.scene_id, objects=list(map(object_to_msg, scene.objects)),
        perception=scene.perception, arm=optional_to_msg(scene.arm, arm_to_msg),
        held=scene.held or '', stale=scene.stale, warnings=list(scene.warnings))


def scene_from_msg(msg: ros.Scene) -> Scene:
    objects = tuple(map(object_from_msg, msg.objects))
    names = [thing.name for thing in objects]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise MessageError(f'scene {msg.scene_id!r}: more than one object is called {twice[0]!r}')
    return Scene(msg.scene_id, time_from_msg(msg.header.stamp), objects, msg.perception,
                 optional_from_msg(msg.arm, arm_from_msg), msg.held or None,
                 msg.header.frame_id, msg.stale, tuple(msg.warnings))


# Plans


def goal_to_msg(goal: Goal) -> ros.GoalCondition:
    return ros.GoalCondition(
        predicate=goal.predicate.value, object=goal.object or '', target=goal.target or '',
        position=list(map(float, goal.position or ())), second=goal.second or '',
        degrees=optional_to_msg(goal.degrees, float), viewpoint=goal.viewpoint,
        negated=goal.negated, things=optional_to_msg(goal.things, things_to_msg),
        targets=optional_to_msg(goal.targets, things_to_msg))


def things_to_msg(things: Things) -> ros.Things:
    return ros.Things(quantity=things.quantity.value, count=things.count,
                      words=[word.text for word in things.words],
                      named=list(things.named), without=list(things.without),
                      meanings=[word_to_msg(word) for word in things.words])


def things_from_msg(msg: ros.Things) -> Things:
    return Things(enum_from_msg(Quantity, msg.quantity, 'things: quantity'), msg.count,
                  tuple(map(word_from_msg, msg.meanings) if msg.meanings else
                        map(Word.plain, msg.words)), tuple(msg.named), tuple(msg.without))


def word_to_msg(word: Word) -> ros.Word:
    return ros.Word(**word.as_dict())


def word_from_msg(msg: ros.Word) -> Word:
    names, others, colours = map(frozenset, (msg.names, msg.other_names, msg.colours))
    return Word(msg.text, names, others, colours,
                frozenset(enum_from_msg(Shape, shape, 'word: shapes') for shape in msg.shapes),
                frozenset(enum_from_msg(Form, form, 'word: forms') for form in msg.forms),
                msg.is_noun)


def goal_from_msg(msg: ros.GoalCondition) -> Goal:
    if len(msg.position) not in (0, 2):
        raise MessageError(f'goal: position needs x and y or nothing, not {len(msg.position)} '
                           'numbers')
    position = (float(msg.position[0]), float(msg.position[1])) if len(msg.position) else None
    return Goal(enum_from_msg(Predicate, msg.predicate, 'goal: predicate'), msg.object or None,
                msg.target or None, position, msg.second or None,
                optional_from_msg(msg.degrees, float), msg.viewpoint, msg.negated,
                optional_from_msg(msg.things, things_from_msg),
                optional_from_msg(msg.targets, things_from_msg))


def step_to_msg(step: Step) -> ros.Step:
    return ros.Step(step_number=step.step_number, skill=step.skill,
                    args_json=map_to_msg(step.args), description=step.description,
                    expected_change=step.expected_change)


def step_from_msg(msg: ros.Step) -> Step:
    if not msg.skill:
        raise MessageError('step: skill must not be empty')
    return Step(msg.step_number, msg.skill, map_from_msg(msg.args_json, 'step: args_json'),
                msg.description, msg.expected_change)


def completed_to_msg(done: CompletedStep) -> ros.CompletedStep:
    return ros.CompletedStep(step=step_to_msg(done.step), held=done.held or '')


def completed_from_msg(msg: ros.CompletedStep) -> CompletedStep:
    return CompletedStep(step_from_msg(msg.step), msg.held or None)


def plan_to_msg(plan: Plan, task_id: str = '', request: int = 0) -> ros.Plan:
    """`task_id` is the task of the node that the plan belongs to; the domain has no such id.

    `request` is the number of the question, if the plan waits for approval.
    """
    return ros.Plan(
        task_id=id_to_msg(task_id), version=plan.version, parent=plan.parent or 0, task=plan.task,
        steps=list(map(step_to_msg, plan.steps)), goals=list(map(goal_to_msg, plan.goals)),
        cause=plan.cause.value, scene_id=plan.scene_id, planner=plan.planner,
        reason=plan.reason, context_json=map_to_msg(plan.context),
        adaptations=list(map(adaptation_to_msg, plan.adaptations)), request=request)


def plan_from_msg(msg: ros.Plan) -> Plan:
    return Plan(msg.version, msg.task, tuple(map(step_from_msg, msg.steps)),
                tuple(map(goal_from_msg, msg.goals)),
                enum_from_msg(PlanCause, msg.cause, 'plan: cause'), msg.parent or None,
                msg.scene_id, msg.planner, msg.reason,
                map_from_msg(msg.context_json, 'plan: context_json'),
                tuple(map(adaptation_from_msg, msg.adaptations)))


def adaptation_to_msg(own: Adaptation) -> ros.Adaptation:
    return ros.Adaptation(step_idx=own.step_idx, steps=list(map(step_to_msg, own.steps)),
                          cause=own.cause.value, reason=own.reason)


def adaptation_from_msg(msg: ros.Adaptation) -> Adaptation:
    return Adaptation(msg.step_idx, tuple(map(step_from_msg, msg.steps)),
                      enum_from_msg(PlanCause, msg.cause, 'adaptation: cause'), msg.reason)


# Failures


def ik_to_msg(report: IKReport) -> ros.IKReport:
    distance = report.out_of_reach_m
    return ros.IKReport(
        converged=bool(report.converged), iterations=int(report.iterations),
        pos_err=float(report.pos_err), rot_err=float(report.rot_err),
        pos_tol=float(report.pos_tol), rot_tol=float(report.rot_tol),
        target=pose_to_msg(report.target), frame=report.frame,
        joints=list(map(float, report.joints)), limiting_joint=report.limiting_joint or '',
        reachability=report.reachability.value,
        out_of_reach_m=math.nan if distance is None else float(distance),
        proof=report.proof, solver=report.solver)


def ik_from_msg(msg: ros.IKReport) -> IKReport:
    return IKReport(
        msg.converged, msg.iterations, msg.pos_err, msg.rot_err, msg.pos_tol, msg.rot_tol,
        pose_from_msg(msg.target, 'ik: target'), msg.frame, tuple(msg.joints),
        msg.limiting_joint or None,
        enum_from_msg(Reachability, msg.reachability, 'ik: reachability'),
        None if math.isnan(msg.out_of_reach_m) else msg.out_of_reach_m, msg.proof, msg.solver)


def diagnosis_to_msg(diagnosis: Diagnosis) -> ros.Diagnosis:
    return ros.Diagnosis(severity=diagnosis.severity.value, category=diagnosis.category.value,
                         kind=diagnosis.kind.value,
                         stage=optional_enum_to_msg(diagnosis.stage),
                         cause=optional_enum_to_msg(diagnosis.cause), proved=diagnosis.proved,
                         remedy=diagnosis.remedy)


def diagnosis_from_msg(msg: ros.Diagnosis) -> Diagnosis:
    return Diagnosis(enum_from_msg(Severity, msg.severity, 'diagnosis: severity'),
                     enum_from_msg(Category, msg.category, 'diagnosis: category'),
                     enum_from_msg(Kind, msg.kind, 'diagnosis: kind'),
                     optional_enum_from_msg(FailedStage, msg.stage, 'diagnosis: stage'),
                     optional_enum_from_msg(Cause, msg.cause, 'diagnosis: cause'), msg.proved,
                     msg.remedy)


def attempt_to_msg(attempt: Attempt) -> ros.Attempt:
    return ros.Attempt(
        step_idx=attempt.step_idx, skill=attempt.skill, args_json=map_to_msg(attempt.args),
        reason=attempt.reason, reason_detail=attempt.reason_detail, stage=attempt.stage.value,
        plan_version=attempt.plan_version, ik=optional_to_msg(attempt.ik, ik_to_msg),
        diagnosis=optional_to_msg(attempt.diagnosis, diagnosis_to_msg),
        evidence_json=map_to_msg(attempt.evidence),
        failed_stage=optional_enum_to_msg(attempt.failed_stage),
        cause=optional_enum_to_msg(attempt.cause), blockers=list(attempt.blockers))


def attempt_from_msg(msg: ros.Attempt) -> Attempt:
    return Attempt(
        msg.step_idx, msg.skill, map_from_msg(msg.args_json, 'attempt: args_json'), msg.reason,
        msg.reason_detail, enum_from_msg(AttemptStage, msg.stage, 'attempt: stage'),
        msg.plan_version, optional_from_msg(msg.ik, ik_from_msg),
        optional_from_msg(msg.diagnosis, diagnosis_from_msg),
        map_from_msg(msg.evidence_json, 'attempt: evidence_json'),
        optional_enum_from_msg(FailedStage, msg.failed_stage, 'attempt: failed_stage'),
        optional_enum_from_msg(Cause, msg.cause, 'attempt: cause'), tuple(msg.blockers))


# Skills


def spec_to_msg(spec: SkillSpec) -> ros.SkillSpec:
    return ros.SkillSpec(
        name=spec.name, description=spec.description, arguments_json=map_to_msg(spec.arguments),
        object_arguments=list(spec.object_arguments), needs_held=ternary_to_msg(spec.needs_held),
        effect=spec.effect.kind.value, effect_roles_json=map_to_msg(spec.effect.roles()),
        example=spec.example, undoable=spec.undoable, stands_still=not spec.moves_arm,
        must_be_json=map_to_msg({name: fit.value for name, fit in spec.must_be.items()}),
        adjustable=list(spec.adjustable), adjustments_json=map_to_msg(
            {cause: list(map(dict, changes)) for cause, changes in spec.adjustments.items()}),
        variants_json=map_to_msg({name: dict(way) for name, way in spec.variants.items()}),
        most_strokes=spec.most_strokes)


def spec_from_msg(msg: ros.SkillSpec) -> SkillSpec:
    where = f'skill {msg.name!r}'

    def read(field: str) -> dict[str, Any]:
        return map_from_msg(getattr(msg, field), f'{where}: {field}')

    return SkillSpec(
        msg.name, msg.description, read('arguments_json'), tuple(msg.object_arguments),
        ternary_from_msg(msg.needs_held, f'{where}: needs_held'),
        _effect_from_msg(msg, where), msg.example, msg.undoable, not msg.stands_still,
        {name: enum_from_msg(Fit, fit, f'{where}: must_be_json')
         for name, fit in read('must_be_json').items()},
        tuple(msg.adjustable),
        {cause: _changes(changes, f'{where}: adjustments_json')
         for cause, changes in read('adjustments_json').items()},
        dict(zip(read('variants_json'), _changes(
            list(read('variants_json').values()), f'{where}: variants_json'))),
        max(1, msg.most_strokes))


def _effect_from_msg(msg: ros.SkillSpec, where: str) -> Effect:
    kind = enum_from_msg(EffectKind, msg.effect, f'{where}: effect')
    roles = map_from_msg(msg.effect_roles_json, f'{where}: effect_roles_json')
    if not all(isinstance(argument, str) for argument in roles.values()):
        raise MessageError(f'{where}: effect_roles_json: arguments must be text')
    try:
        return Effect(kind, **roles)
    except (TypeError, ValueError) as error:
        raise MessageError(f'{where}: effect_roles_json: {error}') from error


def _changes(found: Any, field: str) -> tuple[dict[str, Any], ...]:
    if not isinstance(found, list) or not all(isinstance(change, dict) for change in found):
        raise MessageError(f'{field}: must be lists of JSON objects')
    return tuple(found)


def result_to_msg(result: SkillResult) -> ros.SkillResult:
    return ros.SkillResult(
        success=result.success, reason=optional_enum_to_msg(result.reason),
        reason_detail=result.reason_detail, stage=optional_enum_to_msg(result.stage),
        ik=optional_to_msg(result.ik, ik_to_msg), evidence_json=map_to_msg(result.evidence),
        cause=optional_enum_to_msg(result.cause), blockers=list(result.blockers))


def result_from_msg(msg: ros.SkillResult) -> SkillResult:
    if not msg.success and not (msg.reason and msg.reason_detail):
        raise MessageError('skill result: a failure needs a reason and a reason_detail')
    if msg.success and msg.reason:
        raise MessageError(f'skill result: a success has no reason, and this one has {msg.reason}')
    return SkillResult(
        msg.success, optional_enum_from_msg(Reason, msg.reason, 'skill result: reason'),
        msg.reason_detail, optional_enum_from_msg(FailedStage, msg.stage, 'skill result: stage'),
        optional_from_msg(msg.ik, ik_from_msg),
        map_from_msg(msg.evidence_json, 'skill result: evidence_json'),
        optional_enum_from_msg(Cause, msg.cause, 'skill result: cause'), tuple(msg.blockers))


def record_to_msg(record: StepRecord) -> ros.StepRecord:
    return ros.StepRecord(
        step_idx=record.step_idx, plan_version=record.plan_version,
        step=step_to_msg(record.step), result=result_to_msg(record.result),
        duration=duration_to_msg(record.duration_s), retry=record.retry,
        local_state=record.local_state)


def record_from_msg(msg: ros.StepRecord) -> StepRecord:
    return StepRecord(msg.step_idx, msg.plan_version, step_from_msg(msg.step),
                      result_from_msg(msg.result), duration_from_msg(msg.duration), msg.retry,
                      msg.local_state)


def proof_to_msg(proof: Proof) -> ros.Proof:
    return ros.Proof(step=step_to_msg(proof.step), scene=scene_to_msg(proof.scene),
                     result=result_to_msg(proof.result))


def proof_from_msg(msg: ros.Proof) -> Proof:
    return Proof(step_from_msg(msg.step), scene_from_msg(msg.scene), result_from_msg(msg.result))
