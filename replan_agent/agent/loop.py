"""The loop: PERCEIVE → PLAN → APPROVE → EXECUTE → (VERIFY) → next step, or DIAGNOSE → REPLAN.

There is one loop. It knows only ports, so it is the same embedded and over ROS. A plan may be
rehearsed in a twin of the scene before it is approved.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NoReturn

from replan_agent.domain import event as events
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import BudgetExhausted, Cancelled, Context, DeadlineExceeded
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.outcome import FinalReason, StepRecord, TaskResult
from replan_agent.domain.plan import Plan, PlanCause, PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed

from . import ports
from .clock import SystemClock
from .episode import Ended, Episode
from .guard import RepeatGuard
from .rehearse import rehearsed_failure
from .states import State
from .verify import judge_goal


@dataclass
class Agent:
    """Carries out a task, and says exactly why when it cannot."""

    perception: ports.Perception
    planner: ports.Planner
    check_plan: ports.PlanCheck
    skills: ports.Skills
    approver: ports.Approver
    policy: ports.Policy
    recorder: ports.Recorder
    config: AgentConfig = field(default_factory=AgentConfig)
    clock: ports.Clock = field(default_factory=SystemClock)
    rehearsal: ports.Rehearsal | None = None

    def run(self, task: str, ctx: Context | None = None,
            extra: Mapping[str, Any] | None = None) -> TaskResult:
        """The outcome of `task`; never raises, whatever the ports do."""
        ctx = replace(ctx or Context(), now=self.clock.now).within(self.config.task_timeout)
        ep = Episode(task, ctx, self.config, RepeatGuard(self.config.repeat_guard),
                     started=self.clock.now())
        self.recorder.record(events.TaskStarted(task, self.planner.name, self.perception.name,
                                                asdict(self.config)))
        end = self._pursue_to_the_end(ep)
        ep.timings['total'] = self.clock.now() - ep.started
        self._enter(State.SUCCEEDED if end.success else State.FAILED)
        self.recorder.record(events.TaskFinished(end.success, end.reason.value, end.detail))
        result = ep.result(end, self.planner.name, self.perception.name, extra or {})
        self.recorder.finish(result)
        return result

    def _pursue_to_the_end(self, ep: Episode) -> Ended:
        """How the task ended. The arm stands still when this returns."""
        try:
            self._pursue(ep)
        except Ended as end:
            return end
        except Cancelled as reason:
            return self._halted(Ended(FinalReason.CANCELLED, str(reason)))
        except DeadlineExceeded:
            limit = f'task_timeout={self.config.task_timeout:g}s'
            return self._halted(Ended(FinalReason.BUDGET_EXHAUSTED,
                                      f'the task took longer than {limit}'))
        except BudgetExhausted as spent:
            return self._halted(Ended(FinalReason.BUDGET_EXHAUSTED, str(spent)))
        except ports.NodeLost as lost:
            return self._halted(Ended(FinalReason.NODE_LOST, str(lost)))
        except Exception as error:  # noqa: BLE001 the loop's edge: a bug ends the task only
            self._record_bug(error)
            return self._halted(Ended(FinalReason.INTERNAL_ERROR,
                                      f'{type(error).__name__}: {error}'))

    def _halted(self, end: Ended) -> Ended:
        """`end`, after the arm stands still; says so when that could not be confirmed."""
        try:
            self.skills.stop()
        except Exception as error:  # noqa: BLE001 the loop's edge: report, whatever it was
            self._record_bug(error)
            end.detail += f'; standstill NOT confirmed: {error}'
        return end

    def _record_bug(self, error: Exception) -> None:
        self.recorder.record(events.InternalError(repr(error), traceback.format_exc()))

    def _pursue(self, ep: Episode) -> NoReturn:
        self._perceive(ep)
        cause = PlanCause.INITIAL
        while True:
            plan = self._plan(ep, cause)
            if plan is None or not self._rehearse(ep, plan):
                cause = PlanCause.ERROR
            else:
                self._approve(ep, plan)
                cause = self._execute(ep, plan) or self._verify(ep)
            self._replan(ep, cause)

    # PERCEIVE

    def _perceive(self, ep: Episode) -> None:
        """Look; a scene may be an old one, marked stale. Without any the task ends."""
        self._enter(State.PERCEIVING)
        started = self.clock.now()
        try:
            scene = self.perception.observe(ep.ctx)
        except ports.PerceptionError as error:
            raise Ended(FinalReason.PERCEPTION_LOST, str(error)) from error
        for warning in scene.warnings:
            self.recorder.record(events.WarningRaised(warning))
        ep.recaptures += ep.scene is not None
        ep.scene = scene
        elapsed = self.clock.now() - started
        ep.add_time('perceive', elapsed)
        self.recorder.record(events.ScenePerceived(scene, elapsed))

    # PLAN

    def _plan(self, ep: Episode, cause: PlanCause) -> Plan | None:
        """A plan that may run, or None when the planner's answer became a failed attempt."""
        self._enter(State.PLANNING)
        reply = self._ask_planner(ep)
        if reply is None:
            return None
        for warning in reply.warnings:
            self.recorder.record(events.WarningRaised(warning))
        ep.goals = ep.goals or reply.goals  # set once: a replan must not weaken the goal
        if reply.kind is ReplyKind.DONE:
            self._verify(ep)
            return None
        if reply.kind is ReplyKind.FAILED:
            reason = reply.reason or Reason.PRECONDITION_FAILED
            self._refuse(ep, reason.value, reply.detail)
            return None
        if reply.kind is not ReplyKind.STEPS:
            raise Ended(_END_OF_REPLY[reply.kind], reply.detail)
        if not reply.steps:
            if cause is PlanCause.ADAPTIVE:
                raise Ended(FinalReason.NO_PLAN, 'Adaptive replan failed')
            self._refuse(ep, FinalReason.NO_PLAN.value, 'the planner returned no steps')
            return None
        plan = ep.next_plan(reply, cause, self.planner.name)
        self.recorder.record(events.PlanMade(plan, ep.last_plan_s))
        return self._checked(ep, plan)

    def _ask_planner(self, ep: Episode) -> PlanReply | None:
        self._keep_interval(ep)
        self.recorder.record(events.PlanRequested(ep.task, ep.replans, len(ep.attempts)))
        request = PlanRequest(ep.task, ep.current_scene, self.skills.specs(), tuple(ep.attempts),
                              tuple(ep.completed), ep.replans, ep.goals,
                              ep.plans[-1] if ep.plans else None)
        started = self.clock.now()
        try:
            return self.planner.plan(request, ep.ctx.within(self.config.replan_timeout))
        except DeadlineExceeded:
            ep.ctx.check()  # the task's own deadline ends the task instead
            self._refuse(ep, Reason.TIMEOUT.value,
                         f'no plan within replan_timeout={self.config.replan_timeout:g}s')
            return None
        finally:
            ep.last_plan_at = self.clock.now()
            ep.last_plan_s = ep.last_plan_at - started
            ep.add_time('plan', ep.last_plan_s)

    def _keep_interval(self, ep: Episode) -> None:
        if ep.last_plan_at is None:
            return
        wait = ep.last_plan_at + self.config.replan_min_interval - self.clock.now()
        if wait > 0:
            self.clock.sleep(wait, ep.ctx)

    def _checked(self, ep: Episode, plan: Plan) -> Plan | None:
        """Nothing moves that was not validated."""
        problems = self.check_plan(plan, ep.current_scene, self.skills.specs())
        if not problems:
            return plan
        details = tuple(problem.detail for problem in problems)
        self.recorder.record(events.PlanRefused(plan, details))
        self._refuse(ep, problems[0].reason.value, '; '.join(details))
        return None

    def _refuse(self, ep: Episode, reason: str, detail: str) -> None:
        self._record_attempt(ep, Attempt(
            len(ep.steps), '', {}, reason, detail, AttemptStage.PLAN, ep.plan_version))

    # REHEARSE

    def _rehearse(self, ep: Episode, plan: Plan) -> bool:
        """Whether nothing failed before the arm moves; without a rehearsal nothing does."""
        if self.rehearsal is None:
            return True
        self._enter(State.REHEARSING)
        failure = rehearsed_failure(self.rehearsal, plan, ep, self.recorder)
        if failure is not None:
            self._record_attempt(ep, failure)
        return failure is None

    # APPROVE

    def _approve(self, ep: Episode, plan: Plan) -> None:
        self._enter(State.APPROVING)
        answer = self.approver.approve(plan, ep.current_scene, ep.ctx)
        self.recorder.record(events.ApprovalDecided(
            plan.version, answer.approved, answer.approver, answer.detail))
        if not answer.approved:
            raise Ended(FinalReason.APPROVAL_DENIED,
                        answer.detail or f'{answer.approver} denied plan {plan.version}')

    # EXECUTE

    def _execute(self, ep: Episode, plan: Plan) -> PlanCause | None:
        """None when every step is done, else why a new plan is needed."""
        for step in plan.steps:
            if step.is_replan:
                return PlanCause.ADAPTIVE
            if not self._execute_with_retries(ep, plan, step):
                return PlanCause.ERROR
            ep.completed.append(step.description or step.call)
            self._between_steps(ep)
        return None

    def _execute_with_retries(self, ep: Episode, plan: Plan, step: Step) -> bool:
        retry = 0
        while True:
            proof = ep.guard.earlier_proof(step, ep.current_scene)
            result = proof or self._execute_once(ep, plan, step, retry)
            if result.success:
                return True
            attempt = self._failed_step(ep, plan, step, result, guarded=proof is not None)
            if result.reason is Reason.STOPPED:
                raise Ended(FinalReason.STOPPED, ep.last_failure())
            if attempt.diagnosis is None or not self.policy.retry(attempt.diagnosis, retry):
                return False
            retry += 1
            self._perceive(ep)

    def _execute_once(self, ep: Episode, plan: Plan, step: Step, retry: int) -> SkillResult:
        if len(ep.steps) >= self.config.max_steps:
            raise Ended(FinalReason.MAX_STEPS,
                        f'{len(ep.steps)} steps were executed (max_steps={self.config.max_steps})'
                        + (f'; {ep.last_failure()}' if ep.attempts else ''))
        self._enter(State.EXECUTING)
        index, started = len(ep.steps), self.clock.now()
        self.recorder.record(events.StepStarted(index, plan.version, step, retry))
        result = self._call_skill(ep, step, index)
        elapsed = self.clock.now() - started
        ep.add_time('execute', elapsed)
        ep.steps.append(StepRecord(index, plan.version, step, result, elapsed, retry))
        self.recorder.record(events.StepFinished(index, plan.version, step, result, elapsed))
        return result

    def _call_skill(self, ep: Episode, step: Step, index: int) -> SkillResult:
        def on_phase(phase: str) -> None:
            self.recorder.record(events.PhaseStarted(index, step.skill, phase))

        limit = self.config.skill_timeout
        try:
            return self.skills.execute(step, ep.current_scene, ep.ctx.within(limit), on_phase)
        except DeadlineExceeded:
            ep.ctx.check()  # the task's own deadline ends the task instead
            self.skills.stop()
            late = f'{step.skill} took longer than skill_timeout={limit:g}s'
            return failed(Reason.TIMEOUT, late, FailedStage.EXECUTION)

    def _between_steps(self, ep: Episode) -> None:
        if self.config.step_delay:
            self.clock.sleep(self.config.step_delay, ep.ctx)
        if self.config.recapture_after_step:
            self._perceive(ep)

    # VERIFY

    def _verify(self, ep: Episode) -> PlanCause:
        """Ends the task when the scene shows the goal; otherwise that is a failed attempt."""
        if not self.config.recapture_after_step or ep.current_scene.stale:
            self._perceive(ep)
        self._enter(State.VERIFYING)
        verdict = judge_goal(ep)
        self.recorder.record(events.GoalJudged(ep.goals, ep.goal_verified))
        if isinstance(verdict, Ended):
            raise verdict
        self._record_attempt(ep, verdict)
        return PlanCause.ERROR

    # DIAGNOSE

    def _failed_step(self, ep: Episode, plan: Plan, step: Step, result: SkillResult,
                     guarded: bool) -> Attempt:
        detail = result.reason_detail
        if guarded:
            detail = f'not tried again in an unchanged scene (repeat_guard): {detail}'
            self.recorder.record(events.RepeatGuarded(len(ep.steps), step, detail))
        ep.guard.note(step, ep.current_scene, result)
        index = len(ep.steps) if guarded else ep.steps[-1].step_idx
        reason = result.reason.value if result.reason else ''
        return self._record_attempt(ep, Attempt(
            index, step.skill, dict(step.args), reason, detail, AttemptStage.EXECUTE,
            plan.version, result.ik, evidence=result.evidence))

    def _record_attempt(self, ep: Episode, attempt: Attempt) -> Attempt:
        """Diagnosed and on disk before the next attempt starts."""
        attempt = replace(attempt, diagnosis=self.policy.diagnose(attempt))
        ep.attempts.append(attempt)
        self.recorder.record(events.AttemptRecorded(attempt))
        return attempt

    # REPLAN

    def _replan(self, ep: Episode, cause: PlanCause) -> None:
        """Look again before the next plan; ends the task when no replan is left."""
        if cause is PlanCause.ERROR and ep.replans >= self.config.max_replans:
            unmet = ep.attempts[-1].stage is AttemptStage.GOAL
            raise Ended(FinalReason.GOAL_NOT_MET if unmet else FinalReason.REPLAN_EXHAUSTED,
                        ep.last_failure())
        if ep.total_replans >= self.config.max_total_replans:
            last = ep.last_failure() if ep.attempts else 'the plan asked for another look'
            raise Ended(FinalReason.REPLAN_EXHAUSTED,
                        f'max_total_replans={self.config.max_total_replans} reached; {last}')
        ep.replans += cause is PlanCause.ERROR
        ep.total_replans += 1
        self._enter(State.REPLANNING)
        self.recorder.record(events.ReplanStarted(cause.value, ep.replans, ep.total_replans))
        self._perceive(ep)

    def _enter(self, state: State) -> None:
        self.recorder.record(events.StateChanged(state.value))


_END_OF_REPLY = {
    ReplyKind.GIVE_UP: FinalReason.GAVE_UP,
    ReplyKind.UNRECOGNIZED: FinalReason.UNRECOGNIZED_PROMPT,
    ReplyKind.TRANSPORT: FinalReason.VLM_TRANSPORT,
}
