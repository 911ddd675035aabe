# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A world that notes when LIBERO's check says yes for the first time, as policies are judged."""

from __future__ import annotations

from replan_agent_robosuite.robot_world import CONTROL_HZ, RobotWorld

from .tasks import LIMIT_HZ


class JudgedWorld(RobotWorld):
    """The arm is told nothing of it."""

    first_yes_s: float | None = None  # robot time

    def advance(self, closing: float = 0.0) -> None:
        super().advance(closing)
        if self.first_yes_s is None and self._steps % (CONTROL_HZ // LIMIT_HZ) == 0 and (
                self.judged()):
            self.first_yes_s = self.time
