# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The words of the grammar and their categories, and what a word says about an object."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path

from replan_agent.domain.kinds import FIELDS, NOT, OR, Form, Word, is_loose, name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import resting_on

from .phrases import NounPhrase


def _entries() -> Iterator[tuple[str, str, list[str]]]:
    """The categories of lexicon.txt, what their words mean, the words. @ is no word's category."""
    text = (Path(__file__).parent / 'lexicon.txt').read_text(encoding='utf-8')
    for line in re.sub(r'\n[ \t]+', ' ', text).splitlines():
        name, _, phrases = line.partition(':')
        if phrases and not line.startswith('#'):
            category, _, meaning = name.partition('=')
            yield category, meaning, [p for p in map(str.strip, phrases.split(',')) if p]


_ENTRIES = tuple(_entries())


def known(category: str) -> Iterator[tuple[str, list[str]]]:
    """The meanings and words of a category."""
    return ((meaning, phrases) for name, meaning, phrases in _ENTRIES if name == category)


def meanings(category: str) -> dict[str, str]:
    """What each word of a category means."""
    return {word: meaning or word for meaning, words in known(category) for word in words}


BINS = frozenset(meanings('@BIN'))
CONTAINERS = BINS | meanings('@HOLDER').keys() - {'plate', 'saucer', 'box'}  # it may be solid
TOWERS = frozenset(meanings('@TOWER'))
COLOURS = frozenset(meanings('COLOUR'))
SHADES = tuple(frozenset(words) for _, words in known('@SHADE'))
SAME_THING = (BINS, *(frozenset(words) for _, words in known('@SAME')))
HAS_OTHER_NAMES = frozenset().union(*SAME_THING)
GROUPS: dict[str, frozenset[str]] = {}
for _name, _members in known('@GROUP'):  # a group may be part of a later one
    GROUPS[_name] = frozenset().union(*(GROUPS.get(m, {m}) for m in _members), {_name})
IRREGULAR = meanings('@PLURAL')


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
    """Whether they only say what a fixed container is for: a bread_bin; not drawer_top."""
    own = next((part for part in reversed(name_words(thing.name)) if not part.isdigit()), '')
    return (thing.is_container and not thing.movable and own in KINDS and KINDS[own].fits(thing)
            and not any(fits(text, replace(thing, name=own)) for text in texts))


def check_known(phrase: NounPhrase, scene: Scene) -> None:
    """Raises Unclear for "no dirty cubes", which nobody can judge; "no grey hammers" is fine."""
    unknown = sorted(unknown_words(phrase, scene))
    if unknown:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'what is {", ".join(unknown)!r}? Nothing here has '
                      f'that name or colour, so {phrase.text!r} cannot be judged')


def unknown_words(phrase: NounPhrase, scene: Scene) -> list[str]:
    """Its words that name no thing or colour, and fit nothing here: "dad", "nothing else"."""
    return [word.removeprefix(NOT) for word in phrase.words if not all(
        part in _KNOWN or any(fits(part, o, scene) for o in scene.objects)
        for part in word.removeprefix(NOT).split(OR))]


# The words of a task

_NOUNS = frozenset({*KINDS, *HAS_OTHER_NAMES, *(n for g in GROUPS.values() for n in g), 'tower'}
                   ) - LIKE
_DETERMINERS = {'ALL', 'ANY', 'BOTH_OF', 'DEFINITE', 'INDEFINITE', 'NUMBER', 'SOME'}
_TOKEN = re.compile(r"\"[^\"]*\"|[+-]?\d*\.?\d+|[^\W\d][\w'-]*|->|\S")
_SHORT, _ENDINGS = meanings('@SHORT'), meanings('@ENDING')
_PUNCTUATION = {',': {'_PUNCT'}, ';': {'_STOP'}, '.': {'_STOP'}, '!': {'_STOP'}, '?': {'_QM'}}


class SaidWord(str):
    """A word or phrase of a task, with all of its categories and what it means as each."""

    categories: frozenset[str]
    meanings: dict[str, str]

    def meaning(self, category: str) -> str:
        return self.meanings.get(category, str(self))


