# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Domain values of every sort, for property tests."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

from hypothesis import strategies as st

from replan_agent.domain.cause import Cause
from replan_agent.domain.event import ApprovalDecided
from replan_agent.domain.failure import Attempt, AttemptStage, Category, Diagnosis, Kind, Severity
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.kinds import Form, Word
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption, LocalRecord
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import (
    Adaptation,
    CompletedStep,
    Plan,
    PlanCause,
    PlanReply,
    PlanRequest,
    Proof,
    ReplyKind,
    Step,
)
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import Fix, Reflection
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape, States
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import FinalReason, StepRecord, TaskResult
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.relations import VIEWPOINTS

# What a ROS string holds: Unicode without surrogates; a NUL would end it in C.
text = st.text(st.characters(exclude_categories=['Cs'], exclude_characters='\0'), max_size=12)
name = text.filter(bool)
integer = st.integers(-2**31, 2**31 - 1)
count = st.integers(0, 2**31 - 1)
number = st.floats(allow_nan=False)
finite = st.floats(-1e6, 1e6)
extent = st.floats(0, 1e3)
seconds = st.integers(0, 10**12).map(lambda ns: ns / 10**9)  # what a Duration can hold
# Times that a Time message holds exactly, in a double: whole microseconds of some weeks.
time = st.integers(0, 4_000_000_000_000).map(lambda us: us / 1e6)
json_map: st.SearchStrategy[dict[str, Any]] = st.dictionaries(text, st.recursive(
    st.none() | st.booleans() | integer | finite | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5), max_size=3)


