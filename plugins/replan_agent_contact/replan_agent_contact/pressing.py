# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""press: push a button with closed fingers until it clicks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replan_agent import (
    Arm,
    Call,
    Cause,
    Effect,
    EffectKind,
    MotionRequest,
    Pose,
    Reason,
    Scene,
    SceneObject,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Shape
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import backed_off, look_at_rest, way_to
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.skills import name_of, takes
from replan_agent.motion.motion_protocols import MotionOutcome

from .contact_motion import stroke
from .handle import NEAR_M, approach_request, stroke_request, tcp_into
from .joint import Jointed
from .latched import meet
from .opening import stopped
from .reaching import first_way

FORCE_N = 20.0
PIECE_M = 0.001  # between two readings: a click is short
OVER_M = 0.003  # so much farther than its way: where it is may be seen wrong
MADE = 0.8  # of its way: then it is down
CLICK = 0.5  # a force that falls to this share of what it was is a click
LEAST_CLICK_N = 1.5
ROOM_M = 0.05  # before a button: fingers go there
TURNS = 8  # ways to turn the hand about its fingers


@dataclass(frozen=True)
class Reached:
    """The TCP where the fingers touch the button, and the way to before it."""

    tcp: Pose
    approach: JointTrajectory


class Press(Skill):
    spec = SkillSpec(
        name='press', description='Press a button with closed fingers until it clicks.',
        arguments=takes('object', object=name_of('button'), force={
            'type': 'number', 'minimum': 5, 'maximum': 40, 'default': FORCE_N,
            'description': 'N, at most'}),
        object_arguments=('object',), needs_held=False,
        effect=Effect(EffectKind.SET, object='object', force='force', state='pressed'),
        adjustable=('force',), example='press(object="button")')

    def check(self, call: Call) -> SkillResult | None:
        part = call.scene.get(call.args['object'])
        if not isinstance(part, Jointed) or part.joint is None or not part.can_be('pressed'):
            known = ', '.join(o.name for o in call.scene.objects if o.can_be('pressed'))
            return precondition(f'{call.args["object"]} is no button; buttons: '
                                f'{known or "none"}', Reason.BAD_ARGUMENTS)
        if part.states and part.states.now == 'pressed':
            return precondition(f'{part.name} is pressed already', cause=Cause.ALREADY_SO)
        before = [o.name for o in call.scene.without({part.name, part.part_of})
                  if meet(_room(part), o)]
        return failed(Reason.PATH_BLOCKED, f'{", ".join(before)} is on {part.name} or before it',
                      'planning', cause=Cause.APPROACH_BLOCKED,
                      blockers=tuple(before)) if before else None

    def foresee(self, call: Call) -> SkillResult:
        found = self._reached(call, _button(call.scene, call.args))
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        part = _button(call.scene, call.args)
        found = self._reached(call, part)
        if isinstance(found, SkillResult):
            return found
        arm = Arm(call, approach_request(call, part, 0.0))
        before = call.in_phases([('close', lambda: arm.open_to(0.0)),
                                 ('approach', lambda: arm.follow(found.approach))])
        if not before.success:
            return before
        calm = call.kit.robot.state().external_torque
        touched = call.in_phases([('touch', lambda: self._touch(call, arm, part, found.tcp))])
        pressed = self._pressed(call, arm, part, found.tcp, calm) if touched.success else touched
        left = call.in_phases([('retreat', lambda: arm.straight(backed_off(arm.tcp(), NEAR_M)))])
        return pressed if left.success or not pressed.success else left

    def _touch(self, call: Call, arm: Arm, part: Jointed, assumed: Pose) -> SkillResult:
        arm.request = replace(stroke_request(call.scene, part), gripper_width=0.0)
        return arm.straight_until_contact(backed_off(assumed, -OVER_M))

    def _pressed(self, call: Call, arm: Arm, part: Jointed, touch: Pose, calm: FloatArray
                 ) -> SkillResult:
        """The stroke. `touch` is where the fingers should have felt the button first."""
        joint = part.joint
        assert joint is not None
        call.on_phase(self.spec.name)
        by = joint.high - joint.state
        went = stroke(call, arm, joint, by + OVER_M, call.args.get('force', FORCE_N),
                      piece_m=PIECE_M, calm=calm)
        went = replace(went, travel=max(went.travel, joint.made(touch, arm.tcp())))
        clicked = has_clicked(went.felt)
        told: dict[str, Any] = {'travel': went.travel, 'wanted_travel': by,
                                'force_n': went.force_n, 'clicked': clicked}
        if went.travel >= MADE * by and (clicked or went.resisted):
            return succeeded(**told)
        if went.travel >= MADE * by and not went.failure:
            return failed(Reason.VERIFICATION_FAILED, f'the fingers felt no button: they went '
                          f'{joint.shown(went.travel)} against {went.force_n:.0f} N at most',
                          **told)
        return stopped(part, went, by, told)

    def verify(self, call: Call) -> SkillResult:
        """What the fingers felt, and a look that must not tell otherwise."""
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        now, felt = scene.get(call.args['object']), bool(call.measured.get('clicked'))
        told: dict[str, Any] = {'clicked': felt, 'seen': now is not None}
        if now is None or now.states is None:
            return succeeded('a click was felt', **told) if felt else unverified(
                f'{call.args["object"]} is not seen, and no click was felt', **told)
        if now.states.now != 'pressed':
            return unverified(f'{now.name} is not down', **told)
        return succeeded(f'{now.name} is down{", and a click was felt" * felt}', **told)

    def _reached(self, call: Call, part: Jointed) -> Reached | SkillResult:
        """The first turn of the hand with which the arm can press it, or why there is none."""
        motion, joint = call.kit.motion, part.joint
        assert joint is not None
        by, request = joint.high - joint.state + OVER_M, approach_request(call, part, 0.0)
        pressing = _pressing(call.scene, part)

        def press(tcp: Pose, joints: FloatArray) -> Reached | MotionOutcome:
            outcome = motion.straight(joints, backed_off(tcp, -by), pressing, call.ctx)
            if outcome.trajectory is not None:
                outcome = motion.straight(joints, backed_off(tcp, NEAR_M), request, call.ctx)
            if outcome.trajectory is not None:
                outcome = way_to(call, call.kit.robot.state().joints, outcome.trajectory.end,
                                 request, part.name)
            return Reached(tcp, outcome.trajectory) if outcome.trajectory is not None else outcome

        return first_way(call, touches(part, call.kit.arm.hand), request, f'at {part.name}',
                         f'the fingers reach {part.name} from no side', press)


