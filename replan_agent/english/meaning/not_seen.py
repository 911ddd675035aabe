"""A task for several things, of which some are not seen: the others need not wait for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

from ..dictionary import COLOURS, GROUPS, KINDS, STATES, TOWERS, knows
from ..phrases import Command, NounPhrase, Verb, is_bare
from .place_meaning import SUPPORTING

# These say what something is like, or name anything: what is not seen may be meant, too.
_SAYS_LITTLE = frozenset((*'object thing thingy item piece one stuff round square flat container '
                          'clear free other same'.split(), *STATES, *GROUPS, *TOWERS))
_NO_THINGS = frozenset({Shape.TABLE, Shape.WALL, Shape.BOWL, Shape.BIN})


def is_in_any_order(task: str, commands: Sequence[Command]) -> bool:
    """Whether it says of several things, and no more, in or on what each should go."""
    phrases = [p for command in commands for p in (
        *command.things, *(p for place in command.places for p in place.landmarks))]
    return (re.search(r'\bfirst\b', task.lower()) is None  # the parse does not keep it
            and sum(len(command.things) for command in commands) > 1
            and all(map(_is_plain, commands)) and not any(map(_says_little, phrases)))


def _is_plain(command: Command) -> bool:
    """Whether it only says in or on what things should go."""
    return (command.verb is Verb.PUT and len(command.places) == 1
            and command.places[0].relation in SUPPORTING
            and command == Command(command.verb, command.text, command.things, command.places)
            and not any(phrase.plural for phrase in command.things))


def _says_little(phrase: NounPhrase) -> bool:
    """Whether it is more or less than a noun of its own: "it", "the red one", "the red"."""
    return (bool(phrase.pronoun) or not is_bare(phrase) or set(phrase.words) <= COLOURS
            or not _SAYS_LITTLE.isdisjoint(phrase.words))


def stand_in(said: str, commands: Sequence[Command], scene: Scene) -> SceneObject | None:
    """A thing for words that nothing in the scene fits, so that the task can be read as a whole.

    None if they do not name a thing that should move, or a container: what fits into it, or where
    it stays, nobody can say. Its place and its size mean nothing.
    """
    phrase = next((p for command in commands for p in command.things if p.text == said), None)
    if phrase is None or not knows(phrase, scene):
        return None
    colours = [word for word in phrase.words if word in COLOURS]
    kinds = [KINDS[word] for word in phrase.words if word in KINDS]
    thing = SceneObject('_'.join(phrase.words), Shape.BOX, (0.04,) * 3, Pose((0.0, 0.0, -1.0)),
                        ''.join(colours[:1]))
    odd = len(colours) > 1 or len(kinds) > 1 or any(
        kind.shapes & _NO_THINGS and not kind.fits(thing) for kind in kinds)
    return None if odd or thing.name in scene.names() else thing
