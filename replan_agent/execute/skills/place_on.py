# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""place_on: put the held object on something, or into a container."""

from __future__ import annotations

from collections.abc import Iterator

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.choice_of_spot import held_by
from replan_agent.execute.contract import Call, precondition
from replan_agent.execute.placing import PlaceSkill
from replan_agent.execute.spots import PutSpot, free_spots, spot_on, spots_in, spots_on
from replan_agent.geometry.room.free_place import is_top

from . import NEXT_SPOT, SPEED, SPOT, name_of, takes


class PlaceOn(PlaceSkill):
    spec = SkillSpec(
        name='place_on',
        description='Put the held object on top of another object or the table, or into a bowl '
                    'or bin, and let go.',
        arguments=takes(
            'target', target=name_of('object to put it on or in'),
            x={'type': 'number', 'description': 'm forward of the base: where on the target, if '
               'not in the middle; only with y'},
            y={'type': 'number', 'description': 'm left of the base'}, spot=SPOT, speed=SPEED),
        object_arguments=('target',),
        needs_held=True,
        effect=Effect(EffectKind.PUT_ON, target='target', x='x', y='y', speed='speed'),
        adjustable=('spot',),
        adjustments=NEXT_SPOT,
        example='place_on(target="bowl")',
    )

    def check(self, call: Call) -> SkillResult | None:
        target, at = call.scene.get(call.args['target']), self.spec.effect.point(call.args)
        solid = target is not None and target != call.scene.table and not target.is_container
        if at is not None and target is not None and solid and not is_top(target, *at):
            return precondition(f'({at[0]:.3f}, {at[1]:.3f}) is not on top of {target.name}',
                                Reason.BAD_ARGUMENTS)
        return super().check(call)

    def spots(self, call: Call) -> Iterator[PutSpot]:
        target = call.scene.get(call.args['target'])
        assert target is not None  # the executor checked
        if target == call.scene.table:
            return free_spots(held_by(call), target, call.scene)
        at = self.spec.effect.point(call.args)
        if at is not None and not target.is_container:
            return iter((spot_on(target, at), *spots_on(held_by(call), target, call.scene)))
        if target.is_container:
            return spots_in(held_by(call), target, call.scene, call.kit.arm.hand)
        return spots_on(held_by(call), target, call.scene)

    def goal(self, call: Call, held: SceneObject) -> Goal:
        target = call.scene.get(call.args['target'])
        inside = target is not None and target.is_container
        return Goal(Predicate.IN if inside else Predicate.ON, held.name, call.args['target'])
