# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Local planning: small actions around a blocked step, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from replan_agent.text.plain_values import Recorded, on_disk

from .plan import Step

PUT_BACK_M = 0.02  # an undo brings an object this close to where it was


class Decision(str, Enum):
    """What to do after a local action, in the order of the checks."""

    SUCCESS = 'SUCCESS'  # the goal condition holds: the step can be tried again
    CANCEL = 'CANCEL'  # a loop, or it keeps getting worse: back to the planner
    RETAIN = 'RETAIN'  # progress: go on from here
    EXPLORE = 'EXPLORE'  # no progress, and there are other options
    REVERT = 'REVERT'  # a dead end: undo the last action


DECISION_WORDS: Mapping[str, str] = {
    Decision.SUCCESS: 'worked', Decision.CANCEL: 'given up', Decision.RETAIN: 'kept',
    Decision.EXPLORE: 'no gain: something else is tried', Decision.REVERT: 'no gain'}


@dataclass(frozen=True)
class LocalOption(Recorded):
    """One way to make the blocked step possible.

    The loop executes `steps`. `undo` puts everything back, None if that is not possible. `changes`
    are new arguments for the blocked step. `object` is what it is about. `later` are the steps
    that should follow it: the rest of the path that was found, and the blocked step.
    """

    name: str
    kind: str
    steps: tuple[Step, ...] = ()
    undo: tuple[Step, ...] | None = ()
    changes: Mapping[str, Any] = field(default_factory=dict)
    why: str = ''
    object: str = ''
    later: tuple[Step, ...] = ()

    WRITTEN = 'name kind why steps undo changes object later'

    @property
    def way(self) -> str:
        """What it does with which object, and in which direction: its name without a distance."""
        return self.name.split(' by ')[0]


@dataclass(frozen=True)
class LocalNode(Recorded):
    """One iteration: its number ('8.1' for the first around step 8), scores from 0 to 10.

    Higher is closer to the goal; progress is after minus before. `succeeded`: whether the option's
    steps succeeded. `surprise` says what was seen other than imagined. `exploration_options` are
    the options in the state before it, `explored` is how many of them were tried so far.
    `reverted_to` is the number of the state after it was undone.
    """

    number: str
    option: LocalOption
    score_before: float = field(metadata=on_disk(key='goal_score_before'))
    score_after: float = field(metadata=on_disk(key='goal_score_after'))
    succeeded: bool
    decision: Decision
    detail: str = ''
    reverted: bool = False
    surprise: str = ''
    exploration_options: tuple[str, ...] = ()
    explored: int = 0
    reverted_to: str = ''

    WRITTEN = ('number option score_before score_after progress succeeded decision detail '
               'reverted reverted_to surprise explored exploration_options')

    @property
    def progress(self) -> float:
        return self.score_after - self.score_before


@dataclass(frozen=True)
class LocalRecord(Recorded):
    """A whole local planning: around which step, for which goal, and how it ended."""

    step_idx: int
    step: Step
    goal: str
    nodes: tuple[LocalNode, ...]
    solved: bool
    detail: str
