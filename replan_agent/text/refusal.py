"""Whether a person's answer is a no, or a question."""

from __future__ import annotations

import re

_NO = frozenset('n no nope nah nay not never none nothing stop cancel abort halt quit exit wait '
                'deny denied refuse refused reject rejected dont cannot'.split())
_BEFORE_IT = frozenset('please oh ok okay well hey um uh i we you do say said better rather '
                       'absolutely definitely certainly'.split())
_ASKS = frozenset('why what where who whose when how which'.split())


def is_question(answer: str) -> bool:
    """Whether the answer asks something, and does not suggest it: "what about the left one"."""
    first, second, *_ = *re.findall(r'[^\W_]+', answer.lower()), '', ''
    return first in _ASKS and second not in ('about', 'if')


def is_refusal(answer: str) -> bool:
    """Whether the answer begins or ends with a word of refusal. When in doubt, it is a no."""
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", answer.lower().replace('’', "'"))
    first = next((word for word in words if word not in _BEFORE_IT), '')
    return _refuses(first) or (bool(words) and _refuses(words[-1]))


def _refuses(word: str) -> bool:
    return word in _NO or word.endswith("n't")
