# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The available skills, by name."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.skill import SkillSpec

from .contract import Skill
from .spec_check import check_spec


class Registry:
    """An ordered set of skills. Names are unique."""

    def __init__(self, skills: Iterable[Skill] = ()) -> None:
        self._skills: dict[str, Skill] = {}
        for skill in skills:
            self.add(skill)

    def add(self, skill: Skill) -> None:
        """Add a skill. Raises TypeError or ValueError if it or its spec cannot be used."""
        if not isinstance(skill, Skill):
            example = f'{skill.__name__}()' if isinstance(skill, type) else 'Wave()'
            raise TypeError(f'a skill must be an object of a subclass of Skill, for example '
                            f'{example}, not {skill!r}')
        if not isinstance(getattr(skill, 'spec', None), SkillSpec):
            raise TypeError(f'{type(skill).__name__}.spec must be a SkillSpec')
        check_spec(skill.spec)
        if skill.spec.name in self._skills:
            raise ValueError(f'a skill named {skill.spec.name!r} is registered already')
        self._skills[skill.spec.name] = skill

    def get(self, name: str) -> Skill | None:
        return self._skills.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._skills)

    def specs(self) -> tuple[SkillSpec, ...]:
        return tuple(skill.spec for skill in self._skills.values())
