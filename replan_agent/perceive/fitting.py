"""From a segment to a thing: shape, size and pose from the faces that are seen.

From one oblique view the top face gives ground plan and yaw, and the table the height. What is
hidden is not invented, except that a side nobody sees is taken to be as long as its neighbour.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject, Shape

from .footprint import Circle, Rectangle, fit_circle, fit_rectangle
from .naming import colour_name
from .outlines import Outline, bottom_of, ground_plan, outline_of, pixel_size, top_of
from .segments import Picture, Segment
from .solids import fit_container, is_hollow, is_lying_cylinder, sphere_of

ENOUGH_PIXELS = 80  # fewer make the fit less certain
LEAST_OUTLINE = 8
ROUNDER_BY = 0.8  # a circle must fit this much better than a rectangle
WALL_M = 0.25  # what is longer or taller is an obstacle and no object


@dataclass(frozen=True)
class Fit:
    """A thing without a name, and what its segment tells about how it was seen.

    `rms` (m) is how far the outline is from the fitted one; `bottom_seen` is False when something
    in front hides where it stands.
    """

    thing: SceneObject
    rms: float
    top: float
    bottom_seen: bool
    segment: Segment
    points: FloatArray  # (n, 3) in the base frame

    @property
    def confidence(self) -> float:
        return self.thing.confidence


def fit(picture: Picture, segment: Segment, stamp: float) -> Fit | None:
    """What the segment is, or None when too little of it is seen."""
    rows, columns = segment.pixels
    valid = picture.view.depth[rows, columns] > 0
    points = picture.view.points(rows[valid], columns[valid])
    outline = outline_of(picture, segment)
    if len(points) < LEAST_OUTLINE or np.count_nonzero(outline.true) < LEAST_OUTLINE:
        return None
    heights = picture.table.height_of(points)
    bottom = bottom_of(picture, outline)
    base = bottom or 0.0
    top = top_of(heights, picture.table.noise_m)
    shape, size, pose, rms = _solid(picture, points, heights, outline, top, base)
    confidence = outline.true_share * min(1.0, segment.size / ENOUGH_PIXELS)
    if bottom is None:
        confidence *= 0.7
    shape = Shape.WALL if shape is Shape.BOX and max(size) > WALL_M else shape
    thing = SceneObject('', shape, size, pose, colour_name(picture.view.rgb[rows, columns]),
                        movable=shape is not Shape.WALL,
                        confidence=round(min(0.99, max(0.05, confidence)), 3), seen_at=stamp)
    return Fit(thing, rms, top, bottom is not None, segment, points)


Solid = tuple[Shape, tuple[float, float, float], Pose, float]


def _solid(picture: Picture, points: FloatArray, heights: FloatArray, outline: Outline,
           top: float, bottom: float) -> Solid:
    """The first of the shapes that explains the points: ball, container, cylinder, box."""
    noise = picture.table.noise_m
    z = picture.table.z
    ball = sphere_of(points, picture.table.height_of, top, bottom, noise)
    if ball is not None:
        (x, y, height), radius = ball
        return Shape.SPHERE, (2 * radius,) * 3, Pose((x, y, z + height)), 0.0
    pixel = pixel_size(picture, float(np.mean(outline.rows)), float(np.mean(outline.columns)), top)
    plan = ground_plan(picture, outline, top, bottom)[outline.true]
    rectangle, circle = fit_rectangle(plan, pixel, noise), fit_circle(plan, pixel)
    if is_hollow(points, heights, rectangle, top):
        return _container(points, heights, top, bottom, pixel, z, noise)
    middle_z = z + (top + bottom) / 2
    if circle.rms < ROUNDER_BY * rectangle.rms:
        return (Shape.CYLINDER, (2 * circle.radius, 2 * circle.radius, top - bottom),
                Pose((*circle.centre, middle_z)), circle.rms)
    rectangle = completed(rectangle)
    if is_lying_cylinder(points, heights, rectangle, top, bottom, noise):
        return _lying(rectangle, middle_z)
    pose = Pose.from_rpy(*rectangle.centre, middle_z, yaw=_least_turn(rectangle.yaw))
    return Shape.BOX, (*rectangle.sides, top - bottom), pose, rectangle.rms


def completed(rectangle: Rectangle) -> Rectangle:
    """The rectangle with an unseen end as far away as the other side is long."""
    sides, centre = list(rectangle.sides), np.array(rectangle.centre)
    for axis in (0, 1):
        plus, minus = rectangle.seen[2 * axis], rectangle.seen[2 * axis + 1]
        missing = rectangle.sides[1 - axis] - sides[axis]
        if plus == minus or missing <= 0 or not all(rectangle.seen[2 - 2 * axis:4 - 2 * axis]):
            continue
        angle = rectangle.yaw + axis * math.pi / 2
        towards = (1 if minus else -1) * np.array([math.cos(angle), math.sin(angle)])
        centre, sides[axis] = centre + towards * missing / 2, sides[axis] + missing
    return Rectangle((float(centre[0]), float(centre[1])), (sides[0], sides[1]), rectangle.yaw,
                     rectangle.rms, rectangle.seen)


def _container(points: FloatArray, heights: FloatArray, top: float, bottom: float,
               pixel: FloatArray, table_z: float, noise: float) -> Solid:
    found: Rectangle | Circle = fit_container(points, heights, top, pixel, noise)
    z, height = table_z + (top + bottom) / 2, top - bottom
    if isinstance(found, Circle):
        return (Shape.BOWL, (2 * found.radius, 2 * found.radius, height),
                Pose((*found.centre, z)), found.rms)
    return (Shape.BIN, (*found.sides, height),
            Pose.from_rpy(*found.centre, z, yaw=_least_turn(found.yaw)), found.rms)


def _lying(rectangle: Rectangle, z: float) -> Solid:
    """A cylinder on its side: its own z axis along the longer side."""
    along = int(rectangle.sides[1] > rectangle.sides[0])
    length, diameter = max(rectangle.sides), min(rectangle.sides)
    yaw = rectangle.yaw + along * math.pi / 2
    pose = Pose.from_rpy(*rectangle.centre, z, pitch=math.pi / 2, yaw=yaw)
    return Shape.CYLINDER, (diameter, diameter, length), pose, rectangle.rms


def _least_turn(yaw: float) -> float:
    """The same rectangle's yaw within a quarter turn of zero (-pi/2 to pi/2)."""
    return math.remainder(yaw, math.pi)
