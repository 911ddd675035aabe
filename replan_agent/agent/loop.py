# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop: PERCEIVE → PLAN → APPROVE → EXECUTE → (VERIFY) → next step, or DIAGNOSE → REPLAN.

There is one loop. It knows only ports, so it is the same embedded and over ROS. Policy, local
planning and monitor only propose. The loop executes, so budgets, approval and cancel always hold.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, NoReturn

from replan_agent.domain import event as events
from replan_agent.domain.context import BudgetExhausted, Cancelled, Context, DeadlineExceeded
from replan_agent.domain.plan import Plan, PlanCause
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.recovery import Response
from replan_agent.domain.resume import Resume
from replan_agent.domain.scene import CLEAR
from replan_agent.domain.skill import FELT
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.text.file_bytes import NotWritten

from .approval import approve
from .broken_part import described
from .checks import check_resumed_goals, is_rehearsed, is_sound
from .diagnosing import out_of_replans, respond_to_plan
from .ending import result_of, verdict
from .episode import AgentPorts, Edited, Ended, Episode
from .execution import execute
from .looking import look, look_for_missing, missing
from .planning import ANOTHER_LOOK, make_plan, plan_as_wished, why_replan
from .recovery.human import ask_human
from .recovery.own_steps import look_around, look_past_arm
from .state.budgets import REPLANS, TOTAL_REPLANS
from .task_progress import State
from .verify import verify


