# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What somebody does once while the arm is at work."""

from __future__ import annotations

from replan_agent_bench.worlds.faults import moved_by_another
from replan_agent_bench.worlds.lasting import Lasting, Lasts

from .seen_phases import SeenPhases

GONE = (-1.5, 2.0, -0.6)  # m: no camera sees it there
Point = tuple[float, float, float]


def pushed_once(name: str, direction: float, distance_m: float) -> Lasts:
    """Somebody pushes it (rad, base frame) when the hand comes down to it."""
    def act(by: Lasting) -> None:
        if by.note('another', name):
            by.push(name, direction, distance_m)
    return Lasts(name, act, 'descend')


def put_elsewhere(name: str, to: Point, phase: str = 'approach', taking: bool = True,
                  instead: str = '') -> Lasts:
    """Somebody takes it and puts it down there (m); `instead` then stands where it was."""
    def act(by: Lasting) -> None:
        if not by.note('another', name):
            return
        x, y, z = by.log.position(name, by.cell.world.data.qpos)
        moved_by_another(by.cell.world, name, to)
        if instead:
            by.note('another', instead)
            moved_by_another(by.cell.world, instead, (x, y, z + 0.005))
    return Lasts(name, act, phase, taking)


def let_go(name: str) -> Lasts:
    """The fingers open for a moment in the lift."""
    def act(by: Lasting) -> None:
        if by.note('fault', name):
            by.let_go(0.0)
    return Lasts('gripper', act, 'lift')


def no_camera(seconds: float) -> Lasts:
    """The camera gives no picture for so long, once the hand is on its way."""
    def act(by: Lasting) -> None:
        if isinstance(by, SeenPhases) and by.note('fault', 'camera'):
            by.dark_until = by.cell.world.time + seconds
    return Lasts('camera', act, 'approach')


def bumped(turn_rad: float) -> Lasts:
    """Somebody knocked the camera before: it is turned like this. Nobody tells its new pose."""
    def act(by: Lasting) -> None:
        if isinstance(by, SeenPhases) and by.note('fault', 'camera'):
            by.turn_camera(turn_rad)
    return Lasts('camera', act)
