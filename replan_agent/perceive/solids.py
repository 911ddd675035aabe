"""Tests for shapes that an outline alone does not tell: balls, hollow things, lying cylinders."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from replan_agent.domain.pose import FloatArray

from .footprint import Circle, Rectangle, fit_circle, fit_rectangle

BALL_SHARE = 0.05  # of the radius: what a ball's surface may deviate beyond the noise
HOLLOW_DEPTH = 0.4  # of the height: what is this much lower inside its rim is hollow
HOLLOW_SHARE = 0.3
LEAST_HOLLOW_M = 0.05
RIM_M = 0.0025
RIM_SECTORS = 36


def sphere_of(points: FloatArray, height_of: Callable[[FloatArray], FloatArray], top: float,
              bottom: float, noise_m: float) -> tuple[tuple[float, float, float], float] | None:
    """Centre (x, y in the base frame, height above the table) and radius of a ball, or None."""
    middle = points.mean(axis=0)
    local = points - middle
    system = np.column_stack([2 * local, np.ones(len(local))])
    solution = np.linalg.lstsq(system, np.sum(local ** 2, axis=1), rcond=None)[0]
    centre = solution[:3]
    radius = math.sqrt(max(float(solution[3] + centre @ centre), 0.0))
    if not 0.005 < radius < 0.15:
        return None
    gaps = np.linalg.norm(local - centre, axis=1) - radius
    excess = math.sqrt(max(float(np.mean(gaps ** 2)) - (2 * noise_m) ** 2, 0.0))
    x, y, _ = centre = centre + middle
    height = float(height_of(centre[None])[0])
    slack = 0.25 * radius + 2 * noise_m  # the inside of a bowl is round too, but not a ball's top
    whole = abs(height - radius - bottom) < slack and abs(height + radius - top) < slack
    if excess > BALL_SHARE * radius or not whole:
        return None
    return (float(x), float(y), height), radius


def is_hollow(points: FloatArray, heights: FloatArray, rectangle: Rectangle, top: float) -> bool:
    """Whether what is seen in the middle of the ground plan lies well below the rim."""
    if min(rectangle.sides) < LEAST_HOLLOW_M:
        return False
    local = in_frame(points[:, :2], rectangle)
    inner = np.all(np.abs(local) < 0.35 * np.array(rectangle.sides), axis=1)
    if np.count_nonzero(inner) < 10:
        return False
    deep = heights[inner] < (1 - HOLLOW_DEPTH) * top
    return float(np.mean(deep)) > HOLLOW_SHARE


def fit_container(points: FloatArray, heights: FloatArray, top: float, pixel: FloatArray,
                  noise_m: float) -> Rectangle | Circle:
    """The outer edge of the rim: round for a bowl, else a bin's rectangle."""
    rim = points[np.abs(heights - top) < max(RIM_M, 3 * noise_m), :2]
    middle = (rim.min(axis=0) + rim.max(axis=0)) / 2
    away = rim - middle
    sector = ((np.arctan2(away[:, 1], away[:, 0]) + math.pi) / (2 * math.pi)
              * RIM_SECTORS).astype(int) % RIM_SECTORS
    distance = np.hypot(away[:, 0], away[:, 1])
    outer = [rim[sector == k][np.argmax(distance[sector == k])]
             for k in range(RIM_SECTORS) if np.any(sector == k)]
    circle = fit_circle(np.array(outer), pixel)
    rectangle = fit_rectangle(_outermost(rim, distance, sector), pixel, 0.003)
    outline = np.array(outer)
    square_rms = fit_rectangle(outline, pixel, 0.003).rms
    return circle if circle.rms < square_rms else rectangle


def _outermost(rim: FloatArray, distance: FloatArray, sector: FloatArray) -> FloatArray:
    """Rim points without those of the inner edge."""
    keep = np.zeros(len(rim), dtype=bool)
    for k in range(RIM_SECTORS):
        of_sector = sector == k
        if np.any(of_sector):
            keep |= of_sector & (distance >= distance[of_sector].max() - 0.004)
    return rim[keep]


def is_lying_cylinder(points: FloatArray, heights: FloatArray, rectangle: Rectangle, top: float,
                      bottom: float, noise_m: float) -> bool:
    """Whether the surface is round about the longer axis of the ground plan."""
    diameter = min(rectangle.sides)
    if abs(diameter - (top - bottom)) > 0.2 * diameter:
        return False
    short = int(rectangle.sides[0] > rectangle.sides[1])
    across = in_frame(points[:, :2], rectangle)[:, short]
    radius = (top - bottom) / 2
    gaps = np.hypot(across, heights - bottom - radius) - radius
    excess = math.sqrt(max(float(np.mean(gaps ** 2)) - (2 * noise_m) ** 2, 0.0))
    return excess < 0.08 * radius


def in_frame(xy: FloatArray, rectangle: Rectangle) -> FloatArray:
    """Points (n, 2) along the rectangle's own axes, from its centre."""
    c, s = math.cos(rectangle.yaw), math.sin(rectangle.yaw)
    return np.asarray((xy - rectangle.centre) @ np.array([[c, -s], [s, c]]))
