# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a node says about itself on /diagnostics, which all nodes of all arms share."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node
from std_msgs.msg import Header

DIAGNOSTICS_S = 1.0  # between two reports


class Diagnostics:
    """One status of a node, named with its namespace; `arm` is the model of the arm."""

    def __init__(self, node: Node, what: str, arm: str) -> None:
        self._node = node
        self._name = f'{node.get_fully_qualified_name().strip("/")}: {what}'
        self._hardware_id = f'{node.get_namespace()}/{arm}'.strip('/')
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)

    def publish(self, level: str, message: str, values: Mapping[str, str]) -> None:
        """`level` is 'ok', 'warn' or 'error'."""
        status = DiagnosticStatus(
            name=self._name, message=message, hardware_id=self._hardware_id,
            level=getattr(DiagnosticStatus, level.upper()),
            values=[KeyValue(key=key, value=value) for key, value in values.items()])
        self._publisher.publish(DiagnosticArray(
            header=Header(stamp=self._node.get_clock().now().to_msg()), status=[status]))
