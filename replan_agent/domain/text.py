"""Shortening text from outside."""

from __future__ import annotations


def clipped(text: str, most: int) -> str:
    """The text, cut to `most` characters plus three dots if it is longer."""
    return text if len(text) <= most else f'{text[:most]}...'
