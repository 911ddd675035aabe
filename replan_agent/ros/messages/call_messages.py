# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages that have more in them than one value: of the actions, the services and events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from replan_agent_interfaces.action import ExecuteSkill, ExecuteTask, MakePlan
from replan_agent_interfaces.msg import Event as EventMsg
from replan_agent_interfaces.msg import Plan as PlanMsg
from replan_agent_interfaces.srv import ApprovePlan
from std_msgs.msg import Header

from replan_agent.domain.approval_request import Approval
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.event import Event
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.plan import Plan, PlanRequest, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult
from replan_agent.domain.task_result import TaskResult

from .error_codes import skill_code
from .message_fields import budget_to_msg, duration_to_msg, id_to_msg, map_to_msg, time_to_msg
from .message_table import from_msg, to_msg, with_hand
from .task_order import TaskOrder


def order_from_msg(msg: ExecuteTask.Goal) -> TaskOrder:
    """The order in a goal; MessageError if no configuration could allow it."""
    order = from_msg(TaskOrder, msg)
    order.applied_to(AgentConfig())
    return order


def task_result_to_msg(result: TaskResult, task_id: str = '',
                       run_folder: str = '') -> ExecuteTask.Result:
    msg = to_msg(result, run_folder=run_folder)
    for plan in msg.plans:
        plan.task_id = id_to_msg(task_id)
    return msg


def plan_to_msg(plan: Plan, task_id: str = '', request: int = 0) -> PlanMsg:
    """`task_id` is the task of the node that the plan belongs to; the domain has no such id.

    `request` is the number of the question, if the plan waits for approval.
    """
    return to_msg(plan, task_id=id_to_msg(task_id), request=request)


def plan_request_to_msg(request: PlanRequest, timeout_s: float = 0.0,
                        calls_left: int | None = None) -> MakePlan.Goal:
    """The goal for a planner that may take `calls_left` model calls (None: any number)."""
    return to_msg(request, timeout=duration_to_msg(timeout_s),
                  max_api_calls=budget_to_msg(calls_left))


def plan_request_from_msg(msg: MakePlan.Goal, hand: HandShape) -> PlanRequest:
    """The request, all of its scenes with this hand."""
    request = from_msg(PlanRequest, msg)
    return replace(request, scene=with_hand(request.scene, hand), proofs=tuple(
        replace(proof, scene=with_hand(proof.scene, hand)) for proof in request.proofs))


def skill_call_to_msg(step: Step, scene: Scene, task_id: str = '', timeout_s: float = 0.0,
                      **more: Any) -> ExecuteSkill.Goal:
    return ExecuteSkill.Goal(step=to_msg(step), scene=to_msg(scene), task_id=id_to_msg(task_id),
                             timeout=duration_to_msg(timeout_s), **more)


def skill_outcome_to_msg(result: SkillResult) -> ExecuteSkill.Result:
    return ExecuteSkill.Result(result=to_msg(result), error_code=skill_code(result),
                               error_msg='' if result.success else result.reason_detail)


def approval_from_request(msg: ApprovePlan.Request) -> Approval:
    """The decision. A plan that is to be changed is not approved."""
    edit = msg.edit.strip()
    return Approval(msg.approved and not edit, msg.approver, msg.detail, edit=edit)


def event_to_msg(event: Event, stamp_s: float, task_id: str, sequence: int) -> EventMsg:
    return EventMsg(header=Header(stamp=time_to_msg(stamp_s)), task_id=id_to_msg(task_id),
                    sequence=sequence, kind=event.kind, data_json=map_to_msg(event.as_dict()))
