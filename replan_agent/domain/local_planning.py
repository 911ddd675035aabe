"""Local planning: small actions around a blocked step, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .plan import Step


class Decision(str, Enum):
    """What to do after a local action, in the order of the checks."""

    SUCCESS = 'SUCCESS'  # the goal condition holds: the step can be tried again
    CANCEL = 'CANCEL'  # a loop, or it keeps getting worse: back to the planner
    RETAIN = 'RETAIN'  # progress: go on from here
    EXPLORE = 'EXPLORE'  # no progress, and there are other options
    REVERT = 'REVERT'  # a dead end: undo the last action


DECISION_WORDS = {
    Decision.SUCCESS: 'worked', Decision.CANCEL: 'given up', Decision.RETAIN: 'kept',
    Decision.EXPLORE: 'no gain: something else is tried', Decision.REVERT: 'no gain: undone'}


@dataclass(frozen=True)
class LocalOption:
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

    @property
    def way(self) -> str:
        """What it does with which object, and in which direction: its name without a distance."""
        return self.name.split(' by ')[0]

    def as_dict(self) -> dict[str, Any]:
        return {'name': self.name, 'kind': self.kind, 'why': self.why,
                'steps': [s.as_dict() for s in self.steps],
                'undo': None if self.undo is None else [s.as_dict() for s in self.undo],
                'changes': dict(self.changes), 'object': self.object,
                'later': [s.as_dict() for s in self.later]}


@dataclass(frozen=True)
class LocalNode:
    """One iteration: its number ('8.1' for the first around step 8), scores from 0 to 10.

    Higher is closer to the goal; progress is after minus before. `succeeded`: whether the option's
    steps succeeded. `surprise` says what was seen other than imagined. `exploration_options` are
    the options in the state before it, `explored` is how many of them were tried so far.
    `reverted_to` is the number of the state after it was undone.
    """

    number: str
    option: LocalOption
    score_before: float
    score_after: float
    succeeded: bool
    decision: Decision
    detail: str = ''
    reverted: bool = False
    surprise: str = ''
    exploration_options: tuple[str, ...] = ()
    explored: int = 0
    reverted_to: str = ''

    @property
    def progress(self) -> float:
        return self.score_after - self.score_before

    def as_dict(self) -> dict[str, Any]:
        return {'number': self.number, 'option': self.option.as_dict(),
                'goal_score_before': self.score_before, 'goal_score_after': self.score_after,
                'progress': self.progress, 'succeeded': self.succeeded,
                'decision': self.decision.value, 'detail': self.detail,
                'reverted': self.reverted, 'reverted_to': self.reverted_to,
                'surprise': self.surprise, 'explored': self.explored,
                'exploration_options': list(self.exploration_options)}


@dataclass(frozen=True)
class LocalRecord:
    """A whole local planning: around which step, for which goal, and how it ended."""

    step_idx: int
    step: Step
    goal: str
    nodes: tuple[LocalNode, ...]
    solved: bool
    detail: str

    def as_dict(self) -> dict[str, Any]:
        return {'step_idx': self.step_idx, 'step': self.step.as_dict(), 'goal': self.goal,
                'nodes': [n.as_dict() for n in self.nodes], 'solved': self.solved,
                'detail': self.detail}
