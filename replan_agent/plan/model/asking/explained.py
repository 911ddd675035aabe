# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether the words of a task explain the things that a model's goals name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replan_agent.agent.ports import Reader
from replan_agent.domain.goal import Goal
from replan_agent.domain.kinds import ReadWord, Word, is_thing, name_words
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.goal_words import goals_in_words

from .named_colours import COLOUR_OF, LEAVES_OUT
from .plain_english import MEANS

SEVERAL = frozenset('all both each every everything any anything whatever these those they them '
                    'two three four five six several'.split())
STEM = 4  # letters: "writing" is a word of "everything that writes"
# A noun that ends a part of the sentence and has no adjective: "..., into the bowl"
_BARE = re.compile(
    r'(?:^|[,.;:!?]|\b(?:the|a|my|your|in|into|on|onto|to))\s*\b(\w+)\s*(?=$|[,.;:!?])')
_WORD = re.compile(r"\w+(?:[-']\w+)*")  # "sky-coloured" is one word: it is no sky


def unexplained(goals: Iterable[Goal], said: Sequence[Any], request: PlanRequest, reader: Reader
                ) -> list[str]:
    """The things in the goals that no words of the task mean; goals that name no thing at all.

    The words that are true of a thing must single it out, or say that several are meant and fit
    only others that the goals name too. `said` is the task in English, and what the model says
    that its phrases mean. One phrase for things that have no word in common is a guess.
    """
    scene, goals = request.scene, tuple(goals)
    things = _things(goals, scene)
    all_things = [o for o in scene.objects if is_thing(o) or o in things]
    text = ' '.join((request.task, *(one for one in said if isinstance(one, str))))
    tokens = [word for word in words_in(text) if not _is_of_another(word, text, scene, reader)]
    if not things:
        return [goals_in_words([goal]) for goal in goals]

    def fitted(token: str) -> list[SceneObject]:
        """The things that a word fits, by name before kind; none if it fits all."""
        word = _word(token, reader.word)
        found = [o for o in all_things if word.is_noun and word.names & {*name_words(o.name)}] or [
            o for o in all_things if word.fits(o, scene)]
        return found if len(found) < len(all_things) else []

    def is_meant(thing: SceneObject, *groups: Sequence[SceneObject]) -> bool:
        """Whether the thing is in all the groups, and else only what the goals name too."""
        said = [*groups, *(found for token in tokens if thing in (found := fitted(token)))]
        alike = [o for o in all_things if said and all(o in group for group in said)]
        return thing in alike and all(o in things for o in alike) and (
            len(alike) == 1 or not SEVERAL.isdisjoint(tokens))

    def explains(entry: Any, thing: SceneObject) -> bool:
        """Whether the model says of a phrase of the task, which names no other thing, it is it."""
        phrase, meant = words_in(_field(entry, 'said')), _field(entry, MEANS)
        found = named_in(meant, scene, reader) or ()
        others = [o for o in all_things if any(_names(word, o, reader.word) for word in phrase)]
        return not parts.isdisjoint(_parts(phrase)) and thing in (others or things) and is_meant(
            thing, found, *filter(None, map(fitted, words_in(meant))))

    parts = _parts(tokens)
    return [thing.name for thing in things if not is_meant(thing)
            and not any(explains(entry, thing) for entry in said)]


def guessed(goals: Iterable[Goal], said: Sequence[Any], request: PlanRequest, reader: Reader
            ) -> list[str]:
    """The things to move that no word of the task or its translation fits, nor a colour it means.

    That they are meant, only the model says; where nothing is meant, it takes one from the list.
    """
    scene, is_colour = request.scene, 'colour'[:STEM] in _parts(words_in(request.task))
    colours = {thing.colour for thing in scene.objects if is_colour}
    meant = [one if isinstance(one, str) else _field(one, MEANS).strip() for one in said]
    known = [one for one, entry in zip(meant, said) if isinstance(entry, str) or one in colours]
    fits = [found for word in words_in(' '.join((request.task, *known)))
            if (found := named_in(word, scene, reader)) and len(found) < len(scene.objects) - 1]
    moved = dict.fromkeys(part.object for goal in goals for part in goal.named(scene))
    return [name for name in moved if name and not any(scene.get(name) in one for one in fits)]


def unused(goals: Iterable[Goal], request: PlanRequest, read: ReadWord) -> list[str]:
    """The words of the task that name things here, none of which the goals name."""
    scene, tokens = request.scene, words_in(request.task)
    used = _things(goals, scene)
    if not used or leaves_out(request.task):  # it may be the name of what stays
        return []
    return [token for token in tokens
            if any(_names(token, thing, read) for thing in scene.objects)
            and not any(_names(token, thing, read) for thing in used)]


def recoloured(order: str, said: Sequence[Any], request: PlanRequest, read: ReadWord) -> str:
    """The order with its colour off the nouns that the task says without one, on the others.

    Small models know that blood is red, and put the ball in the red bowl. Only for one colour
    that the answer says and the task does not.
    """
    reply = ' '.join((order, *(_field(one, MEANS) for one in said)))
    known, found = ({colour for word in words_in(text) for colour in _word(word, read).colours}
                    for text in (request.task, reply))
    new = {thing.colour for thing in request.scene.objects} & (found - known)
    bare, colour = _BARE.findall(request.task.lower()), ''.join(new)
    return order if len(new) != 1 or not bare else re.sub(
        r'\bthe (\w+)', lambda the: the[0] if the[1] in bare else f'the {colour} {the[1]}',
        order.lower().replace(f'{colour} ', ''))


def leaves_out(text: str) -> bool:
    """Whether it says "not", "except" or the like, in some languages."""
    return not LEAVES_OUT.isdisjoint(words_in(text))


def words_in(text: str) -> list[str]:
    return list(dict.fromkeys(_WORD.findall(text.lower())))


def _things(goals: Iterable[Goal], scene: Scene) -> list[SceneObject]:
    names = dict.fromkeys(name for goal in goals for part in goal.named(scene)
                          for name in sorted(part.names))
    return [thing for thing in map(scene.get, names) if thing is not None]


def _is_of_another(word: str, text: str, scene: Scene, reader: Reader) -> bool:
    """Whether it is the colour of what is not here: "green" in "the green lorry"."""
    colour = COLOUR_OF.get(word, word)
    nouns = re.findall(rf'\b{word}\b( \w+)?', text.lower())
    return colour in {thing.colour for thing in scene.objects} and all(
        noun and named_in(f'the {colour}{noun}', scene, reader) == [] for noun in nouns)


def _parts(words: Iterable[str]) -> set[str]:
    return {part[:STEM] for word in words for part in word.split('-')}


def _word(token: str, read: ReadWord) -> Word:
    return read(COLOUR_OF.get(token, token))


def _names(token: str, thing: SceneObject, read: ReadWord) -> bool:
    """Whether a word is the thing's colour, or a part of its name."""
    word = _word(token, read)
    return thing.colour in word.colours or not word.names.isdisjoint(name_words(thing.name))


def named_in(phrase: str, scene: Scene, reader: Reader) -> list[SceneObject] | None:
    """The things that a phrase means; None if it is a list or no noun phrase."""
    try:
        return None if 'and' in words_in(phrase) else [
            thing for name in reader.fitting(phrase, scene) if (thing := scene.get(name))]
    except (NotUnderstood, Open, Unclear):
        return None


def _field(entry: Any, name: str) -> str:
    value = entry.get(name) if isinstance(entry, Mapping) else None
    return value if isinstance(value, str) else ''
