# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long one node waits for another."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent.domain.config import setting


@dataclass(frozen=True)
class Timeouts:
    """How long one node waits for another. If a node is lost, the task ends and names it."""

    appear_timeout: float = setting(20.0, 'time for a node to appear, also for one that died and '
                                    'starts again, s', 0.1, 600)
    answer_timeout: float = setting(6.0, 'time for a node to accept a call, s', 0.1, 600)
    silence_timeout: float = setting(
        6.0, 'a working node sends a sign of life five times a second; if none comes for this '
        'long, the node is lost, s', 1, 600)
    stop_timeout: float = setting(15.0, 'time for the arm to stop after a cancel, s', 0.1, 600)
    observe_timeout: float = setting(10.0, 'time for a scene, s', 0.1, 600)
    close_timeout: float = setting(
        3.0, 'a node that is asked to end has this long to end its work, with the arm at rest, s',
        0.5, 600)
    model_look_timeout: float = setting(
        120.0, 'extra time for a scene of camera_vlm, whose model may be asked, s', 0, 3600)

    @property
    def restart_timeout(self) -> float:
        """Time for the first answer, s. A node that was killed stays in discovery for a while.

        So nobody can tell it from one that is slow, and the one that takes its place needs time.
        """
        return max(self.answer_timeout, self.appear_timeout)
