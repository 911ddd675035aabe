# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The loop's ports as ROS clients: perception, planner and skills are other nodes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from copy import copy
from typing import Any

from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.action import ExecuteSkill, MakePlan
from replan_agent_interfaces.srv import ListSkills, Observe
from std_srvs.srv import Trigger

from replan_agent.agent.ports import PhaseCallback
from replan_agent.domain.chat import THINKING
from replan_agent.domain.context import BudgetExhausted, Context, DeadlineExceeded
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.plan import PlanReply, PlanRequest, Step
from replan_agent.domain.port_errors import NodeLost, PerceptionError, PerceptionGone
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.ros.arm.arm_stop import ArmStop
from replan_agent.ros.arm.standstill import NoStandstill
from replan_agent.ros.messages import message_fields as fields
from replan_agent.ros.messages.call_messages import plan_request_to_msg, skill_call_to_msg
from replan_agent.ros.messages.message_table import from_msg, specs_from_msgs, with_hand
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.service_port import NodeGone, ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

PERCEPTION_HEARTBEAT = 'perception_heartbeat'
MODEL_PERCEPTION = 'camera_vlm'
LATCH_S = 2.0  # for the latch of a node that may be lost, if the arm already stands still


class RosPerception:
    """Scenes from the perception node. A node that does not answer is a PerceptionError.

    `hand` is that of the arm: all scenes say so. None: `with_hand` finds it.
    """

    uses_model = False  # the node reports its model calls afterwards

    def __init__(self, node: Node, timeouts: Timeouts, name: str = '',
                 hand: HandShape | None = None) -> None:
        self._hand, self._timeouts, self.name = hand, timeouts, name
        self._observe = ServicePort(node, Observe, 'observe', 'perception_node', timeouts,
                                    PERCEPTION_HEARTBEAT)
        self._asked = ''  # which perception the node should use; '': as configured
        self._point_at: tuple[str, ...] | None = None

    def asking_for(self, perception: str,
                   point_at: tuple[str, ...] | None = None) -> RosPerception:
        """A copy of this client for that perception; '': as the node is configured.

        `point_at` is what a model points at, if the perception has one; None: as it did last.
        """
        client = copy(self)
        client._asked, client._point_at = perception, point_at
        return client

    def observe(self, ctx: Context) -> Scene:
        timeouts, asks_model = self._timeouts, MODEL_PERCEPTION in (self._asked, self.name)
        most = timeouts.observe_timeout + asks_model * timeouts.model_look_timeout
        limit = min(most, max(0.0, ctx.remaining_s()))
        request = Observe.Request(timeout=fields.duration_to_msg(limit), perception=self._asked,
                                  point_at=list(self._point_at or ()),
                                  only_these=self._point_at is not None,
                                  max_api_calls=fields.budget_to_msg(ctx.calls_left()))
        try:
            # The node gives up a little earlier than we do, so that it can say why.
            answer = self._observe.call(request, ctx, limit + 1.0)
        except NodeGone as gone:
            raise PerceptionGone(str(gone)) from gone
        except NodeLost as lost:
            raise PerceptionError(str(lost)) from lost
        for _ in range(answer.api_calls):
            ctx.spend_call('perception')
        if answer.error_code == Observe.Response.BUDGET_EXHAUSTED:
            raise BudgetExhausted(answer.error_msg)
        if answer.error_code:
            raise PerceptionError(answer.error_msg)
        try:
            scene = with_hand(from_msg(Scene, answer.scene), self._hand, answer.scene.arm_model)
        except fields.MessageError as error:
            raise PerceptionError(f'perception_node sent an invalid scene: {error}') from error
        self.name = scene.perception
        return scene


