# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What things stand on: the floor of a container, a flat thing, or hidden ground.

What is in a container of its own colour is told from it by its depth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import CLEAR, SceneObject, Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.geometry import outlines
from replan_agent.geometry.judging import RESTING_GAP_M, is_inside
from replan_agent.geometry.support import is_upright, weight_xy

from .fitting import Fitted, fit
from .irregular import fit_irregular
from .residual import MOSTLY, is_explained, is_part_of
from .segments import LEAST_PIXELS, Scan, pieces
from .solids import WALL_M, within_m
from .splitting import fit_parts
from .whole_things import THINNEST_M, joined

IN_AIR_M = 0.02
ON_TOP_M = 0.004  # what has its bottom this close to the top of another lies on it
CLOSE_M = 0.02  # so far behind the edge of another thing there is no step in the depth
OVERLAP_M = 0.004  # less than this is not on top of another thing: sizes are estimates
AT_EDGE_M = (-0.005, 0.02)  # how far the lowest seen point is below the top of the thing in front
FLUSH_M = 0.003  # what is higher than that above a box stands on it
FULL_SHARE, NEARLY_ALL = 0.5, 0.95  # of a box from above; of the points of what is in it
THIN_M = 0.002  # thinner walls are not told from the outside of a box
NEAR_HAND_M = 0.12  # what the hand carries is this near to it
RING_M = 0.004  # of the inside of a container, around its middle
LOW_SHARE = 0.05  # of the points of a ring are lower than its inner surface
OWN_M, RISE_M = 0.004, 0.008  # above the inner surface: a pixel of a thing; a thing


def around_others(parts: Sequence[Fitted]) -> list[Fitted]:
    """The parts; a box with others inside its outline, none of them higher, is a full bin.

    Those are seen from above only: they go down to its floor. One alone, as high, is a lid.
    """
    found = list(parts)
    for i, part in enumerate(parts):
        inner = [j for j, o in enumerate(parts) if o.thing.colour != part.thing.colour
                 and o.top <= part.top + FLUSH_M and _is_within(o, part.thing)
                 and float(o.points[:, 2].min()) > part.thing.bottom_z - FLUSH_M]
        area = sum(math.prod(parts[j].thing.size[:2]) for j in inner)
        is_lid = len(inner) == 1 and parts[inner[0]].top > part.top - FLUSH_M
        if part.thing.shape is not Shape.BOX or part.confidence < CLEAR or is_lid or (
                area < FULL_SHARE * math.prod(part.thing.size[:2])):
            continue
        found[i] = replace(part, thing=replace(part.thing, shape=Shape.BIN))
        for j in inner:
            high = parts[j].thing.bottom_z - part.thing.bottom_z - CONTAINER_FLOOR_M
            found[j] = replace(parts[j], thing=taller(parts[j].thing, max(0.0, high)))
    return found


def _is_within(part: Fitted, box: SceneObject) -> bool:
    """Whether nearly all that is seen of a part is between the walls that a box would have."""
    local = np.abs((part.points - box.position) @ box.pose.rotation)[:, :2]
    return float(np.mean((local < np.asarray(box.size[:2]) / 2 - THIN_M).all(axis=1))) > NEARLY_ALL


def taller(thing: SceneObject, more: float, up: bool = False) -> SceneObject:
    """The thing with its bottom so much (m) lower, or its top so much higher."""
    length, width, height = thing.size
    return replace(thing, size=(length, width, height + more),
                   pose=thing.pose.moved(dz=more / 2 if up else -more / 2))


def below_others(picture: Scan, parts: Sequence[Fitted]) -> list[Fitted]:
    """The parts; poor ones of one colour whose sides go on those of a box or cylinder on them are
    one shape as wide as that: of a tower, only the uppermost thing shows its top.
    """
    found, uppers = [_up_to(part, parts) for part in parts], sorted(parts, key=lambda p: p.top)
    while uppers:
        above = uppers.pop().thing
        down, edge = above.bottom_z - picture.table.z, above.bottom_z + ON_TOP_M
        if above.shape not in (Shape.BOX, Shape.CYLINDER) or down < IN_AIR_M or (
                above.confidence < MOSTLY or not is_upright(above)):
            continue
        sides = [part for part in found if part.thing.colour != above.colour
                 and (part.confidence < CLEAR or min(part.thing.size) < THINNEST_M
                      or not is_explained(picture, part))
                 and float(part.points[:, 2].max()) < edge
                 and is_part_of(picture, part, replace(part, thing=taller(above, down)))]
        best = max(sides, default=None, key=lambda part: float(part.points[:, 2].max()))
        if best is not None and float(best.points[:, 2].max()) > edge - CLOSE_M:
            sides = [part for part in sides if part.thing.colour == best.thing.colour]
            height = above.bottom_z - min(part.thing.bottom_z for part in sides)
            thing = replace(best.thing, shape=above.shape, size=(*above.size[:2], height),
                            pose=above.pose.moved(dz=-(above.size[2] + height) / 2))
            uppers.append(replace(best, thing=thing, top=down, segment=joined(
                [p.segment for p in sides]), points=np.concatenate([p.points for p in sides])))
            found = [*(part for part in found if part not in sides), uppers[-1]]
    return found


