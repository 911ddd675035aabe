# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Other ways to carry out a plan: changed steps, and what the planner would plan instead."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from replan_agent.domain.context import Context
from replan_agent.domain.failure import DEFAULT_DIAGNOSIS, Attempt, AttemptStage
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import Reason, SkillSpec, find_spec
from replan_agent.domain.suggested_plan import SuggestedPlan
from replan_agent.plan.search.search_planner import SearchPlanner

from .sampled_twin import Ran, Trial
from .twins import twins

# What a failure is taken for if its skill told only a reason.
_CAUSES = {reason.value: usual.cause.value for reason, usual in DEFAULT_DIAGNOSIS.items()
           if usual.cause is not None}
MOST_OTHERS = 3  # other plans for each step that fails


@dataclass(frozen=True)
class Way:
    """The steps, and how they went in twins; `change` says what differs from the plan.

    `goals` are those that they serve, None: those of the plan; `suggested` are these in stages.
    """

    steps: tuple[Step, ...]
    change: str
    ran: tuple[Ran, ...] = ()
    goals: tuple[Goal, ...] | None = None
    suggested: SuggestedPlan | None = None

    @property
    def worked(self) -> int:
        return sum(one.worked for one in self.ran)

    @property
    def failed(self) -> int:
        return len(self.ran) - self.worked

    def tried(self, trial: Trial, numbers: Sequence[int], ctx: Context,
              may_fail: float = math.inf) -> Way:
        """The same, after it ran in those of these twins in which it has not run yet.

        It stops when it has failed more often than it may.
        """
        goals = trial.plan.goals if self.goals is None else self.goals
        trial = replace(trial, plan=replace(trial.plan, steps=self.steps, goals=goals))
        way = self
        for one in twins(trial, numbers[len(self.ran):], 1, ctx):
            way = replace(way, ran=(*way.ran, one))
            if way.failed > may_fail:
                break
        return way


def changed_ways(usual: Way, skills: Sequence[SkillSpec]) -> Iterator[Way]:
    """The steps with each change that helps against how they failed, the most frequent first."""
    failures = Counter((one.steps_done, one.failure) for one in usual.ran if not one.worked)
    seen = {step.call for step in usual.steps}
    for (done, failure), _ in failures.most_common():
        index = min(done, len(usual.steps) - 1)
        for step in changed_steps(usual.steps[index], failure, skills):
            if step.call not in seen:
                seen.add(step.call)
                yield Way((*usual.steps[:index], step, *usual.steps[index + 1:]), step.told)


def changed_steps(step: Step, failure: str, skills: Sequence[SkillSpec]) -> Iterator[Step]:
    """The step with the changes that its skill names for this failure.

    Where it names none: its other ways to do the same, else what it names for any failure.
    """
    spec = find_spec(skills, step.skill)
    ladders = spec.adjustments if spec is not None else {}
    changes: Sequence[Mapping[str, Any]] = ladders.get(_CAUSES.get(failure, failure), ()) or (
        tuple(spec.variants.values()) if spec is not None else ()) or [
        change for ladder in ladders.values() for change in ladder]
    seen = {step.call}
    for change in changes:
        changed = replace(step, args={**step.args, **change})
        if changed.call not in seen:
            seen.add(changed.call)
            yield changed


def other_plans(reply: PlanReply, request: PlanRequest, planner: SearchPlanner, ctx: Context
                ) -> Iterator[Way]:
    """What is planned instead: if a step fails, another place; else with other things.

    Other things are those that the words may mean as well: "a cube", "a container".
    """
    seen = {_calls(reply.steps)}
    for other in chain(_if_a_step_fails(reply, request, planner, ctx),
                       _with_other_things(reply, request, planner, ctx)):
        if other.kind is ReplyKind.STEPS and _calls(other.steps) not in seen:
            seen.add(_calls(other.steps))
            told = ' → '.join(step.told for step in other.steps)
            yield Way(other.steps, told, goals=other.goals, suggested=other.suggested_plan)


def _if_a_step_fails(reply: PlanReply, request: PlanRequest, planner: SearchPlanner, ctx: Context
                     ) -> Iterator[PlanReply]:
    for index in range(len(reply.steps) if reply.goals else 0):
        steps, failed = reply.steps, list(request.prior_attempts)
        while index < len(steps) and len(failed) < MOST_OTHERS + len(request.prior_attempts):
            failed.append(Attempt(
                index, steps[index].skill, dict(steps[index].args),
                Reason.VERIFICATION_FAILED.value, 'it fails in the twins', AttemptStage.EXECUTE))
            other = planner.plan_for(reply.goals, replace(
                request, prior_attempts=tuple(failed)), ctx)
            yield other
            steps = other.steps


def _with_other_things(reply: PlanReply, request: PlanRequest, planner: SearchPlanner,
                       ctx: Context) -> Iterator[PlanReply]:
    if request.goals:  # the thing was chosen when the task was planned first
        return
    _, reading = planner.plan_and_reading(request, ctx, only_read=True)
    fitting = (reading.choices if reading is not None else None) or frozenset()
    chosen = {name for goal in reply.goals for name in goal.names} & fitting
    if reading is None or len(reading.guesses) != 1 or len(chosen) != 1:
        return
    old, = chosen
    for name in sorted(fitting - chosen):
        yield planner.plan_for([_renamed(goal, old, name) for goal in reply.goals], request, ctx)


def _renamed(goal: Goal, old: str, new: str) -> Goal:
    names = {role: new for role in ('object', 'target', 'second') if getattr(goal, role) == old}
    return replace(goal, **names)  # type: ignore[arg-type]


def _calls(steps: Sequence[Step]) -> tuple[str, ...]:
    return tuple(step.call for step in steps)
