"""Contacts that an arm feels, from the external torques that its driver tells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.robot import ContactGuard


class ContactWatch:
    """Tells when a motion touches something, by its guard; `start` is what was felt before."""

    def __init__(self, guard: ContactGuard, start: FloatArray, names: Sequence[str]) -> None:
        self.guard, self._start, self._names = guard, start, names
        self.contact = ''  # the first one, as a sentence

    def feel(self, torque: FloatArray) -> bool:
        """Whether this is the first contact.

        An unexpected one is a torque that is large and new, an expected one any change.
        """
        excess = np.abs(torque - self._start)
        if not self.guard.expected:
            excess = np.minimum(excess, np.abs(torque))
        i = int(excess.argmax())
        if self.contact or excess[i] <= self.guard.threshold:
            return False
        kind = 'contact' if self.guard.expected else 'unexpected contact'
        self.contact = (f'{kind}: {self._names[i]} feels {excess[i]:.1f} N·m '
                        f'(threshold {self.guard.threshold:g})')
        return True
