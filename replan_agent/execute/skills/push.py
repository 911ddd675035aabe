"""push: slide an object over the table with closed fingers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import ROUND, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, SkillResult, SkillSpec, succeeded
from replan_agent.domain.support import half_height
from replan_agent.motion.protocols import MotionOutcome, MotionRequest

from ..arm import Arm, planning_failed
from ..contract import Call, Skill, precondition, unverified

DIRECTIONS = {'forward': (1.0, 0.0), 'back': (-1.0, 0.0), 'left': (0.0, 1.0), 'right': (0.0, -1.0)}
DEFAULT_DISTANCE_M = 0.08
STAND_OFF_M = 0.025  # between the fingers and the object before they touch
FINGER_M = 0.011  # half the fingers' depth
LOWEST_TCP_M = 0.012  # above the table
PUSH_SPEED = 0.15  # of the configured speed: what is pushed fast slides on
SHARE_AT_LEAST = 0.6  # of the distance that must really have been covered
DRIFT_M = 0.04  # sideways that is still the push that was asked for
TOWARDS_GAP_M = 0.01  # pushed towards something, it stops this far before it


@dataclass(frozen=True)
class Stroke:
    """A push: where it goes (unit vector, base frame), how far (m), and the TCP poses of it."""

    direction: FloatArray
    distance_m: float
    behind: Pose
    end: Pose


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
                             'description': f'm, default {DEFAULT_DISTANCE_M}'},
                'target': {'type': 'string', 'description': 'name of the object to push it to'},
            },
            'required': ['object'],
            'oneOf': [{'required': ['direction']}, {'required': ['target']}],
            'additionalProperties': False,
        },
        object_arguments=('object',),
        needs_held=False,
        leaves_held=False,
        example='push(object="red_cube", direction="left", distance=0.08)',
    )

    def check(self, call: Call) -> SkillResult | None:
        thing = _thing(call)
        if call.scene.held is not None:
            return precondition(f'the gripper holds {call.scene.held}; it pushes with empty hands')
        if not thing.movable:
            return precondition(f'{thing.name} is fixed and cannot be pushed')
        target = call.args.get('target')
        if target is not None and call.scene.get(target) is None:
            return precondition(f'{call.scene.perception} perception sees no {target!r}; it sees: '
                                f'{", ".join(call.scene.names())}', Reason.OBJECT_NOT_FOUND)
        if target == thing.name:
            return precondition(f'{thing.name} cannot be pushed towards itself')
        if self._distance(call) <= 0:
            return precondition(f'{thing.name} is as close to {target} already')
        return None

    def run(self, call: Call) -> SkillResult:
        stroke = self._stroke(call)
        request = MotionRequest(call.scene, (('gripper', _thing(call).name),), gripper_width=0.0)
        approach = self._approach(call, stroke, request)
        to_start = approach.trajectory
        if to_start is None:
            return planning_failed(approach)
        # From here on the object moves: it is what the fingers are meant to touch, and gone from
        # where it was seen.
        without = MotionRequest(_scene_without(call), gripper_width=0.0, speed=PUSH_SPEED)
        arm = Arm(call, request)
        up = stroke.end.moved(dz=call.kit.motion_config.approach_height)
        reached = call.in_phases([
            ('close', lambda: arm.open_to(0.0)),
            ('approach', lambda: arm.follow(to_start)),
            ('descend', lambda: arm.straight(stroke.behind)),
        ])
        if not reached.success:
            return reached
        arm.request = without
        pushed = call.in_phases([('push', lambda: arm.straight(stroke.end))])
        arm.request = replace(without, speed=1.0)
        return pushed if not pushed.success else call.in_phases([
            ('retreat', lambda: arm.straight(up))])

    def verify(self, call: Call) -> SkillResult:
        scene = call.observe()
        if isinstance(scene, SkillResult):
            return scene
        thing, stroke = _thing(call), self._stroke(call)
        now = scene.get(thing.name)
        if now is None:
            return unverified(f'{thing.name} is not seen after the push')
        moved = np.subtract(now.position[:2], thing.position[:2])
        along = float(moved @ stroke.direction)
        drift = float(np.linalg.norm(moved - along * stroke.direction))
        if along < SHARE_AT_LEAST * stroke.distance_m or drift > DRIFT_M:
            return unverified(f'{thing.name} moved {along * 1000:.0f} mm of '
                              f'{stroke.distance_m * 1000:.0f} mm and {drift * 1000:.0f} mm '
                              'sideways', along=along, drift=drift)
        return succeeded(f'{thing.name} moved {along * 1000:.0f} mm', along=along, drift=drift)

    @staticmethod
    def _approach(call: Call, stroke: Stroke, request: MotionRequest) -> MotionOutcome:
        """The motion to above the start, provided that the whole stroke can be made from there."""
        motion, kit = call.kit.motion, call.kit
        above = stroke.behind.moved(dz=kit.motion_config.approach_height)
        postures = motion.postures(above, kit.robot.home, request)
        outcome = MotionOutcome(None)
        if postures.contact is not None:
            outcome = MotionOutcome(None, Reason.IN_COLLISION, f'behind it {postures.contact}')
        for joints in postures.joints:
            outcome = motion.straight(joints, stroke.behind, request, call.ctx)
            if outcome.trajectory is not None:
                outcome = motion.straight(outcome.trajectory.end, stroke.end,
                                          MotionRequest(_scene_without(call), gripper_width=0.0),
                                          call.ctx)
            if outcome.trajectory is not None:
                return motion.to_joints(kit.robot.state().joints, joints, request, call.ctx)
        if outcome.reason is None:
            report = motion.solve_ik(above, kit.robot.home).report
            outcome = MotionOutcome(None, Reason.UNREACHABLE, report.sentence if report else
                                    'the stroke cannot be made in one posture', report)
        return outcome

    def _stroke(self, call: Call) -> Stroke:
        thing, direction, distance = _thing(call), self._direction(call), self._distance(call)
        x, y, z = thing.position
        back = _reach(thing, direction) + FINGER_M + STAND_OFF_M
        floor = thing.bottom_z + LOWEST_TCP_M
        height = max(floor, min(z, thing.bottom_z + half_height(thing)))
        # The wide side of the closed fingers faces the object.
        yaw = math.atan2(direction[1], direction[0])
        behind = Pose.from_rpy(x - back * direction[0], y - back * direction[1], height,
                               roll=math.pi, yaw=yaw)
        travel = STAND_OFF_M + distance
        end = behind.moved(travel * direction[0], travel * direction[1])
        return Stroke(direction, distance, behind, end)

    @staticmethod
    def _direction(call: Call) -> FloatArray:
        if 'direction' in call.args:
            return np.array(DIRECTIONS[call.args['direction']])
        target = call.scene.get(call.args['target'])
        assert target is not None  # check saw it
        gap = np.subtract(target.position[:2], _thing(call).position[:2])
        return np.asarray(gap / max(float(np.linalg.norm(gap)), 1e-9))

    def _distance(self, call: Call) -> float:
        """How far (m) the object is to move."""
        asked = call.args.get('distance')
        target = call.scene.get(call.args.get('target', ''))
        if target is None:
            return float(asked or DEFAULT_DISTANCE_M)
        thing, direction = _thing(call), self._direction(call)
        gap = math.dist(thing.position[:2], target.position[:2])
        room = gap - _reach(thing, direction) - _reach(target, direction) - TOWARDS_GAP_M
        return min(float(asked), room) if asked else room


def _thing(call: Call) -> SceneObject:
    thing = call.scene.get(call.args['object'])
    assert thing is not None  # the executor checked
    return thing


def _scene_without(call: Call) -> Scene:
    return replace(call.scene, objects=call.scene.without([_thing(call).name]))


def _reach(thing: SceneObject, direction: FloatArray) -> float:
    """How far (m) the object extends from its centre along a horizontal direction."""
    rotation = thing.pose.matrix()[:2, :3]
    if thing.shape in ROUND or thing.shape is Shape.SPHERE:
        return thing.size[0] / 2
    return float(np.abs(direction @ rotation) @ (np.asarray(thing.size) / 2))
