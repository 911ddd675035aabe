"""Goals, feedback and results of the actions, and the services: domain to messages and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from replan_agent_interfaces.action import ExecuteSkill, ExecuteTask, MakePlan
from replan_agent_interfaces.msg import Event as EventMsg
from replan_agent_interfaces.msg import StageTime as StageTimeMsg
from replan_agent_interfaces.msg import SuggestedGoal as SuggestedGoalMsg
from replan_agent_interfaces.srv import ApprovePlan

from replan_agent.agent.task_progress import Progress, State
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig, ConfigError, build
from replan_agent.domain.event import Event
from replan_agent.domain.plan import PlanReply, PlanRequest, ReplyKind, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, SkillResult
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.text.plain_values import plain

from .error_codes import PLAN_CODES, skill_code, task_code
from .message_fields import (
    MessageError,
    budget_to_msg,
    duration_from_msg,
    duration_to_msg,
    enum_from_msg,
    id_to_msg,
    map_from_msg,
    map_to_msg,
    optional_enum_from_msg,
    optional_enum_to_msg,
    optional_from_msg,
    optional_to_msg,
    ternary_from_msg,
    ternary_to_msg,
    time_to_msg,
)
from .scene_messages import (
    attempt_from_msg,
    attempt_to_msg,
    completed_from_msg,
    completed_to_msg,
    goal_from_msg,
    goal_to_msg,
    plan_from_msg,
    plan_to_msg,
    proof_from_msg,
    proof_to_msg,
    record_from_msg,
    record_to_msg,
    result_from_msg,
    result_to_msg,
    scene_from_msg,
    scene_to_msg,
    step_from_msg,
    step_to_msg,
)
from .skill_lists import specs_from_msgs, specs_to_msgs

COUNTS = ('max_replans', 'max_total_replans', 'max_api_calls', 'max_step_retries', 'max_steps')
TIMEOUTS = ('replan_timeout', 'skill_timeout', 'task_timeout')
BUDGETS = (*COUNTS, *TIMEOUTS)
NO_BUDGET = -1  # means 0 in a goal; 0 in a goal means "as configured"


# ExecuteTask


@dataclass(frozen=True)
class TaskOrder:
    """What a caller wants: a task, and how it differs from the configuration."""

    task: str
    scene_hints: tuple[str, ...] = ()
    budgets: Mapping[str, float] = field(default_factory=dict)  # those of BUDGETS that differ
    planner: str | None = None
    perception: str | None = None
    approval: str | None = None
    steps: tuple[Step, ...] = ()  # a plan of the caller; without it a planner is asked

    def applied_to(self, config: AgentConfig) -> AgentConfig:
        """`config` with this task's budgets; MessageError if one is out of range."""
        try:
            checked = build(AgentConfig, dict(self.budgets), 'goal')
        except ConfigError as error:
            raise MessageError(str(error)) from error
        if 'max_replans' in self.budgets:  # no limit that the goal does not name is nearer
            config = config.allowing_replans(checked.max_replans)
        return replace(config, **{name: getattr(checked, name) for name in self.budgets})


def order_to_msg(order: TaskOrder) -> ExecuteTask.Goal:
    return ExecuteTask.Goal(
        task=order.task, scene_hints=list(order.scene_hints), planner=order.planner or '',
        perception=order.perception or '', approval=order.approval or '',
        steps=list(map(step_to_msg, order.steps)),
        **{name: duration_to_msg(value) if name in TIMEOUTS else value or NO_BUDGET
           for name, value in order.budgets.items()})


def order_from_msg(msg: ExecuteTask.Goal) -> TaskOrder:
    """The order in a goal; MessageError if no configuration could allow it."""
    if not msg.task.strip():
        raise MessageError('goal: task must not be empty')
    budgets: dict[str, float] = {name: max(value, 0) if value == NO_BUDGET else value
                                 for name in COUNTS if (value := getattr(msg, name))}
    budgets |= {name: seconds for name in TIMEOUTS
                if (seconds := duration_from_msg(getattr(msg, name)))}
    order = TaskOrder(msg.task, tuple(msg.scene_hints), budgets, msg.planner or None,
                      msg.perception or None, msg.approval or None,
                      tuple(map(step_from_msg, msg.steps)))
    order.applied_to(AgentConfig())
    return order


