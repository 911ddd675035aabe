# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Samples the simulated world while its time passes."""

from __future__ import annotations

from collections.abc import Callable

from replan_agent.domain.motion_sample import MotionSample, Trace

from .world import World


def world_trace(world: World) -> Trace:
    """The world's samples, for the record of a run. Taking one changes nothing."""
    def trace(record: Callable[[MotionSample], None], period_s: float) -> Callable[[], None]:
        record(sample_of(world))
        return world.on_step(lambda: record(sample_of(world)), period_s)

    return trace


def sample_of(world: World) -> MotionSample:
    """The arm and all things that can move, as they are now."""
    n, data = world.arm.joint_count, world.data
    return MotionSample(
        round(world.time, 6), tuple(map(float, data.qpos[:n])),
        world.gripper_width, max(0.0, float(data.ctrl[n])),
        {placed.spec.name: tuple(map(float, data.joint(placed.spec.name).qpos))
         for placed in world.placed if not placed.spec.fixed},
        tuple(round(float(force), 2) for force in data.actuator_force[:n + 1]))
