"""The front door of the grammar: a task in, commands out. Nothing here knows the scene."""

from __future__ import annotations

import functools

from . import verb_rules  # noqa: F401 - it registers its verbs
from .clauses import split
from .commands import ClauseParser
from .phrases import Command, Verb
from .refusals import NotUnderstood
from .tokens import tokenise


@functools.lru_cache(maxsize=256)
def parse(task: str) -> tuple[Command, ...]:
    """The commands of `task`, in order. Raises NotUnderstood, or Open for an open question."""
    clauses = split(tokenise(task))
    if not clauses:
        raise NotUnderstood(task.strip(), 'it names no action')
    commands: list[Command] = []
    for clause in clauses:
        commands += ClauseParser(clause.tokens, commands, clause.opens).commands()
    if all(command.verb is Verb.LEAVE for command in commands):
        raise NotUnderstood(task.strip(), 'it names no action: say what to do, not what to avoid')
    return tuple(commands)
