"""A task that waits for a person says so: in the log, and on /diagnostics."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.node import Node


class AwaitedPerson:
    """What the running task waits for, if it waits for a person."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._waits: tuple[str, float, float] | None = None  # for what, since when, how long

    @contextmanager
    def waiting(self, what: str, service: str, request: str, limit_s: float) -> Iterator[None]:
        """While a task waits for an answer; `request` is that of the service, as YAML."""
        name = self._node.resolve_service_name(service)
        kind = ''.join(word.title() for word in service.split('_'))
        self._waits = what, time.monotonic(), limit_s
        self._node.get_logger().warning(
            f'waits up to {limit_s:g} s for a person: {what}; answer with: ros2 service call '
            f'{name} replan_agent_interfaces/srv/{kind} "{request}"')
        try:
            yield
        finally:
            self._waits = None

    @property
    def sentence(self) -> str:
        """What the task waits for, since when and how long; '' if it does not wait."""
        waits = self._waits
        if waits is None:
            return ''
        what, since, limit_s = waits
        waited_s = time.monotonic() - since
        return f'has waited {waited_s:.0f} s of {limit_s:.0f} s for a person: {what}'
