"""A planner that compares ways to carry out a plan by their chances, and takes the likeliest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from replan_agent.agent.ports import Planner
from replan_agent.app.build.build_planner import BUILT_IN, PlannerParts
from replan_agent.domain.config import Config
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.skill import SkillSpec, find_spec

from .chance_rehearsal import what_is_unsure
from .covered import covered
from .sampled_twin import Ran, Trial, run_twin
from .sampling import MOST
from .uncertainty import Uncertainty

FIRST, LEFT = MOST // 2, 2  # a plan that works in so many is taken; so many ways run them all
CLEAR = 4  # twins more that a way must work in: with fewer the choice was no better than none
CHOSEN = 'is chosen'
OF_THE_CHOICE = 15_485_863  # twins of its own: the chance that is told later is not of these


@dataclass(frozen=True)
class Way:
    """A plan's steps with changed arguments, and how they went; `change` says what is changed."""

    steps: tuple[Step, ...]
    change: str
    ran: tuple[Ran, ...] = ()

    @property
    def worked(self) -> int:
        return sum(one.worked for one in self.ran)


class LikeliestPlanner:
    """Plans as another planner does, and runs each plan in twins of the scene before it is told.

    If the plan is likely to fail there, the changes that its skills name for these failures run
    in the same twins. The way that works clearly more often is taken. Outside of what chances
    are told for, the plan stays as it is.
    """

    name, uses_model = 'likeliest', False

    def __init__(self, inner: Planner, config: Config, known: Uncertainty | None, seed: int = 0
                 ) -> None:
        self._inner, self._known, self._seed = inner, known, seed
        self._config = replace(config, planner='search', agent=replace(config.agent, chance=''))

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        """The other planner's reply, with the likeliest of its ways. Raises what `ctx` raises."""
        reply = self._inner.plan(request, ctx)
        if reply.kind is not ReplyKind.STEPS or self._known is None:
            return reply
        plan = Plan(1, request.task, reply.steps, reply.goals, PlanCause.INITIAL, None,
                    request.scene.scene_id, self.name)
        if covered().outside(plan, request.scene, self._config):
            return reply
        try:
            return self._chosen(reply, Trial(self._config, plan, request.scene, self._known,
                                             OF_THE_CHOICE + self._seed), request, ctx)
        except RehearsalError as error:
            return replace(reply, warnings=(*reply.warnings, f'no ways were compared: {error}'))

    def _chosen(self, reply: PlanReply, trial: Trial, request: PlanRequest, ctx: Context
                ) -> PlanReply:
        usual = _run(Way(reply.steps, 'as planned'), trial, FIRST, ctx)
        if usual.worked == FIRST:
            return reply
        usual = _run(usual, trial, MOST, ctx)
        if usual.worked > MOST - CLEAR:
            return reply
        others = [_run(way, trial, FIRST, ctx) for way in ways(usual, request.skills)]
        others.sort(key=lambda way: -way.worked)
        best = max((_run(way, trial, MOST, ctx) for way in others[:LEFT]),
                   key=lambda way: way.worked, default=usual)
        if best.worked < usual.worked + CLEAR:
            return reply
        return replace(reply, steps=best.steps, warnings=(
            *reply.warnings, f'{best.change} {CHOSEN}: it works in {best.worked} of {MOST} twins, '
                             f'as planned in {usual.worked}'))


def ways(usual: Way, skills: Sequence[SkillSpec]) -> Iterator[Way]:
    """The plan with each change that the skills name for how it failed, the most frequent first.

    Where a skill names none for a failure, its other ways to do the same.
    """
    failures = Counter((one.steps_done, one.failure) for one in usual.ran if not one.worked)
    seen: set[str] = set()
    for (done, failure), _ in failures.most_common():
        index = min(done, len(usual.steps) - 1)
        spec = find_spec(skills, usual.steps[index].skill)
        for change in _changes(spec, failure):
            step = replace(usual.steps[index], args={**usual.steps[index].args, **change})
            if change and step.call not in seen and step != usual.steps[index]:
                seen.add(step.call)
                yield Way((*usual.steps[:index], step, *usual.steps[index + 1:]), step.told)


def _changes(spec: SkillSpec | None, failure: str) -> tuple[Mapping[str, Any], ...]:
    if spec is None:
        return ()
    return spec.adjustments.get(failure, ()) or tuple(spec.variants.values())


def _run(way: Way, trial: Trial, most: int, ctx: Context) -> Way:
    """The way in the twins up to that number."""
    ran = list(way.ran)
    trial = replace(trial, plan=replace(trial.plan, steps=way.steps))
    for number in range(len(ran), most):
        ctx.check()
        ran.append(run_twin(trial, number, ctx))
    return replace(way, ran=tuple(ran))


def likeliest(parts: PlannerParts) -> LikeliestPlanner:
    """The planner of the settings `planner: likeliest`, over the search."""
    return LikeliestPlanner(BUILT_IN['search'](parts), parts.config, what_is_unsure(parts.config))
