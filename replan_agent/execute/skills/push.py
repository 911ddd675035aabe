# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""push: slide an object over the table with closed fingers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec, succeeded
from replan_agent.domain.skill_effect import DIRECTIONS, Effect, EffectKind, Fit
from replan_agent.execute import strokes
from replan_agent.execute.arm import Arm, look_at_rest
from replan_agent.execute.contract import Call, Skill, precondition, unverified
from replan_agent.execute.grasping import named_object
from replan_agent.geometry.falls import fall, falls
from replan_agent.geometry.keep_out import keep_out_zones
from replan_agent.geometry.steps.slide import Slide, row_objection, slide_in

from . import name_of, takes

DEFAULT_DISTANCE_M = 0.08
SHARE_AT_LEAST = 0.6  # share of the distance that the object must really move
MOST_STROKES = 3  # one push is at most so many
LEAST_STROKE_M = 0.01  # a stroke that moved it less will not do better the next time
DRIFT_M = 0.04  # sideways; more is not the requested push
TOO_FAR_SHARE = 0.25  # more than asked by this share of the distance is too far
TOO_FAR_M = 0.03  # and by at least this much
DISTANCE = {'type': 'number', 'exclusiveMinimum': 0, 'maximum': 0.4,
            'default': DEFAULT_DISTANCE_M, 'description': 'm'}


class Push(Skill):
    spec = SkillSpec(
        name='push',
        description='Slide an object over the table with closed fingers: in a direction (forward, '
                    'back, left, right, as the robot sees it) by a distance, or towards another '
                    'object.',
        arguments={**takes(
            'object', object=name_of('object'), direction={'enum': list(DIRECTIONS)},
            veer={'type': 'number', 'minimum': -45, 'maximum': 45, 'default': 0, 'description':
                  'degrees that the direction is turned by, to the left; not with a target'},
            distance=DISTANCE, target=name_of('object to push it to'),
            along={'type': 'boolean', 'default': False,
                   'description': 'push what stands in its way along'}),
            'oneOf': [{'required': ['direction']}, {'required': ['target']}]},
        object_arguments=('object', 'target'),
        needs_held=False,
        effect=Effect(EffectKind.SHIFT, object='object', target='target', direction='direction',
                      veer='veer', distance='distance', along='along'),
        must_be={'object': Fit.MOVABLE},
        example='push(object="red_cube", direction="left", distance=0.08)',
        undoable=False,  # an object that slid can be put back only if it can be picked there
        most_strokes=MOST_STROKES,
    )

    def check(self, call: Call) -> SkillResult | None:
        if call.args.get('veer') and 'target' in call.args:
            return precondition('veer turns a direction; a push towards a target has none',
                                Reason.BAD_ARGUMENTS, Cause.BAD_ARGUMENTS)
        slide = self._slide(call)
        if slide.distance_m <= 0:
            return precondition(f'{named_object(call).name} is as close to {call.args["target"]} '
                                'already', cause=Cause.ALREADY_SO)
        problem = row_objection(slide, call.scene, keep_out_zones(call.kit.workspace)) if (
            call.args.get('along')) else ''
        return precondition(problem) if problem else None

    def foresee(self, call: Call) -> SkillResult:
        planned = self._planned(call, call.kit.robot.home, self._slide(call).distance_m)
        return planned if isinstance(planned, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        """One stroke, and others by what is left: a thing may turn away from the fingers."""
        distance = self._slide(call).distance_m
        result, part = self._stroke(call, distance), call
        for _ in range(self.spec.most_strokes - 1):
            if not result.success or call.kit.perception.uses_model:
                break
            scene = look_at_rest(call)
            now = scene.get(call.args['object']) if not isinstance(scene, SkillResult) else None
            if isinstance(scene, SkillResult) or now is None:
                break  # `verify` says so
            along, drift = self._progress(call, now)
            before, _ = self._progress(call, named_object(part))
            if (along >= SHARE_AT_LEAST * distance or drift > DRIFT_M
                    or along - before < LEAST_STROKE_M):
                break
            part = replace(call, scene=scene)
            if fall(named_object(call), now) or falls(call.scene, scene, except_for=[now.name]):
                break
            result = self._stroke(part, distance - along)
        return result

    def _progress(self, call: Call, now: SceneObject) -> tuple[float, float]:
        """How far (m) the object is from where it was: in the direction, and sideways."""
        direction = np.array(self._slide(call).direction)
        moved = np.subtract(now.position[:2], named_object(call).position[:2])
        along = float(moved @ direction)
        return along, float(np.linalg.norm(moved - along * direction))

    def _stroke(self, call: Call, distance_m: float) -> SkillResult:
        planned = self._planned(call, call.kit.robot.state().joints, distance_m)
        if isinstance(planned, SkillResult):
            return planned
        stroke, arm = planned.stroke, Arm(call, strokes.approach_request(call))
        reached = call.in_phases([
            ('close', lambda: arm.open_to(0.0)),
            ('approach', lambda: arm.follow(planned.approach)),
            ('descend', lambda: arm.straight(stroke.behind)),
        ])
        if not reached.success:
            return reached
        arm.request, arm.guard = strokes.stroke_request(call, planned.pushes), strokes.FIRM
        pushed = call.in_phases([(self.spec.name, lambda: arm.straight(stroke.end))])
        if not pushed.success:  # stopped half way: go back from the obstacle
            call.in_phases([('retreat', arm.retrace)])
            return pushed
        arm.request = replace(arm.request, speed=1.0)
        return call.in_phases([('retreat', lambda: arm.straight(stroke.away))])

    def verify(self, call: Call) -> SkillResult:
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        thing = named_object(call)
        now, distance = scene.get(thing.name), self._slide(call).distance_m
        if now is None:
            return unverified(f'{thing.name} is not seen after the {self.spec.name}')
        fell = [fall(thing, now), *falls(call.scene, scene, except_for=[thing.name])]
        if any(fell):
            return unverified('; '.join(filter(None, fell)), cause=Cause.FELL)
        along, drift = self._progress(call, now)
        if along < SHARE_AT_LEAST * distance or drift > DRIFT_M:
            return unverified(f'{thing.name} moved {along * 1000:.0f} mm of '
                              f'{distance * 1000:.0f} mm and {drift * 1000:.0f} mm '
                              'sideways', cause=Cause.PUSH_FELL_SHORT, along=along, drift=drift)
        if along - distance > max(TOO_FAR_M, TOO_FAR_SHARE * distance):
            return unverified(f'{thing.name} moved {along * 1000:.0f} mm, much farther than the '
                              f'{distance * 1000:.0f} mm that were asked for',
                              cause=Cause.PUSH_WENT_TOO_FAR, along=along, drift=drift)
        return succeeded(f'{thing.name} moved {along * 1000:.0f} mm', along=along, drift=drift)

    def _planned(self, call: Call, start: FloatArray, distance_m: float
                 ) -> strokes.PlannedStroke | SkillResult:
        thing, height = named_object(call), call.kit.motion_config.approach_height
        slide, pushes = replace(self._slide(call), distance_m=distance_m), [thing.name]
        if call.args.get('along'):
            pushes += [o.name for o in slide.pushed_along(call.scene.movable())]
        return strokes.plan_stroke(call, strokes.strokes(thing, np.array(slide.direction),
            distance_m, height, call.kit.arm.hand), pushes, start)

    def _slide(self, call: Call) -> Slide:
        slide = slide_in(call.scene, self.spec, call.args)
        assert slide is not None  # the arguments and their objects were checked
        return slide
