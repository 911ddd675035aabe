# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""stack: put the held object squarely on top of another."""

from __future__ import annotations

from collections.abc import Iterator

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.execute.contract import Call
from replan_agent.execute.placing import PlaceSkill
from replan_agent.execute.spots import PutSpot, spot_on

from . import SPEED, name_of, takes


class Stack(PlaceSkill):
    spec = SkillSpec(
        name='stack',
        description='Put the held object on top of a box or cylinder, aligned with it, and let '
                    'go.',
        arguments=takes('target', target=name_of('object to stack it on'), speed=SPEED),
        object_arguments=('target',),
        needs_held=True,
        effect=Effect(EffectKind.PUT_ON, target='target', speed='speed'),
        must_be={'target': Fit.FLAT_ON_TOP},
        example='stack(target="blue_cube")',
    )

    def spots(self, call: Call) -> Iterator[PutSpot]:
        target = call.scene.get(call.args['target'])
        assert target is not None  # the executor checked
        return iter((spot_on(target),))

    def goal(self, call: Call, held: SceneObject) -> Goal:
        return Goal(Predicate.STACKED, held.name, call.args['target'])
