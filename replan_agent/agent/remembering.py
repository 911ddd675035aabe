# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is recalled and kept in memory, and which change made the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from replan_agent.domain import event as events
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt
from replan_agent.domain.hand import slid_in_grip
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import FailureCase, Fix, Remembered, Situation
from replan_agent.domain.scene import Scene
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.domain.skill import SkillSpec
from replan_agent.geometry.situation import build_situation, step_object

from .episode import Episode

WAY = ('turn', 'grasp')  # roles that say how the hand comes to the object
GRIP = ('force', 'speed')  # roles that say how it is held
Lesson = tuple[Situation, Fix]
SLIPS = (Cause.SLIPPED_IN_LIFT, Cause.SLIPPED_IN_CARRY)


def recall(ep: Episode, step: Step, before: Scene, attempt: Attempt | None = None,
           ) -> tuple[Remembered, ...]:
    """Similar situations of the past. Changes that the skill does not allow are left out."""
    if ep.ports.memory is None:
        return ()
    skill = ep.spec_of(step)
    found = ep.ports.memory.recall(build_situation(step, before, skill, attempt))
    _warn(ep)
    return tuple(replace(known, fix=replace(known.fix, changes=skill.legal_changes(
        known.fix.changes) if skill is not None else {})) for known in found)


def recall_similar(ep: Episode, case: FailureCase) -> tuple[Remembered, ...]:
    """Situations of the past that are similar to a failure; that is recorded."""
    if found := recall(ep, case.step, case.before, case.attempt) if case.step else ():
        ep.record(events.MemoryRecalled(case.attempt.step_idx, found))
    return found


def learn(ep: Episode, lessons: Iterable[Lesson], worked: bool) -> None:
    """Keep whether these changes helped in their situations."""
    if ep.ports.memory is not None:
        for situation, fix in lessons:
            ep.ports.memory.learn(situation, fix, worked)
        _warn(ep)


def remember_failure(ep: Episode, case: FailureCase) -> None:
    """Keep the failure in memory, with the task and the cause in words."""
    if ep.ports.memory is None:
        return
    attempt, cause, said = case.attempt, case.cause, ep.failures.reflections
    situation = (build_situation(case.step, case.before, case.skill, attempt) if case.step
                 else Situation('', attempt.reason, cause))
    changes = {name: value for name, value in attempt.args.items()
               if case.skill and name in case.skill.adjustable}
    ep.ports.memory.remember_failure(
        situation, ep.task, said[-1].root_cause if said else attempt.reason_detail,
        as_planned=not (changes and can_affect(case.skill, cause, changes)))
    _warn(ep)


def _warn(ep: Episode) -> None:
    """Record the memory's warnings. They never stop a task."""
    for warning in ep.ports.memory.warnings() if ep.ports.memory else ():
        ep.warn(warning)


def can_affect(skill: SkillSpec | None, cause: str, changes: Mapping[str, Any]) -> bool:
    """Whether the skill declares for this cause an argument that the change has.

    In a list of changes, an argument that is only added to a smaller change does not count. A
    skill that declares nothing leaves it open.
    """
    if skill is None or not skill.adjustments:
        return True
    ladder = [frozenset(change) for change in skill.adjustments.get(cause, ()) if change]
    least = [change for change in ladder if not any(other < change for other in ladder)]
    return any(argument in change for change in least for argument in changes)


def can_be_credited(case: FailureCase, fix: Fix) -> bool:
    """Whether a success with the fix, after this failure, would be the fix's merit."""
    if not fix.changes:
        return True
    cause = case.cause
    if not can_affect(case.skill, cause, fix.changes):
        return False
    roles = {role for role, argument in case.effect.roles().items() if argument in fix.changes}
    if roles & set(WAY) and _was_moved(case):
        return False  # it is another situation now: the usual way may work too
    held_firmly = slid_in_grip(case.attempt.evidence) is False
    return not (roles & set(GRIP) and cause in SLIPS and held_firmly)


def is_blamed(case: FailureCase, situation: Situation, fix: Fix) -> bool:
    """Whether this failure counts against a fix for that situation that was in use."""
    cause = case.cause
    same = bool(cause) and cause == situation.cause
    return same or (bool(fix.changes) and bool(case.skill and case.skill.adjustments)
                    and can_affect(case.skill, cause, fix.changes))


def _was_moved(case: FailureCase) -> bool:
    thing = step_object(case.step, case.before, case.skill) if case.step else None
    now = case.after.get(thing.name) if thing and case.after else None
    return thing is not None and now is not None and (thing.pose.distance_to(now.pose) >= MOVED_M)
