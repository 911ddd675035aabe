"""Whether two colour words may be said of one thing."""

from __future__ import annotations

SHADES = ('white', 'grey', 'black')  # in a shadow, each may look like the next one


def same_colour(word: str, other: str) -> bool:
    """Whether one thing may look like both: what is white is grey in a shadow."""
    if word in SHADES and other in SHADES:
        return abs(SHADES.index(word) - SHADES.index(other)) <= 1
    return word == other
