# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sliding an object over the table with closed fingers: the strokes and their motions.

The fingers are upright if possible. Far from the base the hand leans: fingers that point outwards
reach farther, and hook over a low object to pull it closer. Beside a wall the hand is
turned, because it is less deep than wide, and pushes off the middle or leans to a side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from transforms3d import axangles

from replan_agent.domain.cause import Cause
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray, Pose, inward
from replan_agent.domain.robot_state import ContactGuard
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason, SkillResult
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.geometry.support import half_extent_along
from replan_agent.motion.motion_protocols import MotionOutcome, MotionRequest, blocked_by

from .arm import backed_off, planning_failed
from .contract import Call

STAND_OFF_M = 0.025  # between the fingers and the object before they touch
LEANING_OFF_M = 0.010  # the same for leaning fingers, where every millimetre of reach counts
TIP_GAP_M = 0.003  # between the finger tips and the table
HOOK_M = 0.012  # leaning finger tips reach this far below the object's top
PUSH_SPEED = 0.15  # share of the configured speed: an object that is pushed fast slides on
FIRM = ContactGuard(threshold=20.0)  # N·m; a sliding object chatters; the stretched arm feels it
ASIDE = 0.6  # share of the half width of the object: beside a wall it is pushed on its far side
# How far the hand leans (rad; to a side if it is turned), whether it is turned, and how far it
# pushes off the middle.
WAYS = ((0.0, False, 0.0), *((0.0, True, share) for share in (0.0, ASIDE, -ASIDE)),
        *((math.radians(d), True, 0.0) for d in (25, -25, 45, -45)),
        *((math.radians(d), False, 0.0) for d in (15, 25, 35)))


@dataclass(frozen=True)
class Stroke:
    """Its direction (unit vector, base frame), its distance (m), and its TCP poses.

    The hand comes from `above` and leaves to `away`, both in a straight line. `leans`: the fingers
    point outwards.
    """

    direction: FloatArray
    distance_m: float
    above: Pose
    behind: Pose
    end: Pose
    away: Pose
    leans: bool = False


@dataclass(frozen=True)
class PlannedStroke:
    """A stroke that is possible for the arm, and the motion to above its start.

    `pushes` are the names of what it moves.
    """

    stroke: Stroke
    approach: JointTrajectory
    pushes: Sequence[str]


def strokes(thing: SceneObject, direction: FloatArray, distance_m: float,
            height_m: float, hand: HandShape) -> Iterator[Stroke]:
    """Ways to slide `thing`: upright first, then with the hand turned by a quarter, also off the
    middle or leaning to a side, then leaning outwards more and more.

    `height_m` is how high above the start and the end the hand comes and goes.
    """
    across = np.array([-direction[1], direction[0]])
    half = half_extent_along(thing, math.atan2(across[1], across[0]))
    for lean, turned, aside in WAYS:
        off = LEANING_OFF_M if lean else STAND_OFF_M
        behind = _behind(thing, direction, lean, off, turned, hand).moved(*aside * half * across)
        travel = off + distance_m
        end = behind.moved(travel * direction[0], travel * direction[1])
        if lean:
            above, away = backed_off(behind, height_m), backed_off(end, height_m)
        else:
            above, away = behind.moved(dz=height_m), end.moved(dz=height_m)
        outwards = lean > 0 and not turned
        yield Stroke(direction, distance_m, above, behind, end, away, leans=outwards)


def plan_stroke(call: Call, found: Iterator[Stroke], pushes: Sequence[str],
                start: FloatArray) -> PlannedStroke | SkillResult:
    """The first stroke that is possible from start to end, or why the upright one is not.

    `pushes` are the names of what it moves.
    """
    first: MotionOutcome | None = None
    for stroke in found:
        if first is not None and stroke.leans and first.reason is not Reason.UNREACHABLE:
            continue  # leaning gives more reach, but needs more room
        outcome = _approach(call, pushes, stroke, start)
        if outcome.trajectory is not None:
            return PlannedStroke(stroke, outcome.trajectory, pushes)
        first = first or outcome
    assert first is not None  # the first stroke is always upright
    return planning_failed(first)


def approach_request(call: Call) -> MotionRequest:
    """For the way to behind the object: nothing may be touched, not even the object."""
    return MotionRequest(call.scene, gripper_width=0.0)


def stroke_request(call: Call, pushes: Sequence[str]) -> MotionRequest:
    """For the stroke: what it pushes is no longer where it was seen."""
    scene = replace(call.scene, objects=call.scene.without(pushes))
    return MotionRequest(scene, gripper_width=0.0, speed=PUSH_SPEED)


def _behind(thing: SceneObject, direction: FloatArray, lean: float, off: float,
            turned: bool, hand: HandShape) -> Pose:
    """The TCP pose before the touch. The wide side of the fingers faces the object, if the hand
    is not turned; else one finger is behind the other. They point outwards, or to a side.
    """
    x, y, z = thing.position
    tips = hand.tip_beyond_tcp_m * math.cos(lean) + hand.half_finger_m * math.sin(abs(lean))
    wanted = thing.top_z - HOOK_M + tips if lean and not turned else z
    height = max(thing.bottom_z + tips + TIP_GAP_M, wanted)
    yaw = math.atan2(direction[1], direction[0])
    back = half_extent_along(thing, yaw) + off + (
        hand.finger_m if turned else _overhang(thing, direction, lean, height, hand))
    T = Pose.from_rpy(0.0, 0.0, 0.0, roll=math.pi, yaw=yaw + turned * math.pi / 2).matrix()
    to_x, to_y = (-direction[1], direction[0]) if turned else -inward(thing.position)
    T[:3, :3] = axangles.axangle2mat((to_y, -to_x, 0.0), lean) @ T[:3, :3]
    T[:3, 3] = (x - back * direction[0], y - back * direction[1], height)
    return Pose.from_matrix(T)


def _overhang(thing: SceneObject, direction: FloatArray, lean: float, height: float,
              hand: HandShape) -> float:
    """How far (m) the TCP is behind the object's side when the fingers touch it.

    Fingers that lean over the object touch its upper edge. Others touch its side.
    """
    over = float(direction @ inward(thing.position)) * math.sin(lean)
    if over > 0:
        slope = math.tan(math.asin(over))
        return (thing.top_z - height) * slope + hand.half_finger_m / math.cos(math.asin(over))
    return hand.half_finger_m * math.cos(lean) - hand.tip_beyond_tcp_m * over


def _approach(call: Call, pushes: Sequence[str], stroke: Stroke,
              start: FloatArray) -> MotionOutcome:
    """The motion to above the start, if the whole stroke is possible from there."""
    motion, kit = call.kit.motion, call.kit
    request, sliding = approach_request(call), stroke_request(call, pushes)
    postures = motion.postures(stroke.above, kit.robot.home, request)
    outcome = MotionOutcome(None)
    if postures.contact is not None:
        outcome = blocked_by(postures.contact, 'behind it')
    for joints in postures.joints:
        outcome = motion.straight(joints, stroke.behind, request, call.ctx)
        for target in (stroke.end, stroke.away):
            if outcome.trajectory is not None:
                outcome = motion.straight(outcome.trajectory.end, target, sliding, call.ctx)
        if outcome.trajectory is not None:
            return motion.to_joints(start, joints, request, call.ctx)
    if outcome.reason is None:
        report = motion.solve_ik(stroke.above, kit.robot.home).report
        outcome = MotionOutcome(None, Reason.UNREACHABLE, report.sentence if report else
                                'the stroke cannot be made in one posture', report,
                                Cause.NO_POSTURE)
    return outcome