class RosPlanner:
    """Plans from the planner node; a cancel reaches the node."""

    uses_model = False  # the node reports its model calls afterwards

    def __init__(self, node: Node, timeouts: Timeouts, name: str = '') -> None:
        self._make_plan = ActionPort(node, MakePlan, 'make_plan', 'planner_node', timeouts,
                                     resend=True)
        self._asked, self.name = '', name  # '': the planner that the node is configured with

    def asking_for(self, planner: str) -> RosPlanner:
        """A copy of this client for that planner; '': as the node is configured."""
        client = copy(self)
        client._asked = planner
        return client

    def give_up(self, at: float) -> None:
        """Do not wait for the node after that monotonic time, because this process ends."""
        self._make_plan.give_up_at = at

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        goal = plan_request_to_msg(request, ctx.remaining_s(), ctx.calls_left())
        goal.planner = self._asked
        heard: list[str] = []

        def report(feedback: MakePlan.Feedback) -> None:
            if feedback.message.startswith(THINKING) and feedback.message not in heard:
                heard.append(feedback.message)
                ctx.report(feedback.message)

        ended = self._make_plan.call(goal, ctx, report)
        answer = ended.result
        for _ in range(answer.api_calls):
            ctx.spend_call('planning')
        if answer.error_code == MakePlan.Result.BUDGET_EXHAUSTED:
            raise BudgetExhausted(answer.error_msg)
        if ended.status == GoalStatus.STATUS_CANCELED:
            ctx.check()
        if answer.error_code == MakePlan.Result.TIMEOUT:
            raise DeadlineExceeded(answer.error_msg)
        self.name = answer.planner or self.name
        try:
            return from_msg(PlanReply, answer)
        except fields.MessageError as error:
            raise NodeLost(f'planner_node sent an invalid plan: {error} (make_plan)') from error


