# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which spot a place uses, and the motions to it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain, groupby, islice, product

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.hand import T_tcp_thing
from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.geometry.falls import settling_shift
from replan_agent.geometry.room.container_room import Room, does_not_fit, no_room_left
from replan_agent.geometry.room.free_place import EDGE_M, stands_on
from replan_agent.geometry.room.hand_room import RELEASE_ROOM_M, TURNS
from replan_agent.motion.motion_protocols import MotionOutcome, MotionRequest, blocked_by

from .arm import LOWERED, planning_failed, way_out, way_to
from .contract import Call
from .spots import PutSpot, occupant

SNUG_ROOM_M = 0.008  # between neighbours, the fingers open only this much wider than the object
MOST_SPOTS, MOST_ELSEWHERE = 6, 6  # within reach; after these, some that are far from them
ELSEWHERE_M, MOST_LOOKED_AT = 0.05, 80
MOST_BEYOND = 300  # a large container has thousands of spots, and IK takes time for each
MOST_POSTURES = 3
AT_ONCE = 16  # spots
SAGS_M = 0.05  # what was seen from one side only may hang this much lower than it is believed to


@dataclass(frozen=True)
class Placement:
    """A spot, the TCP pose that puts the held object there, and the motions to it.

    `opening` is how far apart the pads are after the release (m).
    """

    spot: PutSpot
    tcp: Pose
    approach: JointTrajectory
    descent: JointTrajectory
    opening: float


def choose_placement(call: Call, spots: Iterator[PutSpot], start: FloatArray
                     ) -> Placement | SkillResult:
    """The first free spot that the arm can lower the object onto.

    Motions are planned to a few spots, and if all fail to a few that are elsewhere. Those that no
    posture reaches do not count: of a container at the edge of the reach, one corner may be all
    that the arm gets to.
    """
    beyond, tried, failures = list[PutSpot](), list[PutSpot](), list[SkillResult]()
    near = _within_reach(call, spots, beyond)
    skipped = list(islice(near, call.args.get('spot', 0)))
    others = list(islice(near, 1)) or skipped[-1:]  # the last one again if there is no other
    for spot in chain(others, islice(near, MOST_LOOKED_AT)):
        if len(tried) >= MOST_SPOTS and any(
                math.dist((spot.x, spot.y), (t.x, t.y)) < ELSEWHERE_M
                for t in (*skipped, *tried)):
            continue
        if len(tried) == MOST_SPOTS + MOST_ELSEWHERE:
            break
        tried.append(spot)
        found = _reach(call, spot, start)
        if isinstance(found, Placement):
            return found
        failures.append(found)
    if not failures and beyond:
        return _far(call, beyond[0], _turns(call.scene, beyond[0])[0])
    return failures[0] if failures else _no_spot(call)


def _within_reach(call: Call, spots: Iterator[PutSpot], beyond: list[PutSpot]
                  ) -> Iterator[PutSpot]:
    """The spots to which a posture of the arm brings the object, free or not; others are `beyond`.

    After one that is too far, the IK of many is solved in one batch.
    """
    count = 1
    while len(beyond) < MOST_BEYOND and (some := list(islice(spots, count))):
        call.ctx.check()
        turned = [(spot, turn) for spot in some for turn in _turns(call.scene, spot)]
        found = zip(turned, call.kit.motion.postures_of_each(
            [(_tcp_for(call.scene, *way), holding_request(call, way[0])) for way in turned],
            call.kit.robot.home))
        for spot, of_spot in groupby(found, key=lambda each: each[0][0]):
            count = 1 if any(at.joints or at.contact for _, at in of_spot) else AT_ONCE
            if count == 1:
                yield spot
            else:
                beyond.append(spot)


