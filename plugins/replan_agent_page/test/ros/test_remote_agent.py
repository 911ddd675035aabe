# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the client of a server asks of the nodes, and how often."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from rclpy.callback_groups import ReentrantCallbackGroup
from replan_agent_interfaces.srv import GiveHint
from replan_agent_page.serve.remote_agent import RemoteAgent
from rig import WAIT_S, spun
from std_srvs.srv import Trigger

from replan_agent.domain.port_errors import NodeLost
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

PLACE = {'namespace': 'clients'}


@pytest.mark.parametrize(('kind', 'name', 'ask'), [
    (Trigger, 'reset_stop', lambda agent: agent.reset_stop()),
    (GiveHint, 'give_hint', lambda agent: agent.give_hint('', 'look left'))])
def test_what_must_not_come_late_or_twice_is_asked_once(ros: Any, kind: Any, name: str,
                                                        ask: Any) -> None:
    requests, end = [], threading.Event()

    def hangs(request: Any, response: Any) -> Any:
        requests.append(request)
        end.wait(WAIT_S)
        return response

    node, caller = ros.create_node('hangs', **PLACE), ros.create_node('page', **PLACE)
    node.create_service(kind, name, hangs, callback_group=ReentrantCallbackGroup())
    agent = RemoteAgent(node=caller, timeouts=Timeouts(appear_timeout=3.0, answer_timeout=3.0))
    with spun(node, caller, **PLACE):
        with pytest.raises(NodeLost, match='does not answer'):
            ask(agent)
        end.set()
    assert len(requests) == 1
