"""Ending whatever an arm's controllers do, whoever asked them to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.domain import franka
from replan_agent.ros.rclpy_tools.waiting import finished

from .arm_interfaces import ArmInterfaces
from .joint_states import JointFeed
from .standstill import NoStandstill

AGAIN_S = 1.0  # a request may be lost on the way to a server that was just discovered


class CancelAll:
    """Asks the servers of arm and gripper to cancel every goal that they have."""

    def __init__(self, node: Node, model: str, names: ArmInterfaces) -> None:
        self._clients = [
            node.create_client(CancelGoal, f'{action}/_action/cancel_goal',
                               callback_group=ReentrantCallbackGroup())
            for action in (names.trajectory_of(model), *names.gripper_actions_of(model))]

    def __call__(self) -> list[Any]:
        """The futures of the answers; an id of zeros means all goals."""
        return [client.call_async(CancelGoal.Request()) for client in self._clients
                if client.service_is_ready()]


def end_all(cancel_all: CancelAll, feed: JointFeed, limit_s: float) -> None:
    """Return when every goal was told to end and the arm stands still; raises NoStandstill."""
    until = time.monotonic() + limit_s
    while True:
        for answer in cancel_all():
            finished(answer, AGAIN_S)  # what is told afterwards is after the cancel
        try:
            return feed.await_standstill(min(AGAIN_S, limit_s))
        except NoStandstill:
            if time.monotonic() >= until:
                raise


class ArmStop:
    """Stops an arm that someone else commands, or did before it was lost.

    It listens to the joints from the first time on that it is needed: nobody else needs them here,
    and an executor may not survive that a subscription under its hands is destroyed.
    """

    def __init__(self, node: Node, model: str, interfaces: ArmInterfaces) -> None:
        self._cancel_all = CancelAll(node, model, interfaces)
        self._listen: Callable[[], JointFeed] = lambda: JointFeed(
            node, franka.joint_names(model), (), replace(interfaces, external_torques=''))
        self._feed: JointFeed | None = None
        self._limit_s = interfaces.standstill_timeout

    def stop(self) -> None:
        """Return when the arm stands still; raises NoStandstill when nobody tells that it does."""
        self._feed = self._feed or self._listen()
        end_all(self._cancel_all, self._feed, self._limit_s)
