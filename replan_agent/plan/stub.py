"""A planner without a model: a small grammar, resolved against the scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate, judge
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason

from .actions import Action, expand, final_goals, numbered
from .binding import Binding
from .grammar import NotUnderstood, parse
from .suggestions import suggested_plan_for


class StubPlanner:
    """Plans tasks that `grammar` understands. The same scene gives the same plan.

    It ignores `prior_attempts`, so a deterministic failure happens again on every replan. It
    ignores hints too, and warns about each. It does not repeat completed steps, but the scene
    counts: a dropped object is picked again.
    """

    name = 'stub'
    uses_model = False

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.check()
        return replace(self._reply(request), warnings=_ignored_hints(request))

    def _reply(self, request: PlanRequest) -> PlanReply:
        try:
            clauses = parse(request.task)
        except NotUnderstood as error:
            return PlanReply(ReplyKind.UNRECOGNIZED, detail=str(error))
        binding = Binding(request.scene, request.completed, request.skills)
        refusal = binding.bind(clauses)
        goals = final_goals(binding.actions)
        remaining = _remaining(binding, goals, request.scene)
        actions = expand(remaining, request.scene)
        steps = numbered(actions, request.scene, request.skills)
        if refusal is not None:
            if not steps or not steps[-1].is_replan:
                return PlanReply(ReplyKind.FAILED, reason=refusal.reason, detail=refusal.detail)
            goals = ()  # an object that is not seen yet may be seen after the replan
        lacking = [a.description for a in actions
                   if not a.is_replan and a.skill(request.scene, request.skills) is None]
        if lacking:
            there_are = ', '.join(spec.name for spec in request.skills) or 'none'
            return PlanReply(ReplyKind.FAILED, goals=goals, reason=Reason.UNKNOWN_SKILL,
                             detail=f'no skill does this: {lacking[0]}; there are: {there_are}')
        if not steps:
            return PlanReply(ReplyKind.DONE, goals=goals, detail='nothing is left to do')
        is_new = request.suggested_plan is None or goals != request.goals
        suggested_plan = suggested_plan_for(binding.actions) if is_new else None
        return PlanReply(ReplyKind.STEPS, steps, goals, suggested_plan=suggested_plan)


def _ignored_hints(request: PlanRequest) -> tuple[str, ...]:
    """A warning about each hint that is new since the last plan."""
    before = request.previous.context.get('hints', ()) if request.previous else ()
    return tuple(f'the stub planner cannot follow hints: {hint!r} is ignored; the planner vlm '
                 'can' for hint in request.context.get('hints', ()) if hint not in before)


def _remaining(binding: Binding, goals: Sequence[Goal], scene: Scene) -> list[Action]:
    """The actions that are still needed, in order."""
    remaining: list[Action] = []
    for index, (action, done) in enumerate(zip(binding.actions, binding.done)):
        later = binding.actions[index + 1:]
        if action.is_replan and not remaining:
            continue  # this scene is fresh: planning now is what the step asks for
        is_final = action.goal in goals and all(a.goal != action.goal for a in later)
        if _is_needed(action, done, is_final, scene, remaining):
            remaining.append(action)
    return remaining


def _is_needed(action: Action, done: bool, is_final: bool, scene: Scene,
               before: Sequence[Action]) -> bool:
    """Whether the action is still needed after those `before` it.

    A final goal counts by whether it holds. A stage on the way counts by whether it was done (or
    is a pick of the held object).
    """
    if action.goal is None:
        return not done
    holds = False if _is_undone_by(before, action.goal) else judge(action.goal, scene)
    if is_final and holds is not None:
        return not holds
    return not done and not (holds and action.is_pick)


def _is_undone_by(actions: Sequence[Action], goal: Goal) -> bool:
    """Whether the actions can undo the goal."""
    if goal.predicate is Predicate.HOME:
        return any(a.moves_object for a in actions)
    if goal.predicate is Predicate.HOLDING:
        return any(a.uses_gripper for a in actions)
    moved = {a.thing for a in actions if a.moves_object}
    return goal.object in moved or goal.target in moved
