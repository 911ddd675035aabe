# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""insert: bring a peg and the hole that it just fits together, and feel for the hole.

The held peg goes into a hole, or the hole of the held thing over a peg.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
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
    SceneObject,
    Skill,
    SkillResult,
    SkillSpec,
    failed,
    succeeded,
)
from replan_agent.domain.hand import have_let_go
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.skill_effect import Fit
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import look_at_rest, way_to
from replan_agent.execute.choice_of_spot import held_at, held_by
from replan_agent.execute.contract import precondition, unverified
from replan_agent.execute.skills import name_of, takes
from replan_agent.geometry.judging import is_inside, lies_on_rim
from replan_agent.geometry.room.hand_room import RELEASE_ROOM_M
from replan_agent.motion.motion_protocols import MotionOutcome

from .contact_motion import Search, Stroked, line, spiral, stroke
from .held_poses import standing
from .joint import Joint
from .peg_board import FILLED
from .reaching import first_way
from .ring import Mate, Peg, Ring, mate_of

FORCE_N, TOUCH_N = 25.0, 8.0  # into the hole at most, and when it meets the rim
GRIP_N = 70.0
OVERSHOOT = 0.8  # of the force: the hand stops a moment later than it feels
ABOVE_M = 0.008  # between the tip and the rim, when the guarded move begins
REACH_M = 0.0055  # so far from where it was seen a hole is felt for
IN_M = 0.004  # a tip that got so far below the rim is in the hole
DEEP = 0.7  # of the hole's depth: it stays there
FROM = 0.7, 0.5, 0.3  # of the depth: from there a ring falls
NEAR_FLOOR_M = 0.003
LEAST_PLAY_M = 0.0002  # in all: with less it is no hole for this peg
PIECE_M = 0.004
STEP, LEAST_STEP_M = 0.7, 0.0005  # of the spiral: this share of the play, and at least
TRIES, JAMS = 8, 3  # of a tip that is caught in the mouth, and of one that jams deeper
ALIKE_M = 0.0015  # depths that differ by less are the same
BACK_M = 0.002  # a jammed peg is drawn back so far, and so comes free


@dataclass(frozen=True)
class Aim:
    """The TCP where the tip is above the mouth, how far down it goes, and the way to it."""

    tcp: Pose
    down_m: float
    approach: JointTrajectory


