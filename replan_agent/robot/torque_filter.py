"""How a stepped arm's readings of the external torque are smoothed."""

from __future__ import annotations

FILTER_S = 0.008  # time constant; shorter spikes are not a contact


def share_of_new(period_s: float) -> float:
    """The share of a new reading in the smoothed one; readings are `period_s` apart."""
    return period_s / (FILTER_S + period_s)
