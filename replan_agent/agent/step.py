# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Execute one step: counted, timed and recorded."""

from __future__ import annotations

import threading

from replan_agent.domain import event as events
from replan_agent.domain.context import Cancelled, DeadlineExceeded
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.port_errors import NodeLost, PartFailed
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed
from replan_agent.domain.task_result import FinalReason, StepRecord

from .broken_part import naming, watchdog
from .episode import Ended, Episode
from .state.budgets import STEPS
from .task_progress import State

INTERRUPTED = {Cancelled: Reason.STOPPED, DeadlineExceeded: Reason.TIMEOUT,
               NodeLost: Reason.CONTROLLER_ABORTED, PartFailed: Reason.STOPPED,
               KeyboardInterrupt: Reason.STOPPED, SystemExit: Reason.STOPPED}


def execute_once(ep: Episode, plan: Plan, index: int, step: Step, retry: int = 0,
                 local_state: str = '') -> SkillResult:
    """Execute a step, which is the one at `index` of the plan or belongs to it; record it."""
    clock = ep.ports.clock
    ep.ctx.check()  # nothing starts after a stop
    if ep.budgets.left(STEPS) <= 0:
        raise Ended(FinalReason.MAX_STEPS,
                    f'{len(ep.plans.executed)} steps were executed ({ep.budgets.limit(STEPS)})'
                    + (f'; {ep.failures.sentence}' if ep.failures.attempts else ''))
    ep.budgets.spend(STEPS)
    ep.enter(State.EXECUTING)
    started = clock.now()
    ep.record(events.StepStarted(index, plan.version, step, retry, local_state))

    def keep(result: SkillResult) -> SkillResult:
        elapsed = clock.now() - started
        ep.sight.just_looked = False
        ep.budgets.add_time('execute', elapsed)
        ep.plans.executed.append(StepRecord(index, plan.version, step, result, elapsed, retry,
                                   local_state))
        ep.record(events.StepFinished(index, plan.version, step, result, elapsed))
        return result

    try:
        return keep(_call_skill(ep, step, index))
    except tuple(INTERRUPTED) as end:  # the task is over, but the arm may have moved
        reason = next(r for kind, r in INTERRUPTED.items() if isinstance(end, kind))
        try:
            keep(failed(reason, f'interrupted: {str(end) or type(end).__name__}'))
        finally:  # even if the record cannot be written
            raise end


def _call_skill(ep: Episode, step: Step, index: int) -> SkillResult:
    one_at_a_time = threading.Lock()  # the watchdog speaks from its own thread

    def record(event: events.Event) -> None:
        with one_at_a_time, naming('the recorder'):
            ep.record(event)

    skills, limit = ep.ports.skills, ep.ports.config.skill_timeout
    what, ctx = f'skill {step.skill!r}', ep.ctx.within(limit)
    try:
        with watchdog(what, ctx, skills.stop, lambda text: record(events.WarningRaised(text))
                      ) as watch, naming(what):
            result = skills.execute(step, ep.scene, ctx, lambda phase: record(
                events.PhaseStarted(index, step.skill, phase)))
        if watch.has_stopped:
            ctx.check()
        return result
    except DeadlineExceeded:
        ep.ctx.check()  # raises if the task's own deadline is over
        skills.stop()
        late = f'{step.skill} took longer than skill_timeout={limit:g}s'
        return failed(Reason.TIMEOUT, late, FailedStage.EXECUTION)
