# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shapes that a ground-plan contour does not show: balls, bowls and bins."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import SceneObject, Shape

from .footprint import Circle, Rectangle, fit_circle, fit_rectangle
from .view import View

RIM_M = 0.0025
WALL_M = 0.008  # so near to the rim's outer edge there is wall
RIM_SECTORS = 36
RIM_SHARE = 0.9  # of a container's rim is where it should be
RIM_NEAR_M = 0.005
CLEARLY_ROUND = 0.02  # of its radius off, on average: no rectangle is as near to a circle
RIM_POINTS = 400  # are enough for a rectangle
_INSETS_M = (0.001, 0.003, 0.005)  # of the rim's middle from its outer edge
_NEXT = np.array(list(np.ndindex(3, 3)))[..., None] - 1  # a pixel and those around it
_RIM = np.array([[math.cos(a), math.sin(a)]
                 for a in np.linspace(0, 2 * math.pi, 48, endpoint=False)])
_LEAST = 1e-9 * np.eye(3)  # makes a system without a unique solution solvable


def fit_ball(origin: FloatArray, rays: FloatArray, half_pixel_rad: float, start: FloatArray,
             bottom: FloatArray) -> tuple[FloatArray, float]:
    """Centre (base frame) and radius (m) of a ball that stands at `bottom` below `start`.

    Contour rays (n, 3) touch the ball: each passes its centre at one radius. This keeps depth
    noise out. Gauss-Newton from the middle of the visible points.
    """
    directions = rays / np.linalg.norm(rays, axis=1, keepdims=True)
    x, y, radius = float(start[0]), float(start[1]), max(float(start[2] - bottom[2]), 0.008)
    for _ in range(8):
        away = np.array([x, y, bottom[2] + radius]) - origin
        passing = away - (directions @ away)[:, None] * directions
        distance = np.linalg.norm(passing, axis=1)
        outward = passing / np.maximum(distance, 1e-9)[:, None]
        beyond = half_pixel_rad * float(np.linalg.norm(away))
        residual = distance + beyond - radius
        system = outward - (0.0, 0.0, 1.0)
        step = np.linalg.solve(system.T @ system + _LEAST, -(residual @ system))
        x, y, radius = x + step[0], y + step[1], max(radius + step[2], 0.004)
        if np.abs(step).max() < 1e-5:
            break
    return np.array([x, y, bottom[2] + radius]), float(radius)


def ball_through(points: FloatArray) -> tuple[FloatArray, float]:
    """Centre and radius (m) of the ball through the points (n, 3)."""
    middle = points.mean(axis=0)
    local = points - middle
    system = np.column_stack([2 * local, np.ones(len(local))])
    *centre, rest = np.linalg.lstsq(system, np.sum(local ** 2, axis=1), rcond=None)[0]
    return middle + centre, math.sqrt(max(float(rest) + float(np.dot(centre, centre)), 0.0))


def centre_of_ball(points: FloatArray, radius: float, start: FloatArray) -> FloatArray:
    """The centre of a ball of known radius from points (n, 3) on its surface (Gauss-Newton)."""
    centre = np.array(start, dtype=float)
    for _ in range(10):
        away = points - centre
        distance = np.maximum(np.linalg.norm(away, axis=1), 1e-9)
        off = distance - radius
        near = np.abs(off) <= np.median(np.abs(off)) * 3 + 1e-4  # leaves out points on the fingers
        step = np.linalg.lstsq((away / distance[:, None])[near], off[near], rcond=None)[0]
        centre = centre + step
        if np.abs(step).max() < 1e-5:
            break
    return centre


def fit_roll(across: FloatArray, heights: FloatArray, radius: float) -> tuple[float, float]:
    """Position across its axis (m) and radius (m) of a lying cylinder through the points.

    `across` and `heights` (above its support) belong to the points; `radius` is a start value.
    """
    centre = float(np.median(across))
    for _ in range(10):
        a, h = across - centre, heights - radius
        distance = np.maximum(np.hypot(a, h), 1e-9)
        off = distance - radius
        near = np.abs(off) <= np.median(np.abs(off)) * 3 + 1e-4  # leaves out points on its ends
        sideways, up, rest = (a / distance)[near], (h / distance + 1)[near], off[near]
        ss, su, uu = float(sideways @ sideways), float(sideways @ up), float(up @ up)
        sr, ur, spread = float(sideways @ rest), float(up @ rest), ss * uu - su * su
        if spread <= 1e-12:
            break  # a flat patch: no curve to see
        step = (uu * sr - su * ur) / spread, (ss * ur - su * sr) / spread
        centre, radius = centre + step[0], max(radius + step[1], 0.004)
        if max(map(abs, step)) < 1e-5:
            break
    return centre, radius


def fit_container(points: FloatArray, heights: FloatArray, top: float, pixel: FloatArray,
                  noise_m: float) -> Rectangle | Circle:
    """The outer edge of the rim: a circle for a bowl, else a bin's rectangle."""
    rim = points[(np.abs(heights - top) < max(RIM_M, 3 * noise_m)).nonzero()[0], :2]
    x, y = np.ascontiguousarray(rim.T)
    x, y = x - (x.min() + x.max()) / 2, y - (y.min() + y.max()) / 2
    sector = ((np.arctan2(y, x) + math.pi) / (2 * math.pi) * RIM_SECTORS).astype(int) % RIM_SECTORS
    distance = np.sqrt(x * x + y * y)
    outermost = np.zeros(RIM_SECTORS)
    np.maximum.at(outermost, sector, distance)
    beyond = distance - outermost[sector]
    contour = rim[beyond == 0]
    circle = fit_circle(contour, pixel)
    if (circle.rms < CLEARLY_ROUND * circle.radius
            or circle.rms < fit_rectangle(contour, pixel, 0.003).rms):
        return circle
    outer = rim[beyond >= -0.004]  # without the inner edge
    return fit_rectangle(outer[::1 + len(outer) // RIM_POINTS], pixel, 0.003)


def has_rim(view: View, thing: SceneObject, noise_m: float) -> bool:
    """Whether the picture shows the rim of a container at its place, or something before it."""
    half = np.asarray(thing.size) / 2
    around = _RIM if thing.shape is Shape.BOWL else _RIM / np.abs(_RIM).max(axis=1, keepdims=True)
    near = RIM_NEAR_M + 4 * noise_m
    rims = np.full((len(_INSETS_M), len(around), 3), half[2])
    rims[..., :2] = around * (half[:2] - np.array(_INSETS_M)[:, None, None])
    u, v, depth = view.project(rims.reshape(-1, 3) @ thing.pose.rotation.T + thing.position).T
    columns = np.clip(np.rint(u), 1, view.width_px - 2)
    rows = np.clip(np.rint(v), 1, view.height_px - 2)
    flat = (rows * view.width_px + columns).astype(int)
    measured = view.depth.take(flat + (_NEXT[:, 1] * view.width_px + _NEXT[:, 0]))
    there = (measured > 0) & (measured < depth + near)  # at its place, or something before it
    found = there.any(axis=0).reshape(len(_INSETS_M), -1).any(axis=0)
    return bool(found.mean() >= RIM_SHARE)


def within_m(container: SceneObject, xy: FloatArray) -> FloatArray:
    """How far (m) points (n, 2) are within the outer edge of the rim."""
    away = (xy - container.position[:2]) @ container.pose.rotation[:2, :2]
    half = np.asarray(container.size[:2]) / 2
    if container.shape is Shape.BOWL:
        return np.asarray(half.max() - np.hypot(away[:, 0], away[:, 1]))
    return np.asarray((half - np.abs(away)).min(axis=1))
