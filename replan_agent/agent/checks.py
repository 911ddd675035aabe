# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""CHECK: every plan is validated, rehearsed in a twin and reviewed before anything moves."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain import event as events
from replan_agent.domain.chat import ModelError
from replan_agent.domain.context import BudgetExhausted, CancelToken, DeadlineExceeded
from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.plan import Plan, PlanProblem
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.skill import Reason, find_spec
from replan_agent.domain.task_view import Guidance, RehearsalResult, TaskView
from replan_agent.geometry.goal_check import goal_problems
from replan_agent.geometry.steps.forecast import forecast
from replan_agent.geometry.steps.proofs import OF_THE_OBJECT

from . import ports
from .broken_part import naming
from .diagnosing import attempt_of, record_attempt, refuse
from .episode import Episode
from .task_progress import State


def problems_with(ep: Episode, plan: Plan) -> list[PlanProblem]:
    """Why the plan may not run in the current scene; empty if it may. Problems are recorded.

    The task's own goals were checked when they were named. Their objects may be hidden now.
    """
    new = plan.goals
    if isinstance(new, (tuple, list)):
        new = tuple(goal for goal in new if goal not in ep.goals.all)
    problems = [PlanProblem(Reason.BAD_ARGUMENTS, why) for why in goal_problems(new, ep.scene)]
    problems += ep.ports.check_plan(replace(plan, goals=()), ep.scene, ep.specs)
    problems = problems or moved_though_left_alone(ep, plan)  # of a plan that is well-formed
    if problems:
        ep.record(events.PlanRefused(plan, tuple(problem.detail for problem in problems)))
    return problems


def moved_though_left_alone(ep: Episode, plan: Plan) -> list[PlanProblem]:
    """The steps that take or slide what the task says to leave where it is."""
    specs, found = ep.specs, []
    for index, step in enumerate(plan.steps):
        spec = find_spec(specs, step.skill)
        name = spec.moves(step.args) if spec is not None else None
        if name in ep.goals.left_alone:
            found.append(PlanProblem(Reason.PRECONDITION_FAILED, f'step {index + 1} moves {name}, '
                                     'which the task says to leave where it is', index))
    return found


def check_resumed_goals(ep: Episode) -> None:
    """Drop the goals of an earlier run if they mean nothing here. The planner names others."""
    problems = list(goal_problems(ep.goals.all, ep.scene))
    if problems:
        ep.warn(f'the goals of the earlier run are not used: {"; ".join(problems)}')
        ep.goals.change((), False, ep.scene)


def listed(problems: list[PlanProblem]) -> str:
    """The problems in one sentence."""
    return '; '.join(problem.detail for problem in problems)


def is_rehearsed(ep: Episode, plan: Plan, index: int = 0) -> bool:
    """Whether the plan passes its rehearsal. True if rehearsal is off.

    One that cannot be rehearsed is not bad: that is a warning. Own steps are of the step `index`.
    """
    ep.plans.rehearsed = None
    if ep.ports.rehearsal is None or not ep.ports.rehearsal.is_due(plan, ep.scene):
        return True
    ep.enter(State.REHEARSING)
    outcome = ep.plans.rehearsed = _rehearse(ep.ports.rehearsal, plan, ep)
    if outcome is None:
        return True
    ep.budgets.add_time('rehearse', outcome.duration_s)
    ep.record(events.RehearsalFinished(plan.version, outcome.ok, outcome.failed_step,
                                       outcome.result, outcome.duration_s, outcome.chance))
    if outcome.chance and plan.version not in ep.plans.chances:  # the first: of the whole plan
        ep.plans.chances[plan.version] = outcome.chance
    step, result = outcome.failed_step, outcome.result
    if outcome.ok or step is None or result is None:
        return True
    result = replace(result, reason_detail=f'in rehearsal: {result.reason_detail}')
    if result.cause not in OF_THE_OBJECT:  # what the twin's objects weigh is a guess
        earlier = plan.steps[:plan.steps.index(step)] if step in plan.steps else ()
        hand = forecast(earlier, ep.scene, ep.specs)
        ep.failures.note_proof(step, replace(ep.scene, held=hand.held), result)
    planned = ep.plans.latest.steps if ep.plans.latest else ()
    record_attempt(ep, attempt_of(planned.index(step) if step in planned else index, step,
                                  result, AttemptStage.PLAN, plan.version, rehearsed=True), step)
    return False