class Lexicon:
    """The categories of words and phrases."""

    def __init__(self) -> None:
        self.words: dict[str, dict[str, str]] = {}  # of each phrase, its meaning by category
        self.literals: dict[str, str] = {}
        for names, meaning, phrases in _ENTRIES:
            for category in names.split() if not names.startswith('@') else ():
                for phrase in phrases:
                    self._add(phrase, category, meaning or phrase)
        self.longest = max(len(phrase.split()) for phrase in self.words)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words that are known, alone or in a phrase, without the names of a scene."""
        return frozenset(word for phrase in (*self.words, *self.literals, *_NOUNS)
                         for word in phrase.split() if word.isalpha())

    def _add(self, phrase: str, category: str, meaning: str) -> None:
        self.words.setdefault(phrase, {}).setdefault(category, meaning)
        if category.startswith('V_'):
            verb, _, rest = phrase.partition(' ')
            for prefix, form in (('G_', _ending(verb, 'ing')), ('PP_', _ending(verb, 'ed'))):
                self.words.setdefault(f'{form} {rest}'.strip(), {})[prefix + category[2:]] = form

    def tokens(self, task: str, names: frozenset[str] = frozenset(),
               own: frozenset[tuple[str, str]] = frozenset()) -> list[SaidWord]:
        """The words of a task: the longest phrases. See `word_names` and `own_words`."""
        said = split(task)
        found: list[SaidWord] = []
        at = 0
        while at < len(said):
            size = next(n for n in range(min(self.longest, len(said) - at), 0, -1)
                        if n == 1 or self.knows(' '.join(said[at:at + n]))
                        or ' '.join(said[at:at + n]) in dict(own))
            found.append(self._word(' '.join(said[at:at + size]), names, own))
            at += size
        return found

    def own_words(self, skills: Iterable[str], scene: Scene | None) -> frozenset[tuple[str, str]]:
        """The words that only this scene and these skills have, and the category of each."""
        verbs = (name.replace('_', ' ') for name in skills)  # place_on is made of other words
        return frozenset((*((state, 'STATE') for state in (scene.state_words if scene else ())), *(
            (v, 'V_SKILL') for v in verbs if not all(map(self.knows, v.split())))))

    def knows(self, phrase: str) -> bool:
        return phrase in self.words or phrase in self.literals

    def _word(self, text: str, names: frozenset[str], own: frozenset[tuple[str, str]]
              ) -> SaidWord:
        word = SaidWord(text)
        if text.startswith('"'):
            word.meanings, word.categories = {'NAME': text.strip('"')}, frozenset({'NAME'})
            return word
        word.meanings = dict(self.words.get(text, {}))
        categories = {*word.meanings, *_PUNCTUATION.get(text, ())}
        if text in self.literals:
            categories.add(self.literals[text])
        categories |= {category for said, category in own if said == text}
        if text in names:
            categories.discard('SIDE')  # "the left block" is the left_block
        base, plural = singular(text)
        if text in _NOUNS or text in names and not categories & _DETERMINERS:
            categories.add('NOUN')
        if plural and (base in _NOUNS or base in names or base in COLOURS):  # "the reds"
            categories.add('NOUNS')
            word.meanings.setdefault('NOUNS', base)
        if re.fullmatch(r'[+-]?\d*\.?\d+', text):
            categories |= {'FIGURE'} | ({'NUMBER'} if text.isdigit() else set())
        if not categories and text.replace('-', '').replace('_', '').isalnum():
            categories.add('UNKNOWN')
        word.categories = frozenset(categories)
        return word


def split(task: str) -> list[str]:
    """The words of a text in lower case, without contractions."""
    text = task.lower().replace('\u2019', "'").replace('\u2212', '-').replace('\u2192', '->')
    text = re.sub(r'(?<![.;!?,:])\s*\n\s*', ' . ', text.strip())
    words: list[str] = []
    for piece in _TOKEN.findall(re.sub(r'("[^"]*")|(?<=\d)(?=[a-z°])', r'\1 ', text)):
        if piece.startswith('"') and len(piece) > 1:
            words.append(piece)
            continue
        piece = _SHORT.get(piece, piece)
        for ending, long in _ENDINGS.items():
            if piece.endswith(ending) and len(piece) > len(ending):
                piece = f'{piece.removesuffix(ending)} {long}'
                break
        words += re.sub(r'^non-', 'non ', piece).strip("'").split()
    return words


@lru_cache(maxsize=32)
def word_names(scene: Scene | None) -> frozenset[str]:
    """The words that name a thing of the scene."""
    if scene is None:
        return frozenset()
    return frozenset(form for o in scene.objects for form in (
        o.name, *(w for w in forms_of(o.name) if not w.isdigit()))
        if form not in COLOURS or form not in name_words(o.colour))


def _ending(verb: str, ending: str) -> str:
    """ "put" + "ing": putting; "place" + "ed": placed; "tidy" + "ed": tidied."""
    if verb.endswith('e') and not verb.endswith('ee'):
        return f'{verb[:-1]}{ending}'
    if ending == 'ed' and re.search(r'[^aeiou]y$', verb):
        return f'{verb[:-1]}ied'
    doubled = verb[-1] if re.fullmatch(r'[^aeiou]*[aeiou][bdgmnpt]', verb) else ''
    return f'{verb}{doubled}{ending}'
