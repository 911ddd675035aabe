# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""planner_node: plans as an action, because a model may take a minute. It can be cancelled."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from rclpy.node import Node
from replan_agent_interfaces.action import MakePlan

from replan_agent.agent.ports import ChatModel, Planner
from replan_agent.app.build.build_planner import build_check, build_planner, chat_model
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import BudgetExhausted, Cancelled, Context, DeadlineExceeded
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.robot_state import CameraError
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces
from replan_agent.ros.call_budget import CallBudget
from replan_agent.ros.messages import message_fields as fields
from replan_agent.ros.messages.call_messages import plan_request_from_msg
from replan_agent.ros.messages.message_table import to_msg
from replan_agent.ros.node_settings import PlannerSettings, as_config, choices
from replan_agent.ros.rclpy_tools.goal_server import Answer, GoalCall, GoalServer
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import LiveSettings, declared

NAME = 'planner_node'
AT_ONCE = 3  # a model that ignores a cancel must not block the next plan
CLOSE_S = 2.0
ENDS: dict[type[Exception], int] = {
    Cancelled: MakePlan.Result.CANCELLED, DeadlineExceeded: MakePlan.Result.TIMEOUT,
    BudgetExhausted: MakePlan.Result.BUDGET_EXHAUSTED}


class PlannerNode(Node):
    """Serves `make_plan` with the planner named in its parameters."""

    def __init__(self, planner: Planner | None = None, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        self._live = LiveSettings(self, PlannerSettings, ('agent.replan_timeout',))
        self._settings = self._live.now
        self._making = threading.Lock()
        self._hand = arm_named(self._settings.robot.model).hand
        self._camera = declared(self, CameraInterfaces)
        self._model: Callable[[], ChatModel] = cache(lambda: chat_model(self._settings.vlm))
        name = self._settings.planner
        self._planners = {name: self._make(name) if planner is None else planner}
        self._server = GoalServer(
            self, MakePlan, 'make_plan', self._plan, lambda call, why: _failed(why),
            at_once=AT_ONCE,
            sign_of_life=lambda call: MakePlan.Feedback(
                elapsed=fields.duration_to_msg(call.elapsed_s), message=call.note))
        self.get_logger().info(f'plans with {self._planners[name].name}')

    def close(self) -> bool:
        return self._server.close('planner_node ends', CLOSE_S)

    def _make(self, name: str) -> Planner:
        config = replace(as_config(self._settings), planner=name)
        return build_planner(config, self._model, build_check(config),
                             lambda: _Snapshot(self, self._camera, config.robot.frame))

    def _named(self, name: str) -> Planner:
        """The planner of that name; MessageError lists the valid ones."""
        name, allowed = name or self._settings.planner, choices('planner')
        if name not in allowed:
            raise fields.MessageError(f'planner: {name!r} is not one of: {", ".join(allowed)}')
        with self._making:
            if name not in self._planners:
                self._planners[name] = self._make(name)
            return self._planners[name]

    def _plan(self, call: GoalCall) -> Answer:
        budget, planner = CallBudget(None), None
        try:
            request = plan_request_from_msg(call.request, self._hand)
            planner = self._named(call.request.planner)
            call.note = f'planning with {planner.name}'
            budget.limit = fields.budget_from_msg(call.request.max_api_calls, 'max_api_calls')
            given = fields.time_from_msg(call.request.timeout)
            limit = given or self._live.now.agent.replan_timeout
            ctx = Context(call.cancel, spend_call=budget.spend, calls_left=budget.left,
                          report=lambda message: setattr(call, 'note', message))
            result = to_msg(planner.plan(request, ctx.within(limit)))
        except (fields.MessageError, ConfigError) as error:
            result = _failed(f'malformed request: {error}', Reason.BAD_ARGUMENTS)
        except tuple(ENDS) as end:
            result = _failed(str(end))
            result.error_code = ENDS[type(end)]
        except Exception as error:  # noqa: BLE001 the process's edge: a bug ends this plan only
            self.get_logger().error(traceback.format_exc())
            result = _failed(f'{type(error).__name__}: {error}')
        result.planner = planner.name if planner else ''
        result.api_calls = budget.spent
        return result, not result.error_code


class _Snapshot:
    """The current camera picture as PNG, for the model.

    The names of the objects are in it if depth and pose of the camera are known.
    """

    def __init__(self, node: Node, names: CameraInterfaces, base_frame: str) -> None:
        from replan_agent.ros.camera.ros_camera import RosCamera

        self._camera = RosCamera(node, names, base_frame)
        self._warn = node.get_logger().warning

    def __call__(self, scene: Scene, ctx: Context) -> bytes:
        from replan_agent.perceive.camera.annotate import annotated
        from replan_agent.record.picture import png

        try:
            rgb = self._camera.colours(ctx)
            try:
                rgb = annotated(self._camera.capture(ctx), scene)
            except CameraError as error:
                self._warn(f'the picture for the model has no names of objects: {error}')
            return png(rgb)
        except CameraError as error:
            raise PerceptionError(str(error)) from error


def _failed(detail: str, reason: Reason = Reason.PRECONDITION_FAILED) -> MakePlan.Result:
    return to_msg(PlanReply(ReplyKind.FAILED, reason=reason, detail=detail))


main = program(lambda: [PlannerNode()])

if __name__ == '__main__':
    main()
