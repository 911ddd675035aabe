# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paths of VAMP, a planner in SIMD C++, to compare with; if it is installed (`vamp-planner`)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from transforms3d import euler

from replan_agent.domain.scene import SceneObject, Shape

from .mbm_problems import PANDA, MotionProblem

INSTALLED = find_spec('vamp') is not None
BOXED = 'box'  # in this scene VAMP's own evaluation takes cylinders as boxes, else as capsules


def vamp_path(problem: MotionProblem, kind: str) -> tuple[float, float] | None:
    """Joint-space length (rad) of its simplified path, and the time (s) to find and simplify it.

    None if VAMP is not installed or finds no path.
    """
    if not INSTALLED:
        return None
    vamp: Any = import_module('vamp')
    robot, plan, settings, simplify = vamp.configure_robot_and_planner_with_kwargs(PANDA, 'rrtc')
    world, sampler = vamp.Environment(), robot.halton()
    for thing in problem.scene.objects:
        _add(vamp, world, thing, boxed=kind == BOXED)
    found = plan(problem.start.tolist(), [problem.goal.tolist()], world, settings, sampler)
    if not found.solved:
        return None
    short = robot.simplify(found.path, world, simplify, sampler)
    return float(short.path.cost()), 1e-9 * (found.nanoseconds + short.nanoseconds)


def _add(vamp: Any, world: Any, thing: SceneObject, boxed: bool) -> None:
    half = [size / 2 for size in thing.size]
    place = list(thing.position), list(euler.quat2euler(thing.pose.quaternion, axes='sxyz'))
    if thing.shape is Shape.BOX or boxed:
        world.add_cuboid(vamp.Cuboid(*place, half))
    else:
        world.add_capsule(vamp.Cylinder(*place, half[0], thing.size[2]))
