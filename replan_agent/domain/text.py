"""Text of others, made short."""

from __future__ import annotations


def clipped(text: str, most: int) -> str:
    """The text, or so many characters of it and three dots."""
    return text if len(text) <= most else f'{text[:most]}...'