def task_result_to_msg(result: TaskResult, task_id: str = '',
                       run_folder: str = '') -> ExecuteTask.Result:
    return ExecuteTask.Result(
        task=result.task, success=result.success, final_reason=result.final_reason.value,
        why=result.why, would_help=result.would_help,
        final_detail=result.final_detail, replans=result.replans,
        total_replans=result.total_replans, steps=list(map(record_to_msg, result.steps)),
        attempts=list(map(attempt_to_msg, result.attempts)),
        plans=[plan_to_msg(plan, task_id) for plan in result.plans],
        goals=list(map(goal_to_msg, result.goals)),
        goals_named_by=result.goals_named_by,
        goal_verified=ternary_to_msg(result.goal_verified), planner=result.planner,
        perception=result.perception, api_calls=result.api_calls, recaptures=result.recaptures,
        timings=[StageTimeMsg(stage=stage, duration=duration_to_msg(seconds))
                 for stage, seconds in result.timings.items()],
        completed=list(map(completed_to_msg, result.completed)),
        guidance=list(result.guidance), hints=list(result.hints),
        recovery_json=map_to_msg(plain({
            'approvals': result.approvals, 'reflections': result.reflections,
            'proofs': [proof.as_dict() for proof in result.proofs],
            'local_planning': result.local, 'suggested_plan': result.suggested_plan})),
        not_recorded=result.not_recorded,
        extra_json=map_to_msg(result.extra),
        error_code=task_code(result), error_msg='' if result.success else result.final_detail,
        run_folder=run_folder)


def task_result_from_msg(msg: ExecuteTask.Result) -> TaskResult:
    """The result without `recovery_json`, which is for people to read."""
    return TaskResult(
        msg.task, msg.success, enum_from_msg(FinalReason, msg.final_reason, 'final_reason'),
        msg.final_detail, msg.replans, msg.total_replans,
        tuple(map(record_from_msg, msg.steps)), tuple(map(attempt_from_msg, msg.attempts)),
        tuple(map(plan_from_msg, msg.plans)), tuple(map(goal_from_msg, msg.goals)),
        ternary_from_msg(msg.goal_verified, 'goal_verified'), msg.planner, msg.perception,
        msg.api_calls, msg.recaptures,
        {spent.stage: duration_from_msg(spent.duration) for spent in msg.timings},
        completed=tuple(map(completed_from_msg, msg.completed)), guidance=tuple(msg.guidance),
        hints=tuple(msg.hints), goals_named_by=msg.goals_named_by, not_recorded=msg.not_recorded,
        why=msg.why, would_help=msg.would_help,
        extra=map_from_msg(msg.extra_json, 'extra_json'))


def progress_to_msg(progress: Progress) -> ExecuteTask.Feedback:
    return ExecuteTask.Feedback(
        state=progress.state.value, plan_version=progress.plan_version,
        step_idx=progress.step_idx, step=optional_to_msg(progress.step, step_to_msg),
        replans=progress.replans,
        last_attempt=optional_to_msg(progress.last_attempt, attempt_to_msg),
        message=progress.message)


def progress_from_msg(msg: ExecuteTask.Feedback) -> Progress:
    return Progress(enum_from_msg(State, msg.state, 'feedback: state'), msg.plan_version,
                    msg.step_idx, optional_from_msg(msg.step, step_from_msg), msg.replans,
                    optional_from_msg(msg.last_attempt, attempt_from_msg), msg.message)


# MakePlan


def suggested_plan_to_msg(suggested_plan: SuggestedPlan | None) -> list[SuggestedGoalMsg]:
    return [SuggestedGoalMsg(text=g.text, goal=optional_to_msg(g.goal, goal_to_msg), done=g.done)
            for g in suggested_plan.goals] if suggested_plan else []


def suggested_plan_from_msg(msgs: Sequence[SuggestedGoalMsg]) -> SuggestedPlan | None:
    """The suggested plan; None without goals."""
    goals = tuple(SuggestedGoal(m.text, optional_from_msg(m.goal, goal_from_msg), m.done)
                  for m in msgs)
    return SuggestedPlan(goals) if goals else None