def _reach(call: Call, spot: PutSpot, start: FloatArray) -> Placement | SkillResult:
    """The motions to a spot, or why there are none. It is tried in several turns."""
    turns = _turns(call.scene, spot)
    objections = [_objection(call, spot, turn) for turn in turns]
    free = [turn for turn, objection in zip(turns, objections) if objection is None]
    if not free and objections[0] is not None:
        return objections[0]
    outcome = MotionOutcome(None)
    for turn, opening in product(free, _openings(call, spot)):
        call.ctx.check()
        found = _motions(call, spot, turn, opening, start)
        if isinstance(found, Placement):
            return found
        outcome = found if found.reason is not None else outcome
    return _far(call, spot, free[0]) if outcome.reason is None else planning_failed(outcome)


def _far(call: Call, spot: PutSpot, turn: float) -> SkillResult:
    """The failure of a spot that cannot be reached in this turn."""
    report = call.kit.motion.solve_ik(_tcp_for(call.scene, spot, turn), call.kit.robot.home).report
    detail = report.sentence if report else 'it cannot be lowered straight onto the spot'
    far = MotionOutcome(None, Reason.UNREACHABLE, detail, report, Cause.NO_POSTURE)
    return planning_failed(far)


def _motions(call: Call, spot: PutSpot, turn: float, opening: float, start: FloatArray
             ) -> Placement | MotionOutcome:
    """The motions to a spot in one turn, with room for the pads to open; or what is in the way."""
    motion, home = call.kit.motion, call.kit.robot.home
    request, height = holding_request(call, spot), call.kit.motion_config.approach_height
    slow = held_by(call).pieces and spot.drop  # its underside was not seen
    down = replace(request, gripper_width=opening,
                   speed=min(request.speed, LOWERED) if slow else request.speed)
    tcp = _tcp_for(call.scene, spot, turn)
    postures = motion.postures(tcp, home, down)
    outcome = (blocked_by(postures.contact, f'at {spot.support}')
               if postures.contact is not None else MotionOutcome(None))
    sags = (SAGS_M, 0.0) if held_by(call).pieces else (0.0,)
    for sag_m, at in product(sags, postures.joints[:MOST_POSTURES]):
        outcome = up = motion.straight(at, tcp.moved(dz=height + sag_m), down, call.ctx)
        if up.trajectory is None:
            continue
        out = way_out(motion, at, height, released_request(call, spot, opening, tcp), call.ctx)
        if out.trajectory is None:
            outcome = replace(out, detail=f'the hand could not leave {held_by(call).name} at '
                              f'({spot.x:.3f}, {spot.y:.3f}): {out.detail}')
            continue
        outcome = (motion.to_joints(start, up.trajectory.end, _sagging(call, sag_m), call.ctx)
                   if sag_m else way_to(call, start, up.trajectory.end, request, spot.support))
        if outcome.trajectory is not None:
            return Placement(spot, tcp, outcome.trajectory, up.trajectory.reversed(), opening)
    return outcome


def _openings(call: Call, spot: PutSpot) -> list[float]:
    """How far (m) the pads may open to let go: the usual width, and just wide enough."""
    state, most = call.kit.robot.state(), call.kit.robot.max_gripper_width
    rooms = (SNUG_ROOM_M,) if spot.snug else (RELEASE_ROOM_M, SNUG_ROOM_M)
    return list(dict.fromkeys(min(state.gripper_width + room, most) for room in rooms))


def _objection(call: Call, spot: PutSpot, turn: float) -> SkillResult | None:
    """Why the held object cannot be put at the spot in this turn; None if it can."""
    held, table = held_by(call), call.scene.table
    blocker = occupant(spot, held, call.scene, turn)
    if blocker:
        return failed(Reason.TARGET_OCCUPIED, f'{spot.support} at ({spot.x:.3f}, {spot.y:.3f}) '
                      f'is taken by {blocker}', FailedStage.PLANNING,
                      cause=Cause.TARGET_OCCUPIED, blockers=(blocker,))
    if (table is None or spot.support != table.name or spot.snug
            or stands_on(held, table, (spot.x, spot.y), turn)):
        return None
    return failed(Reason.WORKSPACE_VIOLATION, f'{held.name} would extend over the edge of the '
                  f'{table.name} at ({spot.x:.3f}, {spot.y:.3f}), or be less than '
                  f'{EDGE_M * 1000:.0f} mm from it', FailedStage.PLANNING,
                  cause=Cause.WORKSPACE_VIOLATION, would_help='a place farther from its edge')


