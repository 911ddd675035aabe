# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""open, close: move what has a joint by its handle."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from replan_agent import (
    Arm,
    Call,
    Cause,
    Effect,
    EffectKind,
    Reason,
    Scene,
    SceneObject,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand import CLOSED_M, LEAST_SHARE, have_let_go
from replan_agent.execute.arm import backed_off, look_at_rest
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.skills import name_of, takes

from .contact_motion import Stroked, stroke
from .handle import CLEAR_M, NEAR_M, Hold, approach_request, choose_hold, stroke_request
from .joint import Joint, Jointed, JointKind
from .latched import Move, in_the_way, moved_along

FORCE_N = 40.0  # along the way
GRIP_N = 50.0
STUCK = {JointKind.SLIDE: 0.005, JointKind.HINGE: np.radians(2)}  # what moved less did not move
STUCK_SHARE = 0.3  # of its way, if that is less
HOOK_REACH_M, HOOK_TOUCH_N = 0.008, 8.0  # within so much a finger touches the bar: so it feels
GIVES = 0.3  # of the turn of a latch: its spring turns it back so much at most


class _Moved(Skill):
    """A joint brought to a share of its range by its handle."""

    word: ClassVar[str]

    def wanted(self, call: Call, joint: Joint) -> float:
        """The state that the joint should have."""
        raise NotImplementedError

    def check(self, call: Call) -> SkillResult | None:
        part = call.scene.get(call.args['object'])
        if not isinstance(part, Jointed) or part.joint is None:
            known = ', '.join(o.name for o in call.scene.objects if isinstance(o, Jointed))
            return precondition(f'{call.args["object"]} has no joint that is known; what has one: '
                                f'{known or "nothing"}', Reason.BAD_ARGUMENTS)
        if not part.can_be(self.word):
            return precondition(f'{part.name} cannot be {self.word}', Reason.BAD_ARGUMENTS)
        if call.scene.get(part.handle) is None:
            return precondition(f'the handle of {part.name} is not seen', Reason.OBJECT_NOT_FOUND)
        by = self.wanted(call, part.joint) - part.joint.state
        if abs(by) <= part.joint.slack:
            return precondition(f'{part.name} is {self.word} already: '
                                f'{part.joint.shown(part.joint.state)} open',
                                cause=Cause.ALREADY_SO)
        return in_the_way(call.scene, part, by)

    def foresee(self, call: Call) -> SkillResult:
        part, handle, by = self._task(call)
        found = choose_hold(call, part, handle, by)
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        part, handle, by = self._task(call)
        hold = choose_hold(call, part, handle, by)
        if isinstance(hold, SkillResult):
            return hold
        arm = Arm(call, approach_request(call, handle, hold.opening_m))
        reached = call.in_phases([
            ('reach', lambda: arm.open_to(hold.opening_m)),
            ('approach', lambda: arm.follow(hold.approach)),
            ('to_handle', lambda: arm.straight(hold.tcp)),
            *([] if hold.hooks else [('grasp', lambda: arm.close(GRIP_N)),
                                     ('check', lambda: has_handle(
                                         arm, handle.name, handle.size[0]))])])
        if not reached.success:
            call.in_phases([('release', lambda: arm.open_to(hold.opening_m)),
                            ('retreat', arm.retrace)])
            return reached
        done, there = self._moved(call, arm, handle, hold)
        left = self._let_go(call, arm, part, hold, there)
        if left.success:
            return done
        return left if done.success else replace(
            done, reason_detail=f'{done.reason_detail}; and the hand did not get off '
            f'{handle.name}: {left.reason_detail}')

    def _moved(self, call: Call, arm: Arm, handle: SceneObject, hold: Hold
               ) -> tuple[SkillResult, Scene]:
        """All moves of the hold, and the scene where they ended. The result is that of the part,
        or of the first move that failed."""
        result, there = SkillResult(True), call.scene
        wanted, made = dict[str, float](), dict[str, float]()
        for move in hold.moves:
            name, own = move.part.name, move.part.name == call.args['object']
            wanted[name] = wanted.get(name, 0.0) + move.by
            move = replace(move, by=wanted[name] - made.get(name, 0.0))
            done = self._stroke(call, arm, move, handle, hold, own)
            made[name] = made.get(name, 0.0) + done.evidence['travel']
            now = there.get(name)
            assert isinstance(now, Jointed)
            there = moved_along(there, now, done.evidence['travel'])
            result = done if own or not done.success else result
            if not done.success:
                break
        return result, there

    def _stroke(self, call: Call, arm: Arm, move: Move, handle: SceneObject, hold: Hold,
                own: bool) -> SkillResult:
        """One of the moves. A latch has a spring, so it does not get quite where it should."""
        part, by, joint = move.part, move.by, move.part.joint
        assert joint is not None
        call.ctx.check()
        call.on_phase(self.spec.name if own else f'turn {part.name}')
        arm.request = replace(stroke_request(move.scene, part), gripper_width=arm.gripper_width())
        closed = arm.gripper_width()
        went = (self._hooked if hold.hooks else stroke)(
            call, arm, joint, by, call.args.get('force', FORCE_N), hold.follows)
        now = arm.gripper_width()
        told: dict[str, Any] = {'travel': went.travel, 'wanted_travel': by,
                                'force_n': went.force_n, 'gripper_width': now,
                                'hooked': hold.hooks}
        if not hold.hooks and have_let_go(closed, now):
            return failed(Reason.GRASP_SLIPPED, f'the fingers lost {handle.name} in the first '
                          f'{joint.shown(went.travel)}: they held it {closed * 1000:.1f} mm '
                          f'apart, now they are {now * 1000:.1f} mm apart', **told)
        if abs(by - went.travel) <= (joint.slack if own else GIVES * abs(by)):
            return succeeded(**told)
        return stopped(part, went, by, told)

    @staticmethod
    def _hooked(call: Call, arm: Arm, joint: Joint, by: float, force_n: float, follows: float
                ) -> Stroked:
        """The same with a finger that must touch the bar first: that is no travel of the joint."""
        near = math.copysign(HOOK_REACH_M, by) / float(np.linalg.norm(joint.way(arm.tcp())))
        calm = call.kit.robot.state().external_torque
        first = stroke(call, arm, joint, near, HOOK_TOUCH_N, follows)
        if first.failure is not None and not first.resisted:
            return first
        if first.resisted:
            return stroke(call, arm, joint, by, force_n, follows, calm=calm)
        went = stroke(call, arm, joint, by - near, force_n, follows)
        return replace(went, travel=went.travel + first.travel)

    def _let_go(self, call: Call, arm: Arm, part: Jointed, hold: Hold, scene: Scene
                ) -> SkillResult:
        """Open the fingers and leave the handle, wherever it is now."""
        handle = scene.get(part.handle)
        assert handle is not None
        arm.request = approach_request(replace(call, scene=scene), handle, hold.opening_m)
        robot = call.kit.robot

        def leave() -> SkillResult:
            far = arm.straight(backed_off(arm.tcp(), NEAR_M))
            return far if far.success else arm.straight(backed_off(arm.tcp(), CLEAR_M))

        return call.in_phases([
            ('release', lambda: arm.open_to(hold.opening_m)), ('retreat', leave),
            ('release', lambda: arm.open_to(robot.max_gripper_width))])

    def verify(self, call: Call) -> SkillResult:
        """The hand told how far it took the handle; the look must not tell otherwise."""
        part, _, by = self._task(call)
        assert part.joint is not None
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        now, wanted = scene.get(part.name), self.wanted(call, part.joint)
        seen = now.joint if isinstance(now, Jointed) else None
        state = seen.state if seen else part.joint.state + call.measured['travel']
        told: dict[str, Any] = {'state': state, 'wanted': wanted, 'seen': seen is not None}
        if seen is None and call.measured.get('hooked'):
            return unverified(f'{part.name} is not seen, and a finger that hooks {part.handle} '
                              'may have slipped off', **told)
        if abs(state - wanted) > part.joint.slack:
            return unverified(f'the hand took {part.name} {part.joint.shown(by)}, but it is '
                              f'{part.joint.shown(state)} open', **told)
        return succeeded(f'{part.name} is {part.joint.shown(state)} open', **told)

    def _task(self, call: Call) -> tuple[Jointed, SceneObject, float]:
        """The part, its handle, and how far the joint must go."""
        part = call.scene.get(call.args['object'])
        assert isinstance(part, Jointed) and part.joint is not None  # `check` passed
        handle = call.scene.get(part.handle)
        assert handle is not None
        return part, handle, self.wanted(call, part.joint) - part.joint.state


