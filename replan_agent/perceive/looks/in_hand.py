# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The object in the gripper: name and size from before, pose from encoders and pixels."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from replan_agent.domain.hand import CLOSED_M, WIDTH_SLACK_M, HandBelief
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import CLEAR, ArmSnapshot, SceneObject, Shape
from replan_agent.geometry.out_of_sight import same_colour
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.naming import CLASSES, colour_classes
from replan_agent.perceive.camera.segments import Scan
from replan_agent.perceive.camera.solids import centre_of_ball
from replan_agent.perceive.camera.view import Array, Bools, View
from replan_agent.perceive.camera.visibility import (
    seen_through_beside_share,
    seen_through_share,
    surface_seen_past_share,
)
from replan_agent.perceive.camera.whole_things import THINNEST_M
from replan_agent.perceive.held import width_along

BESIDE_M = 0.008  # points of a held object may appear this far beyond the pads
LEAST_SHARE = 0.7
PAD_M, PAD_POINTS = 0.012, 4  # this near to the TCP, this many points are between the pads
AIR_M = 0.03  # nothing that stands on the table is seen only this high above it
AROUND_M = 0.12  # what the hand carries is this near to it
NEAR_M = 0.015  # of a held object: its pose in the hand is not exact
RISE_STEP_M = 0.005
HANG_STEP_M = 0.002
LYING, ROLL_STEPS = 0.7, 12  # cosine of its axis to the vertical; heights that are compared
BARELY_HELD_M = 0.002  # the TCP is at least this far inside a held object
FAR_BELOW_M = 0.02  # if an object this far below the hand is not seen past, something hides it
PAST_SHARE = 0.02  # about one row of pixels
NOT_HIDDEN_SHARE = 0.1  # seen past at this share at any height: it is not in the hand
MOST_POINTS = 400
GONE_SHARE = 0.6
HIDDEN_M = 0.08  # the hand may hide all of what is not longer
HUES = frozenset({'red', 'orange', 'yellow', 'green', 'blue', 'purple'})  # also in a shadow
LOST_S = 5.0  # robot time: what was last seen so much earlier than another was lost before
ALIKE_SIZE, ALIKE_M = 0.35, 0.015  # relative, or m: sides of one thing in two looks


def between_pads(fits: Sequence[Fitted], arm: ArmSnapshot) -> list[Fitted]:
    """The fits with points between the pads of a gripper that is not fully open.

    Most of a small object is there, and a little of a long one.
    """
    T_tcp_base = np.linalg.inv(arm.tcp.matrix())
    limit = np.array([NEAR_M, arm.gripper_width / 2 + BESIDE_M, NEAR_M])
    pads = np.array([PAD_M, arm.gripper_width / 2 + BESIDE_M / 2, PAD_M])
    found = []
    for fit in fits:
        local = np.abs(_moved(T_tcp_base, fit.points))
        if (np.mean(np.all(local < limit, axis=1)) > LEAST_SHARE
                or np.count_nonzero(np.all(local < pads, axis=1)) >= PAD_POINTS):
            found.append(fit)
    return found


def in_the_air(fits: Sequence[Fitted], arm: ArmSnapshot, table_z: float) -> list[Fitted]:
    """The fits near the hand with nothing below them: only the gripper can carry them.

    What lies on something that lies on the table is carried too: a tower is not in the hand.
    """
    tcp = np.asarray(arm.tcp.position)
    high = [fit for fit in fits if is_high(fit, table_z)
            and np.linalg.norm(fit.points - tcp, axis=1).min() < AROUND_M]
    carried = [fit for fit in fits if fit not in high]
    for fit in sorted(high, key=lambda each: float(each.points[:, 2].min())):
        if _lies_on([lower.thing for lower in carried], fit.points):
            carried.append(fit)
    return [fit for fit in high if fit not in carried]


def is_high(fit: Fitted, table_z: float) -> bool:
    """Whether all that is seen of it is so high above the table that nothing lies there."""
    return bool(fit.points[:, 2].min() > table_z + AIR_M)


