# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The words with which an agent reports what went wrong, or why something cannot be done."""

from __future__ import annotations

from replan_agent import ConfigError

CAUSES = {
    'moved': 'somebody or something moved it',
    'taken_away': 'it is no longer there: somebody took it away',
    'not_seen': 'it is not seen any more',
    'exchanged': 'another thing stands where it stood',
    'dropped': 'the hand lost it on the way',
    'slips': 'it slips through the fingers',
    'too_heavy': 'the arm or the grip cannot carry it',
    'too_wide': 'the hand does not open that wide',
    'out_of_reach': 'it, or its place, is farther away than the arm reaches',
    'blocked': 'things beside it or above it leave the hand no way',
    'place_taken': 'something stands where it should go',
    'full': 'there is no room left in the container',
    'would_not_stay': 'it does not stay where it should be put',
    'locked': 'it is locked, or stuck',
    'camera': 'the camera shows nothing, or the wrong thing',
    'other': 'something else',
}


def checked_cause(cause: str) -> str:
    """The cause, if it is one of CAUSES. Raises ConfigError, which lists them."""
    if cause not in CAUSES:
        raise ConfigError(f'cause: {cause!r} is not one of: {", ".join(CAUSES)}')
    return cause