def _rehearse(rehearsal: ports.Rehearsal, plan: Plan, ep: Episode) -> RehearsalResult | None:
    limit, plan = ep.ports.config.replan_timeout, replace(plan, goals=ep.goals.all, context={
        **plan.context, 'attempts': len(ep.failures.attempts)})
    try:
        with naming('the rehearsal'):
            return rehearsal.rehearse(plan, ep.scene, replace(
                ep.ctx.within(limit), cancel=CancelToken(ep.ctx.cancel, ep.ctx.stopped)))
    except DeadlineExceeded:
        ep.ctx.check()  # raises if the task's own deadline is over
        problem = f'it took longer than replan_timeout={limit:g}s'
    except RehearsalError as error:
        problem = str(error)
    ep.warn(f'plan {plan.version} was not rehearsed: {problem}')
    return None


def is_sound(ep: Episode, plan: Plan) -> bool:
    """Whether a plan that is about to run has no fundamental problem."""
    guidance = _review(ep, plan)
    if guidance is None or not guidance.stops:
        ep.plans.open_guidance = ''
        if guidance is not None:
            ep.record(events.GuidanceGiven(plan.version, guidance.problem,
                                           f'{guidance.text} The plan continues anyway.'))
        return True
    _apply_guidance(ep, plan, guidance)
    refuse(ep, Reason.PRECONDITION_FAILED.value, f'plan monitor: {guidance.text}')
    return False


def objection_to(ep: Episode, plan: Plan) -> str:
    """What the monitor says against steps of the agent's own; empty if they may run."""
    ep.plans.rehearsed = None  # that was another plan
    guidance = _review(ep, plan)
    if guidance is None:
        return ''
    ep.record(events.GuidanceGiven(plan.version, guidance.problem, guidance.text))
    return f'plan monitor: {guidance.text}' if guidance.stops else ''


def needs_new_plan(ep: Episode, plan: Plan) -> bool:
    """Whether the rest of the plan should be replaced after the last step.

    Without a look since that step there is nothing to judge.
    """
    if not ep.sight.just_looked:
        return False
    guidance = ep.ports.monitor.watch(plan, _view(ep), ep.ctx) if ep.ports.monitor else None
    if guidance is not None:
        _apply_guidance(ep, plan, guidance)
    return guidance is not None and ep.ports.config.replanning


def _review(ep: Episode, plan: Plan) -> Guidance | None:
    """The monitor's review. If the monitor cannot answer, warn and continue without it."""
    if ep.ports.monitor is None:
        return None
    limit = ep.ports.config.replan_timeout
    try:
        return ep.ports.monitor.review(plan, _view(ep), ep.ctx.within(limit))
    except DeadlineExceeded:
        ep.ctx.check()  # raises if the task's own deadline is over
        problem = f'it took longer than replan_timeout={limit:g}s'
    except (ModelError, BudgetExhausted) as error:
        problem = str(error)
    ep.warn(f'plan {plan.version} was not reviewed to the end: {problem}')
    return None


def _apply_guidance(ep: Episode, plan: Plan, guidance: Guidance) -> None:
    """Apply guidance. It changes only goals that are not met yet."""
    ep.plans.guidance.append(guidance)
    ep.plans.open_guidance = guidance.text
    ep.record(events.GuidanceGiven(plan.version, guidance.problem, guidance.text))
    ep.goals.revise(guidance.goals, ep.scene)


def _view(ep: Episode) -> TaskView:
    return TaskView(ep.task, ep.goals.all, ep.goals.suggested, tuple(ep.sight.scenes),
                          tuple(ep.plans.executed), tuple(ep.failures.attempts), ep.scene,
                          ep.plans.rehearsed, tuple(ep.plans.guidance), ep.specs)
