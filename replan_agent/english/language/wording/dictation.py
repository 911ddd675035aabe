"""Puts in the marks that nobody speaks: "lemon lime tomato", "A in the bin B in the bowl"."""

from __future__ import annotations

import re

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene

from ...dictionary import fits, is_named
from ..words import COLOURS, VERBS
from .remark_words import CONDITIONS

_WORDS = re.compile(r'[A-Za-z]+(?: +[A-Za-z]+)+')
_TO = frozenset('in into on onto to'.split())
_BEFORE_NAMES = VERBS | {'want', 'and', 'please'}
_LIMITS = CONDITIONS | frozenset('not no never except but only instead than nor'.split())


def with_marks(text: str, scene: Scene) -> str:
    """The text with commas in a list of names, and a stop between two orders without a verb."""
    if _LIMITS & set(re.findall(r'[a-z]+', text.lower())):
        return text
    return _WORDS.sub(lambda match: _marked(match[0].split(), scene), text)


def _marked(words: list[str], scene: Scene) -> str:
    said = [word.lower() for word in words]
    found = list(words)
    for at in range(1, len(words)):
        if _ends_order(said, at, scene) and _starts_order(said, at, scene):
            found[at - 1] += '.'
    names = [_named_alone(said[at], scene) for at in range(len(words))]
    for at in range(1, len(words)):
        run = names[at - 1] and names[at] and names[at] != names[at - 1]
        start = next((i for i in range(at, -1, -1) if not i or not names[i - 1]), 0)
        if run and not found[at - 1].endswith('.') and (
                not start or said[start - 1] in _BEFORE_NAMES):
            found[at - 1] += ' and' if at + 1 == len(words) or not names[at + 1] else ','
    return ' '.join(found)


def _named_alone(word: str, scene: Scene) -> str:
    """The one loose thing that the word alone names; '' if none or several."""
    fitting = [o for o in scene.objects if fits(word, o)]
    alone = len(fitting) == 1 and word not in COLOURS and is_loose(fitting[0])
    return fitting[0].name if alone else ''


def _ends_order(words: list[str], at: int, scene: Scene) -> bool:
    """Whether "in the bin" or "on the red plate" ends there."""
    start = next((i for i in range(at - 1, max(at - 4, 0), -1) if words[i] == 'the'), 0)
    name = words[start + 1:at]
    return start > 1 and words[start - 1] in _TO and bool(name) and _is_one(name, scene)


def _starts_order(words: list[str], at: int, scene: Scene) -> bool:
    """Whether "red cube in the ..." or "the can in the ..." begins there."""
    start = at + 1 if words[at] == 'the' else at
    end = next((i for i in range(start + 1, min(start + 4, len(words))) if words[i] in _TO), 0)
    return end > 0 and words[end + 1:end + 2] == ['the'] and _is_one(words[start:end], scene)


def _is_one(name: list[str], scene: Scene) -> bool:
    """Whether the words name one object of the scene."""
    return 1 in (sum(all(fits(word, o) for word in name) for o in scene.objects),
                 sum(is_named(name, o) for o in scene.objects))
