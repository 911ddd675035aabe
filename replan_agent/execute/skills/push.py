"""push: slide an object over the table with closed fingers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import SkillResult, SkillSpec, succeeded
from replan_agent.domain.skill_effect import DIRECTIONS, Effect, EffectKind, Fit
from replan_agent.domain.support import half_extent_along
from replan_agent.execute.arm import Arm
from replan_agent.execute.contract import Call, Skill, precondition, unverified
from replan_agent.execute.strokes import (
    FIRM,
    PlannedStroke,
    approach_request,
    plan_stroke,
    stroke_request,
    strokes,
)

DEFAULT_DISTANCE_M = 0.08
SHARE_AT_LEAST = 0.6  # share of the distance that the object must really move
DRIFT_M = 0.04  # sideways; more is not the requested push
FELL_M = 0.02  # an object that is this much lower has fallen
TOWARDS_GAP_M = 0.01  # a push towards an object ends this far before it


class Push(Skill):
    spec = SkillSpec(
        name='push',
        description='Slide an object over the table with closed fingers: in a direction (forward, '
                    'back, left, right, as the robot sees it) by a distance, or towards another '
                    'object.',
        arguments={
            'type': 'object',
            'properties': {
                'object': {'type': 'string', 'description': 'name of the object'},
                'direction': {'enum': list(DIRECTIONS)},
                'distance': {'type': 'number', 'exclusiveMinimum': 0, 'maximum': 0.4,
                             'default': DEFAULT_DISTANCE_M, 'description': 'm'},
                'target': {'type': 'string', 'description': 'name of the object to push it to'},
            },
            'required': ['object'],
            'oneOf': [{'required': ['direction']}, {'required': ['target']}],
            'additionalProperties': False,
        },
        object_arguments=('object', 'target'),
        needs_held=False,
        effect=Effect(EffectKind.SHIFT, object='object', target='target', direction='direction',
                      distance='distance'),
        must_be={'object': Fit.MOVABLE},
        example='push(object="red_cube", direction="left", distance=0.08)',
        undoable=False,  # an object that slid can be put back only if it can be picked there
    )

    def check(self, call: Call) -> SkillResult | None:
        if self._distance(call) <= 0:
            return precondition(f'{pushed_thing(call).name} is as close to {call.args["target"]} '
                                'already', cause=Cause.ALREADY_SO)
        return None

    def foresee(self, call: Call) -> SkillResult:
        planned = self._planned(call, call.kit.robot.home)
        return planned if isinstance(planned, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        planned = self._planned(call, call.kit.robot.state().joints)
        if isinstance(planned, SkillResult):
            return planned
        stroke, arm = planned.stroke, Arm(call, approach_request(call))
        reached = call.in_phases([
            ('close', lambda: arm.open_to(0.0)),
            ('approach', lambda: arm.follow(planned.approach)),
            ('descend', lambda: arm.straight(stroke.behind)),
        ])
        if not reached.success:
            return reached
        arm.request, arm.guard = stroke_request(call, pushed_thing(call)), FIRM
        pushed = call.in_phases([(self.spec.name, lambda: arm.straight(stroke.end))])
        if not pushed.success:  # stopped half way: go back from the obstacle
            call.in_phases([('retreat', arm.retrace)])
            return pushed
        arm.request = replace(arm.request, speed=1.0)
        return call.in_phases([('retreat', lambda: arm.straight(stroke.away))])

    def verify(self, call: Call) -> SkillResult:
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        thing, direction = pushed_thing(call), self._direction(call)
        now, distance = scene.get(thing.name), self._distance(call)
        if now is None:
            return unverified(f'{thing.name} is not seen after the {self.spec.name}')
        dropped = thing.position[2] - now.position[2]
        if dropped > FELL_M:
            return unverified(f'{thing.name} fell: it is {dropped * 1000:.0f} mm lower than '
                              'before', dropped=dropped)
        moved = np.subtract(now.position[:2], thing.position[:2])
        along = float(moved @ direction)
        drift = float(np.linalg.norm(moved - along * direction))
        if along < SHARE_AT_LEAST * distance or drift > DRIFT_M:
            return unverified(f'{thing.name} moved {along * 1000:.0f} mm of '
                              f'{distance * 1000:.0f} mm and {drift * 1000:.0f} mm '
                              'sideways', cause=Cause.PUSH_FELL_SHORT, along=along,
                              drift=drift)
        return succeeded(f'{thing.name} moved {along * 1000:.0f} mm', along=along, drift=drift)

    def _planned(self, call: Call, start: FloatArray) -> PlannedStroke | SkillResult:
        thing, height = pushed_thing(call), call.kit.motion_config.approach_height
        found = strokes(thing, self._direction(call), self._distance(call), height)
        return plan_stroke(call, thing, found, start)

    def _direction(self, call: Call) -> FloatArray:
        if 'direction' in call.args:
            return np.array(DIRECTIONS[call.args['direction']])
        target = call.scene.get(call.args['target'])
        assert target is not None  # check made sure
        gap = np.subtract(target.position[:2], pushed_thing(call).position[:2])
        return np.asarray(gap / max(float(np.linalg.norm(gap)), 1e-9))

    def _distance(self, call: Call) -> float:
        """How far (m) the object should move."""
        asked = call.args.get('distance')
        target = call.scene.get(call.args.get('target', ''))
        if target is None:
            return float(asked or DEFAULT_DISTANCE_M)
        thing, direction = pushed_thing(call), self._direction(call)
        gap = math.dist(thing.position[:2], target.position[:2])
        yaw = math.atan2(direction[1], direction[0])
        room = (gap - half_extent_along(thing, yaw) - half_extent_along(target, yaw)
                - TOWARDS_GAP_M)
        return min(float(asked), room) if asked else room


def pushed_thing(call: Call) -> SceneObject:
    thing = call.scene.get(call.args['object'])
    assert thing is not None  # the executor checked
    return thing
