"""The front door of the grammar: a task in, commands out. Nothing here knows the scene."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace

from . import tower_rules, verb_rules  # noqa: F401 - they register their verbs
from .clauses import split
from .commands import ClauseParser
from .joined_nouns import one_of
from .phrases import Command, Verb
from .refusals import NotUnderstood
from .tokens import tokenise
from .words import COLOURS


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
    return tuple(_with_the_other(_with_nouns(commands)))


def _with_nouns(commands: list[Command]) -> list[Command]:
    """ "the balls in the bowl, but leave the red one": it is a red ball."""
    found: list[Command] = []
    for command in commands:
        before = found[-1].things if found else ()
        noun = tuple(w for w in before[-1].words if w not in COLOURS) if before else ()
        if command.verb is Verb.LEAVE and noun and noun != ('thing',):
            command = replace(command, things=tuple(
                replace(t, words=(*(w for w in t.words if w != 'one'), *noun))
                if 'one' in t.words else t for t in command.things))
        found.append(command)
    return found


def _with_the_other(commands: list[Command]) -> Iterator[Command]:
    """ "one cube in the bowl, the other one in the bin": the first is chosen, as "a cube" is."""
    for number, command in enumerate(commands):
        later = [thing for after in commands[number + 1:] for thing in after.things]
        chosen = any(thing.quantity in ('other', 'rest') for thing in later)
        yield replace(command, things=tuple(map(one_of, command.things))) if chosen else command
