# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is said in a conversation beside orders: answers, corrections, questions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class RemarkKind(str, Enum):
    YES = 'yes'
    NO = 'no'
    GREETING = 'greeting'  # also thanks
    UNDO = 'undo'
    CHANGE = 'change'  # "the blue one", "in the bin", "the second": of what was said before
    WHAT = 'what'  # is there
    SEEN = 'seen'
    HELD = 'held'
    WHERE = 'where'
    COUNT = 'count'
    IS = 'is'  # "is the cup on the table?"
    WHY = 'why'
    DONE = 'done'
    ABLE = 'able'


@dataclass(frozen=True)
class Remark:
    """One reading of a remark, in the words that were said.

    `number` counts what was listed, from 1; -1 is the last. `denies`: it begins with a no.
    `also`: what was done before stays done.
    """

    kind: RemarkKind
    thing: str = ''
    place: str = ''
    order: str = ''
    number: int = 0
    denies: bool = False
    also: bool = False