def touches(part: Jointed, hand: HandShape) -> Iterator[Pose]:
    """TCP poses with which closed fingers touch the middle of a button."""
    joint = part.joint
    assert joint is not None
    into = np.array(joint.axis)
    aside = part.pose.rotation[:, 0]
    at = np.subtract(part.position, (part.size[2] / 2 + hand.tip_beyond_tcp_m) * into)
    for turn in np.arange(TURNS) * 2 * math.pi / TURNS:
        x = math.cos(turn) * aside + math.sin(turn) * np.cross(into, aside)
        yield tcp_into(x, into, at)


def has_clicked(felt: Sequence[float]) -> bool:
    """Whether a force rose, and then fell at once to less than half."""
    return any(now < CLICK * most and most > LEAST_CLICK_N
               for now, most in zip(felt[1:], np.maximum.accumulate(felt)))


def _button(scene: Scene, args: Any) -> Jointed:
    part = scene.get(args['object'])
    assert isinstance(part, Jointed)  # `check` passed
    return part


def _room(part: Jointed) -> SceneObject:
    """Where the fingers go before they touch it."""
    joint = part.joint
    assert joint is not None
    middle = np.subtract(part.position, (part.size[2] + ROOM_M) / 2 * np.array(joint.axis))
    return SceneObject('', Shape.CYLINDER, (*part.size[:2], ROOM_M),
                       Pose(tuple(middle.tolist()), part.pose.quaternion))


def _pressing(scene: Scene, part: Jointed) -> MotionRequest:
    return replace(stroke_request(scene, part), gripper_width=0.0)
