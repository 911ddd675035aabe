"""A task for several things, of which some are not seen: the others need not wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.goal import SUPPORTED, Goal
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason

from ..language.phrases import Command, NounPhrase, Verb, is_bare
from .meaning import Meaning
from .orders import Order
from .place_meaning import SUPPORTING
from .referents import candidates, one
from .said_before import inventory
from .unclear import Unclear
from .words_now import knows


@dataclass
class NotSeen:
    """What a task names and the scene does not show. `may_begin`: its orders do not depend on it.

    `needed` are the objects that the orders about it will use.
    """

    may_begin: bool
    phrases: list[str] = field(default_factory=list)
    needed: set[str] = field(default_factory=set)
    waits: bool = False  # from here on, what is said comes after it

    @classmethod
    def of(cls, commands: Sequence[Command]) -> NotSeen:
        """For a task that says of several things, and no more, in or on what each should go."""
        things = [phrase for command in commands for phrase in command.things]
        return cls(len(things) > 1 and all(map(_is_plain, commands)))

    def order(self, command: Command, meaning: Meaning) -> Order | None:
        """The order for those of its things that are seen; None if none may move yet.

        Raises Unclear. What is said to come after a thing that is not seen waits for it.
        """
        self.waits = self.waits or bool(self.phrases) and command.follows
        if self.waits:
            return None
        try:
            return meaning.order(command)
        except Unclear as why:
            if not self.may_begin or why.not_seen not in [p.text for p in command.things]:
                raise
        gone = [phrase for phrase in command.things if _is_gone(phrase, meaning)]
        self.phrases += [phrase.text for phrase in gone]
        self.needed |= {o.name for place in command.places for phrase in place.landmarks
                        for o in candidates(phrase, meaning.context)}
        seen = tuple(phrase for phrase in command.things if phrase not in gone)
        return meaning.order(replace(command, things=seen)) if seen else None

    def to_look_for(self, orders: Sequence[Order], scene: Scene) -> tuple[str, ...]:
        """What is not seen; nothing if the orders should not be done before it is seen."""
        waits = not orders or any(order.moved(scene) & self.needed for order in orders)
        return () if waits else tuple(self.phrases)


def goals_to_begin_with(goals: Sequence[Goal], scene: Scene) -> tuple[tuple[Goal, ...], list[str]]:
    """The goals about things that are seen, and the names of the others.

    All goals, and no names, if they are not independent of each other: a tower, a choice.
    """
    known = set(scene.names())
    gone = [g.object for g in goals if g.object is not None and g.object not in known]
    plain = all(g.predicate in SUPPORTED and g.object and g.target in known and not g.negated
                for g in goals)
    moved = {g.object for g in goals}
    if not gone or not plain or any(g.target in moved for g in goals):
        return tuple(goals), []
    return tuple(g for g in goals if g.object in known), gone


def not_seen(things: Sequence[str], scene: Scene) -> Unclear:
    """The refusal that names them: "the bread is not seen"."""
    return Unclear(Reason.OBJECT_NOT_FOUND, f'{sentence(things)}; {inventory(scene)}',
                   not_seen=things[0])


def sentence(things: Sequence[str]) -> str:
    """ "the bread is not seen", "the bread and the can are not seen"."""
    unique = list(dict.fromkeys(things))
    listed = ' and '.join(filter(None, (', '.join(unique[:-1]), unique[-1])))
    return f'{listed} {"are" if len(unique) > 1 else "is"} not seen'


def _is_plain(command: Command) -> bool:
    """Whether it only says in or on what things should go, each named by a noun; or "go home"."""
    if command == Command(Verb.HOME, command.text, follows=command.follows):
        return True
    phrases = (*command.things, *(p for place in command.places for p in place.landmarks))
    return (command.verb is Verb.PUT and len(command.places) == 1
            and command.places[0].relation in SUPPORTING
            and command == Command(command.verb, command.text, command.things, command.places,
                                   states=command.states, follows=command.follows)
            and not any(phrase.pronoun or not is_bare(phrase) for phrase in phrases)
            and not any(phrase.plural for phrase in command.things))


def _is_gone(phrase: NounPhrase, meaning: Meaning) -> bool:
    try:
        one(phrase, meaning.context, is_loose, settled=meaning.picked)
    except Unclear as why:
        if not why.not_seen or not knows(phrase, meaning.scene):
            raise
        return True
    return False
