"""Whether the words of a task explain the things that a model's goals name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replan_agent.domain.goal import Goal
from replan_agent.domain.kinds import ReadWord, Word, is_thing, name_words
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.goal_words import goals_in_words

from .named_colours import COLOUR_OF, LEAVES_OUT

_WORD = re.compile(r"\w+(?:[-']\w+)*")  # "sky-coloured" is one word: it is no sky


def unexplained(goals: Iterable[Goal], said: Sequence[Any], request: PlanRequest, read: ReadWord
                ) -> list[str]:
    """The things in the goals that no words of the task mean; goals that name no thing at all.

    The words that are true of a thing must single it out, or only fit others that the goals name
    too. Else the model must say which part of the task (`said`) means it, and nothing in that
    part may be said of others only.
    """
    scene, tokens = request.scene, words_in(request.task)
    goals = tuple(goals)
    things = _things(goals, scene)
    if not things:
        return [goals_in_words([goal]) for goal in goals]

    def is_meant(thing: SceneObject) -> bool:
        true = [word for token in tokens if _tells_apart(word := _word(token, read), thing, scene)]
        return bool(true) and all(other in things for other in scene.objects if is_thing(other)
                                  and all(word.fits(other, scene) for word in true))

    return [thing.name for thing in things if not is_meant(thing)
            and not any(_means(entry, thing, request, read) for entry in said)]


def unused(goals: Iterable[Goal], request: PlanRequest, read: ReadWord) -> list[str]:
    """The words of the task that name things here, none of which the goals name."""
    scene, tokens = request.scene, words_in(request.task)
    used = _things(goals, scene)
    if LEAVES_OUT & set(tokens):  # it may be the name of what stays
        return []
    return [token for token in tokens
            if any(_names(token, thing, read) for thing in scene.objects)
            and not any(_names(token, thing, read) for thing in used)]


def contradicts(entry: Any, scene: Scene) -> bool:
    """Whether the model says another colour of a thing than it has."""
    colour, thing = _field(entry, 'colour'), scene.get(_field(entry, 'object'))
    here = {word for o in scene.objects for word in (o.colour, *name_words(o.name))}
    return thing is not None and colour in here and colour not in (
        thing.colour, *name_words(thing.name))


def words_in(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text.lower())))


def _things(goals: Iterable[Goal], scene: Scene) -> list[SceneObject]:
    names = dict.fromkeys(name for goal in goals for part in goal.named(scene)
                          for name in sorted(part.names))
    return [thing for thing in map(scene.get, names) if thing is not None]


def _means(entry: Any, thing: SceneObject, request: PlanRequest, read: ReadWord) -> bool:
    """Whether an entry of the model says which part of the task means the thing."""
    phrase = words_in(_field(entry, 'said'))
    others = [o for o in request.scene.objects if any(_names(word, o, read) for word in phrase)]
    return (_field(entry, 'object') == thing.name and (not others or thing in others)
            and not set(phrase).isdisjoint(words_in(request.task)))


def _word(token: str, read: ReadWord) -> Word:
    return read(COLOUR_OF.get(token, token))


def _tells_apart(word: Word, thing: SceneObject, scene: Scene) -> bool:
    """Whether a word is true of the thing, and not of all things."""
    return word.fits(thing, scene) and not all(word.fits(o, scene) for o in scene.objects
                                               if o is not scene.table)


def _names(token: str, thing: SceneObject, read: ReadWord) -> bool:
    """Whether a word is the thing's colour, or a part of its name."""
    word = _word(token, read)
    return thing.colour in word.colours or not word.names.isdisjoint(name_words(thing.name))


def _field(entry: Any, name: str) -> str:
    value = entry.get(name) if isinstance(entry, Mapping) else None
    return value if isinstance(value, str) else ''
