# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""starter_node: configures and activates the nodes of arm and camera, and deactivates on a loss.

The order counts: skill_node, the last one, is active only while guard_node before it is. Without
perception_node, which is first, a task ends by itself.
"""

from __future__ import annotations

import threading
import traceback
from dataclasses import dataclass
from typing import Any

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node
from std_msgs.msg import String

from replan_agent.domain.config import setting
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.ros.rclpy_tools.managed_node import WHY
from replan_agent.ros.rclpy_tools.node_process import program
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.rclpy_tools.qos import LATCHED
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

NAME = 'starter_node'
VITAL = 'guard_node'  # its loss deactivates the nodes after it
LOST = -1  # instead of a state
TAKEN_OUT = ('was taken out by a person, so a person puts it back (ros2 lifecycle set ... '
             'configure, activate)')
DEACTIVATED_S = 30.0  # a deactivated skill_node stops the arm first
CHANGED_S = 10.0  # meanwhile nobody looks at the other nodes
CLOSE_S = 2.0  # for the check that runs


@dataclass(frozen=True)
class StarterSettings:
    managed: tuple[str, ...] = setting(
        ('perception_node', 'guard_node', 'skill_node'), 'nodes that are activated in this order')
    check_period: float = setting(0.5, 'time between two checks, s', 0.05, 60)
    alive_timeout: float = setting(2.0, 'a node that does not tell its state for this long is '
                                   'lost, s; it is asked twice in it', 0.1, 60)


class Managed:
    """One of the nodes, by its lifecycle services; the context ends all waits."""

    def __init__(self, node: Node, name: str, alive_timeout_s: float, ctx: Context) -> None:
        self.name, self._alive_timeout_s, self._ctx = name, alive_timeout_s, ctx
        self._is_ours = False  # that it is not active is our doing, not a person's
        self._was_active = False  # in the process that is there now
        self._is_taken_out = False  # a person did it; until it is active again
        at_once = Timeouts(appear_timeout=0.1)
        self._get = ServicePort(node, GetState, f'{name}/get_state', name, at_once)
        self._change = ServicePort(node, ChangeState, f'{name}/change_state', name, at_once,
                                   once=True)

    def state(self) -> int:
        """Its state as in lifecycle_msgs/State, or LOST."""
        answer = self._answer(self._get, GetState.Request(), self._alive_timeout_s)
        return self.noted(LOST if answer is None else int(answer.current_state.id))

    def noted(self, state: int) -> int:
        """The state; remembers who made it inactive.

        A node that starts again is unconfigured too, but it is lost for a while before.
        """
        if state == State.PRIMARY_STATE_ACTIVE:
            self._was_active, self._is_ours, self._is_taken_out = True, False, False
        elif state == LOST:
            self._was_active = False
        elif not self._is_ours and (state == State.PRIMARY_STATE_INACTIVE or (
                state == State.PRIMARY_STATE_UNCONFIGURED and self._was_active)):
            self._is_taken_out = True
        return state

    def change(self, transition: int) -> bool | None:
        """Whether the node did it; None if it does not answer."""
        request = ChangeState.Request(transition=Transition(id=transition))
        limit_s = (DEACTIVATED_S if transition == Transition.TRANSITION_DEACTIVATE else CHANGED_S)
        answer = self._answer(self._change, request, limit_s)
        return None if answer is None else bool(answer.success)

    def activated(self, state: int) -> bool:
        """True if it is active, now or after this. What a person took out stays out."""
        if state == State.PRIMARY_STATE_ACTIVE or self._is_taken_out:
            return not self._is_taken_out
        if state == State.PRIMARY_STATE_UNCONFIGURED:
            self._is_ours = True  # also if the answer gets lost
            if not self.change(Transition.TRANSITION_CONFIGURE):
                return False
            state = State.PRIMARY_STATE_INACTIVE
        done = state == State.PRIMARY_STATE_INACTIVE and bool(
            self.change(Transition.TRANSITION_ACTIVATE))
        if done:
            self.noted(State.PRIMARY_STATE_ACTIVE)
        return done

    def why_not(self, state: int) -> str:
        """Why it is not active, for people."""
        if self._is_taken_out:
            return TAKEN_OUT
        return 'is lost or not there' if state == LOST else 'does not get ready'

    def deactivate(self) -> None:
        """Take it out until the nodes before it are active again.

        It is unconfigured then, so that another starter can tell it from one of a person.
        """
        if self.change(Transition.TRANSITION_DEACTIVATE) is False:
            return  # a person was faster
        self._is_ours = True
        self.change(Transition.TRANSITION_CLEANUP)

    def _answer(self, port: ServicePort, request: Any, timeout_s: float) -> Any | None:
        try:
            return port.call(request, self._ctx, timeout_s)
        except (NodeLost, Cancelled):
            return None


class StarterNode(Node):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        self._settings = declared(self, StarterSettings)
        self._ending = CancelToken()
        self._managed = [Managed(self, name, self._settings.alive_timeout, Context(self._ending))
                         for name in self._settings.managed]
        self._told, self._why = '', self.create_publisher(String, WHY, LATCHED)
        self._thread = threading.Thread(target=self._run, name='starter', daemon=True)
        self._thread.start()

    def close(self) -> bool:
        self._ending.cancel()
        self._thread.join(CLOSE_S)
        return True

    def _run(self) -> None:
        while not self._ending.wait(self._settings.check_period):
            try:
                self._tell(self._check())
            except Exception:  # noqa: BLE001 the thread's edge: the next check goes on
                self.get_logger().error(traceback.format_exc(), throttle_duration_sec=10.0)

    def _check(self) -> str:
        """Bring the nodes into order; returns what is missing, or ''."""
        missing, waits_for = list[str](), ''
        for node in self._managed:
            state = node.state()
            if self._ending.cancelled:
                return ''
            if waits_for:
                if state == State.PRIMARY_STATE_ACTIVE:
                    self.get_logger().error(f'{waits_for}: {node.name} is deactivated')
                    self._why.publish(String(data=waits_for))
                    node.deactivate()
            elif not node.activated(state):
                missing.append(f'{node.name} {node.why_not(state)}')
                if node.name == VITAL:
                    waits_for = missing[-1]
        return '; '.join(missing)

    def _tell(self, waits_for: str) -> None:
        news = waits_for or f'active: {", ".join(node.name for node in self._managed)}'
        if news != self._told and not self._ending.cancelled:
            self._told = news
            self._why.publish(String(data=waits_for))
            self.get_logger().info(news)


main = program(lambda: [StarterNode()])

if __name__ == '__main__':
    main()