def held_by(call: Call) -> SceneObject:
    held = call.scene.in_hand
    assert held is not None  # check made sure
    return held


def _no_spot(call: Call) -> SkillResult:
    """Why there is no spot: the container is full or too small, or everything is taken."""
    held, container = held_by(call), call.scene.get(call.args.get('target', ''))
    if container is None or not container.is_container:
        return failed(Reason.TARGET_OCCUPIED, 'there is no free spot', FailedStage.PLANNING,
                      cause=Cause.NO_FREE_SPOT)
    why = does_not_fit(held, container)
    if why:
        return failed(Reason.PRECONDITION_FAILED, why, FailedStage.PLANNING,
                      cause=Cause.DOES_NOT_FIT, proved_impossible=True)
    names = Room(container, call.scene, [held.name]).names
    return failed(Reason.TARGET_OCCUPIED, no_room_left(held, container, call.scene),
                  FailedStage.PLANNING, cause=Cause.CONTAINER_FULL, blockers=names)


def holding_request(call: Call, spot: PutSpot) -> MotionRequest:
    """The held object may touch its support."""
    return MotionRequest(call.scene, ((held_by(call).name, spot.support),),
                         speed=call.args.get('speed', 1.0))


def _sagging(call: Call, sag_m: float) -> MotionRequest:
    """For the way there: the held object may hang lower (m), and touches nothing."""
    held = held_by(call)
    down = np.array([0.0, 0.0, -sag_m]) @ held.pose.rotation
    longer = replace(held, pieces=tuple(
        Piece.around(np.concatenate([p.corners, p.corners + down])) for p in held.pieces))
    return MotionRequest(replace(call.scene, objects=(
        *call.scene.without([held.name]), longer)), speed=call.args.get('speed', 1.0))


def released_request(call: Call, spot: PutSpot, width: float, tcp: Pose) -> MotionRequest:
    """After the release the object stands where the hand is, and the fingers may touch it."""
    held = held_by(call)
    scene = replace(call.scene, held=None,
                    objects=(*call.scene.without([held.name]), held_at(call, tcp)))
    allowed = (('gripper', held.name), ('gripper', spot.support))
    return MotionRequest(scene, allowed, gripper_width=width, speed=call.args.get('speed', 1.0))


def held_at(call: Call, tcp: Pose) -> SceneObject:
    """The held object where the hand brings it."""
    assert call.scene.arm is not None
    return replace(held_by(call), pose=Pose.from_matrix(
        tcp.matrix() @ T_tcp_thing(held_by(call), call.scene.arm)))


def _turns(scene: Scene, spot: PutSpot) -> list[float]:
    """Turns about the vertical to try, first the one that aligns with the support."""
    held = scene.in_hand
    if spot.turn is not None:
        return [spot.turn]
    if spot.yaw is None or held is None:
        return list(TURNS)
    aligned = [spot.yaw - held.pose.yaw + k * spot.fold
               for k in range(round(math.tau / spot.fold))]
    return sorted(aligned, key=lambda turn: abs(math.remainder(turn, math.tau)))


def _tcp_for(scene: Scene, spot: PutSpot, turn: float) -> Pose:
    """The TCP pose that brings the held object's bottom centre to the spot, turned by `turn`.

    What hangs askew, such as a bowl by its rim, is there after it has settled on its base.
    """
    held = scene.in_hand
    assert held is not None and scene.arm is not None
    tcp = scene.arm.tcp.matrix()
    turned = Pose((0.0, 0.0, 0.0)).turned(turn).rotation
    offset = turned @ (tcp[:3, 3] - np.asarray(held.position))
    half_height = held.position[2] - held.bottom_z
    target = np.eye(4)
    target[:3, :3] = turned @ tcp[:3, :3]
    shift = turned[:2, :2] @ settling_shift(held)
    target[:3, 3] = np.array([spot.x - shift[0], spot.y - shift[1], spot.z + half_height]) + offset
    return Pose.from_matrix(target)
