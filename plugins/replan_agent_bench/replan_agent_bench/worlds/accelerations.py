# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How hard the joints of a simulated arm accelerate by themselves."""

from __future__ import annotations

import numpy as np

from replan_agent.domain.pose import FloatArray

WITHIN_S = 0.02  # an acceleration is the change of speed in this time
PUSHED_NM, AFTER_S = 1.0, 0.1  # a contact that begins or ends pushes an arm, for so long


class Accelerations:
    """The largest acceleration of each joint so far: `peaks` (rad/s²), step by step.

    What a contact does to the arm, and the stop that follows, is not its own: it brakes then as
    hard as it can.
    """

    def __init__(self, joints: int, step_s: float) -> None:
        self.peaks = np.zeros(joints)
        self._earlier = np.zeros((round(WITHIN_S / step_s), 2, joints))
        self._quiet_steps = round(AFTER_S / step_s)
        self._step, self._counts_from = 0, len(self._earlier)

    def note(self, speeds: FloatArray, pushes: FloatArray) -> None:
        """The next step: joint speeds (rad/s), and torques (N·m) that contacts put on them."""
        before = self._earlier[self._step % len(self._earlier)]
        if self._step >= len(self._earlier):
            if np.abs(pushes - before[1]).max() > PUSHED_NM:
                self._counts_from = self._step + self._quiet_steps
            if self._step >= self._counts_from:
                np.maximum(self.peaks, np.abs(speeds - before[0]) / WITHIN_S, out=self.peaks)
        before[0], before[1] = speeds, pushes
        self._step += 1
