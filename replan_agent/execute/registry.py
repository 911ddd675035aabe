"""The available skills, by name."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.skill import SkillSpec

from .contract import Skill


class Registry:
    """An ordered set of skills. Names are unique."""

    def __init__(self, skills: Iterable[Skill] = ()) -> None:
        self._skills: dict[str, Skill] = {}
        for skill in skills:
            self.add(skill)

    def add(self, skill: Skill) -> None:
        if skill.spec.name in self._skills:
            raise ValueError(f'a skill named {skill.spec.name!r} is registered already')
        self._skills[skill.spec.name] = skill

    def get(self, name: str) -> Skill | None:
        return self._skills.get(name)

    def names(self) -> tuple[str, ...]:
        return tuple(self._skills)

    def specs(self) -> tuple[SkillSpec, ...]:
        return tuple(skill.spec for skill in self._skills.values())