class Open(_Moved):
    word = 'open'
    spec = SkillSpec(
        name='open',
        description='Open a drawer or a door by its handle, all the way or a share of it.',
        arguments=takes('object', object=name_of('drawer or door'), share={
            'type': 'number', 'exclusiveMinimum': 0, 'maximum': 1, 'default': 1,
            'description': 'how far, of all the way'}, force={
            'type': 'number', 'minimum': 10, 'maximum': 80, 'default': FORCE_N,
            'description': 'N along the way, at most'}),
        object_arguments=('object',), needs_held=False,
        effect=Effect(EffectKind.SET, object='object', force='force', state='open'),
        adjustable=('force',), example='open(object="drawer")')

    def wanted(self, call: Call, joint: Joint) -> float:
        return joint.low + call.args.get('share', 1.0) * (joint.high - joint.low)


class Close(_Moved):
    word = 'closed'
    spec = SkillSpec(
        name='close', description='Close a drawer or a door by its handle.',
        arguments=takes('object', object=name_of('drawer or door'),
                        force=dict(Open.spec.argument_schema('force'))),
        object_arguments=('object',), needs_held=False,
        effect=Effect(EffectKind.SET, object='object', force='force', state='closed'),
        adjustable=('force',), example='close(object="drawer")')

    def wanted(self, call: Call, joint: Joint) -> float:
        return joint.low


