# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which grasp a pick uses, and the motions to it and up again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.geometry.judging import may_touch_below
from replan_agent.geometry.outlines import bears, gap_m, parts
from replan_agent.geometry.spans import between_pads
from replan_agent.geometry.support import may_be_near
from replan_agent.motion.motion_protocols import (
    Grasp,
    GraspKind,
    MotionOutcome,
    MotionRequest,
    blocked_by,
)

from .arm import LOWERED, backed_off, way_to
from .contract import Call

KINDS = {'top_down': GraspKind.TOP_DOWN, 'tilted': GraspKind.TILTED, 'side': GraspKind.SIDE}
SELDOM = 0.2  # of the grasps that the main blocker blocks
MOST_TRIED = 8  # options planned in one tier before the next tier
MOST_IN_VAIN = 6  # ways to a grasp that are searched without success
WIDTH_FIT_WEIGHT = 10.0  # one metre of better fit is worth this much joint motion (rad)
TAKE_UP_M = 0.01  # so far up, an object is off its support
TOUCHES_M = 0.002  # neighbours closer than this slide along each other in the lift
SAME_TURN_RAD = math.radians(6)  # closing directions closer together than this count as one

Tried = list[tuple[Grasp, MotionOutcome]]
GraspPosture = tuple[Grasp, FloatArray]  # a grasp, and joints at it


@dataclass(frozen=True)
class Reach:
    """A grasp with its planned motions: to the start of the approach, and down to the grasp."""

    grasp: Grasp
    approach: JointTrajectory
    descent: JointTrajectory


def named_object(call: Call) -> SceneObject:
    """The object that the call names."""
    thing = call.scene.get(call.args['object'])
    assert thing is not None  # the executor checked
    return thing


def candidates(call: Call) -> Iterator[Grasp]:
    """Ways to grasp the object, of the requested kind."""
    kind = KINDS.get(call.args.get('grasp', ''))
    yield from (grasp for grasp in call.kit.grasps.candidates(named_object(call), call.scene)
                if kind is None or grasp.kind is kind)


def choose_boldly(call: Call, start: FloatArray) -> tuple[Call, Reach | SkillResult]:
    """The chosen grasp or why there is none, and the call with the scene that it is planned in.

    If none is free, the guesses of what is hidden behind the neighbours do not block any more.
    """
    found = choose_grasp(call, start)
    seen = as_seen(call.scene, named_object(call).name)
    if isinstance(found, Reach) or found.reason is Reason.UNREACHABLE or seen == call.scene:
        return call, found
    bold = replace(call, scene=seen)
    again = choose_grasp(bold, start)
    return (bold, again) if isinstance(again, Reach) else (call, found)


def as_seen(scene: Scene, name: str) -> Scene:
    """The scene in which all things but one are only what was seen of them."""
    return replace(scene, objects=tuple(
        o if o.name == name or not (seen := tuple(p for p in o.pieces if not p.guessed))
        else replace(o, pieces=seen) for o in scene.objects))


def choose_grasp(call: Call, start: FloatArray) -> Reach | SkillResult:
    """The first grasp with a free way to it, down, and up again; else why each one failed.

    Postures are searched near home, not near the arm's current place. Otherwise the arm would
    drift from task to task into ever stranger configurations. Each way that is searched in vain
    takes seconds: after some the arm is taken to be shut in.
    """
    grasps: list[Grasp] = []
    tried: Tried = []
    in_vain = 0
    for _, tier in groupby(_different_first(call), key=lambda grasp: grasp.tier):
        grasps += (of_tier := list(tier))
        for grasp, posture in _postures(call, of_tier, tried):
            found = back = _down_and_up(call, grasp, posture)
            if back.trajectory is not None:
                found = way_to(call, start, back.trajectory.end, approach_request(call, grasp),
                               named_object(call).name)
                if found.trajectory is not None:
                    return Reach(grasp, found.trajectory, back.trajectory.reversed())
                in_vain += 1
            tried.append((grasp, found))
            if in_vain == MOST_IN_VAIN:
                return _no_grasp(call, grasps, tried)
    return _no_grasp(call, grasps, tried)


def _different_first(call: Call) -> Iterator[Grasp]:
    """The candidates. Those like one that failed come last."""
    thing, again = named_object(call), []
    for grasp in candidates(call):
        if call.kit.missed.is_like_one(thing, grasp, call.scene):
            again.append(grasp)
        else:
            yield grasp
    yield from again


def above(call: Call, grasp: Grasp) -> Pose:
    return backed_off(grasp.tcp, call.kit.motion_config.approach_height)


def raised(grasp: Grasp) -> Pose:
    """Just off its support: here the arm feels the weight."""
    return grasp.tcp.moved(dz=TAKE_UP_M)


def lifted(call: Call, grasp: Grasp) -> Pose:
    return grasp.tcp.moved(dz=call.kit.motion_config.lift_height)


def approach_request(call: Call, grasp: Grasp) -> MotionRequest:
    """For the way to the object: the open fingers may touch it, and nothing else."""
    return MotionRequest(call.scene, (('gripper', named_object(call).name),),
                         gripper_width=grasp.opening, speed=call.args.get('speed', 1.0))


def holding_request(call: Call, grasp: Grasp) -> MotionRequest:
    """For the way up: the object is in the gripper, and may touch what it touches now."""
    thing = named_object(call)
    arm = replace(call.scene.arm, tcp=grasp.tcp) if call.scene.arm else None
    scene = replace(call.scene, held=thing.name, arm=arm)
    touching = tuple((thing.name, other.name) for other in call.scene.without([thing.name])
                     if may_touch_below(thing, other) or bears(other, thing)
                     or _touches(thing, other))
    return MotionRequest(scene, touching, gripper_width=grasp.width,
                         speed=call.args.get('speed', 1.0))