def with_contents(picture: Scan, parts: Sequence[Fitted], stamp: float) -> list[Fitted]:
    """The parts, and what stands out of the inside of a container in the container's colour."""
    found, noise = list(parts), 3 * picture.table.noise_m
    for part in parts:
        if not part.thing.is_container or not is_explained(picture, part):
            continue
        rise = _above_inside(picture, part)
        ground_m = part.thing.bottom_z + CONTAINER_FLOOR_M - picture.table.z
        found += [inner for piece in pieces(rise > OWN_M + noise, (0, 0))
                  if np.count_nonzero(rise[piece.pixels] > RISE_M + noise) >= LEAST_PIXELS
                  for inner in fit_parts(picture, piece.moved(*part.segment.corner), stamp,
                                         ground_m=ground_m)
                  if not inner.thing.is_container and is_inside(inner.thing, part.thing)]
    return found


def _above_inside(picture: Scan, part: Fitted) -> FloatArray:
    """How far (m) each pixel of the segment's box is above the inner surface, across it; 0 where
    it is not seen through the opening.

    The inside is the same all around, and falls towards the middle: at each distance from the
    rim it is as low as the lowest points are there.
    """
    view, (top, left), mask = picture.view, part.segment.corner, part.segment.mask
    rise = np.zeros(mask.shape)
    box = np.s_[top:top + mask.shape[0], left:left + mask.shape[1]]
    rows, columns = np.nonzero(view.depth[box] > 0)
    flat = (rows + top) * view.width_px + columns + left
    opening = picture.table.at_height(view.origin, view.rays_of(flat).astype(float),
                                      np.full(len(flat), part.top))
    deep = within_m(part.thing, view.points_of(flat)[:, :2])
    inside = (within_m(part.thing, opening) > RING_M) & (deep > WALL_M)
    deep, heights = deep[inside], picture.heights.take(flat[inside])
    ring = (deep / RING_M).astype(int)
    rings = np.unique(ring)
    if len(rings) < 2:
        return rise
    middles = (rings + 0.5) * RING_M
    lowest = np.minimum.accumulate([np.quantile(heights[ring == one], LOW_SHARE) for one in rings])
    slope = np.interp(deep, middles, np.gradient(lowest, middles))
    rise[rows[inside], columns[inside]] = (
        heights - np.interp(deep, middles, lowest)) / np.hypot(1.0, slope)
    return np.where(mask, rise, 0.0)


def _up_to(part: Fitted, parts: Sequence[Fitted]) -> Fitted:
    """A box or cylinder below the middle of what would be in the air without it, up to that."""
    thing = part.thing
    gap = max((o.thing.bottom_z - thing.top_z for o in parts if o is not part
               and _is_amid(o.thing, thing) and o.bottom_seen), default=0.0)
    if thing.shape not in (Shape.BOX, Shape.CYLINDER) or not ON_TOP_M < gap < CLOSE_M:
        return part
    return replace(part, top=part.top + gap, thing=taller(thing, gap, up=True))


def on_inner_floors(picture: Scan, parts: Sequence[Fitted], stamp: float) -> list[Fitted]:
    """The parts; what is in a container is fitted again, with the container's floor below it.

    A few millimetres matter there: they decide whether a shape explains what is seen between the
    walls, and whether the hand fits there.
    """
    containers = [part for part in parts
                  if part.thing.is_container and is_explained(picture, part)]
    found: list[Fitted] = []
    for part in parts:
        around = next((c.thing for c in containers if part is not c
                       and is_inside(part.thing, c.thing)), None)
        again = [part]
        if around is not None:
            ground_m = around.bottom_z + CONTAINER_FLOOR_M - picture.table.z
            if part.thing.bottom_z - picture.table.z < ground_m:
                again = fit_parts(picture, part.segment, stamp, ground_m=ground_m)
                part = replace(part, ground_m=ground_m)
        found += again if _is_better(picture, again, part) else [part]
    return found


