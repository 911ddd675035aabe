"""The objects that a task mentions, in its own words."""

from __future__ import annotations

from .grammar import parse
from .phrases import PRONOUNS


def mentions(task: str) -> tuple[str, ...]:
    """The noun phrases of the task, each once, in order. Raises NotUnderstood."""
    phrases = [phrase for clause in parse(task) for phrase in (clause.thing, clause.target)]
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase not in PRONOUNS))
