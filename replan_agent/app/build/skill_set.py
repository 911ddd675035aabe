"""The skills of an agent: the standard ones, those of installed packages, and its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from replan_agent.execute.contract import Skill
from replan_agent.execute.registry import Registry
from replan_agent.execute.skills.standard import standard_skills

from .plugins import SKILLS, loaded, log


def skill_set(own: Iterable[Skill] = (), warn: Callable[[str], None] = log.warning) -> Registry:
    """All skills in one registry.

    A skill of an installed package that cannot be used is left out; `warn` is called with the
    reason.
    """
    registry = standard_skills()
    for skill in own:
        registry.add(skill)
    for what, offered in loaded(SKILLS, warn):
        try:
            registry.add(_skill(offered))
        except Exception as error:  # noqa: BLE001 code of another package
            warn(f'{what} cannot be used: {type(error).__name__}: {error}; it is left out')
    return registry


def _skill(offered: Any) -> Skill:
    """The skill that an entry point offers: a Skill, or a class or function that makes one."""
    made = offered if isinstance(offered, Skill) else offered()
    if not isinstance(made, Skill):
        raise TypeError(f'it must give a Skill, not {made!r}')
    return made
