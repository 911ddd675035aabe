# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The result of a task: why it failed, and what its episode knows at the end."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt, AttemptStage, Category
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import find_spec
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.geometry.goal_words import goal_in_words, sentence, verdicts_in_words
from replan_agent.geometry.judging import is_inside, support_below
from replan_agent.geometry.out_of_sight import same_colour
from replan_agent.geometry.support import footprint

from .episode import Ended, Episode
from .state.budgets import CALLS, REPLANS, TOTAL_REPLANS
from .state.failures import Failed
from .state.task_goals import TaskGoals

ANOTHER_PLANNER = 'another model, or the planner search, which needs none'
MOST_TOLD, SAME_POINT_M = 3, 0.01
# The end says it all: a person, the model or a part that is gone ended the task.
OF_THE_END = frozenset({
    FinalReason.CANCELLED, FinalReason.STOPPED, FinalReason.APPROVAL_DENIED, FinalReason.GAVE_UP,
    FinalReason.VLM_TRANSPORT, FinalReason.UNRECOGNIZED_PROMPT, FinalReason.CONFLICTING_GOALS,
    FinalReason.NODE_LOST, FinalReason.PERCEPTION_LOST, FinalReason.INTERNAL_ERROR})
# These say that something failed, hardly why: another cause explains more.
VAGUE = frozenset({
    Cause.NO_POSTURE, Cause.GOAL_UNMET, Cause.SEEN_TOO_LONG_AGO, Cause.ALREADY_SO, Cause.HAND_FULL,
    Cause.VERIFICATION_FAILED, Cause.PRECONDITION_FAILED, Cause.BAD_ARGUMENTS, Cause.NOT_DECIDED,
    Cause.NOT_WHERE_SEEN})
# Only joints and pads tell these: a weight, or a hand that is caught, explains them.
ONLY_FELT = frozenset({Cause.UNEXPECTED_CONTACT, Cause.SLIPPED_IN_LIFT, Cause.SLIPPED_IN_CARRY,
                       Cause.CLOSED_ON_AIR, Cause.GRIPPER_BLOCKED})
# What was met may have held it back; what moved may have moved on.
EXPLAINED = {Cause.SLIPPED_IN_LIFT: Cause.UNEXPECTED_CONTACT,
             Cause.CLOSED_ON_AIR: Cause.OBJECT_MOVED}


@dataclass(frozen=True)
class Verdict:
    """Why the task failed, what would make it possible, and the causes that `why` tells."""

    why: str = ''
    would_help: str = ''
    causes: tuple[str, ...] = ()


def verdict(ep: Episode, end: Ended) -> Verdict:
    """What is told about the end: a failure survives until its step succeeds.

    A refused plan, and a step that is not tried again, are told only if nothing failed before. Of
    each object the first failure and the last one are told, without what another one explains.
    """
    if end.success:
        return Verdict()
    refused = bool(ep.failures.told) and ep.failures.told[-1].attempt.is_refused
    would_help = end.remedy or (ANOTHER_PLANNER if refused and ep.ports.planner.uses_model else '')
    told = [] if end.reason in OF_THE_END else _told(ep)
    why_there = all(_cause(failed.attempt) is Cause.NOT_WHERE_PUT for failed in told)
    last = end.failure if why_there else None  # it says why, or why not another time
    if last is not None and last.reason_detail and not (told and _is_vague(last)):
        told += [f for f in ep.failures.told if f.attempt is last and f not in told]
    if not told:
        return Verdict(end.detail, would_help, (end.cause.value,) if end.cause else ())
    each = [_of_one(ep, failed) for failed in told]
    return Verdict('; then '.join(dict.fromkeys(one.why for one in each)),
                   next((one.would_help for one in reversed(each) if one.would_help), would_help),
                   tuple(dict.fromkeys(cause for one in each for cause in one.causes)))


