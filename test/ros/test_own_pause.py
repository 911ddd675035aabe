# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process that did not run for a while does not blame the node that it waits for."""

from __future__ import annotations

import queue
from typing import Any

import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.ros.rclpy_tools import action_port
from replan_agent.ros.rclpy_tools.action_port import POLL_S, _Watch
from replan_agent.ros.rclpy_tools.timeouts import Timeouts


class Port:
    """A server that is there, and what is said about pauses."""

    timeouts, heard, resend = Timeouts(silence_timeout=6.0), 0.0, False

    def __init__(self, heartbeat: bool = False) -> None:
        self.pauses: list[float] = []
        if heartbeat:
            self.heard, self.resend = float('inf'), True

    def is_there(self) -> bool:
        return True

    def lost(self, what: str) -> NodeLost:
        return NodeLost(what)

    def note_pause(self, pause_s: float) -> None:
        self.pauses.append(pause_s)


class Waits:
    """An inbox without feedback: each poll takes as long as it is told, in its own time."""

    def __init__(self, polls: list[float]) -> None:
        self.now, self.polls = 100.0, polls
        self.asked, self.questions = self.now, 1

    def get(self, timeout: float) -> Any:
        self.now += self.polls.pop(0)
        raise queue.Empty

    def empty(self) -> bool:
        return True

    def done(self) -> bool:
        return not self.polls

    def ask(self) -> None:
        self.asked, self.questions = self.now, self.questions + 1


def waited(monkeypatch: pytest.MonkeyPatch, polls: list[float], heartbeat: bool = False,
           ) -> tuple[Port, Waits]:
    port, waits = Port(heartbeat), Waits(polls)
    monkeypatch.setattr(action_port.time, 'monotonic', lambda: waits.now)
    _Watch(port, waits, waits, lambda feedback: None).until_done(Context())  # type: ignore[arg-type]
    return port, waits


def test_a_pause_of_this_process_is_no_silence_of_the_server(
        monkeypatch: pytest.MonkeyPatch) -> None:
    port, _ = waited(monkeypatch, [POLL_S, 10.0, POLL_S, POLL_S])
    assert port.pauses == [pytest.approx(10.0 - POLL_S)]


def test_a_server_that_is_silent_while_this_process_runs_is_lost(
        monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NodeLost, match='fell silent'):
        waited(monkeypatch, [POLL_S] * round(7.0 / POLL_S))


def test_a_server_that_only_shows_life_is_asked_again_for_the_result(
        monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be another process than the one that took the goal."""
    _, waits = waited(monkeypatch, [POLL_S] * round(12.0 / POLL_S), heartbeat=True)
    assert waits.questions == 3
