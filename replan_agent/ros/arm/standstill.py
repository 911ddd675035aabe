"""The error of an arm that may still move."""

from __future__ import annotations


class NoStandstill(Exception):
    """The arm was told to stop, and nobody confirms that it stands still; says why."""
