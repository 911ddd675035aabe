# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ways to take hold of a handle, and the one that the arm can use for a whole stroke."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from replan_agent import Call, Cause, MotionRequest, Pose, Scene, SceneObject, SkillResult
from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.skill import Reason, failed
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.execute.arm import backed_off, planning_failed, way_to
from replan_agent.motion.motion_protocols import MotionOutcome, blocked_by

from .joint import Joint, Jointed, JointKind
from .latched import Move, moves_to, moving_with

HOOKS_DEG = (60, 75, 45)  # the same for a finger behind the bar, or before it
LEANS_DEG = (30, 45, 15, 60, 0, 75, 90, -15)  # from straight at the front, to above it
SIDEWAYS_DEG = (0, 15, -15, 30, -30, 45, -45)  # the same for an upright bar
FOLLOWS = (1.0, 0.6, 0.3)  # shares of a hinge's turn that the hand makes too
PLAY_M = 0.012  # between the bar and each finger while it passes
HOOK_PLAY_M = 0.003  # between the bar and the finger that goes behind it
OFF_PANEL_M = 0.005  # the finger tips stay so far off what a knob is on
HOOKED_M = 0.004  # the TCP is so far beyond the bar
NEAR_M = 0.06  # how far before the handle the last line begins
CLEAR_M = 0.03  # so far from it the fingers are off it
ALONG = 0.95  # of a unit vector: as good as parallel
UPRIGHT = 0.5  # what is across a bar and its way points less upwards: the bar is upright
LINES = 6  # straight lines that a stroke is checked in


@dataclass(frozen=True)
class Hold:
    """A way to hold a handle that a whole stroke is possible with: the TCP, and how it is reached.

    `approach` ends where the last line to the handle begins. `follows`: see `Joint.moved`. The
    hand makes all the `moves` without letting go. Without an opening, closed fingers hook the
    handle.
    """

    tcp: Pose
    opening_m: float
    approach: JointTrajectory
    follows: float
    moves: tuple[Move, ...]

    @property
    def hooks(self) -> bool:
        return self.opening_m == 0.0


def holds(handle: SceneObject, joint: Joint, hand: HandShape, by: float
          ) -> Iterator[tuple[Pose, float]]:
    """TCP poses at the middle of a bar, and how far the fingers open there.

    The fingers close across the bar. The hand comes from the side to which it pulls, and leans.
    Where it has no room for that, closed fingers go from above behind a bar to pull it, or before
    it to push it: so the hand is thin between what is above and below.
    """
    bar, out = handle.pose.rotation[:, 2], joint.way(handle.pose)
    out = out / np.linalg.norm(out)
    out = out - bar * (bar @ out)  # across the bar
    out, opening = out / np.linalg.norm(out), min(handle.size[0] + 2 * PLAY_M, hand.max_width_m)
    over = np.cross(bar, out)
    over = over if over[2] >= 0 else -over
    lies = over[2] > UPRIGHT
    for lean in map(math.radians, LEANS_DEG if lies else SIDEWAYS_DEG):
        into = -math.cos(lean) * out - math.sin(lean) * over
        for x in (bar, -bar):
            yield tcp_into(x, into, handle.position), opening
    beside = handle.size[0] / 2 + hand.half_finger_m + HOOK_PLAY_M
    for lean in map(math.radians, HOOKS_DEG if lies else ()):
        into = -math.cos(lean) * out - math.sin(lean) * over
        off = math.sin(lean) * out - math.cos(lean) * over  # from the finger to the bar, pulling
        at = handle.position + HOOKED_M * into - math.copysign(beside, by) * off
        for x in (np.cross(bar, into), np.cross(into, bar)):
            yield tcp_into(x, into, at), 0.0


