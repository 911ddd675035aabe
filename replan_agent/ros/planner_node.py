"""planner_node: plans as an action, since a model may take a minute and must be cancellable."""

from __future__ import annotations

import sys
import traceback
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from replan_agent_interfaces.action import MakePlan

from replan_agent.agent.ports import PerceptionError, Planner
from replan_agent.domain.context import BudgetExhausted, Cancelled, Context, DeadlineExceeded
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.robot import CameraError
from replan_agent.domain.skill import Reason
from replan_agent.plan.stub import StubPlanner
from replan_agent.plan.validation import PlanValidator

from .arm_interfaces import CameraInterfaces
from .call_conversions import plan_reply_to_msg, plan_request_from_msg
from .fields import MessageError, budget_from_msg
from .goal_server import Answer, GoalCall, GoalServer
from .parameters import declared
from .running import run_nodes
from .settings import PlannerSettings

NAME = 'planner_node'
AT_ONCE = 3  # a model that does not end a cancelled call must not block the next one
CLOSE_S = 2.0


@dataclass
class CallBudget:
    """Counts the model calls of one plan, and allows no more than `limit`."""

    limit: int | None
    spent: int = 0

    def spend(self, what: str) -> None:
        if self.limit is not None and self.spent >= self.limit:
            raise BudgetExhausted(f'{self.spent} model calls are spent, and {what} needs another')
        self.spent += 1

    def left(self) -> int | None:
        return None if self.limit is None else self.limit - self.spent


class PlannerNode(Node):
    """Serves `make_plan` with the planner that its parameters name."""

    def __init__(self, planner: Planner | None = None, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        self._settings = declared(self, PlannerSettings)
        camera = declared(self, CameraInterfaces)
        self._planner = planner or self._configured(camera)
        self._server = GoalServer(
            self, MakePlan, 'make_plan', self._plan, _refused, at_once=AT_ONCE,
            sign_of_life=lambda call: MakePlan.Feedback(elapsed_s=call.elapsed_s,
                                                        message=call.note))
        self.get_logger().info(f'plans with {self._planner.name}')

    def close(self) -> None:
        self._server.close('planner_node ends', CLOSE_S)

    def _configured(self, names: CameraInterfaces) -> Planner:
        settings = self._settings
        if settings.planner == 'stub':
            return StubPlanner()
        from replan_agent.plan.vlm import VLMPlanner  # not every planner needs a model's client
        from replan_agent.vlm.client import ChatClient

        check = PlanValidator(settings.workspace, settings.agent.max_steps)
        snapshot = _Snapshot(self, names) if settings.vlm.images else None
        return VLMPlanner(ChatClient(settings.vlm), check, snapshot)

    def _plan(self, call: GoalCall) -> Answer:
        call.note = f'planning with {self._planner.name}'
        budget = CallBudget(None)
        try:
            request = plan_request_from_msg(call.request)
            budget.limit = budget_from_msg(call.request.max_api_calls, 'max_api_calls')
            limit = call.request.timeout or self._settings.agent.replan_timeout
            ctx = Context(call.cancel, spend_call=budget.spend, calls_left=budget.left)
            reply = self._planner.plan(request, ctx.within(limit))
        except MessageError as error:
            return _failed(f'malformed request: {error}', Reason.BAD_ARGUMENTS), False
        except (Cancelled, DeadlineExceeded, BudgetExhausted) as end:
            return self._ended(end, budget.spent), False
        except Exception as error:  # noqa: BLE001 the process's edge: a bug ends this plan only
            self.get_logger().error(traceback.format_exc())
            return _failed(f'{type(error).__name__}: {error}'), False
        result = plan_reply_to_msg(reply, self._planner.name, budget.spent)
        return result, not result.error_code

    def _ended(self, end: Exception, spent: int) -> MakePlan.Result:
        code = {Cancelled: MakePlan.Result.CANCELLED,
                DeadlineExceeded: MakePlan.Result.TIMEOUT,
                BudgetExhausted: MakePlan.Result.BUDGET_EXHAUSTED}[type(end)]
        result = _failed(str(end))
        result.error_code, result.api_calls = code, spent
        result.planner = self._planner.name
        return result


class _Snapshot:
    """What the camera sees now, as PNG, for the model."""

    def __init__(self, node: Node, names: CameraInterfaces) -> None:
        from .ros_camera import RosCamera

        self._camera = RosCamera(node, names)

    def __call__(self, ctx: Context) -> bytes:
        from replan_agent.record.video import png

        try:
            return png(self._camera.capture(ctx).rgb)
        except CameraError as error:
            raise PerceptionError(str(error)) from error


def _failed(detail: str, reason: Reason = Reason.PRECONDITION_FAILED) -> MakePlan.Result:
    return plan_reply_to_msg(PlanReply(ReplyKind.FAILED, reason=reason, detail=detail))


def _refused(call: GoalCall, why: str) -> MakePlan.Result:
    return _failed(why)


def main() -> None:
    sys.exit(run_nodes(lambda: [PlannerNode()]))


if __name__ == '__main__':
    main()