class RosSkills:
    """Skills of the skill node. The arm stands still when `execute` returns or raises.

    After NodeLost it may still move: then `stop` ends the motion with `arm`, without the node, as
    it does while `execute` runs.
    """

    def __init__(self, node: Node, timeouts: Timeouts, arm: ArmStop | None = None) -> None:
        self._arm, self._log = arm, node.get_logger()
        self._execute = ActionPort(node, ExecuteSkill, 'execute_skill', 'skill_node', timeouts,
                                   resend=True)
        self._list = ServicePort(node, ListSkills, 'list_skills', 'skill_node', timeouts)
        self._stop = ServicePort(node, Trigger, 'stop', 'skill_node', timeouts)
        self._specs: tuple[SkillSpec, ...] = ()
        self._asked: Any | None = None  # for the skills
        self._runs = self._may_move = self._was_stopped = False
        self._task_id, self._ctx, self._newest = '', Context(), self
        self._latch = f'{node.get_namespace()}/skill_node: stop latch'.lstrip('/')
        node.create_subscription(DiagnosticArray, '/diagnostics', self._on_diagnostics, 10,
                                 callback_group=MutuallyExclusiveCallbackGroup())
        self.permit = 0  # that the node gave the task for its motions; 0: not asked for yet

    def for_task(self, task_id: str, ctx: Context) -> RosSkills:
        """A copy of this client for one task; `ctx` ends with it.

        It keeps nothing from other tasks, because the node may have been restarted. It asks for
        the skills now: the answer comes while the task looks at the scene.
        """
        client = copy(self)
        client._asked = self._list.ask(ListSkills.Request())
        client._task_id, client._specs, client._may_move = task_id, (), False
        client._ctx, client.permit, self._newest = ctx, 0, client
        return client

    def _on_diagnostics(self, told: DiagnosticArray) -> None:
        """After a stop, say in its context that the task is over that began before it."""
        task, said = self._newest, next((one.message for one in told.status if (
            one.name, one.level) == (self._latch, one.ERROR)), '')
        is_due = said and task.permit and not task._ctx.stopped.cancelled

        def end(answer: Any) -> None:
            if answer.result().permit != task.permit:
                task._ctx.stopped.cancel(f'{said}; call reset_stop, and send the task again')

        if is_due and (asked := self._list.ask(ListSkills.Request())):
            asked.add_done_callback(end)

    def ask_permit(self) -> Callable[[], int]:
        """Ask for a permit. The function returns it, or 0 if it may be newer than this moment."""
        began, asked, told = time.monotonic(), self._list.ask(ListSkills.Request()), [0]

        def keep(answer: Any) -> None:
            is_older = fields.time_from_msg(answer.result().permit_age) > time.monotonic() - began
            told.append(answer.result().permit if is_older else 0)  # after a stop it is not

        if asked is not None:
            asked.add_done_callback(keep)
        return lambda: told[-1]

    def give_up(self, at: float) -> None:
        """Wait for neither node nor arm after that monotonic time, because this process ends."""
        self._execute.give_up_at = at
        if self._arm is not None:
            self._arm.give_up(at)

    def specs(self) -> tuple[SkillSpec, ...]:
        """The skills of the node; asked once per task."""
        if not self._specs:
            asked, self._asked = self._asked, None
            listed = self._list.call(ListSkills.Request(), self._ctx, asked=asked)
            self._specs, self.permit = specs_from_msgs(listed.skills), listed.permit
        return self._specs

    def execute(self, step: Step, scene: Scene, ctx: Context,
                on_phase: PhaseCallback) -> SkillResult:
        self.specs()
        self._runs, self._was_stopped = True, False
        try:
            return self._call(step, scene, ctx, on_phase, permit=self.permit)
        except NodeLost:
            self._may_move = True
            raise
        finally:
            self._runs = False

    def foresee(self, step: Step, scene: Scene, ctx: Context) -> SkillResult:
        """Whether the node could do the step in that scene; nothing moves."""
        return self._call(step, scene, ctx, lambda phase: None, plan_only=True)

    def _call(self, step: Step, scene: Scene, ctx: Context, on_phase: PhaseCallback,
              **more: Any) -> SkillResult:
        goal, phase = skill_call_to_msg(step, scene, self._task_id, ctx.remaining_s(), **more), ''

        def on_feedback(feedback: ExecuteSkill.Feedback) -> None:
            nonlocal phase
            if feedback.phase not in ('', phase):
                phase = feedback.phase
                on_phase(phase)

        answer = self._execute.call(goal, ctx, on_feedback)
        is_cancelled = answer.status == GoalStatus.STATUS_CANCELED
        is_over = is_cancelled or ctx.over is not None
        if is_over and answer.result.error_code == ExecuteSkill.Result.CONTROLLER_ABORTED:
            self._may_move = self._runs  # skill_node saw no end of the cancelled motion
        if is_cancelled:
            ctx.check()
        try:
            return from_msg(SkillResult, answer.result.result)
        except fields.MessageError as error:
            raise NodeLost(f'skill_node sent an invalid result: {error} (execute_skill)'
                           ) from error

    def stop(self) -> None:
        """Stop the arm if `execute` runs or has lost the node; otherwise do nothing.

        After a loss, or if the skill goes on after a first stop, this also engages the node's
        latch, if the node still answers and did not start again: a person should look before
        anything moves again. Raises NodeLost if standstill is not confirmed.
        """
        if not (self._runs or self._may_move):
            return
        goes_on, self._was_stopped = self._was_stopped, self._runs
        problem = self._stop_directly()
        if not (problem or (goes_on or self._may_move) and self._may_be_the_same()):
            self._may_move = False
            return
        limit_s = math.inf if problem else LATCH_S
        ctx = Context().within(min(limit_s, self._execute.give_up_at - time.monotonic()))
        try:
            answer = self._stop.call(Trigger.Request(), ctx)
        except (NodeLost, DeadlineExceeded) as lost:
            if problem:
                raise NodeLost(f'{lost}; {problem}') from lost
        else:
            if not answer.success:
                raise NodeLost(f'skill_node could not stop the arm: {answer.message} (stop)')
        self._may_move = False

    def _may_be_the_same(self) -> bool:
        """Whether the node, as far as it answers, neither started again nor was stopped since."""
        ctx = Context().within(min(LATCH_S, self._execute.give_up_at - time.monotonic()))
        try:
            listed = self._list.call(ListSkills.Request(), ctx)
        except (NodeLost, DeadlineExceeded):
            return True
        return self.permit in (0, listed.permit)

    def _stop_directly(self) -> str:
        """Stop the arm without the node; returns why standstill is not confirmed, or ''."""
        if self._arm is None:
            return 'this client cannot stop the arm directly'
        try:
            self._arm.stop()
        except NoStandstill as error:
            return str(error)
        self._log.warning('the arm was stopped without skill_node and stands still')
        return ''
