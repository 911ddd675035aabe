# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""look: take a fresh scene without moving anything."""

from __future__ import annotations

from replan_agent.domain.skill import SkillResult, SkillSpec, succeeded
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.contract import Call, Skill

from . import NO_ARGUMENTS


class Look(Skill):
    spec = SkillSpec(
        name='look',
        description='Observe the scene again. Nothing moves.',
        arguments=NO_ARGUMENTS,
        effect=Effect(EffectKind.OBSERVE),
        moves_arm=False,
        example='look()',
    )

    def run(self, call: Call) -> SkillResult:
        return succeeded()

    def verify(self, call: Call) -> SkillResult:
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        return succeeded(f'sees {", ".join(scene.names()) or "nothing"}')
