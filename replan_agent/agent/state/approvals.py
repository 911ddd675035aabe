# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What people said about the plans of a task: yes, no, or what they want changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from replan_agent.domain.event import ApprovalDecided, HumanAnswered, WarningRaised
from replan_agent.domain.plan import Plan, Step
from replan_agent.domain.skill import SkillSpec, find_spec

from ..ports import Record

Steps = tuple[Step, ...]
SLOWER = 0.5  # of the speed before

_DROP = re.compile(r'\b(?:without|skip|drop|remove|omit|leave out)\s+(?:the\s+)?steps?\s+'
                   r'(\d{1,6}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)\d{1,6})*)')
_SLOWER = re.compile(r'\b(?:more slowly|slower|slowly|slow)\b')
_CLEARLY_SLOWER = re.compile(r'\b(?:slower|slowly)\b')
_NOT_SLOWER = re.compile(r"(?:\b(?:too|not|no|never|less)|n['’]t)"
                         r'(?:\s+\w+){0,2}\s+slow(?:er|ly)\b')
_FILLER = re.compile(r'\b(?:and|but|please|do|it|run|go|then|just)\b|[\s,.;!]+')


def is_only_slower(wish: str) -> bool:
    """Whether a lower speed is all that is wanted."""
    text = wish.lower()
    return _SLOWER.search(text) is not None and not _FILLER.sub('', _SLOWER.sub(' ', text))


def wants_slower(wish: str) -> bool:
    """Whether a lower speed is wanted, alone or with something else."""
    text = _DROP.sub(' ', wish.lower())
    clearly = _CLEARLY_SLOWER.search(text) is not None and not _NOT_SLOWER.search(text)
    return clearly or is_only_slower(text)


def edited_steps(steps: Steps, wish: str, capped: Callable[[Steps], Steps]) -> Steps | None:
    """The steps as wished: without some of them, or slower. None if the wish is another one.

    `capped` lowers the speed of steps to what is allowed after the wish.
    """
    text = wish.lower()
    dropped = {int(n) for found in _DROP.findall(text) for n in re.findall(r'\d+', found)}
    rest = _DROP.sub(' ', text)
    if _FILLER.sub('', _SLOWER.sub(' ', rest)) or not dropped <= {s.step_number for s in steps}:
        return None
    kept = capped(tuple(step for step in steps if step.step_number not in dropped))
    if not kept or kept == steps:
        return None
    return tuple(replace(step, step_number=n) for n, step in enumerate(kept, 1))


@dataclass
class SpeedCaps:
    """The highest speed of each skill, as a share of the configured one. Never raised again."""

    by_skill: dict[str, float] = field(default_factory=dict)

    def lower(self, steps: Iterable[Step], specs: Iterable[SkillSpec]) -> None:
        """Halve the speed of every skill that has one: below that of its slowest step here."""
        before = tuple(steps)
        for spec in specs:
            if not spec.effect.speed:
                continue
            cap = self.by_skill.get(spec.name, _default(spec))
            slowest = min([cap, *(_speed(s, spec) for s in before if s.skill == spec.name)])
            lowest = float(spec.argument_schema(spec.effect.speed).get('minimum', 0.0))
            self.by_skill[spec.name] = max(lowest, slowest * SLOWER)

    def applied(self, steps: Iterable[Step], specs: Iterable[SkillSpec]) -> tuple[Step, ...]:
        """The steps, none faster than allowed."""
        known = tuple(specs)
        return tuple(self._capped(step, find_spec(known, step.skill)) for step in steps)

    def slow(self, spec: SkillSpec) -> SkillSpec:
        """The skill as it may be changed: no change that it declares is faster than allowed."""
        cap, name = self.by_skill.get(spec.name), spec.effect.speed
        if cap is None:
            return spec
        properties = {**spec.arguments.get('properties', {}),
                      name: {**spec.argument_schema(name), 'maximum': cap, 'default': cap}}
        return replace(
            spec, arguments={**spec.arguments, 'properties': properties},
            adjustments={cause: tuple({**changes, name: min(changes[name], cap)}
                                      if name in changes else changes for changes in ladder)
                         for cause, ladder in spec.adjustments.items()})

    def _capped(self, step: Step, spec: SkillSpec | None) -> Step:
        cap = self.by_skill.get(step.skill)
        if spec is None or cap is None or _speed(step, spec) <= cap:
            return step
        return replace(step, args={**step.args, spec.effect.speed: cap})

    def __str__(self) -> str:
        return ', '.join(f'{skill} at most {cap:g}' for skill, cap in self.by_skill.items())


def _default(spec: SkillSpec) -> float:
    return float(spec.argument_schema(spec.effect.speed).get('default', 1.0))


def _speed(step: Step, spec: SkillSpec) -> float:
    """The step's speed. A value that is no number counts as the default."""
    speed = step.args.get(spec.effect.speed)
    return float(speed) if isinstance(speed, (int, float)) else _default(spec)


@dataclass
class Approvals:
    """The decisions of a task. APPROVE adds them; a person who is asked adds hints.

    `denied`: a person denied a plan or wanted it changed, so a person is asked from then on.
    `wishes` are what a person wants changed, by the calls of the plan; `asked_to_change` are
    those plans that the planner was asked to change, `slowest` those that cannot be slower.
    `after_attempts` is the number of failed attempts before the latest approval.
    `earlier_threshold` is that of an earlier run.
    """

    record: Record
    decided: list[ApprovalDecided] = field(default_factory=list)
    denied: bool = False
    after_attempts: int = 0
    wishes: dict[tuple[str, ...], str] = field(default_factory=dict)
    asked_to_change: set[tuple[str, ...]] = field(default_factory=set)
    slowest: set[tuple[str, ...]] = field(default_factory=set)
    hints: list[str] = field(default_factory=list)
    speed_caps: SpeedCaps = field(default_factory=SpeedCaps)
    earlier_threshold: float | None = None
    _calls: frozenset[str] = frozenset()

    @property
    def threshold(self) -> float | None:
        """The risk from which a person was asked last, in this run or in an earlier one."""
        return next((decided.threshold for decided in reversed(self.decided)
                     if decided.threshold is not None), self.earlier_threshold)

    def grant(self, plan: Plan, attempts: int) -> None:
        """The plan may run until something fails."""
        self.after_attempts = attempts
        self._calls = frozenset(plan.calls)

    def covers(self, step: Step, attempts: int) -> bool:
        """Whether the latest approval is for this step too, and nothing failed since."""
        return step.call in self._calls and attempts == self.after_attempts

    def take_hint(self, hint: str, specs: tuple[SkillSpec, ...],
                  about: tuple[Step, ...] = ()) -> None:
        """Keep what a person said for the next plans."""
        self.record(HumanAnswered(hint))
        self.slow_down(hint, specs, about)
        self.hints.append(hint)

    def slow_down(self, hint: str, specs: tuple[SkillSpec, ...],
                  about: tuple[Step, ...] = ()) -> None:
        """Lower the speed of all later steps, if the hint asks for it."""
        if wants_slower(hint):
            self.speed_caps.lower(about, specs)
            self.record(WarningRaised(f'a person said {hint!r}: from now on {self.speed_caps}'))
