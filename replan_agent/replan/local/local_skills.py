# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The skills that local planning uses, found by their effect and not by their name."""

from __future__ import annotations

from dataclasses import dataclass, replace

from replan_agent.domain.plan import Step
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import SkillSpec, find_spec, skill_that
from replan_agent.domain.skill_effect import EffectKind


@dataclass(frozen=True)
class LocalSkills:
    """The skills to act with. If a skill is None, its options are not proposed."""

    specs: tuple[SkillSpec, ...]

    @property
    def take(self) -> SkillSpec | None:
        return skill_that(self.specs, EffectKind.TAKE)

    @property
    def put_at(self) -> SkillSpec | None:
        return skill_that(self.specs, EffectKind.PUT_AT)

    def put_on(self, target: SceneObject) -> SkillSpec | None:
        return skill_that(self.specs, EffectKind.PUT_ON, target=target)

    @property
    def shift(self) -> SkillSpec | None:
        """Slides an object in a direction that can be chosen."""
        found = skill_that(self.specs, EffectKind.SHIFT)
        return found if found and found.effect.direction and found.effect.distance else None

    @property
    def bring_closer(self) -> SkillSpec | None:
        found = skill_that(self.specs, EffectKind.BRING_CLOSER)
        return found if found and found.effect.distance else None

    @property
    def go_home(self) -> SkillSpec | None:
        return skill_that(self.specs, EffectKind.GO_HOME)

    def skill_for(self, step: Step) -> SkillSpec | None:
        return find_spec(self.specs, step.skill)


def build_step(skill: SkillSpec, description: str, **roles: object) -> Step:
    """A step of the skill, with arguments by role. It gets its number later."""
    return Step(1, skill.name, skill.effect.arguments(**roles), description)


def numbered(*steps: Step) -> tuple[Step, ...]:
    return tuple(replace(step, step_number=n) for n, step in enumerate(steps, 1))
