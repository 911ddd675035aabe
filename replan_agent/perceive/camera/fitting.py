# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a segment to an object: shape, size and pose from the visible faces.

In one oblique view the top face gives the ground plan and yaw; the table gives the height.
Hidden parts are not invented, with one exception: an unseen side is as long as its neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

import cv2
import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape

from . import solids
from .contour import Contour, bottom_height, find_contour, ground_plan, pixel_size, top_height
from .footprint import Circle, Rectangle, fit_circle, fit_rectangle, smallest_rectangle
from .naming import colour_of
from .raycast import misfit
from .segments import Scan, Segment
from .view import NOISY_M, Array

ENOUGH_PIXELS = 80  # with fewer, the fit is less certain
LEAST_OUTLINE = 8
COMPARED_PIXELS = 500  # are enough to tell which shape fits the depth best
HOLLOW_POINTS = 2000  # and these, whether it is hollow,
ROLL_POINTS = 200  # or where a lying cylinder is
DECIDED_M, DECIDED_SHARE = 0.0014, 0.045  # of its height: so little off, no other fits better
BOX_FIRST = 0.9  # not clearly round: a box
FREE_BALL_LAST = 1.5  # a free ball fits any small patch, so it must fit far better
STRAYS = 2  # contour pixels of a noisy picture that may be wrong
POOR_RMS_M = 0.0005  # beyond the noise: a rectangle this far off may have a wrong side
MOSTLY_SEEN = 0.75  # share of the contour that nothing hides
BAD_RMS_M = 0.002  # a contour this far from its fit is not that of a single whole object
LYING_WITHIN = 0.2
LYING_SIDE = (0.5, 1.6)  # seen width of a cylinder on its side, as a share of its height
LYING_OFF_M = 0.005  # further off in depth: not a cylinder on its side
BALL_SIDE = (0.5, 2.2)  # the same of a ball: its longer side
WIDEST_ARC = 2.5  # a circle this much wider than what is seen of it is not known from its arc
OBSTACLE_M = 0.25  # longer or taller is no object
LEAST_HOLLOW_M = 0.05
DEEP_M, DEEP_SHARE = 0.02, 0.4  # below the rim, or of its height: inside of a container,
HOLLOW_SHARE = 0.3  # if so much of what is seen through its opening is that


@dataclass(frozen=True, eq=False)
class Fitted:
    """An unnamed object, and how well its segment was seen.

    `rms` (m) is the distance between the seen and the fitted contour. `bottom_seen` is False if
    something in front hides the bottom. `ground_m` is the height above the table of what it
    stands on: more than 0 in a container.
    """

    thing: SceneObject
    rms: float
    top: float
    bottom_seen: bool
    segment: Segment
    points: FloatArray  # (n, 3) in the base frame
    looks: int = 1  # how many agree on it
    ground_m: float = 0.0

    @property
    def confidence(self) -> float:
        return self.thing.confidence


def fit(picture: Scan, segment: Segment, stamp: float, ground_m: float = 0.0) -> Fitted | None:
    """The object that the segment shows, or None if too little of it is seen.

    `ground_m` is the height above the table of what it stands on, unless its bottom is higher.
    Several ways to cut a picture lead to the same segment: it is fitted once.
    """
    return picture.once(('fit', segment.key, stamp, ground_m),
                        lambda: _fit(picture, segment, stamp, ground_m))


def _fit(picture: Scan, segment: Segment, stamp: float, ground_m: float) -> Fitted | None:
    flat = segment.flat(picture.view.width_px)
    depth = picture.view.depth.take(flat)
    if not depth.all():
        flat = flat[depth > 0]
    contour = find_contour(picture, segment)
    if len(flat) < LEAST_OUTLINE or np.count_nonzero(contour.true) < LEAST_OUTLINE:
        return None
    bottom = bottom_height(picture, contour, ground_m)
    top = top_height(picture.heights.take(flat), picture.table.noise_m)
    if top - ground_m < picture.least_height_m:
        return None
    points = picture.view.points_of(flat)
    solid = _solid(picture, segment, points, contour, top, ground_m if bottom is None else bottom)
    confidence = contour.true_share * min(1.0, segment.size / ENOUGH_PIXELS)
    if bottom is None:
        confidence *= 0.7
    is_wall = solid.thing.shape is Shape.BOX and max(solid.thing.size) > OBSTACLE_M
    shape = Shape.WALL if is_wall else solid.thing.shape
    thing = replace(solid.thing, shape=shape, movable=not is_wall, seen_at=stamp,
                    colour=colour_of(picture.view, flat),
                    confidence=round(min(0.99, max(0.05, confidence)), 3))
    return Fitted(thing, solid.rms, top, bottom is not None, segment, points, ground_m=ground_m)


