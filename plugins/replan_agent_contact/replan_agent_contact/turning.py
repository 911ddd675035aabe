# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""turn: bring a knob to an angle, with the fingers across it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from replan_agent import (
    Arm,
    Call,
    Cause,
    Effect,
    EffectKind,
    Reason,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand import have_let_go
from replan_agent.execute.arm import backed_off, look_at_rest
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.skills import name_of, takes

from .contact_motion import stroke
from .handle import NEAR_M, PLAY_M, Hold, approach_request, choose_hold, stroke_request
from .joint import Joint, Jointed
from .opening import has_handle, stopped

GRIP_N = 40.0
TORQUE_NM = 0.8
SLACK_DEG = 3.0
BEYOND_DEG = 1.0  # of its way: an angle in words is rounded
GIVES_DEG = 6.0  # the fingers turn so much on a knob that does not
SHARES = (1.0, 0.5, 0.25)  # of a turn, where the wrist cannot do all of it in one grasp
MOST_DEG = 150.0  # in one grasp: the wrist turns no farther, and half a turn cannot be told


class Turn(Skill):
    spec = SkillSpec(
        name='turn', description='Turn a knob or a valve on its place to an angle.',
        arguments=takes('object', 'degrees', object=name_of('knob'), degrees={
            'type': 'number', 'minimum': -720, 'maximum': 720,
            'description': 'its angle afterwards; more is to the left'}, torque={
            'type': 'number', 'minimum': 0.1, 'maximum': 3, 'default': TORQUE_NM,
            'description': 'N·m, at most'}, force={
            'type': 'number', 'minimum': 10, 'maximum': 70, 'default': GRIP_N,
            'description': 'N that the fingers press with'}),
        object_arguments=('object',), needs_held=False,
        effect=Effect(EffectKind.SET, object='object', yaw='degrees', force='force',
                      state='turned'),
        adjustable=('force',), example='turn(object="knob", degrees=90)')

    def check(self, call: Call) -> SkillResult | None:
        part = call.scene.get(call.args['object'])
        if not isinstance(part, Jointed) or part.joint is None or part.joint.words:
            known = ', '.join(o.name for o in call.scene.objects
                              if isinstance(o, Jointed) and o.joint and not o.joint.words)
            return precondition(f'{call.args["object"]} does not turn on its place; what does: '
                                f'{known or "nothing"}', Reason.BAD_ARGUMENTS)
        joint, asked = part.joint, math.radians(call.args['degrees'])
        wanted = _wanted(call, joint)
        if abs(asked - wanted) > math.radians(BEYOND_DEG):
            return precondition(f'{part.name} turns from {joint.shown(joint.low)} to '
                                f'{joint.shown(joint.high)}, not to {joint.shown(asked)}',
                                Reason.BAD_ARGUMENTS)
        if abs(wanted - joint.state) <= math.radians(SLACK_DEG):
            return precondition(f'{part.name} is at {joint.shown(joint.state)} already',
                                cause=Cause.ALREADY_SO)
        return None

    def foresee(self, call: Call) -> SkillResult:
        part, joint = _knob(call)
        found = _hold(call, part, _in_one_grasp(_wanted(call, joint), joint))
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        """As many grasps as it needs: each turns the knob by what the wrist can."""
        (part, joint), made, force = _knob(call), 0.0, 0.0
        while True:
            by = _in_one_grasp(_wanted(call, joint), joint)
            if abs(by) <= math.radians(SLACK_DEG):
                return succeeded(travel=made, force_n=force)
            here = moved_knob(call, part, made)
            done = self._grasped_and_turned(here, by)
            made += done.evidence.get('travel', 0.0)
            force = max(force, done.evidence.get('force_n', 0.0))
            if not done.success:
                return replace(done, evidence={**done.evidence, 'travel': made})
            joint = replace(joint, state=joint.state + done.evidence['travel'])

    def _grasped_and_turned(self, call: Call, by: float) -> SkillResult:
        part, _ = _knob(call)
        found = _hold(call, part, by)
        if isinstance(found, SkillResult):
            return found
        hold, by = found
        arm = Arm(call, approach_request(call, part, hold.opening_m))
        reached = call.in_phases([
            ('reach', lambda: arm.open_to(hold.opening_m)),
            ('approach', lambda: arm.follow(hold.approach)),
            ('to_handle', lambda: arm.straight(hold.tcp)),
            ('grasp', lambda: arm.close(call.args.get('force', GRIP_N))),
            ('check', lambda: has_handle(
                arm, part.name, hold.opening_m - 2 * PLAY_M))])
        done = self._turned(call, arm, part, by) if reached.success else reached
        left = call.in_phases([
            ('release', lambda: arm.open_to(hold.opening_m)),
            ('retreat', lambda: arm.straight(backed_off(arm.tcp(), NEAR_M)))])
        return left if done.success and not left.success else done

    def _turned(self, call: Call, arm: Arm, part: Jointed, by: float) -> SkillResult:
        joint = part.joint
        assert joint is not None
        call.ctx.check()
        call.on_phase(self.spec.name)
        closed = arm.gripper_width()
        arm.request = replace(stroke_request(call.scene, part), gripper_width=closed)
        went = stroke(call, arm, joint, by, call.args.get('torque', TORQUE_NM))
        now = arm.gripper_width()
        told: dict[str, Any] = {'travel': went.travel, 'wanted_travel': by,
                                'force_n': went.force_n, 'gripper_width': now}
        if have_let_go(closed, now):
            return failed(Reason.GRASP_SLIPPED, f'the fingers slipped on {part.name} in the first '
                          f'{joint.shown(went.travel)}: they held it {closed * 1000:.1f} mm apart,'
                          f' now they are {now * 1000:.1f} mm apart', **{**told, 'travel': 0.0})
        if abs(by - went.travel) <= math.radians(SLACK_DEG):
            return succeeded(**told)
        return stopped(part, went, by, told, 'N·m', math.radians(GIVES_DEG))

    def verify(self, call: Call) -> SkillResult:
        """The hand told how far it turned; the look must not tell otherwise."""
        part, joint = _knob(call)
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        now, wanted = scene.get(part.name), _wanted(call, joint)
        seen = now.joint if isinstance(now, Jointed) else None
        state = seen.state if seen else joint.state + call.measured['travel']
        told: dict[str, Any] = {'state': state, 'wanted': wanted, 'seen': seen is not None}
        if abs(state - wanted) > math.radians(SLACK_DEG):
            return unverified(f'the hand turned {part.name} to {joint.shown(wanted)}, but it is '
                              f'at {joint.shown(state)}: the fingers slipped on it', **told)
        return succeeded(f'{part.name} is at {joint.shown(state)}', **told)


