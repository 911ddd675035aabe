# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent-graph`: the simulation and all nodes in one process, with an executor for each.

For small computers; launch/sim.launch.py starts each of these nodes in its own process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rclpy.node import Node

from replan_agent.domain.config import ConfigError
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.perception_node import PerceptionNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.nodes.skill_node import SkillNode
from replan_agent.ros.rclpy_tools.node_process import program

from .sim_node import SimNode

NODES: Sequence[type[Node]] = (SimNode, PerceptionNode, PlannerNode, SkillNode, AgentNode)


def all_nodes(**kwargs: Any) -> list[Node]:
    """The whole graph; every node gets the arguments. If one cannot be made, none is left."""
    nodes: list[Node] = []
    try:
        for make in NODES:
            nodes.append(make(**kwargs))
    except ConfigError:
        for node in reversed(nodes):
            getattr(node, 'close', lambda: None)()
        raise
    return nodes


main = program(all_nodes)

if __name__ == '__main__':
    main()
