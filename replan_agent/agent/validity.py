"""VALIDATE: every plan is checked before anything moves."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain import event as events
from replan_agent.domain.goal_check import goal_problems
from replan_agent.domain.plan import Plan, PlanProblem
from replan_agent.domain.skill import Reason, find_spec

from .episode import Episode


def problems_with(ep: Episode, plan: Plan) -> list[PlanProblem]:
    """Why the plan may not run in the current scene; empty if it may. Problems are recorded.

    The task's own goals were checked when they were named. Their objects may be hidden now.
    """
    new = plan.goals
    if isinstance(new, (tuple, list)):
        new = tuple(goal for goal in new if goal not in ep.goals)
    problems = [PlanProblem(Reason.BAD_ARGUMENTS, why)
                for why in goal_problems(new, ep.current_scene)]
    problems += ep.ports.check_plan(replace(plan, goals=()), ep.current_scene,
                                    ep.ports.skills.specs())
    problems = problems or moved_though_left_alone(ep, plan)  # of a plan that is well-formed
    if problems:
        ep.record(events.PlanRefused(plan, tuple(problem.detail for problem in problems)))
    return problems


def moved_though_left_alone(ep: Episode, plan: Plan) -> list[PlanProblem]:
    """The steps that take or slide what the task says to leave where it is."""
    specs, found = ep.ports.skills.specs(), []
    for index, step in enumerate(plan.steps):
        spec = find_spec(specs, step.skill)
        name = spec.moves(step.args) if spec is not None else None
        if name in ep.left_alone:
            found.append(PlanProblem(Reason.PRECONDITION_FAILED, f'step {index + 1} moves {name}, '
                                     'which the task says to leave where it is', index))
    return found


def check_resumed_goals(ep: Episode) -> None:
    """Drop the goals of an earlier run if they mean nothing here. The planner names others."""
    problems = list(goal_problems(ep.goals, ep.current_scene))
    if problems:
        ep.record(events.WarningRaised(
            f'the goals of the earlier run are not used: {"; ".join(problems)}'))
        ep.set_goals((), certain=False)


def listed(problems: list[PlanProblem]) -> str:
    """The problems in one sentence."""
    return '; '.join(problem.detail for problem in problems)
