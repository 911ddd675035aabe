"""How fast the steps of a task may be after a person wanted it slower."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from replan_agent.domain.plan import Step
from replan_agent.domain.skill import SkillSpec, find_spec

SLOWER = 0.5  # of the speed before


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