def _lies_on(things: Sequence[SceneObject], points: FloatArray) -> bool:
    """Whether the middle of the points is between those that are right above some object."""
    carried = np.zeros(len(points), dtype=bool)
    for thing in things:
        half = thing.half_extents_in_base()
        over = np.all(np.abs(points[:, :2] - thing.position[:2]) < half[:2] + NEAR_M, axis=1)
        if over.any() and float(points[over, 2].min()) < thing.top_z + AIR_M:
            carried |= over
    if not carried.any():
        return False
    middle, on = points[:, :2].mean(axis=0), points[carried, :2]
    return bool(np.all(middle > on.min(axis=0)) and np.all(middle < on.max(axis=0)))


def parts_of(held: SceneObject, fits: Sequence[Fitted]) -> list[Fitted]:
    """The fits that show a part of the held object."""
    return [fit for fit in fits if np.mean(inside(held, fit.points, NEAR_M)) > LEAST_SHARE]


def is_where_it_was(thing: SceneObject, fit: Fitted, below: bool) -> bool:
    """Whether the fit shows the thing where it was; if that is below the hand, also as high."""
    return same_colour(thing.colour, fit.thing.colour) and bool(parts_of(thing, [fit])) and not (
        below and abs(fit.thing.top_z - thing.top_z) > NEAR_M)


def is_beside(held: SceneObject, fit: Fitted) -> bool:
    """Whether the fit may be an end of the held object, which hangs in the hand in another way:
    a thing of its colour that nobody saw before does not turn up there."""
    return same_colour(fit.thing.colour, held.colour) and bool(
        inside(held, fit.points, AIR_M).any())


def inside(thing: SceneObject, points: FloatArray, near_m: float) -> Bools:
    """Which of the points are inside the object or this near to it."""
    local = _moved(np.linalg.inv(thing.pose.matrix()), points)
    if not thing.pieces:
        return np.asarray(np.all(np.abs(local) < np.asarray(thing.size) / 2 + near_m, axis=1))
    within = np.zeros(len(points), dtype=bool)
    for piece in thing.pieces:
        low, high = piece.corners.min(axis=0) - near_m, piece.corners.max(axis=0) + near_m
        close = np.flatnonzero(~within & np.all((local > low) & (local < high), axis=1))
        within[close] = np.all(
            local[close] @ piece.planes[:, :3].T + piece.planes[:, 3] < near_m, axis=1)
    return within


def checked(hand: HandBelief, view: View, arm: ArmSnapshot) -> HandBelief:
    """The belief, if the pads still hold it now and the camera does not see through its place."""
    hand = hand.felt(arm.gripper_width)
    thing = hand.at(arm, 0.0)
    is_gone = thing is None or seen_through_share(view, thing) >= GONE_SHARE
    return HandBelief() if is_gone else hand


def is_missed(held: SceneObject, in_hand: Sequence[Fitted], picture: Scan) -> bool:
    """Whether nothing of the held object is seen, and the camera sees past what should be."""
    return not _shows(held, in_hand) and seen_through_beside_share(
        picture.view, held, picture.arm) >= GONE_SHARE


def _shows(held: SceneObject, in_hand: Sequence[Fitted]) -> bool:
    return any(same_colour(fit.thing.colour, held.colour) for fit in in_hand)


def lies_elsewhere(held: SceneObject, in_hand: Sequence[Fitted], others: Sequence[Fitted],
                   table_z: float) -> bool:
    """Whether the held object is seen on the table, and nothing of it in the hand.

    `others` are the fits outside the hand that show no other known object.
    """
    return not _shows(held, in_hand) and any(
        same_colour(fit.thing.colour, held.colour) and not is_high(fit, table_z)
        and all(abs(a - b) <= max(ALIKE_M, ALIKE_SIZE * max(a, b))
                for a, b in zip(sorted(fit.thing.size), sorted(held.size))) for fit in others)