class Insert(Skill):
    spec = SkillSpec(
        name='insert',
        description='Put the held peg into a hole that it just fits, or the held thing with a '
                    'hole over a peg. It feels for a hole that is a few millimetres off.',
        arguments=takes('target', target=name_of('hole or peg'), force={
            'type': 'number', 'minimum': 5, 'maximum': 40, 'default': FORCE_N,
            'description': 'N into the hole, at most'}),
        object_arguments=('target',), needs_held=True,
        effect=Effect(EffectKind.PUT_IN, target='target', force='force', state=FILLED),
        must_be={'target': Fit.CONTAINER}, adjustable=('force',),
        example='insert(target="hole")')

    def check(self, call: Call) -> SkillResult | None:
        hole, peg = call.scene.get(call.args['target']), call.scene.in_hand
        if hole is None or not hole.can_be(FILLED):
            known = ', '.join(o.name for o in call.scene.objects if o.can_be(FILLED))
            return precondition(f'{call.args["target"]} is no hole and no peg; there are: '
                                f'{known or "none"}', Reason.BAD_ARGUMENTS)
        if peg is None:
            return precondition(f'{call.scene.held} is in the gripper but not in the scene',
                                Reason.OBJECT_NOT_FOUND)
        mate = mate_of(peg, hole)
        if mate is None:
            return precondition(f'{peg.name} has no hole for {hole.name}')
        if mate.play_m < LEAST_PLAY_M:
            return failed(Reason.PRECONDITION_FAILED, f'{mate.peg} is {mate.thick_m * 1000:.1f} '
                          f'mm thick, too thick for {mate.hole}, which is '
                          f'{mate.wide_m * 1000:.1f} mm wide', 'precondition',
                          cause=Cause.DOES_NOT_FIT, proved_impossible=True)
        there = tuple(o.name for o in call.scene.movable() if o.name != peg.name and (
            is_inside(o, hole) or lies_on_rim(o, hole)))
        return failed(Reason.TARGET_OCCUPIED, f'{", ".join(there)} is in {hole.name} or on it',
                      'planning', cause=Cause.TARGET_OCCUPIED, blockers=there) if there else None

    def foresee(self, call: Call) -> SkillResult:
        found = _aim(call, call.kit.robot.home)
        return found if isinstance(found, SkillResult) else succeeded()

    def run(self, call: Call) -> SkillResult:
        aim = _aim(call, call.kit.robot.state().joints)
        if isinstance(aim, SkillResult):
            return aim
        hole, grip = _hole(call), call.kit.robot.state().gripper_width
        arm = Arm(call, _holding(call))
        before = call.in_phases([('grip', lambda: arm.close(GRIP_N)),
                                 ('approach', lambda: arm.follow(aim.approach)),
                                 ('lower', lambda: arm.straight(aim.tcp))])
        if not before.success:
            return before
        call.on_phase(self.spec.name)
        into, rim = line(np.array([0.0, 0.0, -1.0]), aim.tcp), aim.tcp.moved(dz=-ABOVE_M)
        calm = call.kit.robot.state().external_torque
        done = _put_in(call, arm, into, rim, aim.down_m - ABOVE_M, calm)
        now = arm.gripper_width()
        done = replace(done, evidence={**done.evidence, 'gripper_width': now})
        if have_let_go(grip, now):
            done = failed(Reason.GRASP_SLIPPED, f'the fingers lost {held_by(call).name} at '
                          f'{hole.name}: they were {grip * 1000:.1f} mm apart, now '
                          f'{now * 1000:.1f} mm', **done.evidence)
        elif not done.success:  # it stays in the hand
            call.in_phases([('retreat', lambda: arm.straight(aim.tcp.moved(dz=ABOVE_M)))])
            return done
        left = _let_go(call, arm)
        return done if left.success or not done.success else left

    def verify(self, call: Call) -> SkillResult:
        """The hand told how deep it brought the tip; the look must not tell otherwise."""
        scene = look_at_rest(call)
        if isinstance(scene, SkillResult):
            return scene
        held, hole = held_by(call), _hole(call)
        now = scene.get(held.name)
        if now is None:
            return unverified(f'{held.name} is not seen after it was let go', seen=False)
        mate, at = _mate(call), now.hole_xy if isinstance(now, Ring) else now.position[:2]
        deep, aside = hole.top_z - now.bottom_z, math.dist(at, hole.position[:2])
        told: dict[str, Any] = {'depth': deep, 'wanted_depth': DEEP * mate.deep_m}
        if deep < DEEP * mate.deep_m or aside > mate.wide_m / 2:
            return unverified(f'{held.name} is {deep * 1000:.0f} mm below the top of {hole.name}, '
                              f'and {aside * 1000:.0f} mm from its middle',
                              cause=Cause.NOT_WHERE_PUT, **told)
        return succeeded(f'{held.name} is {deep * 1000:.0f} mm below the top of {hole.name}',
                         **told)


def _put_in(call: Call, arm: Arm, into: Joint, rim: Pose, deep_m: float, calm: FloatArray
            ) -> SkillResult:
    """From above the hole to its floor; `rim` is the TCP with the tip at the rim as it was seen.

    Down to the first touch. If that is the rim, on a spiral over it until the tip drops in. Then
    in, and a little back and in again where it jams.
    """
    mate, force_n = _mate(call), OVERSHOOT * call.args.get('force', FORCE_N)
    went = stroke(call, arm, into, ABOVE_M + deep_m, TOUCH_N, piece_m=PIECE_M, calm=calm)
    told: dict[str, Any] = {'force_n': went.force_n, 'searched_m': 0.0}

    def depth() -> float:
        return into.made(rim, arm.tcp())

    if went.failure is not None and not went.resisted:
        return replace(went.failure, evidence={**went.failure.evidence, **told})
    search = Search(call, arm, into, arm.tcp(), spiral(max(
        STEP * mate.play_m, LEAST_STEP_M), REACH_M), calm)
    jammed: list[float] = []  # how deep (m) each time
    for _ in range(TRIES):
        inside = depth() >= IN_M
        if not inside:
            sought = search.next()
            told['searched_m'] += sought.way_m
            if sought.failure is not None:
                return _not_found(call, sought.failure, {**told, 'depth': depth()})
        elif jammed:  # what is drawn back a little may come free
            back = arm.straight(arm.tcp().moved(dz=BACK_M))
            if not back.success:
                return replace(back, evidence={**back.evidence, **told, 'depth': depth()})
        went = stroke(call, arm, into, deep_m - depth(), force_n if inside else TOUCH_N,
                      piece_m=PIECE_M, calm=calm)
        told['force_n'] = max(told['force_n'], went.force_n)
        jammed += [depth()] if inside else []
        if not went.resisted or deep_m - depth() < NEAR_FLOOR_M or len(jammed) == JAMS:
            break
    told |= {'depth': depth(), 'wanted_depth': deep_m, 'jammed_at': jammed}
    if depth() >= min(DEEP * mate.deep_m, deep_m - NEAR_FLOOR_M):
        return succeeded(**told)
    if went.resisted and depth() < IN_M:
        return _not_found(call, failed(Reason.CONTROLLER_ABORTED, f'{TRIES} places felt like an '
                                       'opening, and none was one', cause=Cause.HELD_UP), told)
    return _stopped(mate, went, told)


