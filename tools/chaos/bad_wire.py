"""Runs a node whose answers or pictures are spoiled while a file says how.

    python3 -m tools.chaos.bad_wire skill_node FILE --ros-args ...

The file holds one word: `drop`, `delay` or `twice` for the answers of its services and actions,
`still` or `stale` for its pictures. Without the file nothing is spoiled.
"""

from __future__ import annotations

import copy
import importlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rclpy.impl.implementation_singleton import rclpy_implementation as rclpy_c
from rclpy.publisher import Publisher
from sensor_msgs.msg import Image

DROP, DELAY, TWICE = 'drop', 'delay', 'twice'
STILL, STALE = 'still', 'stale'  # the last picture again: as it was, or with new stamps
DELAY_S = 1.5
ANSWERS = ((rclpy_c.Service, ('service_send_response',)),
           (rclpy_c.ActionServer, ('send_goal_response', 'send_cancel_response',
                                   'send_result_response')))


class Wire:
    """Between this process and the middleware."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._pictures: dict[str, Any] = {}  # the one that a frozen camera shows, by topic

    def tap(self) -> None:
        """From now on, everything that this process sends goes through here."""
        for kind, names in ANSWERS:
            for name in names:
                setattr(kind, name, self._answering(getattr(kind, name)))
        Publisher.publish = self._publishing(Publisher.publish)

    @property
    def mode(self) -> str:
        try:
            return self._file.read_text('utf-8')
        except OSError:
            return ''

    def _answering(self, send: Callable[..., None]) -> Callable[..., None]:
        def answer(*words: Any) -> None:
            mode = self.mode
            if mode == DELAY:
                threading.Timer(DELAY_S, send, words).start()
            elif mode != DROP:
                send(*words)
                if mode == TWICE:
                    send(*words)

        return answer

    def _publishing(self, publish: Callable[..., None]) -> Callable[..., None]:
        def spoiled(publisher: Publisher, message: Any) -> None:
            if isinstance(message, Image):
                message = self._shown(publisher.topic_name, message)
            publish(publisher, message)

        return spoiled

    def _shown(self, topic: str, now: Image) -> Image:
        mode = self.mode
        if mode not in (STILL, STALE):
            self._pictures[topic] = now
        old = self._pictures.setdefault(topic, now)
        if mode == STALE:
            old = copy.copy(old)
            old.header = now.header
        return old


def main() -> None:
    name, file = sys.argv[1:3]
    del sys.argv[1:3]
    Wire(Path(file)).tap()
    package = 'replan_agent_sim' if name == 'sim_node' else 'replan_agent.ros.nodes'
    importlib.import_module(f'{package}.{name}').main()


if __name__ == '__main__':
    main()