def new_grip(seen: Sequence[Fitted], known: Sequence[SceneObject], view: View, arm: ArmSnapshot,
             printed: bool = False, whole: Container[str] = ()) -> HandBelief:
    """What was just taken: seen between the pads, or missing and hidden by the hand.

    `known` are the objects that were not seen elsewhere in this picture; `whole` those that were
    seen whole before. `printed`: an object may show another colour where the hand does not hide
    it; see `_printed`.
    """
    fitting = [thing for thing in known if fits_width(thing, arm.gripper_width)]
    if seen:
        shown = max(seen, key=lambda fit: fit.segment.size).thing
        loose = [t for t in fitting if t.movable]
        alike = _printed(loose, shown, view, arm) if printed else [
            t for t in loose if same_colour(t.colour, shown.colour)]
        best = next(iter(_likeliest(alike, arm, whole)), None)
        return HandBelief() if best is None else grip_on(best, seen, view, arm)
    for thing in _likeliest(fitting, arm, whole):
        gone = seen_through_share(view, thing) >= GONE_SHARE
        near = _is_below(arm, thing) or thing.pieces and is_over(arm, thing)
        grip = checked(grip_on(thing, (), view, arm), view, arm) if gone and near else None
        if grip is not None and grip.T_tcp_thing is not None and (thing.pieces or abs(width_along(
                thing, grip.T_tcp_thing[1, :3]) - grip.grasp_m) <= WIDTH_SLACK_M):
            # and the side that fits is between the pads: it is not how high it is
            there = None if printed else grip.at(arm, 0.0)
            return HandBelief() if there and _is_another(there, view) else grip
    return HandBelief()


def _is_another(thing: SceneObject, view: View) -> bool:
    """Whether what is seen in its place, even if it looks like the hand, has only other hues.

    Something of what is large sticks out of the hand, and has its own.
    """
    flat = np.flatnonzero(view.depth)
    flat = flat[inside(thing, view.points_of(flat), NEAR_M)]
    words = [CLASSES[k] for k in colour_classes(view.colours_of(flat))] if len(flat) else []
    own, most = words.count(thing.colour), max(map(words.count, HUES))
    return thing.colour in HUES and (own == 0 and most >= PAD_POINTS
                                     or max(thing.size) > HIDDEN_M and own < PAD_POINTS)


def _likeliest(things: Sequence[SceneObject], arm: ArmSnapshot, whole: Container[str]
               ) -> list[SceneObject]:
    """The nearest to the pads first, seen from above: they rose with it.

    What was lost earlier than others may be one of them. So may a part of what was seen whole
    where the pads are: the hand that comes hides the rest.
    """
    last = max((thing.seen_at for thing in things), default=0.0)

    def order(thing: SceneObject) -> tuple[bool, bool, float, float]:
        beside = math.dist(thing.position[:2], arm.tcp.position[:2])
        at_it = thing.name in whole and beside < max(thing.size) / 2 + NEAR_M
        return (last - thing.seen_at > LOST_S, not at_it, max(beside, NEAR_M),
                thing.pose.distance_to(arm.tcp))
    return sorted(things, key=order)


def _printed(loose: Sequence[SceneObject], shown: SceneObject, view: View, arm: ArmSnapshot
             ) -> list[SceneObject]:
    """The objects, with print on them, of which one in the hand may show that much.

    It is neither thinner than print nor shorter than what is shown; how deep that is, is a guess.
    The place under the hand counts less than the colour if that one is seen to be gone from its
    own place.
    """
    thick = [t for t in loose if min(t.size) >= THINNEST_M]
    large = [t for t in thick if max(t.size) > max(shown.size) - ALIKE_M]
    alike = [t for t in large if same_colour(t.colour, shown.colour)]
    over = [t for t in large if is_over(arm, t)]
    return ([t for t in alike if t in over]
            or [t for t in alike if seen_through_share(view, t) >= GONE_SHARE]
            or [t for t in over if not t.pieces] or over or alike
            or [t for t in thick if _is_below(arm, t)]
            or [t for t in loose if same_colour(t.colour, shown.colour)])


def _is_below(arm: ArmSnapshot, thing: SceneObject) -> bool:
    return math.dist(thing.position[:2], arm.tcp.position[:2]) < NEAR_M


def fits_width(thing: SceneObject, width: float) -> bool:
    """Whether it is as wide as that between the pads. A container is held by its wall."""
    if thing.is_container:
        return False
    if thing.shape is Shape.IRREGULAR:  # may be held anywhere
        return thing.movable and CLOSED_M < width < min(max(thing.size), 1.0) + WIDTH_SLACK_M
    return thing.movable and any(abs(side - width) <= WIDTH_SLACK_M for side in thing.size)