def tcp_into(x: FloatArray, into: FloatArray, at: Iterable[float]) -> Pose:
    """The TCP at a place, with its fingers pointing `into`, and its x."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.column_stack([x, np.cross(into, x), into]), [*at]
    return Pose.from_matrix(T)


def across_knob(knob: Jointed, joint: Joint, hand: HandShape) -> Iterator[tuple[Pose, float]]:
    """TCP poses on the axis of a knob, and how far the fingers open there.

    They close across the bar. Where the hand has no room for that, they take it by its ends.
    """
    axis, (bar, beside, _) = np.array(joint.axis), knob.pose.rotation.T
    off = np.subtract(knob.position, joint.point) @ axis  # it may stand out more on one side
    at = joint.point + (off + hand.tip_beyond_tcp_m + OFF_PANEL_M - knob.size[2] / 2) * axis
    for along, wide in ((bar, knob.size[1]), (beside, knob.size[0])):
        for x in (along, -along) if wide + 2 * PLAY_M <= hand.max_width_m else ():
            yield tcp_into(x, -axis, at), wide + 2 * PLAY_M


def choose_hold(call: Call, part: Jointed, handle: SceneObject, by: float) -> Hold | SkillResult:
    """The first way to hold the handle with which the arm can move the joint `by`, or why not."""
    first: SkillResult | None = None
    for moves in moves_to(call.scene, part, by):
        found = _hold_for(call, part, handle, by, moves)
        if isinstance(found, Hold):
            return found
        first = first or found
    assert first is not None  # there is a way to try
    return first


def _hold_for(call: Call, part: Jointed, handle: SceneObject, by: float, moves: tuple[Move, ...]
              ) -> Hold | SkillResult:
    motion, home, joint = call.kit.motion, call.kit.robot.home, part.joint
    assert joint is not None  # the skill checked
    first: MotionOutcome | None = None
    hand, is_one = call.kit.arm.hand, len(moves) == 1
    for tcp, opening in (holds(handle, joint, hand, by) if handle != part else
                         across_knob(part, joint, hand)):
        if not (opening or is_one):
            continue  # a finger that hooks turns no latch
        request = approach_request(call, handle, opening)
        near = motion.postures(tcp, home, request)
        if near.contact is not None:
            first = first or blocked_by(near.contact, f'at {handle.name}')
        turns = _follows(handle, joint) if handle != part and is_one else FOLLOWS[:1]
        ends = [follows for follows in turns if near.joints and _ends(call, moves, tcp, follows)]
        for joints, follows in product(near.joints, ends):
            outcome = _stroke(call, moves, tcp, joints, follows)
            if outcome.trajectory is not None:
                outcome = motion.straight(joints, backed_off(tcp, NEAR_M), request, call.ctx)
            if outcome.trajectory is not None:
                outcome = way_to(call, call.kit.robot.state().joints, outcome.trajectory.end,
                                 request, handle.name)
            if outcome.trajectory is not None:
                return Hold(tcp, opening, outcome.trajectory, follows, moves)
            first = first or outcome
    if first is not None:
        return planning_failed(of_one_way(first))
    report = motion.solve_ik(handle.pose, home).report
    return failed(Reason.UNREACHABLE, f'the hand reaches {handle.name} in no way that pulls it',
                  'planning', report)


def of_one_way(outcome: MotionOutcome) -> MotionOutcome:
    """The same without the proof that its pose is out of reach: another hold has another pose."""
    return replace(outcome, ik=None, cause=outcome.cause or Cause.NO_POSTURE)


def _follows(handle: SceneObject, joint: Joint) -> tuple[float, ...]:
    """How much the hand may turn with the joint: a round bar along the axis of a hinge turns."""
    along = abs(float(handle.pose.rotation[:, 2] @ joint.axis))
    return FOLLOWS if joint.kind is JointKind.HINGE and along > ALONG else FOLLOWS[:1]


def _ends(call: Call, moves: Sequence[Move], tcp: Pose, follows: float) -> bool:
    """Whether the arm can be where each of the moves ends."""
    for move in moves:
        assert move.part.joint is not None
        tcp = move.part.joint.moved(tcp, move.by, follows)
        if not call.kit.motion.postures(tcp, call.kit.robot.home,
                                        stroke_request(move.scene, move.part)).joints:
            return False
    return True


def _stroke(call: Call, moves: Sequence[Move], tcp: Pose, joints: np.ndarray, follows: float
            ) -> MotionOutcome:
    """The straight lines along the joints and off the handle: the last, or what fails first."""
    outcome, request = MotionOutcome(None), MotionRequest(call.scene)
    for move in moves:
        assert move.part.joint is not None
        request, start = stroke_request(move.scene, move.part), tcp
        for number in range(1, LINES + 1):
            tcp = move.part.joint.moved(start, move.by * number / LINES, follows)
            outcome = call.kit.motion.straight(joints, tcp, request, call.ctx)
            if outcome.trajectory is None:
                return outcome
            joints = outcome.trajectory.end
    return call.kit.motion.straight(joints, backed_off(tcp, CLEAR_M), request, call.ctx)


def approach_request(call: Call, handle: SceneObject, opening_m: float) -> MotionRequest:
    """For the way to the handle: the fingers may touch it, and nothing else."""
    return MotionRequest(call.scene, (('gripper', handle.name),), gripper_width=opening_m)


def stroke_request(scene: Scene, part: Jointed) -> MotionRequest:
    """For the stroke: the part and what moves along with it are in no way."""
    handle = scene.get(part.handle)
    return MotionRequest(replace(scene, objects=scene.without(moving_with(scene, part))),
                         gripper_width=handle.size[0] if handle else None)
