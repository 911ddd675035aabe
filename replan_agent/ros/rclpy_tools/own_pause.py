# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process that did not run for a while, because it was frozen: it heard nothing then."""

from __future__ import annotations

import time


class OwnPause:
    """Asked every `period_s`, it says how long this process stood still before."""

    def __init__(self, period_s: float, least_s: float) -> None:
        """A pause that is shorter than `least_s` does not count."""
        self._period_s, self._least_s = period_s, least_s
        self.looked = time.monotonic()

    def look(self) -> float:
        """How long this process did not run since the last look; 0 if it ran."""
        now = time.monotonic()
        pause_s, self.looked = now - self.looked - self._period_s, now
        return pause_s if pause_s > self._least_s else 0.0