def grip_on(thing: SceneObject, seen: Sequence[Fitted], view: View,
            arm: ArmSnapshot) -> HandBelief:
    """The object between the pads, turned flat against them, at the height where it is seen."""
    tcp = arm.tcp.matrix()
    if thing.pieces and (pose := _lifted(thing, seen, view, arm)) is not None:
        return HandBelief(thing.name, arm.gripper_width, thing=thing, seen=bool(seen),
                          T_tcp_thing=np.linalg.inv(tcp) @ pose.matrix())
    rotation = _against_pads(thing, tcp[:3, 1], arm.gripper_width)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, tcp[:3, 3]
    if seen:
        points = np.concatenate([f.points for f in seen])
        bottom = min((f.thing.bottom_z for f in seen if f.bottom_seen), default=None)
        T[:3, 3] += _offset(points, T, thing, bottom, view.origin, tcp[:3, 1])
    else:
        T[2, 3] += _hangs_by(replace(thing, pose=Pose.from_matrix(T)), view)
    return HandBelief(thing.name, arm.gripper_width, thing=thing, seen=bool(seen),
                      T_tcp_thing=np.linalg.inv(tcp) @ T)


def once_seen(hand: HandBelief, seen: Sequence[Fitted], picture: Scan, arm: ArmSnapshot,
              printed: bool) -> HandBelief:
    """The belief in what the hand hid until now. What shows only another colour is not that."""
    held = hand.at(arm, 0.0)
    if held and not printed and not _shows(held, seen):
        return HandBelief() if any(is_high(fit, picture.table.z) and fit.confidence >= CLEAR
                                   for fit in seen) else hand
    return grip_on(held, seen, picture.view, arm) if held and not held.pieces else hand


def _hangs_by(thing: SceneObject, view: View) -> float:
    """How far (m) an object that the fingers hide is above the TCP; negative: it hangs below.

    It hangs as low as it can without being seen below the fingers. What is lowered too far hits
    the table. 0 if something hides the space below the hand too, or the hand does not hide it.
    """
    half = float(thing.half_extents_in_base()[2])
    most = max(half - BARELY_HELD_M, 0.0)
    steps = np.arange(-most, most + HANG_STEP_M, HANG_STEP_M)
    below, *past = (surface_seen_past_share(view, replace(thing, pose=thing.pose.moved(dz=dz)))
                    for dz in (-half - FAR_BELOW_M, *map(float, steps)))
    least = min(past) + PAST_SHARE
    if below <= least or least > NOT_HIDDEN_SHARE:
        return 0.0
    return float(steps[int(np.argmax(np.array(past) <= least))])


