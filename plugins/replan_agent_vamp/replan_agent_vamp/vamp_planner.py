"""A motion planner whose paths are VAMP's, if our own check finds them free."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from replan_agent.app.build.build_planner import MotionParts
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.motion.blend import checkpoints, corners
from replan_agent.motion.motion_protocols import MotionOutcome, MotionRequest
from replan_agent.motion.planner import CLOSELY_EVERY, JointPlanner, franka_parts
from replan_agent.motion.shortcuts import EdgeFree, Free, edge_is_free, without_corners

from .vamp_search import ARM, VampSearch

# How much more than the clearance objects are larger for VAMP. Its arm is thinner than ours.
SPARES_M = (0.012, 0.02, 0.004)
HINT_STEP = 0.2  # rad between the nodes that a refused path gives to the built-in search
EDGE_EVERY = 0.03  # rad, where corners are rounded; the motion is checked in the end


class VampPlanner(JointPlanner):
    """A JointPlanner that asks VAMP first. Limits, timing and the check of every motion are ours.

    If VAMP finds nothing, or our check refuses all motions along its path, or an object is held,
    which VAMP's arm does not know, then the built-in search finds the path. It begins with what is
    free of the refused paths. Straight lines are always built in.
    """

    def __init__(self, search: VampSearch, **parts: Any) -> None:
        super().__init__(**parts)
        assert self.collision is not None, 'a path of another program is never used unchecked'
        self._vamp = search
        self.refused = 0  # paths that our check refused
        self._hints: list[FloatArray] = []  # those of this motion

    def _around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, ends_m: float,
                ctx: Context) -> MotionOutcome:
        """A motion along a path of VAMP, or else along one of ours."""
        assert self.collision is not None
        checker, scene = self.collision, self.collision.with_zones(request).scene

        def all_free(postures: FloatArray) -> bool:
            ctx.check()
            return checker.first_among(postures) is None

        checker.use(request)
        self._hints = []
        edge_free = partial(edge_is_free, all_free, largest_step=EDGE_EVERY)

        def lines(end: FloatArray) -> Iterator[list[FloatArray]]:
            yield [end]
            for line in self._ways_out(end, lambda joints: all_free(joints[None])):
                yield [end, *line]

        hints: list[FloatArray] = []
        if scene.held is None and not edge_free(start, goal):
            for spare_m in SPARES_M:
                path = self._vamp.path(lines(start), lines(goal), scene,
                                       request.clearance_m + spare_m)
                if path is None or not self.kinematics.limits.contain(path[1:]):
                    continue
                trajectory = self._along(corners(path), edge_free, request.speed, ctx)
                if trajectory is not None:
                    return MotionOutcome(trajectory)
                self.refused += 1
                hints.append(path)
        self._hints = hints
        return super()._around(start, goal, request, ends_m, ctx)

    def _ways_out(self, end: FloatArray, free: Free) -> Iterator[list[FloatArray]]:
        """Along the refused paths, then as usual."""
        for path in self._hints:
            points = path if np.array_equal(path[0], end) else path[::-1]
            turns = np.linalg.norm(np.diff(points, axis=0), axis=1).cumsum()
            at = np.arange(HINT_STEP, turns[-1], HINT_STEP)
            joints = [np.interp(at, [0.0, *turns], joint) for joint in points.T]
            yield list(np.stack(joints, axis=1))
        yield from super()._ways_out(end, free)

    def _along(self, path: list[FloatArray], edge_free: EdgeFree, speed: float,
               ctx: Context) -> JointTrajectory | None:
        """The fastest motion along a path that is free for our checker; None if none is."""
        assert self.collision is not None
        if not all(map(edge_free, path, path[1:])):
            return None
        path = without_corners(path, edge_free, ctx)
        for trajectory in self._smoothed(path, edge_free, speed, careful=True):
            if self.collision.first_among(checkpoints(trajectory, CLOSELY_EVERY)) is None:
                return trajectory
        return None


def vamp_planner(parts: MotionParts) -> VampPlanner:
    """The motion planner `vamp`. Raises ConfigError for an arm that VAMP does not know."""
    arm = parts.config.robot.model
    if arm != ARM:
        raise ConfigError(f'motion_planner: vamp knows the {ARM}, not the {arm}')
    return VampPlanner(VampSearch(import_module('vamp')),
                       **franka_parts(parts.config, parts.collision), seed=parts.seed)