def has_handle(arm: Arm, name: str, thick_m: float) -> SkillResult:
    """Whether the fingers are as far apart as what they hold is thick."""
    width = arm.gripper_width()
    if width >= max(CLOSED_M, LEAST_SHARE * thick_m):
        return succeeded()
    return failed(Reason.GRASP_MISSED, f'the fingers are {width * 1000:.1f} mm apart, and '
                  f'{name} is {thick_m * 1000:.0f} mm thick',
                  gripper_width=width, expected_width=thick_m)


def stopped(part: Jointed, went: Stroked, by: float, told: dict[str, Any],
            force: str = 'N', stuck: float | None = None) -> SkillResult:
    """Why a stroke ended early, while the fingers held the handle or pressed.

    If it did not move at all against the full force, no other try with this force moves it:
    what moved less than `stuck` did not move. `force` is the unit of the force.
    """
    joint = part.joint
    assert joint is not None
    made = f'{joint.shown(went.travel)} of {joint.shown(by)}'
    if not went.resisted:
        return replace(went.failure, evidence={**went.failure.evidence, **told}) if (
            went.failure) else failed(Reason.VERIFICATION_FAILED, f'{part.name} went {made}',
                                      **told)
    against = f'{went.force_n:.{0 if force == "N" else 1}f} {force}'
    if abs(went.travel) < min(stuck or STUCK[joint.kind], STUCK_SHARE * abs(by)):
        return failed(Reason.PRECONDITION_FAILED, f'{part.name} is locked or stuck: {made} '
                      f'against {against} at {part.handle or part.name}; '
                      'unlock it, or allow more force', proved_impossible=True,
                      would_help=f'a person who unlocks {part.name}, or more force', **told)
    return failed(Reason.CONTROLLER_ABORTED, f'{part.name} is jammed: it went {made}, then '
                  f'{against} did not move it', cause=Cause.HELD_UP,
                  would_help=f'a person who frees {part.name}, or more force', **told)