def _touches(thing: SceneObject, other: SceneObject) -> bool:
    """Whether a neighbour lies against the object, seen from above, and not on top of it."""
    return (other.shape is not Shape.TABLE and may_be_near(thing, thing.position, other, TOUCHES_M)
            and thing.bottom_z < other.top_z and not may_touch_below(other, thing)
            and not bears(thing, other)
            and gap_m(parts(thing), parts(other)) <= TOUCHES_M)


def is_between_pads(call: Call, tcp: Pose) -> bool:
    """Whether the object is of any shape, and some of it would be between the middles of the pads.

    Then hand or fingers that touch something may close: not all of it was seen.
    """
    thing = named_object(call)
    T_thing_tcp = np.linalg.inv(thing.pose.matrix()) @ tcp.matrix()
    return bool(thing.pieces and between_pads(
        thing, T_thing_tcp, call.kit.robot.state().gripper_width))


def describe_grasp(grasp: Grasp, thing: SceneObject) -> dict[str, Any]:
    """The grasp as evidence: angles in degrees, the closing relative to the object."""
    closing = math.remainder(closing_yaw(grasp) - thing.pose.yaw, math.pi)
    kind = next((name for name, kind in KINDS.items() if kind is grasp.kind), grasp.kind.value)
    return {'kind': kind, 'closing_deg': round(math.degrees(closing), 1) + 0.0,  # no -0.0
            'tilt_deg': round(math.degrees(math.acos(-grasp.tcp.rotation[2, 2].clip(-1, 1))), 1),
            'opening_mm': round(grasp.opening * 1000, 1)}


def closing_yaw(grasp: Grasp) -> float:
    """Direction (rad, base frame) in which the fingers close. Opposite directions are equal."""
    across = grasp.tcp.matrix()[:3, 1]
    return math.atan2(float(across[1]), float(across[0]))


def _postures(call: Call, grasps: list[Grasp], tried: Tried) -> list[GraspPosture]:
    """Postures of the arm at each grasp, the easiest first.

    If `turn` is given, grasps that close turned by that much from the easiest one come first.
    """
    home, found = call.kit.robot.home, []
    targets = [(grasp.tcp, approach_request(call, grasp)) for grasp in grasps]
    for grasp, postures in zip(grasps, call.kit.motion.postures_of_each(targets, home)):
        call.ctx.check()
        if postures.contact is not None:
            tried.append((grasp, blocked_by(postures.contact, 'at the grasp')))
        found += [(grasp, joints) for joints in postures.joints]

    def effort(way: GraspPosture) -> float:
        return float(np.linalg.norm(way[1] - home)) - WIDTH_FIT_WEIGHT * way[0].score

    found.sort(key=effort)
    if found and call.args.get('turn'):
        yaw = closing_yaw(found[0][0]) + math.radians(call.args['turn'])
        found.sort(key=lambda way: round(abs(math.remainder(  # stable: the easiest stays first
            closing_yaw(way[0]) - yaw, math.pi)) / SAME_TURN_RAD))
    return found[:MOST_TRIED]


def _down_and_up(call: Call, grasp: Grasp, at: FloatArray) -> MotionOutcome:
    """The line back from the grasp, if it and the lift are possible; else what is not.

    Motions are planned from the grasp outwards: the tightest part decides first.
    """
    motion, request = call.kit.motion, approach_request(call, grasp)
    slow = min(request.speed, LOWERED if named_object(call).pieces else 1.0)
    back = motion.straight(at, above(call, grasp), replace(request, speed=slow), call.ctx)
    if back.trajectory is None:
        return back
    holding, joints = holding_request(call, grasp), at
    for pose in (raised(grasp), lifted(call, grasp)):  # as they are executed, one by one
        up = motion.straight(joints, pose, holding, call.ctx)
        if up.trajectory is None:
            return up
        joints = up.trajectory.end
    return back


def _no_grasp(call: Call, grasps: list[Grasp], tried: Tried) -> SkillResult:
    """The failure for all candidates: what was tried, and why each failed."""
    attempts = [f'{grasp.label}: {outcome.detail}' for grasp, outcome in tried]
    blocked = [(grasp, outcome) for grasp, outcome in tried
               if outcome.reason is not Reason.UNREACHABLE]
    if blocked:  # without these objects it could be reached, so they are the cause
        grasp, outcome = blocked[0]
        return failed(outcome.reason or Reason.PATH_BLOCKED,
                      f'none of {len(grasps)} grasps is free; {grasp.label}: {outcome.detail}',
                      FailedStage.PLANNING, outcome.ik, outcome.cause,
                      _most_often(call, tried), tried=attempts)
    nearest = min((grasp for grasp in grasps if grasp.tier == grasps[0].tier), key=lambda grasp: (
        math.hypot(*above(call, grasp).position[:2])))  # of the best, it needs the least reach
    home, report = call.kit.robot.home, None
    for pose in (nearest.tcp, above(call, nearest)):
        report = report or call.kit.motion.solve_ik(pose, home).report
    detail = report.sentence if report else (
        f'none of {len(grasps)} grasps can be reached straight from above')
    return failed(Reason.UNREACHABLE, detail, FailedStage.PLANNING, report, Cause.NO_POSTURE,
                  tried=attempts or [grasp.label for grasp in grasps])


def _most_often(call: Call, tried: Tried) -> tuple[str, ...]:
    """The objects that block the grasps, the one that blocks most of them first.

    What blocks few of them, far from the others, is not what is in the way.
    """
    times = Counter(name for _, outcome in tried for name in outcome.blockers)
    least = SELDOM * max(times.values(), default=0)
    return tuple(sorted((name for name in call.scene.names() if times[name] > least),
                        key=lambda name: -times[name]))
