# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a person's answer is a no."""

from __future__ import annotations

import re

_NO = frozenset('n no nope nah nay not never none nothing stop cancel abort halt quit exit wait '
                'deny denied refuse refused reject rejected dont cannot'.split())
_BEFORE_IT = frozenset('please oh ok okay well hey um uh i we you do say said better rather '
                       'absolutely definitely certainly'.split())


def is_refusal(answer: str) -> bool:
    """Whether the answer begins or ends with a word of refusal. When in doubt, it is a no."""
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", answer.lower().replace('’', "'"))
    first = next((word for word in words if word not in _BEFORE_IT), '')
    return _refuses(first) or (bool(words) and _refuses(words[-1]))


def _refuses(word: str) -> bool:
    return word in _NO or word.endswith("n't")
