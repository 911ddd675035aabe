"""place_on: put the held object on something, or into a container."""

from __future__ import annotations

from collections.abc import Iterator

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.contract import Call
from replan_agent.execute.placing import PlaceSkill, held_by
from replan_agent.execute.spots import Spot, free_spots, spots_in, spots_on

from . import NEXT_SPOT, SPEED, SPOT


class PlaceOn(PlaceSkill):
    spec = SkillSpec(
        name='place_on',
        description='Put the held object on top of another object or the table, or into a bowl '
                    'or bin, and let go.',
        arguments={
            'type': 'object',
            'properties': {'target': {'type': 'string',
                                      'description': 'name of the object to put it on or in'},
                           'edge': {'type': 'boolean',
                                    'description': 'near the edge of the target, because more '
                                                   'is put beside it, default false'},
                           'spot': SPOT, 'speed': SPEED},
            'required': ['target'],
            'additionalProperties': False,
        },
        object_arguments=('target',),
        needs_held=True,
        effect=Effect(EffectKind.PUT_ON, target='target', edge='edge', speed='speed'),
        adjustable=('spot',),
        adjustments=NEXT_SPOT,
        example='place_on(target="bowl")',
    )

    def spots(self, call: Call) -> Iterator[Spot]:
        target = call.scene.get(call.args['target'])
        assert target is not None  # the executor checked
        if target == call.scene.table:
            return free_spots(held_by(call), target, call.scene)
        if target.is_container:
            return spots_in(held_by(call), target, call.scene)
        return spots_on(held_by(call), target, call.scene, call.args.get('edge', False))

    def goal(self, call: Call, held: SceneObject) -> Goal:
        target = call.scene.get(call.args['target'])
        inside = target is not None and target.is_container
        return Goal(Predicate.IN if inside else Predicate.ON, held.name, call.args['target'])
