# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What changed from one version of a plan to another."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.skill import REPLAN_STEP
from replan_agent.geometry.goal_words import goal_in_words
from replan_agent.text.plain_values import Recorded, on_disk


@dataclass(frozen=True)
class ChangedStep(Recorded):
    """A step that both versions contain, with different arguments."""

    before: Step
    after: Step

    @property
    def arguments(self) -> dict[str, tuple[Any, Any]]:
        """Each argument that differs, before and after; None if not given."""
        old, new = self.before.args, self.after.args
        return {name: (old.get(name), new.get(name)) for name in {**old, **new}
                if old.get(name) != new.get(name)}

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), 'arguments': {
            name: {'before': old, 'after': new} for name, (old, new) in self.arguments.items()}}


@dataclass(frozen=True)
class PlanDiff(Recorded):
    """From version `before` to version `after`. `done` are steps that were done in between."""

    before: int
    after: int
    removed: tuple[Step, ...] = field(default=(), metadata=on_disk(key='steps_removed'))
    added: tuple[Step, ...] = field(default=(), metadata=on_disk(key='steps_added'))
    changed: tuple[ChangedStep, ...] = field(default=(), metadata=on_disk(key='steps_changed'))
    goals_removed: tuple[Goal, ...] = ()
    goals_added: tuple[Goal, ...] = ()
    done: tuple[Step, ...] = field(default=(), metadata=on_disk(key='steps_done'))

    WRITTEN = 'before after same done removed added changed goals_removed goals_added'

    @property
    def same(self) -> bool:
        """Whether both versions do the same, beside what was done meanwhile."""
        return not (self.removed or self.added or self.changed or self.goals_removed
                    or self.goals_added)

    def lines(self) -> list[str]:
        """What changed: `-` is removed, `+` is new, `~` has other arguments, `=` is done."""
        done = [f'= done: {step.told}' for step in self.done]
        found = [f'- {step.told}' for step in self.removed]
        for change in self.changed:
            what = ', '.join(f'{name}: {_value(old)} → {_value(new)}'
                             for name, (old, new) in change.arguments.items())
            found.append(f'~ {change.before.skill}: {what}')
        found += [f'+ {step.told}' for step in self.added]
        found += [f'- goal: {goal_in_words(goal)}' for goal in self.goals_removed]
        found += [f'+ goal: {goal_in_words(goal)}' for goal in self.goals_added]
        return done + (found or [f'the same {"other " if done else ""}steps and goals'])


def difference(before: Plan, after: Plan, done: Collection[int] = ()) -> PlanDiff:
    """The smallest set of steps that were removed, added, or given other arguments.

    Steps are compared by skill and arguments. A changed description is not a change. `done` are
    the indices of steps of `before` that succeeded: the next plan need not have them. Nor need it
    have the `__replan__` that follows them.
    """
    steps = [step for index, step in enumerate(before.steps) if index not in done
             and not (step.skill == REPLAN_STEP and index - 1 in done)]
    removed: list[Step] = []
    added: list[Step] = []
    changed: list[ChangedStep] = []
    matcher = SequenceMatcher(None, list(map(_call, steps)), list(map(_call, after.steps)),
                              autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != 'equal':
            old, new, pairs = _paired(steps[i1:i2], after.steps[j1:j2])
            removed += old
            added += new
            changed += pairs
    return PlanDiff(before.version, after.version, tuple(removed), tuple(added), tuple(changed),
                    tuple(g for g in before.goals if g not in after.goals),
                    tuple(g for g in after.goals if g not in before.goals),
                    tuple(step for index, step in enumerate(before.steps) if index in done))


def _paired(old: Sequence[Step], new: Sequence[Step],
            ) -> tuple[list[Step], list[Step], list[ChangedStep]]:
    """Steps in only one version, and the calls of the same skill in both, in order."""
    left, pairs = list(new), []
    removed = []
    for step in old:
        match = next((s for s in left if s.skill == step.skill), None)
        if match is None:
            removed.append(step)
        else:
            left.remove(match)
            pairs.append(ChangedStep(step, match))
    return removed, left, pairs


def _value(value: object) -> str:
    return '(not given)' if value is None else repr(value)


def _call(step: Step) -> str:
    return f'{step.skill} {json.dumps(dict(step.args), sort_keys=True, default=str)}'