def _lifted(thing: SceneObject, seen: Sequence[Fitted], view: View,
            arm: ArmSnapshot) -> Pose | None:
    """The pose of a thing that was lifted straight up from where it lay; None if it was not.

    Of all heights the one that explains best what is seen of it, or that the hand hides best.
    """
    if not is_over(arm, thing):
        return None
    most = max(arm.tcp.position[2] + NEAR_M - thing.bottom_z, 0.0)
    poses = [thing.pose.moved(dz=float(dz)) for dz in np.arange(0.0, most, RISE_STEP_M)]
    if not seen:
        return min(poses, default=None, key=lambda pose: seen_through_share(
            view, replace(thing, pose=pose)))
    points = np.concatenate([fit.points for fit in seen])
    points = points[::1 + len(points) // MOST_POINTS]
    off = [_off_surface(replace(thing, pose=pose), points) for pose in poses]
    return poses[int(np.argmin(off))] if off and min(off) < NEAR_M / 2 else None


def is_over(arm: ArmSnapshot, thing: SceneObject) -> bool:
    """Whether the hand is above or in the place where a long thing lay."""
    off = np.abs(np.subtract(arm.tcp.position, thing.position))[:2]
    return bool(np.all(off <= thing.half_extents_in_base()[:2] + NEAR_M))


def _off_surface(thing: SceneObject, points: FloatArray) -> float:
    """The mean distance (m) of points from the surface of an irregular thing."""
    local = _moved(np.linalg.inv(thing.pose.matrix()), points)
    depths = [(local @ piece.planes[:, :3].T + piece.planes[:, 3]).max(axis=1)
              for piece in thing.pieces]
    return float(np.mean(np.abs(np.min(depths, axis=0))))


def _against_pads(thing: SceneObject, closing: FloatArray, width: float) -> FloatArray:
    """The object's rotation, turned about the vertical until the side that fits faces the pads."""
    rotation = thing.pose.matrix()[:3, :3]
    level = math.hypot(closing[0], closing[1])
    if thing.shape in (Shape.SPHERE, Shape.BOWL, Shape.IRREGULAR) or level < 0.5:
        return rotation
    towards = math.atan2(closing[1], closing[0])
    options = []
    for axis in range(3):
        if math.hypot(*rotation[:2, axis]) < 0.7:
            continue  # an upright axis cannot lie between the pads
        turn = math.remainder(towards - math.atan2(rotation[1, axis], rotation[0, axis]), math.pi)
        misfit = abs(thing.size[axis] - width) > WIDTH_SLACK_M
        options.append((misfit, abs(turn), turn))
    if not options or thing.shape is Shape.CYLINDER and abs(rotation[2, 2]) > 0.7:
        return rotation
    return thing.pose.turned(min(options)[2]).rotation


def _offset(points: FloatArray, T: FloatArray, thing: SceneObject, bottom: float | None,
            camera: FloatArray, closing: FloatArray) -> FloatArray:
    """The vector (m, base frame) from the TCP to the object's centre, from the visible points.

    Across the pads it is centred, unless it is irregular. In the other directions the visible
    side faces the camera, and the known size leads from there to the centre.
    """
    if thing.shape is Shape.SPHERE:
        centre = centre_of_ball(points, thing.size[0] / 2, T[:3, 3])
        return np.asarray(np.clip(centre - T[:3, 3], -NEAR_M, NEAR_M))
    local = _moved(np.linalg.inv(T), points)
    towards = T[:3, :3].T @ (camera - T[:3, 3])
    shift = np.zeros(3)
    for axis in range(3):
        if abs(T[:3, axis] @ closing) > 0.7 and not thing.pieces:
            continue
        low, high = np.percentile(local[:, axis], (2, 98))
        half = thing.size[axis] / 2
        side = high - half if towards[axis] > 0 else low + half
        shift[axis] = (low + high) / 2 if high - low > 1.6 * half else side
        if abs(shift[axis]) > NEAR_M:  # the hand hides an end: no farther off than what is seen
            shift[axis] = np.clip(0.0, *sorted((high - half, low + half)))
    moved = T[:3, :3] @ shift
    half_extents = replace(thing, pose=Pose.from_matrix(T)).half_extents_in_base()
    if bottom is not None:  # the hand hides the top, so the bottom gives the height
        moved[2] = bottom + half_extents[2] - T[2, 3]
        if thing.shape is Shape.CYLINDER and abs(T[2, 2]) < LYING:
            moved[2] = _rolled(points - T[:3, 3] - moved, T[:3, 2], thing.size[0] / 2) + moved[2]
    most = np.maximum(half_extents - BARELY_HELD_M, NEAR_M)
    return np.asarray(np.clip(moved, -most, most))


def _rolled(local: FloatArray, axis: FloatArray, radius: float) -> float:
    """How far (m) a lying cylinder is from where its lowest seen points would be its underside,
    which the camera does not see: at most down to where its highest seen points are its top.
    """
    lowest = min(float(np.percentile(local[:, 2], 98)) - radius, 0.0)
    across = local - np.outer(local @ axis, axis)

    def off(dz: float) -> float:
        return float(np.median(np.abs(np.linalg.norm(across - (0.0, 0.0, dz), axis=1) - radius)))
    return min(np.linspace(lowest, 0.0, ROLL_STEPS).tolist(), key=off)


def _moved(T: Array, points: FloatArray) -> FloatArray:
    return np.asarray(points @ T[:3, :3].T + T[:3, 3])