def plan_request_to_msg(request: PlanRequest, timeout_s: float = 0.0,
                        calls_left: int | None = None) -> MakePlan.Goal:
    """The goal for a planner that may take `calls_left` model calls (None: any number)."""
    return MakePlan.Goal(
        task=request.task, scene=scene_to_msg(request.scene),
        skills=specs_to_msgs(request.skills),
        prior_attempts=list(map(attempt_to_msg, request.prior_attempts)),
        completed=list(map(completed_to_msg, request.completed)), replan=request.replan,
        goals=list(map(goal_to_msg, request.goals)), goals_certain=request.goals_certain,
        previous=optional_to_msg(request.previous, plan_to_msg),
        suggested_plan=suggested_plan_to_msg(request.suggested_plan),
        proofs=list(map(proof_to_msg, request.proofs)),
        context_json=map_to_msg(request.context), timeout=duration_to_msg(timeout_s),
        max_api_calls=budget_to_msg(calls_left))


def plan_request_from_msg(msg: MakePlan.Goal) -> PlanRequest:
    """The request without its limits, which are `msg.timeout` and `msg.max_api_calls`."""
    return PlanRequest(
        msg.task, scene_from_msg(msg.scene), specs_from_msgs(msg.skills),
        tuple(map(attempt_from_msg, msg.prior_attempts)),
        tuple(map(completed_from_msg, msg.completed)), msg.replan,
        tuple(map(goal_from_msg, msg.goals)), optional_from_msg(msg.previous, plan_from_msg),
        map_from_msg(msg.context_json, 'context_json'),
        suggested_plan_from_msg(msg.suggested_plan), msg.goals_certain,
        tuple(map(proof_from_msg, msg.proofs)))


def plan_reply_to_msg(reply: PlanReply) -> MakePlan.Result:
    """The result without `planner` and `api_calls`, which the reply does not know."""
    code = PLAN_CODES[reply.kind]
    return MakePlan.Result(
        kind=reply.kind.value, steps=list(map(step_to_msg, reply.steps)),
        goals=list(map(goal_to_msg, reply.goals)), goals_certain=reply.goals_certain,
        reason=optional_enum_to_msg(reply.reason), cause=optional_enum_to_msg(reply.cause),
        detail=reply.detail, warnings=list(reply.warnings), left_alone=list(reply.left_alone),
        suggested_plan=suggested_plan_to_msg(reply.suggested_plan), error_code=code,
        error_msg=(reply.detail or reply.kind.value) if code else '')


def plan_reply_from_msg(msg: MakePlan.Result) -> PlanReply:
    return PlanReply(
        enum_from_msg(ReplyKind, msg.kind, 'plan reply: kind'),
        tuple(map(step_from_msg, msg.steps)), tuple(map(goal_from_msg, msg.goals)),
        optional_enum_from_msg(Reason, msg.reason, 'plan reply: reason'), msg.detail,
        tuple(msg.warnings), suggested_plan_from_msg(msg.suggested_plan), msg.goals_certain,
        optional_enum_from_msg(Cause, msg.cause, 'plan reply: cause'), tuple(msg.left_alone))


# ExecuteSkill


def skill_call_to_msg(step: Step, scene: Scene, task_id: str = '', plan_version: int = 0,
                      timeout_s: float = 0.0) -> ExecuteSkill.Goal:
    return ExecuteSkill.Goal(step=step_to_msg(step), scene=scene_to_msg(scene),
                             task_id=id_to_msg(task_id), plan_version=plan_version,
                             timeout=duration_to_msg(timeout_s))


def skill_call_from_msg(msg: ExecuteSkill.Goal) -> tuple[Step, Scene]:
    """The step, and the scene of its plan."""
    return step_from_msg(msg.step), scene_from_msg(msg.scene)


def skill_outcome_to_msg(result: SkillResult) -> ExecuteSkill.Result:
    return ExecuteSkill.Result(result=result_to_msg(result), error_code=skill_code(result),
                               error_msg='' if result.success else result.reason_detail)


def skill_outcome_from_msg(msg: ExecuteSkill.Result) -> SkillResult:
    return result_from_msg(msg.result)


# Approval and events


def approval_from_request(msg: ApprovePlan.Request) -> Approval:
    """The decision. A plan that is to be changed is not approved."""
    edit = msg.edit.strip()
    return Approval(msg.approved and not edit, msg.approver, msg.detail, edit=edit)


def event_to_msg(event: Event, stamp_s: float, task_id: str, sequence: int) -> EventMsg:
    return EventMsg(stamp=time_to_msg(stamp_s), task_id=id_to_msg(task_id), sequence=sequence,
                    kind=event.kind, data_json=map_to_msg(event.as_dict()))