def _not_found(call: Call, why: SkillResult, told: dict[str, Any]) -> SkillResult:
    mate = _mate(call)
    return replace(why, reason_detail=f'{mate.peg} touches the rim of {mate.hole}: '
                   f'{why.reason_detail} within {REACH_M * 1000:.1f} mm',
                   evidence={**why.evidence, **told})


def _stopped(mate: Mate, went: Stroked, told: dict[str, Any]) -> SkillResult:
    """Why it is not deep enough. At one depth again and again, against the full force: a proof."""
    made, jammed = (f'{told["depth"] * 1000:.0f} mm of {told["wanted_depth"] * 1000:.0f} mm',
                    told['jammed_at'])
    if went.failure is not None and not went.resisted:
        return replace(went.failure, evidence={**went.failure.evidence, **told})
    proved = len(jammed) == JAMS and max(jammed) - min(jammed) < ALIKE_M
    return failed(Reason.CONTROLLER_ABORTED, f'{mate.peg} is jammed in {mate.hole}: it went '
                  f'{made}, then {went.force_n:.0f} N did not move it'
                  + f', {JAMS} times at the same depth' * proved, cause=Cause.HELD_UP,
                  proved_impossible=proved, would_help=(
                      f'a person who looks at {mate.hole}: is it clean, and wide enough?'), **told)


def _let_go(call: Call, arm: Arm) -> SkillResult:
    """Open the fingers, and leave what is in place now."""
    most = call.kit.robot.max_gripper_width
    width = min(arm.gripper_width() + RELEASE_ROOM_M, most)
    peg = held_at(call, arm.tcp())
    arm.request = MotionRequest(
        replace(call.scene, held=None, objects=(*_solid(call.scene.without([peg.name])), peg)),
        (('gripper', peg.name),), gripper_width=width)
    return call.in_phases([
        ('release', lambda: arm.open_to(width)),
        ('retreat', lambda: arm.leave(call.kit.motion_config.approach_height))])


def _aim(call: Call, start: FloatArray) -> Aim | SkillResult:
    """The first way to hold the peg above the hole from which it goes all the way in."""
    hole, motion, request = _hole(call), call.kit.motion, _holding(call)
    mate, height = _mate(call), call.kit.motion_config.approach_height
    shares = FROM if mate.falls else (DEEP,)

    def lower(tcp: Pose, joints: FloatArray) -> Aim | MotionOutcome:
        up = motion.straight(joints, tcp.moved(dz=height), request, call.ctx)
        for deep in (mate.deep_m, *(share * mate.deep_m + NEAR_FLOOR_M for share in shares)):
            down = motion.straight(joints, tcp.moved(dz=-ABOVE_M - deep), request, call.ctx)
            if down.trajectory is not None:
                break
        if down.trajectory is None or up.trajectory is None:
            return down if down.trajectory is None else up
        there = way_to(call, start, up.trajectory.end, request, hole.name)
        return there if there.trajectory is None else Aim(tcp, ABOVE_M + deep, there.trajectory)

    return first_way(call, _above(call), request, f'above {hole.name}',
                     f'the hand reaches no place above {hole.name}', lower, most=2)


def _above(call: Call) -> Iterator[Pose]:
    """TCP poses with what is held upright above the target, its sides along those of it."""
    hole = _hole(call)
    return standing(call, hole.position[:2], hole.top_z + ABOVE_M, hole.pose.yaw,
                    _mate(call).own)


def _holding(call: Call) -> MotionRequest:
    """What is held may touch the target and what is around it."""
    peg, hole = held_by(call), _hole(call)
    around = [o.name for o in call.scene.objects if not o.movable
              and o.bottom_z < hole.top_z and math.dist(o.position[:2], hole.position[:2])
              < max(o.size[:2]) / 2 + REACH_M and o != call.scene.table]
    return MotionRequest(replace(call.scene, objects=_solid(call.scene.objects)),
                         tuple((peg.name, name) for name in around))


def _solid(things: Iterable[SceneObject]) -> tuple[SceneObject, ...]:
    """Without places around pegs: nothing is there but the pegs."""
    return tuple(thing for thing in things if not isinstance(thing, Peg))


def _mate(call: Call) -> Mate:
    mate = mate_of(held_by(call), _hole(call))
    assert mate is not None  # `check` passed
    return mate


def _hole(call: Call) -> SceneObject:
    hole = call.scene.get(call.args['target'])
    assert hole is not None  # `check` passed
    return hole
