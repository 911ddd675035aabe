# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ends all goals of an arm's controllers, no matter which node sent them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from action_msgs.srv import CancelGoal
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.context import CancelToken, Context
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import finished, holds_in_time

from .arm_interfaces import NONE, ArmInterfaces, WatchedArm
from .grippers import gripper_kind
from .joint_states import JointFeed
from .self_stops import self_stops
from .standstill import NoStandstill

UNCONFIRMED = 'the controller did not confirm the cancel: it may still have a motion to start'
AGAIN_S = 1.0  # a request may be lost on the way to a server that was just discovered


class CancelAll:
    """Asks the servers of arm and gripper to cancel all their goals.

    `halt` is asked for if the arm does not come to rest; it returns what it did, in words, or ''.
    """

    def __init__(self, node: Node, arm: ArmModel, names: WatchedArm) -> None:
        names = names.of(arm)
        gripper = gripper_kind(names.gripper_driver).actions(names.gripper_action)
        self._clients = [
            node.create_client(CancelGoal, f'{action}/_action/cancel_goal',
                               callback_group=ReentrantCallbackGroup())
            for action in (names.trajectory_action, *gripper)]
        self.halt: Callable[[], str] = lambda: ''

    @property
    def missing(self) -> str:
        """The first of the actions that is not there, as a sentence; '' if all are."""
        return next((f'no server of {client.srv_name}' for client in self._clients
                     if not client.service_is_ready()), '')

    def is_heard(self, timeout_s: float) -> bool:
        """Send the requests; True if the arm's server, and each other that is there, answered."""
        until, arm = time.monotonic() + timeout_s, self._clients[0]
        is_there = arm.service_is_ready()
        answers = [finished(sent, until - time.monotonic()) for sent in self()]
        if not is_there:
            holds_in_time(arm.service_is_ready, until - time.monotonic(), Context())
        return is_there and all(answers)

    def __call__(self) -> list[Any]:
        """Send the requests; returns the futures. An id of zeros means all goals."""
        return [client.call_async(CancelGoal.Request()) for client in self._clients
                if client.service_is_ready()]


def end_all(cancel_all: CancelAll, feed: JointFeed, limit_s: float) -> None:
    """Cancel all goals and wait for standstill; raises NoStandstill.

    Standstill counts only after the controller answered: a resting arm may still get a goal that
    the controller has not looked at. A driver that neither answers nor sends is not waited for.
    """
    until, heard, rounds, slice_s = time.monotonic() + limit_s, False, 0, min(AGAIN_S, limit_s)
    while True:
        rounds += 1
        heard = cancel_all.is_heard(min(slice_s, feed.give_up_at - time.monotonic())) or heard
        stands = feed.stands_still(slice_s)  # a joint state from after the cancel
        if heard and stands:
            return
        is_over = time.monotonic() >= min(until, feed.give_up_at)
        if is_over or (feed.fell_silent and (heard or rounds > 1)):
            raise NoStandstill((UNCONFIRMED if stands else feed.no_standstill(limit_s))
                               + cancel_all.halt())


class ArmStop:
    """Stops an arm that another node commands, or commanded before it was lost.

    It subscribes to the joints when it is first needed, because this node does not need them
    otherwise. It never unsubscribes: destroying a subscription may crash a running executor.
    """

    def __init__(self, node: Node, arm: ArmModel, interfaces: WatchedArm) -> None:
        names = replace(interfaces.of(arm), external_torques=NONE)
        self._cancel_all = CancelAll(node, arm, names)
        self._cancel_all.halt = self_stops(node, arm, ArmInterfaces(), Timeouts()).halt
        status = f'{names.trajectory_action}/_action/status'
        self._movers = lambda: {s.node_name for s in node.get_publishers_info_by_topic(status)}
        self._listen: Callable[[], JointFeed] = lambda: JointFeed(node, arm.joint_names, (), names)
        self._feed: JointFeed | None = None
        self._give_up_at, self._limit_s = math.inf, interfaces.standstill_timeout

    @property
    def missing(self) -> str:
        """What is needed to stop the arm and is not there, as a sentence; '' if nothing."""
        return self._cancel_all.missing

    def moved_by(self, wait_s: float, cancel: CancelToken) -> set[str]:
        """The names of the nodes that serve the arm's motions; it waits until there is one."""
        holds_in_time(lambda: cancel.cancelled or bool(self._movers() - {'_NODE_NAME_UNKNOWN_'}),
                      wait_s, Context())  # a node that was just discovered has no name yet
        return self._movers()

    def stop(self) -> None:
        """Stop the arm; raises NoStandstill if standstill is not confirmed."""
        self._feed = self._feed or self._listen()
        self._feed.give_up(self._give_up_at)
        end_all(self._cancel_all, self._feed, self._limit_s)

    def give_up(self, at: float) -> None:
        """Wait no longer than until that monotonic time, because this process ends."""
        self._give_up_at = at
        if self._feed is not None:
            self._feed.give_up(at)