def several(strategy: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[Any]:
    return st.lists(strategy, max_size=most).map(tuple)


def complete(domain_class: type, **strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a dataclass; a field without a strategy, new in the domain, is an error."""
    missing = {field.name for field in fields(domain_class)} - set(strategies)
    assert not missing, f'{domain_class.__name__}: convert and generate {sorted(missing)}, too'
    return st.builds(domain_class, **strategies)


def _unit(values: tuple[float, ...]) -> tuple[float, ...]:
    norm = math.hypot(*values)
    return tuple(v / norm for v in values) if norm > 1e-3 else (1.0, 0.0, 0.0, 0.0)


quaternion = st.tuples(*[st.floats(-1, 1)] * 4).map(_unit)
pose = complete(Pose, position=st.tuples(finite, finite, finite), quaternion=quaternion)
piece = st.builds(lambda size, guessed: replace(box_piece(size), guessed=guessed),
                  st.tuples(*[st.floats(0.001, 0.2)] * 3), st.booleans())
pieces = st.lists(piece, min_size=1, max_size=3).map(tuple)
angle = st.integers(-360_000, 360_000).map(lambda n: n / 1000)  # degrees; rad in messages
states = complete(States, now=text, words=several(text), poses=several(pose), access=text,
                  along=several(name), shuts=name, degrees=st.none() | angle)
regular_object = complete(
    SceneObject, name=name, shape=st.sampled_from([s for s in Shape if s is not Shape.IRREGULAR]),
    pieces=st.just(()), size=st.tuples(extent, extent, extent),
    pose=pose, colour=text, movable=st.booleans(), confidence=st.floats(0, 1), seen_at=time,
    turn_unknown=st.booleans(), inside_hidden=st.booleans(), states=st.none() | states)
scene_object = regular_object | st.builds(
    lambda thing, pieces: replace(thing, shape=Shape.IRREGULAR, pieces=pieces), regular_object,
    pieces)
arm = complete(ArmSnapshot, joints=several(finite, 9), tcp=pose, gripper_width=extent,
               at_home=st.booleans())
# The hand is not sent: the side that receives a scene knows its arm, and sets it. Nor is it sent
# that a scene file describes the camera: that is for chances, and none is told over ROS.
scene = complete(
    Scene, scene_id=text, stamp=time, perception=text, arm=st.none() | arm, frame=text,
    objects=st.lists(scene_object, max_size=3, unique_by=lambda thing: thing.name).map(tuple),
    held=st.none() | name, stale=st.booleans(), warnings=several(text), hand=st.none(),
    own_camera=st.just(False))
word = complete(Word, text=text, is_noun=st.booleans(), **{
    key: st.frozensets(found, max_size=3) for key, found in (
        ('names', text), ('other_names', text), ('colours', text),
        ('shapes', st.sampled_from(Shape)), ('forms', st.sampled_from(Form)))})
things = complete(Things, quantity=st.sampled_from(Quantity), count=count, words=several(word),
                  named=several(name), without=several(name))
goal = complete(Goal, predicate=st.sampled_from(Predicate), object=st.none() | name,
                target=st.none() | name, position=st.none() | st.tuples(finite, finite),
                second=st.none() | name, degrees=st.none() | angle,
                viewpoint=st.sampled_from(['', *VIEWPOINTS]), negated=st.booleans(),
                things=st.none() | things, targets=st.none() | things,
                distance=st.none() | finite, state=text)
suggested_goal = complete(SuggestedGoal, text=text, goal=st.none() | goal, done=st.booleans())
suggested_plan = st.none() | complete(SuggestedPlan, goals=several(suggested_goal).filter(bool))
step = complete(Step, step_number=integer, skill=name, args=json_map, description=text,
                expected_change=text)
completed_step = complete(CompletedStep, step=step, held=st.none() | name)
adaptation = complete(Adaptation, step_idx=integer, steps=several(step),
                      cause=st.sampled_from(PlanCause), reason=text)
plan = complete(
    Plan, version=count, task=text, steps=several(step), goals=several(goal),
    cause=st.sampled_from(PlanCause), parent=st.none() | st.integers(1, 2**31 - 1),
    scene_id=text, planner=text, reason=text, context=json_map,
    adaptations=several(adaptation))
ik = complete(
    IKReport, converged=st.booleans(), iterations=integer, pos_err=number, rot_err=number,
    pos_tol=number, rot_tol=number, target=pose, frame=text, joints=several(finite, 9),
    limiting_joint=st.none() | name, reachability=st.sampled_from(Reachability),
    out_of_reach_m=st.none() | number, proof=text, solver=text)
diagnosis = complete(Diagnosis, severity=st.sampled_from(Severity),
                     category=st.sampled_from(Category), kind=st.sampled_from(Kind),
                     stage=st.none() | st.sampled_from(FailedStage),
                     cause=st.none() | st.sampled_from(Cause), proved=st.booleans(), remedy=text)
attempt = complete(
    Attempt, step_idx=integer, skill=text, args=json_map, reason=text, reason_detail=text,
    stage=st.sampled_from(AttemptStage), plan_version=integer, ik=st.none() | ik,
    diagnosis=st.none() | diagnosis, evidence=json_map,
    failed_stage=st.none() | st.sampled_from(FailedStage),
    cause=st.none() | st.sampled_from(Cause), blockers=several(text))
ternary = st.none() | st.booleans()
effect = st.just(Effect()) | complete(
    Effect, kind=st.sampled_from(EffectKind), object=name, target=name, x=name, y=name, yaw=text,
    z=text, snug=text, direction=text, veer=text, distance=text, along=text, turn=text, grasp=text,
    force=text, speed=text, state=name)
spec = complete(
    SkillSpec, name=text, description=text, arguments=json_map, object_arguments=several(text),
    needs_held=ternary, effect=effect, example=text, undoable=st.booleans(),
    most_strokes=st.integers(1, 255), moves_arm=st.booleans(),
    must_be=st.dictionaries(text, st.sampled_from(Fit), max_size=2),
    adjustable=several(text), variants=st.dictionaries(text, json_map, max_size=2),
    adjustments=st.dictionaries(text, several(json_map).filter(bool), max_size=2))
success = complete(
    SkillResult, success=st.just(True), reason=st.none(), reason_detail=text, stage=st.none(),
    ik=st.none() | ik, evidence=json_map, cause=st.none(), blockers=st.just(()))
failure = complete(
    SkillResult, success=st.just(False), reason=st.sampled_from(Reason), reason_detail=name,
    stage=st.none() | st.sampled_from(FailedStage), ik=st.none() | ik, evidence=json_map,
    cause=st.none() | st.sampled_from(Cause), blockers=several(text))
result = success | failure
record = complete(StepRecord, step_idx=integer, plan_version=integer, step=step, result=result,
                  duration_s=seconds, retry=integer, local_state=text)
proof = complete(Proof, step=step, scene=scene, result=failure)
request = complete(
    PlanRequest,
    task=text,
    scene=scene,
    skills=several(spec, 2),
    prior_attempts=several(attempt, 2),
    completed=several(completed_step, 2),
    replan=count,
    goals=several(goal),
    previous=st.none() | plan,
    context=json_map,
    suggested_plan=suggested_plan,
    goals_certain=st.booleans(),
    proofs=several(proof, 2),
)
reply = complete(
    PlanReply, kind=st.sampled_from(ReplyKind), cause=st.none() | st.sampled_from(Cause),
    steps=several(step), goals=several(goal),
    reason=st.none() | st.sampled_from(Reason), detail=text, warnings=several(text),
    suggested_plan=suggested_plan, goals_certain=st.booleans(), left_alone=several(text),
    blockers=several(text),
    remedy=text)
decided = complete(
    ApprovalDecided, plan_version=count, approved=st.booleans(), approver=text, detail=text,
    risk=st.none() | finite, threshold=st.none() | finite, reasons=several(text), edit=text,
    request=count, steps=several(step))
reflection = complete(
    Reflection, error_type=text, root_cause=text, contributing_factors=several(text),
    preventable=st.booleans(), by=text,
    fix=st.none() | complete(Fix, message=text, changes=json_map, option=text, source=text))
option = complete(
    LocalOption, name=text, kind=text, steps=several(step), undo=st.none() | several(step),
    changes=json_map, why=text, object=text, later=several(step))
local = complete(
    LocalRecord, step_idx=integer, step=step, goal=text, solved=st.booleans(), detail=text,
    nodes=several(complete(
        LocalNode, number=text, option=option, score_before=finite, score_after=finite,
        succeeded=st.booleans(), decision=st.sampled_from(Decision), detail=text,
        reverted=st.booleans(), surprise=text, exploration_options=several(text), explored=count,
        reverted_to=text), 1))
task_result = complete(
    TaskResult, task=text, success=st.booleans(), final_reason=st.sampled_from(FinalReason),
    final_detail=text, replans=count, total_replans=count, steps=several(record, 2),
    attempts=several(attempt, 2), plans=several(plan, 2), goals=several(goal),
    goal_verified=ternary, planner=text, perception=text, api_calls=count, recaptures=count,
    timings=st.dictionaries(text, seconds, max_size=3), approvals=several(decided, 2),
    reflections=several(reflection, 2),
    local=several(local, 2), suggested_plan=suggested_plan, guidance=several(text),
    hints=several(text), goals_named_by=text, why=text, would_help=text, causes=several(text),
    not_recorded=text, proofs=several(proof, 1), undone=several(completed_step, 2),
    threshold=st.none() | finite, denied=st.booleans(),
    completed=several(completed_step, 2), extra=json_map)
