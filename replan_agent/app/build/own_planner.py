"""A planner that a user wrote: an object with `plan`, or a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from replan_agent.agent.ports import Planner
from replan_agent.domain.context import Context
from replan_agent.domain.part_failed import wrong_return
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.plan.goals import goals_by_words

Answer = PlanReply | Iterable[Step]


class HasPlan(Protocol):
    """`name` and `uses_model` are optional."""

    def plan(self, request: PlanRequest, ctx: Context) -> Answer: ...


AnyPlanner = HasPlan | Callable[[PlanRequest, Context], Answer]


def own_planner(planner: AnyPlanner, name: str = '') -> Planner:
    """A Planner from an object with `plan(request, ctx)`, or from such a function.

    It may return a PlanReply or only the steps. `name` is used if the planner has no name.
    """
    plan: Any = getattr(planner, 'plan', planner)
    if not callable(plan):
        raise TypeError('a planner is a function of (request, ctx), or an object with such a '
                        f'function as `plan`, not {planner!r}')
    given = name or getattr(planner, '__name__', type(planner).__name__)
    return OwnPlanner(plan, getattr(planner, 'name', given),
                      bool(getattr(planner, 'uses_model', False)))


class OwnPlanner:
    """Calls a function for each plan. The function may return only steps."""

    def __init__(self, plan: Callable[[PlanRequest, Context], Answer], name: str,
                 uses_model: bool = False) -> None:
        self._plan = plan
        self.name = name
        self.uses_model = uses_model

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        """The planner's answer. Without goals, those in the words of the task are judged."""
        reply = self._reply(request, ctx)
        if reply.goals or reply.kind not in (ReplyKind.STEPS, ReplyKind.DONE):
            return reply
        by_words = None if request.goals else goals_by_words(request)
        if by_words is None:
            return replace(reply, goals=request.goals)
        return replace(reply, goals=by_words.goals, goals_certain=by_words.is_only)

    def _reply(self, request: PlanRequest, ctx: Context) -> PlanReply:
        answer = self._plan(request, ctx)
        if isinstance(answer, PlanReply):
            return answer
        steps = tuple(answer) if isinstance(answer, Iterable) else (answer,)
        if not all(isinstance(step, Step) for step in steps):
            raise wrong_return(f'planner {self.name!r}', 'a PlanReply or a list of Steps', answer)
        return PlanReply(ReplyKind.STEPS, steps)
