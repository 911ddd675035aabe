"""MONITOR: reviews a plan before it runs and the scene after each step."""

from __future__ import annotations

from replan_agent.domain import event as events
from replan_agent.domain.chat import ModelError
from replan_agent.domain.context import BudgetExhausted, DeadlineExceeded
from replan_agent.domain.plan import Plan
from replan_agent.domain.skill import Reason

from . import ports
from .episode import Episode
from .planning import refuse


def is_sound(ep: Episode, plan: Plan) -> bool:
    """Whether a plan that is about to run has no fundamental problem."""
    guidance = _review(ep, plan)
    if guidance is None or not guidance.stops:
        ep.open_guidance = ''
        if guidance is not None:
            ep.record(events.GuidanceGiven(plan.version, guidance.problem,
                                           f'{guidance.text} The plan continues anyway.'))
        return True
    _apply_guidance(ep, plan, guidance)
    refuse(ep, Reason.PRECONDITION_FAILED.value, f'plan monitor: {guidance.text}')
    return False


def objection_to(ep: Episode, plan: Plan) -> str:
    """What the monitor says against steps of the agent's own; empty if they may run."""
    ep.rehearsed = None  # that was another plan
    guidance = _review(ep, plan)
    if guidance is None:
        return ''
    ep.record(events.GuidanceGiven(plan.version, guidance.problem, guidance.text))
    return f'plan monitor: {guidance.text}' if guidance.stops else ''


def needs_new_plan(ep: Episode, plan: Plan) -> bool:
    """Whether the rest of the plan should be replaced after the last step.

    Without a look since that step there is nothing to judge.
    """
    if not ep.just_looked:
        return False
    monitor = ep.ports.monitor
    guidance = monitor.watch(plan, _view(ep), ep.ctx) if monitor else None
    if guidance is not None:
        _apply_guidance(ep, plan, guidance)
    return guidance is not None and ep.ports.config.replanning


def _review(ep: Episode, plan: Plan) -> ports.Guidance | None:
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
    ep.record(events.WarningRaised(f'plan {plan.version} was not reviewed to the end: {problem}'))
    return None


def _apply_guidance(ep: Episode, plan: Plan, guidance: ports.Guidance) -> None:
    """Apply guidance. It changes only goals that are not met yet."""
    ep.guidance.append(guidance)
    ep.open_guidance = guidance.text
    ep.record(events.GuidanceGiven(plan.version, guidance.problem, guidance.text))
    if ep.suggested_plan is not None and guidance.goals:
        ep.keep_suggested_plan(ep.suggested_plan.revised(guidance.goals).seen_in(ep.current_scene))


def _view(ep: Episode) -> ports.TaskView:
    return ports.TaskView(ep.task, ep.goals, ep.suggested_plan, tuple(ep.scenes), tuple(ep.steps),
                          tuple(ep.attempts), ep.current_scene, ep.rehearsed, tuple(ep.guidance),
                          ep.ports.skills.specs())
