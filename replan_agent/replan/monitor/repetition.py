# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Repeated steps: those that failed in the same way before, and those already done."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby, pairwise

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Kind
from replan_agent.domain.plan import Plan
from replan_agent.domain.skill import SkillResult, SkillSpec, find_spec
from replan_agent.domain.task_result import StepRecord
from replan_agent.domain.task_view import Guidance, TaskView
from replan_agent.geometry.steps.forecast import Spot, placement_spot

SAME_FAILURES = 3  # plans that failed at the same step in the same way
DIGITS = 3  # of what was measured: millimetres and milliradians

IN_THE_HAND = frozenset({Cause.SLIPPED_IN_CARRY, Cause.TAKEN_AWAY, Cause.HAND_EMPTY,
                         Cause.GRIPPER_BROKEN, Cause.CONTROLLER_ERROR})

Since = tuple[int, int]  # plan version and index of a step


def fails_again(plan: Plan, view: TaskView) -> Guidance | None:
    """A plan that begins like several that all failed at the same step in the same way."""
    by_version = groupby((r for r in view.steps if not r.local_state),
                         key=lambda r: r.plan_version)
    runs = [list(records) for _, records in by_version]
    failures = [([r.step.call for r in run if not r.retry], run[-1])  # up to where it stopped
                for run in runs if not run[-1].result.success]
    if not failures:
        return None
    calls, last = failures[-1]
    same = [record for called, record in failures
            if called == calls and _facts(record.result) == _facts(last.result)]
    begins_so = [step.call for step in plan.steps[:len(calls)]] == calls
    if len(same) < SAME_FAILURES or not begins_so or _was_chance(last, view):
        return None
    found = Guidance(
        'repeated_steps', f'{last.step.told} failed in the same way in every plan that reached it '
        f'like this: {last.result.reason.value if last.result.reason else "failed"} — '
        f'{last.result.reason_detail}. Change the arguments, prepare the scene first, take '
        'something else, or give up.', about=last.step.call)
    return None if view.was_told(found) else found


def done_again(plan: Plan, view: TaskView) -> Guidance | None:
    """A plan that picks an object which is still where a step put it, to put it there again.

    If the planner insists, the plan goes on, and that is said.
    """
    specs = {spec.name: spec for spec in view.skills}
    placed = _placements(view.steps, specs)
    handling = [step for step in plan.steps
                if step.skill not in specs or not specs[step.skill].effect.touches_nothing]
    for step, following in pairwise(handling):
        skill, then = specs.get(step.skill), specs.get(following.skill)
        name = skill.effect.name('object', step.args) if skill else None
        if name is None or name not in placed:
            continue
        spot, since = placed.pop(name)  # moved here, so no longer there for later steps
        put_to = placement_spot(then, following.args) if then else None
        is_repeat = skill is not None and skill.effect.takes and spot == put_to
        table = view.now.table
        anywhere = table is not None and spot.target == table.name  # it has many places
        if is_repeat and spot.has(name, view.now) and not anywhere \
                and not _was_trouble(name, spot, since, view):
            found = Guidance(
                'repeated_steps', f'{following.told} was already done with the {name}, and it is '
                'still there. Plan only what is left to do.', about=f'{name}: {following.call}')
            return replace(found, stops=not view.was_told(found))
    return None


def _facts(result: SkillResult) -> tuple[object, ...]:
    """What makes two failures the same: the slugs, the blockers, and what was measured.

    Measurements vary a little from one look to the next, so they are rounded.
    """
    measured = {name: round(value, DIGITS) for name, value in result.evidence.items()
                if isinstance(value, (int, float))}
    ik = result.ik and (result.ik.reachability, result.ik.limiting_joint,
                        round(result.ik.pos_err, DIGITS), round(result.ik.rot_err, DIGITS))
    return result.reason, result.stage, result.cause, result.blockers, ik, measured


def _was_chance(record: StepRecord, view: TaskView) -> bool:
    """Whether the failure was temporary, so that the same step may well work."""
    at = (record.plan_version, record.step_idx)
    return any((a.plan_version, a.step_idx) == at and a.diagnosis is not None
               and a.diagnosis.kind is Kind.TRANSIENT for a in view.attempts)


def _placements(records: Iterable[StepRecord], specs: Mapping[str, SkillSpec],
                ) -> dict[str, tuple[Spot, Since]]:
    """Where each object was put last, and in which step. Objects touched since are left out."""
    placed: dict[str, tuple[Spot, Since]] = {}
    held: str | None = None
    for record in records:
        args, spec = record.step.args, specs.get(record.step.skill)
        if spec is None:
            continue
        name = spec.acts_on(args)
        if name:
            placed.pop(name, None)
        elif (spot := placement_spot(spec, args)) is not None and held and record.result.success:
            own = bool(record.local_state)  # the step that it belongs to is tried again after it
            placed[held] = spot, (record.plan_version, record.step_idx - own)
        held = spec.effect.held_after(args, held) if record.result.success else held
    return placed


def _was_trouble(name: str, spot: Spot, since: Since, view: TaskView) -> bool:
    """Whether something failed about it or its place since. Then it may need to be moved."""
    for attempt in view.attempts:
        if not attempt.is_refused and (attempt.plan_version, attempt.step_idx) > since:
            about = attempt.objects(find_spec(view.skills, attempt.skill))
            of_hand = attempt.diagnosis is not None and attempt.diagnosis.cause in IN_THE_HAND
            if name in about or (spot.target in about and not of_hand):
                return True
    return False