def _of_one(ep: Episode, failed: Failed) -> Verdict:
    """What is told about one failure. Of a thing that no goal names: what it was handled for."""
    found, name = failed.attempt.diagnosis, _about(ep, failed.attempt)
    if other := _may_be(ep, failed):
        return Verdict(f'{name} is not seen any more, and {other} may be it',
                       f'a better view of {other}', (Cause.NOT_DECIDED.value,))
    causes, thing = (found.cause.value,) if found and found.cause not in (
        None, Cause.PRECONDITION_FAILED) else (), ep.scene.get(name)  # that names no cause
    goals = [part for goal in ep.goals.all for part in goal.named(ep.scene)]
    taken = [goal.object for goal in goals if thing and goal.position and math.dist(
        goal.position, thing.position[:2]) < footprint(thing)]
    below = support_below(thing, ep.scene) if thing and not taken else None
    if below is not None and (below.is_container or below == ep.scene.table or not any(
            below.name in goal.names for goal in goals)):
        below = None
    if not (taken or below) or any(name in goal.names for goal in goals):
        return Verdict(failed.why, found.remedy if found else '', causes)
    why = f'is on {below.name}' if below else f'stands in the way where {taken[0]} should go'
    in_the_way = Cause.APPROACH_BLOCKED if below else Cause.TARGET_OCCUPIED
    return Verdict(f'{name} {why}: {failed.why}', f'{name} somewhere else: the arm cannot bring '
                   'it there', (in_the_way.value, *causes))


def _told(ep: Episode) -> list[Failed]:
    """The failures of this run that explain its end, in their order."""
    every = [f for f in _left(ep) if _cause(f.attempt) is not Cause.LOST_FROM_VIEW
            or not (ep.scene.get(_about(ep, f.attempt)) or _was_seen_later(ep, f))]
    left = [f for f in every if not _may_be(ep, f)]
    left = every if all(_is_vague(f.attempt) for f in left) else left
    causes = {(_about(ep, f.attempt), _cause(f.attempt)) for f in left}
    left = [f for f in left if (_about(ep, f.attempt), EXPLAINED.get(
        _cause(f.attempt) or Cause.NOT_DECIDED)) not in causes]
    of_each: dict[str, list[Failed]] = {}
    clear = [f for f in left if not _is_vague(f.attempt)] or [
        f for f in ep.failures.told if f.attempt.diagnosis and (  # also of local planning
            f.attempt.diagnosis.category is Category.RESOURCE) and not _succeeded_later(ep, f)]
    clear = [*_explaining(ep, clear)]
    if not clear or _cause(clear[-1].attempt) is Cause.OBJECT_MOVED:
        clear += [f for f in left[-1:] if f not in clear]  # what failed where it is now
    for failed in clear:
        found = of_each.setdefault(_about(ep, failed.attempt), [])
        cause = _cause(failed.attempt)  # that explains why it slipped, or was not where it was
        by_all_force = cause is Cause.TOO_HEAVY or failed.attempt.evidence.get('proved_impossible')
        found[:] = [f for f in found if not (
            by_all_force and 'closed_width' in f.attempt.evidence
            or cause is Cause.TOO_HEAVY and _cause(f.attempt) in ONLY_FELT
            or cause is Cause.TAKEN_AWAY and _cause(f.attempt) is Cause.CLOSED_ON_AIR)]
        found.append(failed)
    ends = [f for found in of_each.values() for f in (found[0], found[-1])]
    return [f for f in ep.failures.told if any(f is each for each in ends)][-MOST_TOLD:]


