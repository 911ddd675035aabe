"""The error of an arm that may still move."""

from __future__ import annotations


class NoStandstill(Exception):
    """The arm should stop, but standstill is not confirmed; says why."""
