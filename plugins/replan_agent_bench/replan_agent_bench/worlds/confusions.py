# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model that is confused at first: its plans have a wrong order, or a wrong object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent.domain.skill import find_spec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent_bench.scripted.scripted_answers import answer

Call = tuple[str, dict[str, Any]]
TWICE = 2  # the first plan, and its correction


@dataclass(frozen=True)
class Confusion:
    """Changes the first plans of the scripted model."""

    change: Callable[[list[Call]], list[Call]]
    times: int = TWICE

    def rules(self) -> Callable[[Mapping[str, Any]], Sequence[Call]]:
        """How such a model plans."""
        left = [self.times]

        def plan(request: Mapping[str, Any]) -> Sequence[Call]:
            calls = answer(request)
            if left[0] <= 0:
                return calls
            left[0] -= 1
            return self.change(calls)

        return plan


def put_before_take(calls: list[Call]) -> list[Call]:
    """The first pick comes after what it is for."""
    first, then = _first_two(calls)
    swapped = list(calls)
    swapped[first], swapped[then] = calls[then], calls[first]
    return swapped


def take_left_out(calls: list[Call]) -> list[Call]:
    first, _ = _first_two(calls)
    return [call for i, call in enumerate(calls) if i != first]


def all_taken_first(calls: list[Call]) -> list[Call]:
    """All picks first, then all that follows them."""
    others = [call for call in calls if _is_own(call)]
    return [*others, *(c for c in calls if _takes(c)),
            *(c for c in calls if not _takes(c) and c not in others)]


def about_another(thing: str, other: str) -> Callable[[list[Call]], list[Call]]:
    """The picks of `thing` take `other`."""
    def change(calls: list[Call]) -> list[Call]:
        return [(name, {key: other if value == thing and _takes((name, args)) else value
                        for key, value in args.items()}) for name, args in calls]

    return change


_SPECS = standard_skills().specs()


def _takes(call: Call) -> bool:
    spec = find_spec(_SPECS, call[0])
    return spec is not None and spec.effect.takes


def _is_own(call: Call) -> bool:
    """Whether the call is no skill: a goal, a suggested plan."""
    return find_spec(_SPECS, call[0]) is None


def _first_two(calls: list[Call]) -> tuple[int, int]:
    skills = [i for i, call in enumerate(calls) if not _is_own(call)]
    return skills[0], skills[1]
