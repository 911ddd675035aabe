# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""place_at: put the held object down at a point of the table."""

from __future__ import annotations

import math
from collections.abc import Iterator

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.choice_of_spot import held_by
from replan_agent.execute.contract import Call, precondition
from replan_agent.execute.placing import PlaceSkill
from replan_agent.execute.spots import PutSpot, spot_at
from replan_agent.geometry.relations import symmetry_deg

from . import SPEED, takes


class PlaceAt(PlaceSkill):
    spec = SkillSpec(
        name='place_at',
        description='Put the held object down at x, y (m, base frame: x forward, y left).',
        arguments=takes(
            'x', 'y', x={'type': 'number', 'description': 'm forward of the base'},
            y={'type': 'number', 'description': 'm left of the base'},
            yaw={'type': 'number', 'minimum': -180, 'maximum': 180,
                 'description': 'degrees to turn its sides to, if that matters'},
            snug={'type': 'boolean', 'description': 'put it close between others, default false'},
            speed=SPEED),
        needs_held=True,
        effect=Effect(EffectKind.PUT_AT, x='x', y='y', yaw='yaw', snug='snug', speed='speed'),
        example='place_at(x=0.45, y=-0.20)',
    )

    def check(self, call: Call) -> SkillResult | None:
        if call.scene.table is None:
            return precondition('no table is seen to put it on', Reason.OBJECT_NOT_FOUND)
        return super().check(call)

    def spots(self, call: Call) -> Iterator[PutSpot]:
        table = call.scene.table
        assert table is not None  # check made sure
        yaw = math.radians(call.args['yaw']) if 'yaw' in call.args else None
        fold = math.radians(symmetry_deg(held_by(call)) or 90.0)
        return iter((spot_at(call.args['x'], call.args['y'], table, yaw,
                             call.args.get('snug', False), fold),))

    def goal(self, call: Call, held: SceneObject) -> Goal:
        return Goal(Predicate.AT, held.name, position=(call.args['x'], call.args['y']))
