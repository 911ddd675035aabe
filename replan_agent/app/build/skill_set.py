# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The skills of an agent: the standard ones, those of installed packages, and its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ALL, ConfigError
from replan_agent.execute.contract import Skill
from replan_agent.execute.registry import Registry
from replan_agent.execute.skills.standard import standard_skills

from .plugins import FOREIGN_ERRORS, SKILLS, installed_names, instance_of, loaded, log


def skill_set(named: Iterable[str], own: Iterable[Skill] = (), *, simulated: bool,
              eye_in_hand: bool = False, arm: str = DEFAULT_ARM,
              warn: Callable[[str], None] = log.warning) -> Registry:
    """The standard skills, `own`, and the installed ones that the setting `skills` names.

    ALL stands for all installed ones, but only on a simulated arm. A package offers a Skill, or a
    class or function that makes one. One that cannot be used is left out; `warn` is called with
    the reason. Raises ConfigError for a name that is not installed.
    """
    registry = standard_skills(eye_in_hand, arm_named(arm).hand.force_n)
    for skill in own:
        registry.add(skill)
    for what, offered in loaded(SKILLS, warn, _wanted(tuple(named), simulated)):
        try:
            made = offered if isinstance(offered, Skill) else offered()
            registry.add(instance_of(Skill, made))
        except FOREIGN_ERRORS as error:
            warn(f'{what} cannot be used: {type(error).__name__}: {error}; it is left out')
    return registry


def _wanted(named: tuple[str, ...], simulated: bool) -> tuple[str, ...]:
    """The names of the installed skills to add."""
    available = installed_names(SKILLS)
    unknown = [name for name in named if name not in (ALL, *available)]
    if unknown:
        raise ConfigError(f'skills: {", ".join(map(repr, unknown))} is not installed; choose '
                          f'from: {", ".join((ALL, *available))}')
    return available if ALL in named and simulated else named
