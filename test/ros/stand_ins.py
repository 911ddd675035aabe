# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes that stand in for ours, for tests of what the agent does when one of them misbehaves.

As a script it is a planner that never answers:  python3 stand_ins.py
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from replan_agent_interfaces.action import ExecuteSkill
from replan_agent_interfaces.srv import ListSkills, Observe

from replan_agent.domain.chat import THINKING
from replan_agent.domain.context import Context
from replan_agent.domain.plan import PlanReply, PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillResult, succeeded
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.ros.messages.call_messages import skill_outcome_to_msg
from replan_agent.ros.messages.message_table import to_msg
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.goal_server import Answer, GoalCall, GoalServer
from replan_agent.ros.rclpy_tools.node_process import run_nodes

ARM = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, at_home=False)
CUBE = SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.5, 0.0, 0.02)), 'red')
SEEN = Scene('s1', 1.0, (CUBE,), 'stand_in', ARM, frame='panda_link0')


class StandInPerception(Node):
    """Sees one red cube, or another scene; silent after `looks`."""

    def __init__(self, looks: int = 10**6, scene: Scene | None = None, **kwargs: Any) -> None:
        super().__init__('perception_node', **kwargs)
        self.looks, self._scene = looks, scene or SEEN
        self._never = threading.Event()
        self.create_service(Observe, 'observe', self._observe,
                            callback_group=ReentrantCallbackGroup())

    def _observe(self, request: Observe.Request, response: Observe.Response) -> Observe.Response:
        self.looks -= 1
        if self.looks < 0:
            self._never.wait(30)
        response.scene = to_msg(self._scene)
        return response

    def close(self) -> None:
        self._never.set()


class StandInSkills(Node):
    """Lists the real skills; executes them as the test says. Its permit is set by a test, too."""

    def __init__(self, execute: Callable[[GoalCall], SkillResult] = lambda call: succeeded(),
                 **kwargs: Any) -> None:
        super().__init__('skill_node', **kwargs)
        self._result, self.permit = execute, 0
        self.create_service(ListSkills, 'list_skills', self._list)
        self._server = GoalServer(self, ExecuteSkill, 'execute_skill', self._execute,
                                  lambda call, why: ExecuteSkill.Result())

    def _list(self, request: Any, response: ListSkills.Response) -> ListSkills.Response:
        response.skills, response.permit = [*map(to_msg, standard_skills().specs())], self.permit
        return response

    def _execute(self, call: GoalCall) -> Answer:
        result = self._result(call)
        return skill_outcome_to_msg(result), result.success


class EndlessPlanner:
    """Thinks until it is cancelled."""

    name = 'endless'
    uses_model = True
    begun = False

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.spend_call('thinking')
        self.begun = True
        print('thinking', flush=True)
        ctx.cancel.wait(ctx.remaining_s())
        ctx.check()
        raise AssertionError('cancelled or overdue')


class HeardPlanner(EndlessPlanner):
    """Says that it thinks, so its caller knows that it has the request."""

    def plan(self, request: PlanRequest, ctx: Context) -> PlanReply:
        ctx.report(THINKING)
        return super().plan(request, ctx)


def _endless() -> list[Node]:
    node = PlannerNode(HeardPlanner())
    print('ready', flush=True)
    return [node]


if __name__ == '__main__':
    sys.exit(run_nodes(_endless))
