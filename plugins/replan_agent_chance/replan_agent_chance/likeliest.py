# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner that compares ways to carry out a plan by their chances, and takes the likeliest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice

from replan_agent.app.build.build_planner import PlannerParts, build_check
from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.plan.search.search_planner import SearchPlanner

from .chance import LIKELIEST
from .chance_rehearsal import what_is_unsure
from .covered import covered
from .sampled_twin import Trial
from .sampling import CLEAR, LONGEST_S, MOST
from .uncertainty import Uncertainty
from .ways import Way, changed_ways, other_plans

FIRST, LEFT = MOST // 2, 2  # a plan that works in so many is taken; so many ways run them all
MOST_CHANGED, MOST_INSTEAD = 6, 3  # ways with changed steps, and other plans
OF_THE_CHOICE = 15_485_863  # twins of its own: the chance that is told later is not of these


@dataclass(frozen=True)
class Chosen:
    """What was chosen, and in how many of the MOST twins it works, and the usual plan."""

    change: str
    worked: int
    usual: int

    @property
    def said(self) -> str:
        return (f'{self.change} is chosen: it works in {self.worked} of {MOST} twins, as planned '
                f'in {self.usual}')


class LikeliestPlanner:
    """Plans as another planner does, and runs each plan in twins of the scene before it is told.

    If the plan is likely to fail there, other ways run in the same twins: the changes that its
    skills name for these failures, and what would be planned instead. The way that works clearly
    more often is taken. Outside of what chances are told for, the plan stays as it is.
    """

    name, uses_model = LIKELIEST, False

    def __init__(self, inner: SearchPlanner, config: Config, known: Uncertainty | None,
                 seed: int = 0) -> None:
        self._inner, self._known, self._seed = inner, known, seed
        self._config = replace(config, planner='search', agent=replace(config.agent, chance=''))
        self._check = build_check(config)
        self.chosen: Chosen | None = None  # what the last plan has instead of the usual one

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        """The other planner's reply, with the likeliest of its ways. Raises what `ctx` raises."""
        reply, self.chosen = self._inner.plan(request, ctx), None
        if reply.kind is not ReplyKind.STEPS or self._known is None or request.prior_attempts:
            return reply
        plan = Plan(1, request.task, reply.steps, reply.goals, PlanCause.INITIAL, None,
                    request.scene.scene_id, self.name)
        if self._is_refused(plan, request, self._known):
            return reply
        try:
            return self._chosen(reply, Trial(self._config, plan, request.scene, self._known,
                                             OF_THE_CHOICE + self._seed), request,
                                ctx.within(LONGEST_S))
        except DeadlineExceeded:
            ctx.check()  # raises if the time for the plan itself is over
            why = f'it took longer than {LONGEST_S:g} s'
        except RehearsalError as error:
            why = str(error)
        return replace(reply, warnings=(*reply.warnings, f'no ways were compared: {why}'))

    def _chosen(self, reply: PlanReply, trial: Trial, request: PlanRequest, ctx: Context
                ) -> PlanReply:
        usual = Way(reply.steps, 'as planned').tried(trial, range(1), ctx)
        if usual.ran[0].proof:  # it is refused, and planned again
            return reply
        usual = usual.tried(trial, range(FIRST), ctx)
        if usual.worked == FIRST:
            return reply
        usual = usual.tried(trial, range(MOST), ctx)
        if usual.worked > MOST - CLEAR:
            return reply
        may_fail = MOST - CLEAR - usual.worked
        others = [way.tried(trial, range(FIRST), ctx, may_fail)
                  for way in self._others(usual, reply, trial, request, ctx)]
        best = max((way.tried(trial, range(MOST), ctx, may_fail) for way in sorted(
            (way for way in others if way.failed <= may_fail),
            key=lambda way: -way.worked)[:LEFT]), key=lambda way: way.worked, default=usual)
        if best.worked < usual.worked + CLEAR:
            return reply
        self.chosen = Chosen(best.change, best.worked, usual.worked)
        first = best.steps[0]
        first = replace(first, description=f'{first.description} ({self.chosen.said})')
        reply = replace(reply, steps=(first, *best.steps[1:]),
                        warnings=(*reply.warnings, self.chosen.said))
        return reply if best.goals in (None, reply.goals) else replace(
            reply, goals=best.goals, suggested_plan=best.suggested)

    def _others(self, usual: Way, reply: PlanReply, trial: Trial, request: PlanRequest,
                ctx: Context) -> Iterator[Way]:
        for way in chain(islice(changed_ways(usual, request.skills), MOST_CHANGED),
                         islice(other_plans(reply, request, self._inner, ctx), MOST_INSTEAD)):
            plan = replace(trial.plan, steps=way.steps)
            if not self._is_refused(plan, request, trial.known):
                yield way

    def _is_refused(self, plan: Plan, request: PlanRequest, known: Uncertainty) -> bool:
        """Whether the agent refuses the plan anyway, or no chance is told for it."""
        return bool(self._check(replace(plan, goals=()), request.scene, request.skills)
                    or covered().outside(plan, request.scene, self._config, known))


def over_search(config: Config, known: Uncertainty | None, seed: int = 0) -> LikeliestPlanner:
    """The planner over the search, with the reader of the settings."""
    return LikeliestPlanner(SearchPlanner(build_reader(config.viewpoint)), config, known, seed)


def likeliest(parts: PlannerParts) -> LikeliestPlanner:
    """The planner of the settings `planner: likeliest`, over the search. Raises ConfigError."""
    if not parts.config.agent.chance:
        raise ConfigError('planner: likeliest compares chances, and agent.chance is off: set it '
                          'to auto, in the embedded simulation (over ROS no ways are compared)')
    return LikeliestPlanner(SearchPlanner(parts.reader), parts.config,
                            what_is_unsure(parts.config))
