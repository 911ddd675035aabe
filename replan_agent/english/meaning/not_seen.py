"""A task for several things, of which some are not seen: the others need not wait for them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from replan_agent.domain.goal import SUPPORTED, Goal
from replan_agent.domain.pose import Pose
from replan_agent.domain.reading import told_not_seen
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason

from ..dictionary import KINDS, knows
from ..nouns import COLOURS, GROUPS, TOWERS
from ..phrases import Command, NounPhrase, Verb, is_bare
from .place_meaning import SUPPORTING
from .said_before import inventory

# In these words, with nouns, nothing is said about order, choice, number or time.
_PLAIN_WORDS = frozenset('put place move please the and in into inside on onto to their its '
                         ','.split())
# These say what something is like, or name anything: what is not seen may be meant, too.
_SAYS_LITTLE = frozenset((*'object thing thingy item piece one stuff round square flat container '
                          'empty full clear free other same'.split(), *GROUPS, *TOWERS))
_PIECE = re.compile(r'[\w-]+|[^\w\s]')
_SIZE_M = 0.04
_NOWHERE = Pose((0.0, 0.0, -1.0))


def is_in_any_order(task: str, commands: Sequence[Command]) -> bool:
    """Whether it says of several things, and no more, in or on what each should go."""
    phrases = [phrase for command in commands for phrase in _phrases(command)]
    nouns = {word for phrase in phrases for word in phrase.text.lower().split()}
    return (sum(len(command.things) for command in commands) > 1
            and all(map(_is_plain, commands))
            and _PLAIN_WORDS | nouns >= set(_PIECE.findall(task.lower().rstrip(' .'))))


def stand_in(said: str, commands: Sequence[Command], scene: Scene) -> SceneObject | None:
    """A thing for words that nothing in the scene fits, so that the task can be read as a whole.

    None if they do not name a thing that should move, or a container: what fits into it, or where
    it stays, nobody can say. Its place and its size mean nothing.
    """
    phrase = next((p for command in commands for p in command.things if p.text == said), None)
    if phrase is None or not knows(phrase, scene):
        return None
    colours = [word for word in phrase.words if word in COLOURS]
    thing = SceneObject('_'.join(phrase.words), Shape.BOX, (_SIZE_M,) * 3, _NOWHERE,
                        ''.join(colours[:1]))
    kinds = [KINDS[word] for word in phrase.words if word in KINDS]
    others = [replace(thing, shape=shape)
              for shape in (Shape.TABLE, Shape.WALL, Shape.BOWL, Shape.BIN)]
    is_other = any(any(map(kind.fits, others)) and not kind.fits(thing) for kind in kinds)
    odd = is_other or len(colours) > 1 or len(kinds) > 1
    return None if odd or thing.name in scene.names() else thing


def goals_to_begin_with(goals: Sequence[Goal], gone: Collection[str], scene: Scene
                        ) -> tuple[Goal, ...]:
    """The goals about other things than those; none if some goals may depend on each other.

    What moves is needed by no other goal, and what is gone needs no place that a seen thing takes.
    """
    known, moved = set(scene.names()), {goal.object for goal in goals}
    plain = all(g.predicate in SUPPORTED and not g.negated and g.object and g.target in known
                and g.target not in moved for g in goals)
    seen = tuple(goal for goal in goals if goal.object not in gone)
    shared = {g.target for g in goals if g.object in gone} & {g.target for g in seen}
    return seen if plain and all(_takes_several(name, scene) for name in shared) else ()


def _takes_several(name: str | None, scene: Scene) -> bool:
    below = scene.get(name or '')
    return below is not None and (below.is_container or below.shape is Shape.TABLE)


def not_seen(things: Sequence[str], scene: Scene) -> Unclear:
    """The refusal that names them: "the bread is not seen"."""
    return Unclear(Reason.OBJECT_NOT_FOUND, f'{told_not_seen(things)}; {inventory(scene)}',
                   not_seen=things[0])


def _is_plain(command: Command) -> bool:
    """Whether it only says in or on what things should go, each named by a noun."""
    return (command.verb is Verb.PUT and len(command.places) == 1
            and command.places[0].relation in SUPPORTING
            and command == Command(command.verb, command.text, command.things, command.places)
            and not any(phrase.pronoun or not is_bare(phrase) or _says_little(phrase)
                        for phrase in _phrases(command))
            and not any(phrase.plural for phrase in command.things))


def _says_little(phrase: NounPhrase) -> bool:
    """Whether it is no noun of its own: "the red one", "the round thing", "the red"."""
    return not _SAYS_LITTLE.isdisjoint(phrase.words) or set(phrase.words) <= set(COLOURS)


def _phrases(command: Command) -> list[NounPhrase]:
    return [*command.things, *(p for place in command.places for p in place.landmarks)]
