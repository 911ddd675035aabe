# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether a person's answer is a question."""

from __future__ import annotations

import re

_ASKS = frozenset('why what where who whose when how which'.split())


def is_question(answer: str) -> bool:
    """Whether the answer asks something, and does not suggest it: "what about the left one"."""
    first, second, *_ = *re.findall(r'[^\W_]+', answer.lower()), '', ''
    return first in _ASKS and second not in ('about', 'if')
