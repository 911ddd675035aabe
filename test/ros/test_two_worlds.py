# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two simulated arms in one graph: each namespace has its own world, time and frames."""

from __future__ import annotations

from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from replan_agent_interfaces.action import ExecuteTask
from rig import Caller, Process, until
from rosgraph_msgs.msg import Clock
from tf2_msgs.msg import TFMessage

from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED, NEWEST

ARMS = ('left', 'right')
INSTANT_GOALS = 30  # of each arm


class Listener:
    """What the two worlds say on the topics that they share, and whether both have a clock."""

    def __init__(self, node: Caller) -> None:
        self.frames: set[str] = set()
        self.diagnostics: dict[str, str] = {}
        self.clocks: set[str] = set()
        for topic, qos in (('/tf', 100), ('/tf_static', LATCHED)):
            node.create_subscription(TFMessage, topic, self._add_frames, qos)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._add_status, 10)
        for topic in ('/clock', *(f'/{arm}/clock' for arm in ARMS)):
            node.create_subscription(Clock, topic, lambda _, name=topic: self.clocks.add(name),
                                     NEWEST)

    def _add_frames(self, message: TFMessage) -> None:
        for link in message.transforms:
            self.frames |= {link.header.frame_id, link.child_frame_id}

    def _add_status(self, message: DiagnosticArray) -> None:
        self.diagnostics |= {status.name: status.hardware_id for status in message.status}

    def has_heard_all(self) -> bool:
        return {f'{arm}/skill_node: stop latch' for arm in ARMS} <= set(self.diagnostics)


def world(arm: str) -> Process:
    return Process('-m', 'replan_agent_sim.all_in_one', namespace=arm, own_time=True,
                   use_sim_time=True, robot__frame_prefix=f'{arm}/',
                   timeouts__appear_timeout=60.0)


@pytest.mark.release
def test_two_arms_carry_out_tasks_at_once_and_lose_no_result(ros: Any) -> None:
    callers = [Caller(arm) for arm in ARMS]
    with world('left'), world('right'), Spinning(callers):
        listener = Listener(callers[0])
        tasks = [caller.send('pick up the red cube') for caller in callers]
        done = [task.end() for task in tasks]
        instant = [[caller.send(' ') for caller in callers] for _ in range(INSTANT_GOALS)]
        refused = [task.end() for pair in instant for task in pair]
        until(listener.has_heard_all)
    assert [answer.result.final_reason for answer in done] == ['plan_complete'] * 2
    assert {(a.status, a.result.error_code) for a in refused} == {
        (GoalStatus.STATUS_ABORTED, ExecuteTask.Result.REFUSED)}
    assert listener.clocks == {'/left/clock', '/right/clock'}
    assert {frame.split('/')[0] for frame in listener.frames} == set(ARMS)
    assert 'left/panda_hand' in listener.frames
    assert listener.diagnostics['left/agent_node: tasks'] == 'left/panda'
    assert listener.diagnostics['right/sim_node: stop latch'] == 'right/panda'