def _explaining(ep: Episode, failures: list[Failed]) -> Iterator[Failed]:
    """Without what is only felt of what is too heavy, or met by a hand that cannot leave."""
    heavy, caught, since = set[str](), False, 0
    for failed in failures:
        about, cause = _about(ep, failed.attempt), _cause(failed.attempt)
        caught = caught and not any(
            record.result.success for record in ep.plans.executed[since:failed.after_steps])
        if not _is_proved(failed.attempt) and (
                cause in ONLY_FELT and (caught or about in heavy)
                or caught and cause is Cause.APPROACH_BLOCKED):
            continue
        if cause is Cause.NO_WAY_OUT:
            caught, since = True, failed.after_steps
        if cause is Cause.TOO_HEAVY:
            heavy.add(about)
        yield failed


def _was_seen_later(ep: Episode, failed: Failed) -> bool:
    """Whether the fingers reached for it later, maybe by a new name: it was seen again then."""
    later = dropwhile(lambda f: f is not failed, ep.failures.told)
    name, seen = _about(ep, failed.attempt), ep.sight.last_seen
    old = seen[name].get(name) if name in seen else None
    new = [seen[other].get(other) for other in failed.attempt.evidence.get('changes', {}).get(
        'arrived', ()) if old and ep.scene.may_hide and other in seen]
    names = {name, *(o.name for o in new if o and old and same_colour(o.colour, old.colour))}
    return any(_about(ep, f.attempt) in names and f is not failed
               and {'gripper_width', 'contact'} & f.attempt.evidence.keys() for f in later)


def _may_be(ep: Episode, failed: Failed) -> str:
    """The new name of what is not seen any more, if only its name was lost."""
    if _cause(failed.attempt) is not Cause.LOST_FROM_VIEW:
        return ''
    name, seen = _about(ep, failed.attempt), ep.sight.last_seen
    thing = seen[name].get(name) if name in seen else None
    first = ep.sight.scenes[0]
    return ep.sight.others().get(name) or next((
        o.name for o in ep.scene.movable() if thing and same_colour(o.colour, thing.colour)
        and None in (first.get(o.name), first.get(name)) and ep.scene.get(name) is None
        and ep.scene.may_hide and seen[name].get(o.name) is None), '')


def _left(ep: Episode) -> Iterator[Failed]:
    """The failures, but for refused plans and repeats, whose step did not succeed later."""
    tried = [failed for failed in ep.failures.told if not failed.attempt.is_refused]
    for failed in ep.failures.told:
        attempt = failed.attempt
        is_step = attempt.stage is not AttemptStage.GOAL and not attempt.is_refused
        is_last = attempt.stage is AttemptStage.GOAL and failed is (
            ep.failures.told if _is_vague(attempt) else tried)[-1]
        aside = attempt.evidence.get('local_state') or attempt.evidence.get('guarded')
        if (is_step or is_last) and not aside and not _succeeded_later(ep, failed):
            yield failed


def _succeeded_later(ep: Episode, failed: Failed) -> bool:
    """Whether the same skill succeeded with the same objects, where a goal wants it there."""
    spec, args = find_spec(ep.specs, failed.attempt.skill), failed.attempt.args
    if spec is None:
        return False
    aim, held = spec.effect.point(args), failed.attempt.evidence.get('held')
    if not any(goal.position and aim and math.dist(goal.position, aim) < SAME_POINT_M
               for goal in ep.goals.all):
        aim = None  # any other point is as good
    now = held
    for record in ep.plans.executed[failed.after_steps:]:
        step, other = record.step, find_spec(ep.specs, record.step.skill)
        if record.result.success and other is not None and other.effect.takes:
            now = other.acts_on(step.args)
        if record.result.success and step.skill == spec.name and held in (None, now) and all(
                step.args.get(name) == args.get(name) for name in spec.object_arguments
                ) and aim in (None, spec.effect.point(step.args)):
            return True
    return False


def _about(ep: Episode, call: Attempt | Step) -> str:
    """The object that the step names and handles; '' if it names none."""
    spec = find_spec(ep.specs, call.skill)
    return (spec.acts_on(call.args) if spec else None) or ''


def _cause(attempt: Attempt) -> Cause | None:
    return attempt.diagnosis.cause if attempt.diagnosis else attempt.cause