@dataclass(frozen=True)
class _Guess:
    """An unnamed object and the distance (rms, m) of its contour from the seen one.

    `handicap` multiplies its depth error. If the depth error is more than `most_off` (m), the
    guess is rejected.
    """

    thing: SceneObject
    rms: float
    handicap: float = 1.0
    most_off: float = math.inf

    def cost(self, origin: FloatArray, rays: Array, depth: Array) -> float:
        off = misfit(self.thing, origin, rays, depth)
        return self.handicap * off if off <= self.most_off else math.inf


def _guess(shape: Shape, size: tuple[float, float, float], pose: Pose, rms: float,
           handicap: float = 1.0, most_off: float = math.inf) -> _Guess:
    return _Guess(SceneObject('', shape, size, pose), rms, handicap, most_off)


def _solid(picture: Scan, segment: Segment, points: FloatArray, contour: Contour, top: float,
           bottom: float) -> _Guess:
    """A container if it is hollow, else the solid that fits the measured depth best."""
    pixel = pixel_size(picture, contour, top)
    plan = ground_plan(picture, contour, top, bottom)[contour.true]
    rough = smallest_rectangle(plan)
    if min(rough.sides) >= LEAST_HOLLOW_M:
        container = _container(picture, points, top, bottom, pixel)
        if _is_hollow(picture, segment, contour, container.thing, top):
            return container
    rectangle = _rectangle(plan, pixel, picture.table.noise_m, contour.true_share < MOSTLY_SEEN,
                           rough)
    flat = segment.flat(picture.view.width_px)
    flat = flat[::1 + len(flat) // COMPARED_PIXELS]
    rays, depth = picture.view.rays_of(flat), picture.view.depth.take(flat)
    decided = min(DECIDED_M, DECIDED_SHARE * (top - bottom))
    costs: list[tuple[float, _Guess]] = []
    for guess in chain(_upright(picture, plan, pixel, rectangle, top, bottom),
                       _lying(picture, points, rectangle, top - bottom, bottom),
                       _ball(picture, points, contour, rectangle, top, bottom)):
        costs.append((guess.cost(picture.view.origin, rays, depth), guess))
        if costs[-1][0] < decided:
            break
    return min(costs, key=itemgetter(0))[1]


def _upright(picture: Scan, plan: FloatArray, pixel: FloatArray, rectangle: Rectangle,
             top: float, bottom: float) -> Iterator[_Guess]:
    """A box, and a standing cylinder."""
    z, height = picture.table.z + (top + bottom) / 2, top - bottom
    box = completed(rectangle)
    yield _guess(Shape.BOX, (*box.sides, height),
                 Pose.from_rpy(*box.centre, z, yaw=_least_turn(box.yaw)), box.rms, BOX_FIRST)
    circle = fit_circle(plan, pixel)
    if 2 * circle.radius <= WIDEST_ARC * max(rectangle.sides):
        yield _guess(Shape.CYLINDER, (2 * circle.radius, 2 * circle.radius, height),
                     Pose((*circle.centre, z)), circle.rms)


def _rectangle(plan: FloatArray, pixel: FloatArray, noise_m: float, partly_hidden: bool,
               rough: Rectangle | None = None) -> Rectangle:
    """The rectangle of a contour. If noise or a hidden corner misleads it, the best of several.

    It starts from the `rough` one, if that is known: the smallest around all points. Around half
    of a square that lies across its diagonal.
    """
    noisy = noise_m >= NOISY_M
    strays = STRAYS if noisy else 0
    found = fit_rectangle(plan, pixel, noise_m, strays=strays, rough=rough)
    if not (noisy or partly_hidden) or found.rms < (POOR_RMS_M + noise_m if noisy else BAD_RMS_M):
        return found
    turns = [math.radians(15 * k) for k in range(6)]
    others = [fit_rectangle(plan, pixel, noise_m, found.yaw + turn, strays) for turn in turns]
    return min([found, *others], key=lambda one: one.rms)


def _is_hollow(picture: Scan, segment: Segment, contour: Contour, container: SceneObject,
               top: float) -> bool:
    """Whether it has its rim, and what is seen through the opening is far below that: of a deep
    one, the far wall."""
    points, heights = _filled(picture, segment, contour)
    origin = picture.view.origin
    at_rim = picture.table.at_height(origin, points - origin, np.full(len(points), top))
    inner = heights[solids.within_m(container, at_rim) > solids.WALL_M]
    deep = np.count_nonzero(inner < top - min(DEEP_M, DEEP_SHARE * top))
    return bool(len(inner) >= LEAST_OUTLINE and deep > HOLLOW_SHARE * len(inner)
                and solids.has_rim(picture.view, container, picture.table.noise_m))


def _filled(picture: Scan, segment: Segment, contour: Contour) -> tuple[FloatArray, FloatArray]:
    """Points and heights inside the segment's contour: a bin's floor may look like table."""
    canvas = np.zeros(segment.mask.shape, np.uint8)
    cv2.drawContours(canvas, [contour.outline], 0, 1, cv2.FILLED)
    chosen = canvas.view(bool).ravel().nonzero()[0]
    rows, columns = np.divmod(chosen[::1 + len(chosen) // HOLLOW_POINTS], segment.mask.shape[1])
    flat = (rows + segment.corner[0]) * picture.view.width_px + (columns + segment.corner[1])
    flat = flat[picture.view.depth.take(flat) > 0]
    return picture.view.points_of(flat), picture.heights.take(flat)


def _ball(picture: Scan, points: FloatArray, contour: Contour, rectangle: Rectangle,
          top: float, bottom: float) -> Iterator[_Guess]:
    """Balls, if enough of the contour belongs to the object and not to its support."""
    low, high = (share * top for share in BALL_SIDE)
    if bottom == 0 and not low < max(rectangle.sides) < high:
        return
    free = contour.true & (contour.heights > bottom + picture.lowest_m + 0.004)
    if np.count_nonzero(free) < LEAST_OUTLINE:
        return
    rays = picture.view.rays_of(contour.flat[free]).astype(float)
    start = (points.min(axis=0) + points.max(axis=0)) / 2
    foot = np.array([start[0], start[1], picture.table.z + bottom])
    half_pixel = 0.5 / float(picture.view.K[0, 0])
    balls = [(*solids.fit_ball(picture.view.origin, rays, half_pixel, start, foot), 1.0)]
    if bottom > 0:  # in the air or in a bowl, the lowest visible point is not its foot
        balls.append((*solids.ball_through(points), FREE_BALL_LAST))
    for (x, y, z), radius, handicap in balls:
        if 0.005 < radius < 0.15:
            yield _guess(Shape.SPHERE, (2 * radius,) * 3, Pose((float(x), float(y), float(z))),
                         0.0, handicap)


def completed(rectangle: Rectangle) -> Rectangle:
    """The rectangle with an unseen end placed as far away as the other side is long."""
    sides, centre = list(rectangle.sides), np.array(rectangle.centre)
    for axis in (0, 1):
        plus, minus = rectangle.seen[2 * axis], rectangle.seen[2 * axis + 1]
        missing = rectangle.sides[1 - axis] - sides[axis]
        if plus == minus or missing <= 0 or not any(rectangle.seen[2 - 2 * axis:4 - 2 * axis]):
            continue
        angle = rectangle.yaw + axis * math.pi / 2
        towards = (1 if minus else -1) * np.array([math.cos(angle), math.sin(angle)])
        centre, sides[axis] = centre + towards * missing / 2, sides[axis] + missing
    return Rectangle((float(centre[0]), float(centre[1])), (sides[0], sides[1]), rectangle.yaw,
                     rectangle.rms, rectangle.seen)


def _container(picture: Scan, points: FloatArray, top: float, bottom: float,
               pixel: FloatArray) -> _Guess:
    heights = picture.table.point_heights(points)
    found = solids.fit_container(points, heights, top, pixel, picture.table.noise_m)
    z, height = picture.table.z + (top + bottom) / 2, top - bottom
    if isinstance(found, Circle):
        return _guess(Shape.BOWL, (2 * found.radius, 2 * found.radius, height),
                      Pose((*found.centre, z)), found.rms)
    return _guess(Shape.BIN, (*found.sides, height),
                  Pose.from_rpy(*found.centre, z, yaw=_least_turn(found.yaw)), found.rms)


def _lying(picture: Scan, points: FloatArray, rectangle: Rectangle, height: float,
           bottom: float) -> Iterator[_Guess]:
    """Cylinders on their side, their own z axis along a side; none if the rectangle is too flat.

    The curved surface shows where the axis is: seen from the side, the far side is hidden.
    """
    points = points[::1 + len(points) // ROLL_POINTS]
    heights = picture.table.point_heights(points) - bottom
    for side in (0, 1):
        low, high = (share * height for share in LYING_SIDE)  # a patch may have no height
        if not low < rectangle.sides[1 - side] < high:
            continue
        yaw = rectangle.yaw + side * math.pi / 2
        along, across = (np.array([math.cos(a), math.sin(a)]) for a in (yaw, yaw + math.pi / 2))
        middle, radius = solids.fit_roll(points[:, :2] @ across, heights, height / 2)
        if abs(2 * radius - height) > LYING_WITHIN * height:
            continue
        x, y = along * (along @ rectangle.centre) + across * middle
        pose = Pose.from_rpy(float(x), float(y), picture.table.z + bottom + radius,
                             pitch=math.pi / 2, yaw=yaw)
        yield _guess(Shape.CYLINDER, (2 * radius, 2 * radius, rectangle.sides[side]), pose,
                     rectangle.rms, most_off=LYING_OFF_M)


def _least_turn(yaw: float) -> float:
    """The same rectangle's yaw within a quarter turn of zero (-pi/2 to pi/2)."""
    return math.remainder(yaw, math.pi)