def _knob(call: Call) -> tuple[Jointed, Joint]:
    part = call.scene.get(call.args['object'])
    assert isinstance(part, Jointed) and part.joint is not None  # `check` passed
    return part, part.joint


def _hold(call: Call, part: Jointed, by: float) -> tuple[Hold, float] | SkillResult:
    """A grasp with which the arm can turn the knob, and how far: all of it, or a share."""
    first: SkillResult | None = None
    for share in SHARES:
        hold = choose_hold(call, part, part, share * by)
        if isinstance(hold, Hold):
            return hold, share * by
        first = first or hold
    assert first is not None
    return first


def _wanted(call: Call, joint: Joint) -> float:
    """The angle (rad) that is asked for, or the end of its way that is nearest to it."""
    return min(max(math.radians(call.args['degrees']), joint.low), joint.high)


def _in_one_grasp(wanted: float, joint: Joint) -> float:
    """How far (rad) it is turned in the next of as few grasps as possible."""
    by = wanted - joint.state
    return by / max(1, math.ceil(abs(by) / math.radians(MOST_DEG)))


def moved_knob(call: Call, part: Jointed, by: float) -> Call:
    """The call with the knob turned by so much (rad) since the scene was seen."""
    joint = part.joint
    assert joint is not None
    now = replace(part, pose=joint.moved(part.pose, by),
                  joint=replace(joint, state=joint.state + by))
    return replace(call, scene=replace(call.scene, objects=tuple(
        now if o.name == part.name else o for o in call.scene.objects)))
