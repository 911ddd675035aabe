"""Paths of VAMP, a path search in SIMD C++ for a Panda made of balls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from transforms3d import euler

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Scene, SceneObject, Shape

ARM = 'panda'
SEARCH = 'rrtc'  # RRT-Connect
MOST_STEPS = 20_000  # of the search: some ms


Lines = Iterable[list[FloatArray]]  # postures, beginning with the end of the path


class VampSearch:
    """VAMP's search and its own smoothing. `vamp` is its module, or what speaks its interface."""

    def __init__(self, vamp: Any) -> None:
        self._vamp = vamp
        self._robot, self._plan, self._settings, self._smoothing = (
            vamp.configure_robot_and_planner_with_kwargs(ARM, SEARCH))
        self._settings.max_iterations = MOST_STEPS

    def path(self, starts: Lines, goals: Lines, scene: Scene,
             spare_m: float) -> FloatArray | None:
        """Joint waypoints (N, 7) among the objects, each larger by `spare_m`; None without a path.

        It leads along one of the lines that begin at the start, then freely, then back along one
        of those that begin at the goal. Of a line only as much is used as is needed to be free for
        VAMP. The same call gives the same path.
        """
        world = self._vamp.Environment()
        for thing in scene.objects:
            self._add(world, thing, spare_m)
        outs, homes = (self._leads(lines, world) for lines in (starts, goals))
        tips = [_numbers(home[-1]) for home in homes]
        for out in outs if homes else ():
            samples = self._robot.halton()
            found = self._plan(_numbers(out[-1]), tips, world, self._settings, samples)
            if found.solved:
                smooth = self._robot.simplify(found.path, world, self._smoothing, samples)
                inner = np.array(smooth.path.numpy(), dtype=float)
                k = int(np.abs(np.array(tips) - inner[-1]).max(axis=1).argmin())
                return np.array([*out, *inner[1:-1], *homes[k][::-1]])
        return None

    def _leads(self, lines: Lines, world: Any) -> list[list[FloatArray]]:
        """The beginnings of the lines, each up to its first posture that is free for VAMP."""
        leads = []
        for line in lines:
            for k, joints in enumerate(line):
                if self._robot.validate(_numbers(joints), world):
                    leads.append(line[:k + 1])
                    if k == 0:  # none is needed
                        return leads
                    break
        return leads

    def _add(self, world: Any, thing: SceneObject, spare_m: float) -> None:
        """A thing as a ball or as a box around it. Our own check knows its true shape."""
        half = [size / 2 + spare_m for size in thing.size]
        if thing.shape is Shape.SPHERE:
            world.add_sphere(self._vamp.Sphere(list(thing.position), half[0]))
            return
        turn = [float(angle) for angle in euler.quat2euler(thing.pose.quaternion, axes='sxyz')]
        world.add_cuboid(self._vamp.Cuboid(list(thing.position), turn, half))


def _numbers(joints: FloatArray) -> list[float]:
    return [float(angle) for angle in joints]