class Agent(AgentPorts):
    """Carries out a task. If it cannot, the result says exactly why."""

    def run(self, task: str, ctx: Context | None = None, extra: Mapping[str, Any] | None = None,
            resume: Resume | None = None) -> TaskResult:
        """The outcome of `task`. Never raises an Exception, whatever the ports do.

        Ctrl-C stops the arm, is recorded as `cancelled`, and is raised again. `resume` continues
        an earlier run.
        """
        ctx = replace(ctx or Context(), now=self.clock.now).within(self.config.task_timeout)
        ep = Episode(self, task, ctx, self.clock.now(), extra or {})
        try:
            end = self._run_to_end(ep, resume)
        except (KeyboardInterrupt, SystemExit) as interrupt:
            name = type(interrupt).__name__
            end = self._halted(ep, Ended(FinalReason.CANCELLED, f'interrupted by {name}'))
            self._finish(ep, end)
            raise
        return self._finish(ep, end)

    def _finish(self, ep: Episode, end: Ended) -> TaskResult:
        """The result, which is recorded as far as possible."""
        ep.budgets.timings['total'] = self.clock.now() - ep.started
        state = State.SUCCEEDED if end.success else State.FAILED
        told = verdict(ep, end)
        problem = _try_to_record(end, lambda: ep.enter(state))
        problem = _try_to_record(end, lambda: ep.record(
            events.TaskFinished(end.success, end.reason.value, end.detail, told.why,
                                told.would_help))) or problem
        result = replace(result_of(ep, end, told), not_recorded=problem)
        problem = _try_to_record(end, lambda: self.recorder.finish(result)) or problem
        return replace(result, final_detail=end.detail, not_recorded=problem
                       ) if problem else result

    def _run_loop(self, ep: Episode) -> NoReturn:
        look(ep)
        check_resumed_goals(ep)
        cause = (PlanCause.HUMAN if ep.approvals.hints  # of a run that is resumed
                 else PlanCause.ERROR if ep.failures.attempts else PlanCause.INITIAL)
        look_around(ep)
        plan = None
        while True:
            plan = plan or make_plan(ep, cause)
            try:
                cause, plan = self._carry_out(ep, plan), None
            except Edited as edited:
                cause, plan = PlanCause.HUMAN, plan_as_wished(ep, edited)
            if plan is None:
                cause = self._replan(ep, cause)

    def _carry_out(self, ep: Episode, plan: Plan | None) -> PlanCause:
        """Approve, execute and verify a plan. Returns why another one is needed."""
        if plan is None or not is_rehearsed(ep, plan) or not is_sound(ep, plan):
            return PlanCause.ERROR
        approve(ep, plan)
        cause = execute(ep, plan) or verify(ep)
        if cause is PlanCause.ERROR:
            self.approver.report_outcome(False)
        return cause

    def _replan(self, ep: Episode, cause: PlanCause) -> PlanCause:
        """Look again before the next plan. Ends the task if no replan is left."""
        if cause is PlanCause.ERROR and respond_to_plan(ep) is Response.HUMAN:
            ask_human(ep)
            cause = PlanCause.HUMAN
        elif cause is PlanCause.ERROR and ep.budgets.left(REPLANS) <= 0:
            raise out_of_replans(ep, ep.failures.sentence)
        if ep.budgets.left(TOTAL_REPLANS) <= 0:
            last = ep.failures.sentence if ep.failures.attempts else ANOTHER_LOOK
            raise out_of_replans(ep, f'{ep.budgets.limit(TOTAL_REPLANS)} reached; {last}')
        if cause is PlanCause.ERROR:
            ep.budgets.spend(REPLANS)
        ep.budgets.spend(TOTAL_REPLANS)
        ep.enter(State.REPLANNING)
        ep.record(events.ReplanStarted(cause.value, ep.budgets.spent[REPLANS],
                                       ep.budgets.spent[TOTAL_REPLANS], why_replan(ep, cause)))
        if not ep.looked_at_failure:
            look(ep)
        look_for_missing(ep)
        failed = ep.failures.current
        half_seen = failed is not None and (failed.evidence.get(FELT) or any(
            (thing := ep.scene.get(str(name))) and thing.confidence < CLEAR
            and not thing.is_container for name in failed.args.values()))
        if cause is PlanCause.ERROR:
            (look_past_arm if half_seen or missing(ep) else look_around)(ep)
        return cause

    def _run_to_end(self, ep: Episode, resume: Resume | None) -> Ended:
        """How the task ended. The arm stands still when this returns."""
        try:
            ep.record(events.TaskStarted(ep.task, self.planner.name, self.perception.name,
                                         asdict(self.config), ep.facts))
            if resume is not None:
                ep.resume(resume)
                ep.record(events.TaskResumed(resume))
            self._run_loop(ep)
        except Ended as end:
            self._report_outcome(ep, end)
            return end
        except Cancelled as reason:
            is_stop = ep.ctx.stopped.cancelled and not ep.ctx.cancel.cancelled
            return self._halted(ep, Ended(
                FinalReason.STOPPED if is_stop else FinalReason.CANCELLED, str(reason)))
        except DeadlineExceeded:
            limit = f'task_timeout={self.config.task_timeout:g}s'
            return self._halted(ep, Ended(FinalReason.BUDGET_EXHAUSTED,
                                          f'the task took longer than {limit}'))
        except BudgetExhausted as spent:
            return self._halted(ep, Ended(FinalReason.BUDGET_EXHAUSTED, str(spent)))
        except NodeLost as lost:
            return self._halted(ep, Ended(FinalReason.NODE_LOST, str(lost)))
        except Exception as error:  # noqa: BLE001 the loop's edge: a bug ends the task only
            bug = events.InternalError(repr(error), traceback.format_exc())
            halted = self._halted(ep, Ended(FinalReason.INTERNAL_ERROR, described(error)))
            _try_to_record(halted, lambda: ep.record(bug))
            return halted

    def _halted(self, ep: Episode, end: Ended) -> Ended:
        """`end`, after stopping the arm. The detail says so if standstill is not confirmed."""
        _try_to(self.skills.stop, ep, end, lambda error: f'standstill NOT confirmed: {error}')
        self._report_outcome(ep, end)
        return end

    def _report_outcome(self, ep: Episode, end: Ended) -> None:
        """Tell the approver how it ended. An approver that fails changes only the detail."""
        _try_to(lambda: self.approver.report_outcome(end.success), ep, end, lambda error:
                f"the approver's report_outcome failed with {described(error)}")


def _try_to(act: Callable[[], None], ep: Episode, end: Ended,
            remark: Callable[[Exception], str]) -> None:
    """Act at the end of a task. If that fails, the result gets a remark."""
    try:
        act()
    except Exception as error:  # noqa: BLE001 the loop's edge: report, whatever it was
        bug = events.InternalError(repr(error), traceback.format_exc())
        end.remark(remark(error))
        _try_to_record(end, lambda: ep.record(bug))


def _try_to_record(end: Ended, record: Callable[[], None]) -> str:
    """Why recording did not work; '' if it did. The result gets it as a remark."""
    try:
        record()
    except Exception as error:  # noqa: BLE001 the loop's edge: the task is over
        problem = (error.why if isinstance(error, NotWritten)
                   else f'{type(error).__name__}: {error}')
        end.remark(f'not recorded: {problem}')
        return problem
    return ''
