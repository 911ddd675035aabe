# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A planner that a user wrote: an object with `plan`, a function, or the steps themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from replan_agent.agent.ports import Planner, Reader
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.port_errors import PartFailed
from replan_agent.geometry.goal_check import goal_problems
from replan_agent.plan.model.goals import goals_by_words, settled
from replan_agent.text.shown_text import shown

Answer = PlanReply | Iterable[Step]


class HasPlan(Protocol):
    """`name` and `uses_model` are optional."""

    def plan(self, request: PlanRequest, ctx: Context) -> Answer: ...


AnyPlanner = HasPlan | Callable[[PlanRequest, Context], Answer]


def own_planner(planner: AnyPlanner, reader: Reader, name: str = '') -> Planner:
    """A Planner from an object with `plan(request, ctx)`, or from such a function.

    It may return a PlanReply or only the steps. `name` is used if the planner has no name.
    `reader` reads the words of the task.
    """
    plan: Any = getattr(planner, 'plan', planner)
    if not callable(plan):
        raise TypeError('a planner is a function of (request, ctx), or an object with such a '
                        f'function as `plan`, not {planner!r}')
    given = name or getattr(planner, '__name__', type(planner).__name__)
    return OwnPlanner(plan, getattr(planner, 'name', given),
                      bool(getattr(planner, 'uses_model', False)), reader)


class OwnPlanner:
    """Calls a function for each plan. The function may return only steps."""

    def __init__(self, plan: Callable[[PlanRequest, Context], Answer], name: str,
                 uses_model: bool, reader: Reader) -> None:
        self._plan = plan
        self._reader = reader
        self.name = name
        self.uses_model = uses_model

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        """The planner's answer, with the goals to judge.

        These are the goals in the words of the task if the words allow only one reading. Else
        they are those that the planner names, as its own claim.
        """
        reply = self._reply(request, ctx)
        if not reply.kind.is_about_the_task:
            return reply
        named = reply.goals or request.goals
        if request.is_settled:
            return replace(reply, goals=named, goals_certain=True)
        by_words = goals_by_words(request, ctx, self._reader)
        if by_words is None or any(goal_problems(named, request.scene)):
            return replace(reply, goals=named, goals_certain=reply.goals_certain and not named)
        goals, remark = settled(named, by_words, request.scene)
        return replace(reply, goals=goals, warnings=(*reply.warnings, *filter(None, (remark,))),
                       goals_certain=by_words.is_only and goals == by_words.goals,
                       left_alone=by_words.left_alone)

    def _reply(self, request: PlanRequest, ctx: Context) -> PlanReply:
        answer = self._plan(request, ctx)
        if isinstance(answer, PlanReply):
            return answer
        steps = tuple(answer) if isinstance(answer, Iterable) else (answer,)
        if not all(isinstance(step, Step) for step in steps):
            raise PartFailed.by_return(f'planner {self.name!r}',
                                       'a PlanReply or a list of Steps', answer)
        return PlanReply(ReplyKind.STEPS, steps)


class GivenPlan:
    """The steps of the caller, once. If they fail, it gives up and says why they failed."""

    name, uses_model = 'given', False

    def __init__(self, steps: tuple[Step, ...]) -> None:
        self._steps = steps
        self._is_given = False

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        if not self._is_given:
            self._is_given = True
            return PlanReply(ReplyKind.STEPS, self._steps)
        if request.prior_attempts:
            last = request.prior_attempts[-1]
            return PlanReply(ReplyKind.GIVE_UP, detail='the given plan failed: '
                                                       f'{last.reason} — {last.reason_detail}')
        if request.completed:  # its last step asked for another plan
            return PlanReply(ReplyKind.DONE)
        return PlanReply(ReplyKind.GIVE_UP, detail='the given plan was not accepted as it is')


def given_plan(steps: Iterable[Any], reader: Reader) -> Planner:
    """A planner for one task that gives these steps. Raises ConfigError if they are no Steps."""
    found = tuple(steps)
    wrong = [step for step in found if not isinstance(step, Step)]
    if wrong or not found:
        raise ConfigError("steps: must be a list of Steps such as [Step(1, 'home')], not "
                          f'{shown(list(found))}')
    return own_planner(GivenPlan(found), reader)
