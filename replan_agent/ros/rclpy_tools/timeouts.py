"""How long one node waits for another."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.config import setting


@dataclass(frozen=True)
class Timeouts:
    """How long one node waits for another. A node that is lost ends the task, by name."""

    appear_timeout: float = setting(10.0, 'for a node to appear, s', 0.1, 600)
    answer_timeout: float = setting(6.0, 'for a node to take a call up, s', 0.1, 600)
    silence_timeout: float = setting(
        6.0, 'a node that works on a call shows twice a second that it lives; one that does not '
        'for this long is lost, s', 1, 600)
    stop_timeout: float = setting(15.0, 'for the arm to stand still after a cancel, s', 0.1, 600)
    observe_timeout: float = setting(10.0, 'for a scene, s', 0.1, 600)