def _is_vague(attempt: Attempt) -> bool:
    cause = _cause(attempt)
    blames_nothing = cause is Cause.APPROACH_BLOCKED and attempt.blockers in ((), ('table',))
    return not _is_proved(attempt) and (cause in VAGUE or blames_nothing)


def _is_proved(attempt: Attempt) -> bool:
    return attempt.diagnosis is not None and attempt.diagnosis.proved


def result_of(ep: Episode, end: Ended, told: Verdict) -> TaskResult:
    """The result of a task that ended so, and what is told about it."""
    return TaskResult(
        task=ep.task,
        success=end.success,
        final_reason=end.reason,
        final_detail=end.detail,
        replans=ep.budgets.spent[REPLANS],
        total_replans=ep.budgets.spent[TOTAL_REPLANS],
        steps=tuple(ep.plans.executed),
        attempts=tuple(ep.failures.attempts),
        plans=tuple(ep.plans.all),
        goals=ep.goals.all,
        goal_verified=ep.goals.verified,
        goals_named_by=ep.goals.named_by(ep.ports.planner.name),
        why=told.why,
        would_help=told.would_help,
        causes=told.causes,
        planner=ep.ports.planner.name,
        perception=ep.ports.perception.name,
        api_calls=ep.budgets.spent[CALLS],
        recaptures=ep.sight.recaptures,
        timings=dict(ep.budgets.timings),
        reflections=tuple(ep.failures.reflections),
        local=tuple(ep.failures.local),
        suggested_plan=ep.goals.suggested,
        guidance=tuple(said.text for said in ep.plans.guidance),
        hints=tuple(ep.approvals.hints),
        completed=tuple(ep.plans.completed),
        undone=ep.plans.undone,
        threshold=ep.approvals.threshold,
        denied=ep.approvals.denied,
        approvals=tuple(ep.approvals.decided),
        proofs=tuple(ep.failures.proofs),
        extra={**ep.facts, **({'understood': sentence(ep.goals.understood)}
                              if ep.goals.all else {}), **_seen_at_the_end(ep),
               **({'chances': ep.plans.chances} if ep.plans.chances else {})},
    )


def _on_the_way(goals: TaskGoals) -> list[str]:
    """A line for each goal that a later order ended: "first in the bowl, then in the bin"."""
    stages = goals.suggested.stages() if goals.suggested is not None else ()
    return [f'first, {goal_in_words(stage.goal)}: '
            f'{"seen so on the way" if stage.done else "not seen so"}'
            for stage in stages if stage.goal is not None and stage.goal not in goals.all]


def _seen_at_the_end(ep: Episode) -> dict[str, Any]:
    """The last scene, what is held if no step came after it, and the goals in words if judged."""
    scene, goals = ep.sight.latest, ep.goals
    held = scene.held if scene is not None and ep.sight.just_looked else None
    return {} if scene is None else {**({'held': held} if held else {}),
            **({'verdicts': [*_on_the_way(goals), *verdicts_in_words(goals.all, scene)]}
               if goals.all and goals.verified is not None else {}),
            'final_scene': final_scene(scene)}


def final_scene(scene: Scene) -> list[dict[str, Any]]:
    """Each thing: its name, kind and colour, where it is (m, base frame), and on or in what."""
    return [{'name': thing.name, 'kind': thing.shape.value, 'colour': thing.colour,
             'position': [round(v, 4) for v in thing.position],
             'yaw': round(thing.pose.yaw, 3), **_support(thing, scene)}
            for thing in scene.objects]


def _support(thing: SceneObject, scene: Scene) -> dict[str, str]:
    if scene.held == thing.name:
        return {'in': 'gripper'}
    below = support_below(thing, scene)
    return {'in' if is_inside(thing, below) else 'on': below.name} if below is not None and (
        below.is_container or thing.movable) else {}
