"""The nouns of objects, and what a word says about one: its kind, colour, name, how it is now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from replan_agent.domain.kinds import FIELDS, NOT, OR, Form, Word, is_loose, name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import resting_on

from .phrases import NounPhrase

Entry = tuple[str, str, list[str]]  # a category of lexicon.txt, what its words mean, the words
DATA = '@'  # categories that say what is known of things; the others are those of the grammar


def entries(text: str) -> Iterator[Entry]:
    for line in re.sub(r'\n[ \t]+', ' ', text).splitlines():
        name, _, phrases = line.partition(':')
        if phrases and not line.startswith('#'):
            category, _, meaning = name.partition('=')
            yield category, meaning, [p for p in map(str.strip, phrases.split(',')) if p]


LEXICON = (Path(__file__).parent / 'lexicon.txt').read_text(encoding='utf-8')
_ENTRIES = tuple(entries(LEXICON))


def known(category: str) -> Iterator[tuple[str, list[str]]]:
    """The meanings and words of a category."""
    return ((meaning, phrases) for name, meaning, phrases in _ENTRIES if name == category)


def _words(category: str) -> frozenset[str]:
    return frozenset(meaning or word for meaning, words in known(category) for word in words)


BINS = _words('@BIN')
CONTAINERS = (BINS | _words('@HOLDER')) - {'plate', 'saucer', 'box'}  # a box may be solid
TOWERS = _words('@TOWER')
COLOURS = _words('COLOUR')
SHADES = tuple(frozenset(words) for _, words in known('@SHADE'))
SAME_THING = (BINS, *(frozenset(words) for _, words in known('@SAME')))
HAS_OTHER_NAMES = frozenset().union(*SAME_THING)
GROUPS: dict[str, frozenset[str]] = {}
for _name, _members in known('@GROUP'):  # a group may be part of a later one
    GROUPS[_name] = frozenset().union(*(GROUPS.get(m, {m}) for m in _members), {_name})
IRREGULAR: Mapping[str, str] = {w: one for one, words in known('@PLURAL') for w in words}


def singular(word: str) -> tuple[str, bool]:
    """The word without its plural ending, and whether it had one."""
    if word in IRREGULAR:
        return IRREGULAR[word], True
    if len(word) < 4 or not word.endswith('s') or word.endswith(('ss', 'us')):
        return word, False
    if word.endswith('ies') and len(word) > 4:
        return f'{word[:-3]}y', True
    if word.endswith('ves'):
        return f'{word[:-3]}f', True
    if word.endswith(('xes', 'ches', 'shes', 'sses', 'zzes', 'oes')):
        return word[:-2], True
    return word[:-1], True


@lru_cache(maxsize=512)
def forms_of(name: str) -> frozenset[str]:
    """The words of a name, as they are and without a plural ending: scissors, scissor."""
    return frozenset(form for word in name_words(name) for form in (word, singular(word)[0]))


@lru_cache(maxsize=512)
def named(word: str) -> frozenset[str]:
    """The word, and the others that name the same thing."""
    return frozenset({word}).union(*(g for g in (*SAME_THING, *SHADES) if word in g))


def written(*words: str) -> frozenset[str]:
    """The words, and all plurals of them: the reverse of `forms_of`."""
    plurals = {plural for word in words for plural in (
        f'{word}s', f'{word}es', f'{word[:-1]}ies', f'{word[:-1]}ves', *IRREGULAR)
        if singular(plural)[0] == word}
    return frozenset({*words, *plurals})


# What words say about objects

LIKE = frozenset({'round', 'square', 'flat'})  # kinds that are said before a noun
_FORMS, _SHAPES = {f.value: f for f in Form}, {s.value: s for s in Shape}
KINDS: Mapping[str, Word] = {
    **{word: Word(word, is_noun=word not in LIKE,
                  shapes=frozenset(_SHAPES[k] for k in kinds.split() if k in _SHAPES),
                  forms=frozenset(_FORMS[k] for k in kinds.split() if k in _FORMS))
       for kinds, words in known('@KIND') for word in words},
    **{word: Word(word, names=written(*group), is_noun=True) for word, group in GROUPS.items()}}
# How things are now: "the empty bowl".
STATES: Mapping[str, Callable[[SceneObject, Scene], bool]] = {
    'empty': lambda o, scene: o.is_container and not resting_on(o, scene),
    'full': lambda o, scene: o.is_container and bool(resting_on(o, scene))}
PASSING = TOWERS | STATES.keys()  # what is so now, and may not last
_KNOWN = (COLOURS | KINDS.keys() | PASSING | HAS_OTHER_NAMES).union(*GROUPS.values())


@lru_cache(maxsize=512)
def word(text: str) -> Word:
    """What a word says about an object. After a `-` it must not be so; `a|b` is a or b."""
    if text.startswith(NOT) or OR in text:
        parts = [word(part) for part in text.removeprefix(NOT).split(OR)]
        names, others, colours, shapes, forms = (
            frozenset().union(*(getattr(part, key) for part in parts)) for key in FIELDS)
        return Word(text, names | others, frozenset(), colours, shapes, forms,
                    all(part.is_noun for part in parts))
    if text in KINDS:
        return replace(KINDS[text], names=KINDS[text].names | written(*named(text)))
    return Word(text, written(text), written(*named(text) - {text}), frozenset({text}))


def words(*texts: str) -> tuple[Word, ...]:
    """What each of the words says about an object."""
    return tuple(map(word, texts))


def fits(text: str, thing: SceneObject, scene: Scene | None = None) -> bool:
    """Whether the word is true of the object; among those of the scene, if one is given."""
    if scene is not None and text in PASSING and not any(
            text in name_words(n) for n in scene.names()):
        if text in STATES:
            return STATES[text](thing, scene)
        return not resting_on(thing, scene) and any(  # the top of a tower
            is_loose(below) and thing in resting_on(below, scene) for below in scene.objects
            if below.name != thing.name)
    return word(text).fits(thing, scene)


def is_tower(phrase: NounPhrase) -> bool:
    return not TOWERS.isdisjoint(phrase.words)


def is_named(texts: Iterable[str], thing: SceneObject) -> bool:
    """Whether its name or its colour says every word; a kind alone does not."""
    return all(not named(w).isdisjoint(forms_of(thing.name)) or w == thing.colour for w in texts)


def is_only_for(texts: Iterable[str], thing: SceneObject) -> bool:
    """Whether the words are only what a fixed container is for: "the bread" is no bread_bin.

    A drawer_top is a drawer: its last word is no kind of container.
    """
    own = next((part for part in reversed(name_words(thing.name)) if not part.isdigit()), '')
    return (thing.is_container and not thing.movable and own in KINDS and KINDS[own].fits(thing)
            and not any(fits(text, replace(thing, name=own)) for text in texts))


def check_known(phrase: NounPhrase, scene: Scene) -> None:
    """Raises Unclear for "no dirty cubes", "if there is enough time": nobody can judge that.

    A thing that is not here is no problem: "if there is a hammer", "no grey hammers".
    """
    unknown = sorted(word.removeprefix(NOT) for word in phrase.words if not all(
        part in _KNOWN or any(fits(part, o, scene) for o in scene.objects)
        for part in word.removeprefix(NOT).split(OR)))
    if unknown:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'what is {", ".join(unknown)!r}? Nothing here has '
                      f'that name or colour, so {phrase.text!r} cannot be judged')


def knows(phrase: NounPhrase, scene: Scene) -> bool:
    """Whether each of its words names a thing or a colour, or is in the name of something here.

    "The bread" may be a thing that is not seen; "dad" and "nothing else" may be no things at all.
    """
    here = {form for name in scene.names() for form in forms_of(name)}
    return all(word in here or word in _KNOWN - PASSING for word in phrase.words)