def _is_better(picture: Scan, again: Sequence[Fitted], part: Fitted) -> bool:
    """Whether the floor explains what is seen: the same shape is in a better place there."""
    if len(again) == 1 and again[0].thing.shape is part.thing.shape:
        return True
    return any(is_explained(picture, one) for one in again) and not is_explained(picture, part)


def on_flat_things(picture: Scan, fits: Sequence[Fitted], stamp: float) -> list[Fitted]:
    """The fits; what is amid a flat thing stands on it. What is below others goes on there."""
    raised = [_raised(picture, each, fits, stamp) for each in fits]
    return [replace(each, thing=_filled(each.thing, [
        o.thing for o in raised if abs(o.thing.bottom_z - each.thing.top_z) <= ON_TOP_M]))
        if each.thing.pieces else each for each in raised]


def _raised(picture: Scan, upper: Fitted, fits: Sequence[Fitted], stamp: float) -> Fitted:
    """The fit with the flat thing as its ground that is around its foot."""
    ground_m = max((o.top for o in fits if o is not upper and not o.thing.is_container
                    and o.top <= min(RESTING_GAP_M, upper.top - picture.least_height_m)
                    and _is_amid(upper.thing, o.thing)), default=0.0)
    if upper.thing.bottom_z - picture.table.z >= ground_m - 1e-6:
        return upper
    again = (fit_irregular if upper.thing.pieces else fit)(
        picture, upper.segment, stamp, ground_m=ground_m)
    return again if again is not None and again.thing.shape is upper.thing.shape else upper


def _is_amid(thing: SceneObject, flat: SceneObject) -> bool:
    around = outlines.Part(outlines.outline(flat), flat.bottom_z, flat.top_z)
    return float(around.outside_m(np.array(weight_xy(thing)))) < 0.0


def _filled(flat: SceneObject, above: Sequence[SceneObject]) -> SceneObject:
    """The irregular thing with a guess of what is below those above it."""
    around, found = outlines.outline(flat).astype(np.float32), []
    for thing in above:
        area, shared = cv2.intersectConvexConvex(
            outlines.outline(thing).astype(np.float32), around)
        if area > 0.0 and _is_amid(thing, flat):
            xy = shared.reshape(-1, 2).astype(float)
            corners = [np.insert(xy, 2, z, axis=1) for z in (flat.bottom_z, flat.top_z)]
            local = (np.concatenate(corners) - flat.position) @ flat.pose.rotation
            found.append(Piece.around(local, guessed=True))
    return replace(flat, pieces=(*flat.pieces, *found))


def on_their_feet(picture: Scan, fits: Sequence[Fitted], tcp: FloatArray) -> list[Fitted]:
    """The fits; a box or cylinder reaches down to its ground where a neighbour hides its foot.

    `tcp` (3,) is where the hand is: what it carries may well be in the air.
    """
    return [_standing(picture, each) if _has_hidden_foot(picture, each, fits, tcp) else each
            for each in fits]


def _has_hidden_foot(picture: Scan, fit: Fitted, fits: Sequence[Fitted], tcp: FloatArray) -> bool:
    thing = fit.thing
    if (thing.shape not in (Shape.BOX, Shape.CYLINDER) or not is_upright(thing)
            or thing.bottom_z < picture.table.z + fit.ground_m + IN_AIR_M
            or float(np.linalg.norm(fit.points - tcp, axis=1).min()) < NEAR_HAND_M):
        return False
    own, others = outlines.parts(thing), [other.thing for other in fits if other is not fit]
    gaps = [outlines.gap_m(own, outlines.parts(other)) for other in others]
    return (all(gap > -OVERLAP_M for gap in gaps)
            and any(gap < CLOSE_M and _ends_at(picture, thing, other)
                    for gap, other in zip(gaps, others)))


def _ends_at(picture: Scan, thing: SceneObject, front: SceneObject) -> bool:
    """Whether the other thing is in front of it, with its upper edge where this one ends."""
    eye = picture.view.origin[:2]
    nearer = math.dist(front.position[:2], eye) < math.dist(thing.position[:2], eye)
    return nearer and AT_EDGE_M[0] < front.top_z - thing.bottom_z < AT_EDGE_M[1]


def _standing(picture: Scan, fit: Fitted) -> Fitted:
    thing, height = fit.thing, fit.thing.size[2]
    down = thing.bottom_z - picture.table.z - fit.ground_m
    sure = round(thing.confidence * height / (height + down), 3)
    return replace(fit, thing=taller(replace(thing, confidence=sure), down), bottom_seen=False)
