"""stack: put the held object squarely on top of another."""

from __future__ import annotations

from collections.abc import Iterator

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import SkillResult, SkillSpec
from replan_agent.execute.contract import Call, precondition
from replan_agent.execute.placing import PlaceSkill
from replan_agent.execute.spots import Spot, spot_on

CAN_CARRY = (Shape.BOX, Shape.CYLINDER)


class Stack(PlaceSkill):
    spec = SkillSpec(
        name='stack',
        description='Put the held object on top of a box or cylinder, aligned with it, and let '
                    'go.',
        arguments={
            'type': 'object',
            'properties': {'target': {'type': 'string',
                                      'description': 'name of the object to stack it on'}},
            'required': ['target'],
            'additionalProperties': False,
        },
        object_arguments=('target',),
        needs_held=True,
        leaves_held=False,
        example='stack(target="blue_cube")',
    )

    def check(self, call: Call) -> SkillResult | None:
        target = call.scene.get(call.args['target'])
        if target is not None and target.shape not in CAN_CARRY:
            shapes = ' or a '.join(shape.value for shape in CAN_CARRY)
            return precondition(f'{target.name} is a {target.shape.value}; only a {shapes} '
                                'carries a stack')
        if target is not None and target.name == call.scene.held:
            return precondition(f'{target.name} cannot be stacked on itself')
        return super().check(call)

    def spots(self, call: Call) -> Iterator[Spot]:
        target = call.scene.get(call.args['target'])
        assert target is not None  # the executor checked
        return iter((spot_on(target),))

    def goal(self, call: Call, held: SceneObject) -> Goal:
        return Goal(Predicate.STACKED, held.name, call.args['target'])
