# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""perception_node: answers `observe` with the objects in front of the robot."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from replan_agent_interfaces.msg import Scene as SceneMsg
from replan_agent_interfaces.srv import Observe

from replan_agent.agent.ports import ChatModel, Perception
from replan_agent.app.build.build_perception import PerceptionParts, TrueObjects, build_perception
from replan_agent.app.build.build_planner import chat_model
from replan_agent.app.build.plugins import TOPIC, TRUTH, offered, views
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import BudgetExhausted, Context, DeadlineExceeded
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene
from replan_agent.robot.robot_protocols import Camera
from replan_agent.ros.agent.clients import PERCEPTION_HEARTBEAT
from replan_agent.ros.arm import arm_interfaces as known
from replan_agent.ros.arm.joint_states import RobotSilent
from replan_agent.ros.arm.seen_arm import JOINT_STATE_S, SeenArm
from replan_agent.ros.call_budget import CallBudget
from replan_agent.ros.messages.message_fields import MessageError, budget_from_msg, time_from_msg
from replan_agent.ros.messages.message_table import to_msg
from replan_agent.ros.node_settings import PerceptionSettings, as_config, choices
from replan_agent.ros.rclpy_tools.heart import Heart
from replan_agent.ros.rclpy_tools.managed_node import ManagedNode
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.service_port import BEAT_S

NAME = 'perception_node'
SAY_WHY_S = 0.5


class PerceptionNode(ManagedNode):
    """Serves `observe`; the last scene is latched on `scene` and drawn by the views."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        self._settings = declared(self, PerceptionSettings)
        self._one_look = threading.Lock()
        # It looks at where the arm is, not at what it feels.
        arm = replace(declared(self, known.WatchedArm), external_torques=known.NONE)
        self._robot = SeenArm(self, arm_named(self._settings.robot.model),
                              self._settings.robot.frame, arm)
        self._camera = declared(self, known.CameraInterfaces)
        self._hand = declared(self, known.HandCameraInterfaces)
        name = self._settings.perception
        self._model: Callable[[], ChatModel] = cache(lambda: chat_model(self._settings.vlm))
        self._pointing: dict[str, Any] = {}  # perceptions that `look_for` words
        self._perceptions = {name: self._make(name)}
        self._scene = self.create_publisher(SceneMsg, 'scene', LATCHED)
        self._views = [make(self) for make in views('scene')]
        self.create_service(Observe, 'observe', self._observe,
                            callback_group=ReentrantCallbackGroup())
        Heart(self, PERCEPTION_HEARTBEAT, BEAT_S)
        self.get_logger().info(f'sees with {name}')
        self.start()

    def missing(self) -> str:
        try:
            self._robot.await_driver(JOINT_STATE_S)
        except RobotSilent as silent:
            return str(silent)
        topic = self._camera.color_image
        if self._settings.perception != 'ground_truth' and topic and not self.count_publishers(
                topic):
            return f'no camera publishes {topic}'
        return ''

    def _make(self, name: str) -> Perception:
        config = replace(as_config(self._settings), perception=name)
        parts = PerceptionParts(config, self._robot, arm_named(config.robot.model),
                                self._fixed_camera, self._truth, self._model,
                                lambda: self._ros_camera(self._hand.as_camera(self._camera)))

        def noted(seen: Perception) -> Perception:
            if hasattr(seen, 'look_for'):
                self._pointing[name] = seen
            return seen

        return build_perception(parts, wrap_perception=noted)

    def _named(self, name: str) -> Perception:
        """The perception of that name; PerceptionError lists the valid ones."""
        allowed = choices('perception')
        if name not in allowed:
            raise PerceptionError(f'perception: {name!r} is not one of: {", ".join(allowed)}')
        if name not in self._perceptions:
            self._perceptions[name] = self._make(name)
        return self._perceptions[name]

    def _truth(self) -> TrueObjects:
        return offered(TRUTH, TOPIC)(self, lambda: self._robot.state().stamp)

    def _fixed_camera(self) -> Camera | None:
        if self._settings.robot.eye_in_hand and not self._camera.color_image:
            return None
        return self._ros_camera(self._camera)

    def _ros_camera(self, names: known.CameraInterfaces) -> Camera:
        from replan_agent.ros.camera.ros_camera import RosCamera

        return RosCamera(self, names, self._robot.base_frame,
                         lambda: self._robot.state().stamp, self._time_to_appear)

    def _observe(self, request: Observe.Request, response: Observe.Response) -> Observe.Response:
        if self.inactive:
            return _without_scene(response, response.NO_SCENE, self.inactive)
        limit = time_from_msg(request.timeout) or self._settings.timeouts.observe_timeout
        budget = CallBudget(None)
        ctx = Context(spend_call=budget.spend, calls_left=budget.left).within(limit)
        try:
            budget.limit = budget_from_msg(request.max_api_calls, 'max_api_calls')
            with self._one_look:
                name = request.perception or self._settings.perception
                perception = self._named(name)
                words = self._settings.point_at or tuple(request.point_at)
                if name in self._pointing and (words or request.only_these):
                    self._pointing[name].look_for(words)
                self._robot.await_driver(self._time_to_appear(ctx))
                # By this name skill_node asks for the same perception.
                scene = replace(perception.observe(ctx), perception=name)
        except (PerceptionError, RobotSilent, ConfigError, MessageError) as error:
            return _without_scene(response, response.NO_SCENE, str(error))
        except BudgetExhausted as spent:
            return _without_scene(response, response.BUDGET_EXHAUSTED, str(spent))
        except DeadlineExceeded:
            return _without_scene(response, response.TIMEOUT, f'no scene within {limit:g} s')
        except Exception as error:  # noqa: BLE001 the process's edge: a bug ends this look only
            self.get_logger().error(traceback.format_exc())
            return _without_scene(response, response.UNKNOWN, f'{type(error).__name__}: {error}')
        finally:
            response.api_calls = budget.spent
        response.scene = self._shown(scene)
        return response

    def _time_to_appear(self, ctx: Context) -> float:
        """Time for a driver to start, s; shorter than `ctx`, so that we can say why it failed."""
        return max(0.0, min(self._settings.timeouts.appear_timeout, ctx.remaining_s() - SAY_WHY_S))

    def _shown(self, scene: Scene) -> SceneMsg:
        message = to_msg(scene, arm_model=self._robot.model)
        self._scene.publish(message)
        for view in self._views:
            view.show(scene)
        return message


def _without_scene(response: Observe.Response, code: int, why: str) -> Observe.Response:
    response.error_code, response.error_msg = code, why
    return response


main = program(lambda: [PerceptionNode()])

if __name__ == '__main__':
    main()
