# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""place_in: put the held object into a bowl or bin."""

from __future__ import annotations

from collections.abc import Iterator

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.execute.choice_of_spot import held_by
from replan_agent.execute.contract import Call
from replan_agent.execute.placing import PlaceSkill
from replan_agent.execute.spots import PutSpot, spots_in

from . import NEXT_SPOT, SPEED, SPOT, name_of, takes


class PlaceIn(PlaceSkill):
    spec = SkillSpec(
        name='place_in',
        description='Put the held object into a bowl or bin and let go.',
        arguments=takes('target', target=name_of('container'), spot=SPOT, speed=SPEED),
        object_arguments=('target',),
        needs_held=True,
        effect=Effect(EffectKind.PUT_IN, target='target', speed='speed'),
        must_be={'target': Fit.CONTAINER},
        adjustable=('spot',),
        adjustments=NEXT_SPOT,
        example='place_in(target="bin")',
    )

    def spots(self, call: Call) -> Iterator[PutSpot]:
        target = call.scene.get(call.args['target'])
        assert target is not None  # the executor checked
        return spots_in(held_by(call), target, call.scene, call.kit.arm.hand)

    def goal(self, call: Call, held: SceneObject) -> Goal:
        return Goal(Predicate.IN, held.name, call.args['target'])
