# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The changes to try on a failed step, by its cause, as its skill declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from replan_agent.domain.recovery import FailureCase

Changes = Mapping[str, Any]

LOOK_FIRST = frozenset({'closed_on_air', 'not_decided'})  # the first time, a fresh look is enough


def next_change(case: FailureCase) -> Changes | None:
    """The first change for this cause that was not tried on this step; None if there is none."""
    diagnosis = case.attempt.diagnosis
    cause = diagnosis.cause if diagnosis and diagnosis.cause else ''
    tried = tried_changes(case)
    if case.skill is None or (cause in LOOK_FIRST and len(tried) == 1):
        return None
    return next((change for change in case.skill.adjustments.get(cause, ())
                 if not was_tried(change, tried) and _is_offered(case, change)), None)


def was_tried(change: Changes, tried: Sequence[Changes]) -> bool:
    """Whether the change was tried, alone or together with another one."""
    return any(change.items() <= one.items() for one in tried) if change else change in tried


def _is_offered(case: FailureCase, change: Changes) -> bool:
    """Whether the object offers the kind of grasp that the change asks for, as far as known."""
    offers = case.attempt.evidence.get('offers')
    way = case.effect.value('grasp', change)
    return way is None or offers is None or way in offers


def tried_changes(case: FailureCase) -> list[dict[str, Any]]:
    """The changes of each attempt of this step so far; {} for none."""
    now, names = case.attempt, case.skill.adjustable if case.skill else ()
    return [{name: a.args[name] for name in names if name in a.args}
            for a in (*case.earlier, now)
            if a.skill == now.skill and not a.is_refused
            and case.acted_on(a.args) == case.acted_on(now.args)]
