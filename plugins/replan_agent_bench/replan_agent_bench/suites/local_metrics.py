# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How well local planning worked over many tasks, from the records alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from replan_agent.domain.local_planning import Decision, LocalRecord
from replan_agent.text.plain_values import Recorded


@dataclass(frozen=True)
class LocalMetrics(Recorded):
    """Shares are of the plannings, except for exploration. None if there is nothing to count.

    - `plannings`: local plannings that tried at least one option
    - `without_options`: those that found none; they count in no share
    - `decisions`: how often each decision was made
    - `solved_share`: of them, those that made the step possible
    - `iterations_to_goal`: mean number of options tried in those that did
    - `revert_share`: plannings in which an action was undone
    - `exploration_success`: of the plannings that went on with another option after one without
      progress (EXPLORE), those that succeeded
    - `cancel_share`: plannings that ended in a loop or because it kept getting worse
    """

    plannings: int
    without_options: int
    decisions: dict[str, int]
    solved_share: float | None
    iterations_to_goal: float | None
    revert_share: float | None
    exploration_success: float | None
    cancel_share: float | None


def local_metrics(records: Iterable[LocalRecord]) -> LocalMetrics:
    records = list(records)
    tried = [record for record in records if record.nodes]
    made = Counter(node.decision for record in tried for node in record.nodes)
    solved = [record for record in tried if record.solved]
    explored = [record for record in tried if _has(record, Decision.EXPLORE)]
    return LocalMetrics(
        plannings=len(tried), without_options=len(records) - len(tried),
        decisions={decision.value: made[decision] for decision in Decision},
        solved_share=_share(len(solved), len(tried)),
        iterations_to_goal=_share(sum(len(r.nodes) for r in solved), len(solved)),
        revert_share=_share(sum(any(n.reverted for n in r.nodes) for r in tried), len(tried)),
        exploration_success=_share(sum(r.solved for r in explored), len(explored)),
        cancel_share=_share(sum(_has(r, Decision.CANCEL) for r in tried), len(tried)),
    )


def _has(record: LocalRecord, decision: Decision) -> bool:
    return any(node.decision is decision for node in record.nodes)


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None
