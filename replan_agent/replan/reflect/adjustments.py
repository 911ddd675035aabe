"""Which arguments of a step may be changed after a failure, and what to try for each cause."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from replan_agent.domain.recovery import FailureCase

Changes = Mapping[str, Any]
Legal = Callable[[Any], bool]


def _between(low: float, high: float) -> Legal:
    return lambda v: (isinstance(v, (int, float)) and not isinstance(v, bool)
                      and math.isfinite(v) and low <= v <= high)


# What a model or a memory may change of a step, and within which limits: never what it acts on.
ADJUSTABLE: Mapping[str, Mapping[str, Legal]] = {
    'pick': {'force': _between(10, 70), 'speed': _between(0.1, 1),
             'grasp': lambda v: v in ('top_down', 'tilted', 'side'),
             'turn': _between(-180, 180)},
}

_FIRMER: tuple[Changes, ...] = (
    {'force': 60, 'speed': 0.5}, {'force': 70, 'speed': 0.25},
    {'force': 70, 'speed': 0.25, 'turn': 90})
_OTHERWISE: tuple[Changes, ...] = (
    {'turn': 90}, {}, {'grasp': 'tilted'}, {'grasp': 'tilted', 'turn': 90}, {'grasp': 'side'})

# Changes to try one after the other, by skill and cause. An empty one is the step as planned, for
# when a remembered change was made from the start.
LADDERS: Mapping[tuple[str, str], Sequence[Changes]] = {
    ('pick', 'slipped_in_lift'): _FIRMER,
    ('pick', 'unexpected_contact'): _OTHERWISE,
    ('pick', 'approach_blocked'): _OTHERWISE,
    ('pick', 'boxed_in'): _OTHERWISE,
    ('pick', 'no_posture'): ({'grasp': 'tilted'}, {'grasp': 'side'}),
    ('pick', 'closed_on_air'): _OTHERWISE,
    ('pick', 'gripper_blocked'): _OTHERWISE,
    ('pick', 'held_up'): ({'speed': 0.5}, *_OTHERWISE),
}


LOOK_FIRST = frozenset({'closed_on_air'})  # the first time a fresh look is all it takes


def next_change(case: FailureCase) -> Changes | None:
    """The first change for this cause that was not tried on this step yet; None without one."""
    diagnosis = case.attempt.diagnosis
    cause = diagnosis.cause if diagnosis and diagnosis.cause else ''
    tried = tried_changes(case)
    if cause in LOOK_FIRST and len(tried) == 1:
        return None
    return next((change for change in LADDERS.get((case.attempt.skill, cause), ())
                 if change not in tried), None)


def tried_changes(case: FailureCase) -> list[dict[str, Any]]:
    """What was changed in each attempt of this step so far; {} for nothing."""
    now = case.attempt
    allowed = ADJUSTABLE.get(now.skill, {})
    return [{name: a.args[name] for name in allowed if name in a.args}
            for a in (*case.earlier, now)
            if a.skill == now.skill and a.args.get('object') == now.args.get('object')]


def legal(skill: str, changes: Any) -> dict[str, Any]:
    """Those of the changes that may be made to a step of this skill."""
    allowed = ADJUSTABLE.get(skill, {})
    if not isinstance(changes, Mapping):
        return {}
    return {name: value for name, value in changes.items()
            if name in allowed and allowed[name](value)}

