# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts that the arm feels: given what a motion may feel (ContactGuard), and smoothed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.domain.trajectory import JointLimits

FILTER_S = 0.008  # time constant; shorter spikes are not a contact


def share_of_new(period_s: float) -> float:
    """The share of a new reading of torque in the smoothed one; they are `period_s` apart."""
    return period_s / (FILTER_S + period_s)


class ContactWatch:
    """Reports when a motion touches something. `start` is the torque (N·m) felt before it.

    `felt` is how much more of it there was at the contact.
    """

    def __init__(self, guard: ContactGuard, start: FloatArray, arm: JointLimits) -> None:
        self.guard = replace(guard, threshold=guard.threshold * arm.guard_scale)
        self._start, self.felt = start.tolist(), np.zeros(len(start))
        self._names = arm.names

    def contact(self, torque: FloatArray) -> str:
        """Which joint feels a contact and how much, or '' if none does.

        What is felt at the start is not a new contact: the weight of a carried object, or a
        contact that the motion leaves. So a contact is unexpected only if both the torque and its
        change are too large. For an expected contact the change alone counts: a table that takes
        the weight of an object brings the torque back to zero. A torque that is no number is
        never the contact that was expected, and always one that was not.
        """
        guard = self.guard
        force = np.dot(guard.weights, torque - self._start) if guard.weights else 0.0
        if force > guard.force_n:
            self.felt = torque - self._start
            return f'contact: {force:.0f} N against the motion (at most {guard.force_n:.0f} N)'
        if not guard.expected and torque.dot(torque) <= guard.threshold**2:
            return ''  # checked first: it is quick and almost always true
        felt = torque.tolist()
        excess = [abs(now - before) for now, before in zip(felt, self._start)]
        if not guard.expected:
            excess = [min(change, abs(now)) for change, now in zip(excess, felt)]
        if not all(map(math.isfinite, excess)):  # it may feel anything
            return '' if guard.expected else 'the torque of a joint is no number'
        worst = max(excess)
        if worst <= guard.threshold:
            return ''
        i, self.felt = excess.index(worst), np.subtract(felt, self._start)
        kind = 'contact' if guard.expected else 'unexpected contact'
        return f'{kind}: {self._names[i]} feels {worst:.1f} N·m (threshold {guard.threshold:g})'
