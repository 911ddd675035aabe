"""starter_node: configures and activates the nodes of arm and camera, and deactivates on a loss.

The order counts: a node is active only while those before it are. So skill_node, the last one,
moves the arm only while it is guarded and seen.
"""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from typing import Any

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from replan_agent.domain.config import setting
from replan_agent.ros.rclpy_tools.node_process import run_nodes
from replan_agent.ros.rclpy_tools.parameters import declared
from replan_agent.ros.rclpy_tools.waiting import finished

NAME = 'starter_node'
LOST = -1  # instead of a state
WHY_NOT = {LOST: 'is lost or not there',
           State.PRIMARY_STATE_INACTIVE: 'is inactive; if a person deactivated it, a person '
                                         'activates it (ros2 lifecycle set ... activate)'}
CHANGE_S = 30.0  # a deactivated skill_node stops the arm first


@dataclass(frozen=True)
class StarterSettings:
    managed: tuple[str, ...] = setting(
        ('guard_node', 'perception_node', 'skill_node'),
        'nodes that are activated in this order; each is active only while those before it are')
    check_period: float = setting(0.5, 'time between two checks, s', 0.05, 60)
    alive_timeout: float = setting(1.0, 'a node that does not tell its state for this long is '
                                   'lost, s', 0.1, 60)


class Managed:
    """One of the nodes, by its lifecycle services."""

    def __init__(self, node: Node, name: str, alive_timeout_s: float) -> None:
        self.name, self._alive_timeout_s = name, alive_timeout_s
        self._is_ours = False  # that it is inactive is our doing, not a person's
        group = ReentrantCallbackGroup()
        self._get = node.create_client(GetState, f'{name}/get_state', callback_group=group)
        self._change = node.create_client(ChangeState, f'{name}/change_state',
                                          callback_group=group)

    def state(self) -> int:
        """Its state as in lifecycle_msgs/State, or LOST."""
        answer = _answer(self._get, GetState.Request(), self._alive_timeout_s)
        return LOST if answer is None else int(answer.current_state.id)

    def change(self, transition: int) -> bool:
        request = ChangeState.Request(transition=Transition(id=transition))
        answer = _answer(self._change, request, CHANGE_S)
        return answer is not None and bool(answer.success)

    def activated(self, state: int) -> bool:
        """True if it is active, now or after this. What a person deactivated stays inactive."""
        if state == State.PRIMARY_STATE_UNCONFIGURED:
            if not self.change(Transition.TRANSITION_CONFIGURE):
                return False
            state, self._is_ours = State.PRIMARY_STATE_INACTIVE, True
        if state == State.PRIMARY_STATE_INACTIVE and self._is_ours:
            return self.change(Transition.TRANSITION_ACTIVATE)
        self._is_ours = False
        return state == State.PRIMARY_STATE_ACTIVE

    def deactivate(self) -> None:
        """Deactivate it until the nodes before it are active again."""
        self._is_ours = True
        self.change(Transition.TRANSITION_DEACTIVATE)


class StarterNode(Node):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(NAME, **kwargs)
        self._settings = declared(self, StarterSettings)
        self._managed = [Managed(self, name, self._settings.alive_timeout)
                         for name in self._settings.managed]
        self._told = ''
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name='starter', daemon=True)
        self._thread.start()

    def close(self) -> bool:
        self._ending.set()
        self._thread.join(2 * self._settings.alive_timeout)
        return True

    def _run(self) -> None:
        while not self._ending.wait(self._settings.check_period):
            self._tell(self._check())

    def _check(self) -> str:
        """Bring the nodes into order; returns what is missing, or ''."""
        waits_for = ''
        for node in self._managed:
            state = node.state()
            if self._ending.is_set():
                return ''
            if not waits_for and not node.activated(state):
                lost = WHY_NOT.get(state, 'does not get ready')
                waits_for = f'{node.name} {lost}'
            elif waits_for and state == State.PRIMARY_STATE_ACTIVE:
                self.get_logger().error(f'{waits_for}: {node.name} is deactivated')
                node.deactivate()
        return waits_for

    def _tell(self, waits_for: str) -> None:
        news = waits_for or f'active: {", ".join(node.name for node in self._managed)}'
        if news != self._told and not self._ending.is_set():
            self._told = news
            self.get_logger().info(news)


def _answer(client: Any, request: Any, timeout_s: float) -> Any | None:
    if not client.service_is_ready():
        return None
    asked = client.call_async(request)
    if finished(asked, timeout_s):
        return asked.result()
    client.remove_pending_request(asked)
    return None


def main() -> None:
    sys.exit(run_nodes(lambda: [StarterNode()]))


if __name__ == '__main__':
    main()
