# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
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
from replan_agent.motion.motion_protocols import Contact, MotionOutcome, MotionRequest
from replan_agent.motion.planner import CLOSELY_EVERY, JointPlanner, planner_parts
from replan_agent.motion.shortcuts import Free, edge_is_free

from .proving_checker import ProvingChecker
from .vamp_search import ARM, VampSearch

TRIES = 6
VAMPS_SHARE = 0.5  # of the planning time; the rest is for the built-in search
# How much more than the clearance things are larger for VAMP, whose arm is thinner than ours in
# places: at first; how much more after a contact; and this share of it if that leaves no way.
SPARE_M, MORE_M, LESS = 0.012, 0.006, 0.6
HINT_STEP = 0.2  # rad between the nodes that a refused path gives to the built-in search
EDGE_EVERY = 0.03  # rad, to see why a motion is refused
CORNER_RADII = (0.3, 0.07)  # rad; VAMP has rounded its corners before


class VampPlanner(JointPlanner):
    """A JointPlanner that asks VAMP first. Limits, timing and the check of every motion are ours.

    A thing that our check finds in the way of VAMP's path is made larger for the next try. If all
    are refused, or VAMP finds nothing, or an object is held, which VAMP's arm does not know, then
    the built-in search finds the path. It begins with what is free of the refused paths. Straight
    lines are always built in.
    """

    def __init__(self, search: VampSearch, **parts: Any) -> None:
        super().__init__(**parts)
        assert self.collision is not None, 'a path of another program is never used unchecked'
        self._vamp = search
        self.refused: list[FloatArray] = []  # paths of the last motion that our check refused

    def _around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, ends_m: float,
                ctx: Context) -> MotionOutcome:
        """A motion along a path of VAMP, or else along one of ours."""
        assert self.collision is not None
        self.collision.use(request)
        self.refused = []
        whole = ctx.within(self.motion.allowed_planning_time)
        if request.scene.held is None and not self._edge_free(ctx, start, goal):
            tries = ctx.within(VAMPS_SHARE * self.motion.allowed_planning_time)
            trajectory = self._by_vamp(start, goal, request, tries, ctx)
            if trajectory is not None:
                return MotionOutcome(trajectory)
        return self._search(start, goal, request, ends_m, whole, ctx)

    def _by_vamp(self, start: FloatArray, goal: FloatArray, request: MotionRequest,
                 tries: Context, ctx: Context) -> JointTrajectory | None:
        """A motion along the first of VAMP's paths that our check does not refuse.

        `tries` is `ctx` with the time after which there is no further try.
        """
        assert self.collision is not None
        things = self.collision.with_zones(request).scene.objects
        ends, samples = (start, goal), self._vamp.samples()
        spares: list[float] = []
        for thing in things:
            spare = self._vamp.spare_m(thing, ends, request.clearance_m + SPARE_M)
            if spare is None:
                return None
            spares.append(spare)
        for _ in range(TRIES):
            if tries.remaining_s() <= 0:
                break
            path = self._vamp.path(start, goal, things, spares, samples)
            if path is None:
                if max(spares, default=0.0) <= 0.0:
                    break
                spares = [min(spare, LESS * max(spares)) for spare in spares]
                continue
            path[1:] = self.kinematics.limits.clamp(path[1:])  # VAMP's are wider
            found = self._along(path, request.speed, ctx)
            if isinstance(found, JointTrajectory):
                return found
            self.refused.append(path)
            for k, thing in enumerate(things):
                if thing.name in (found.first, found.second):
                    more = self._vamp.spare_m(thing, ends, spares[k] + MORE_M)
                    spares[k] = max(spares[k], more or spares[k])
        return None

    def _along(self, path: FloatArray, speed: float, ctx: Context) -> JointTrajectory | Contact:
        """The fastest motion along a path that is free for our checker, or what it touches."""
        assert self.collision is not None
        points = corners(path)
        contact: Contact | None = None
        for trajectory in self._motions(points, speed):
            ctx.check()
            found = self.collision.first_among(checkpoints(trajectory, CLOSELY_EVERY))
            if found is None:
                return trajectory
            if contact is None and not all(map(partial(self._edge_free, ctx), points, points[1:])):
                return found[1]  # it is not because of the rounded corners
            contact = found[1]
        assert contact is not None
        return contact

    def _motions(self, path: list[FloatArray], speed: float) -> Iterator[JointTrajectory]:
        """Motions along a path, the fastest first; the last one stops at every corner."""
        for radius in CORNER_RADII:
            yield self._curve(path, [radius] * (len(path) - 2), speed)
        yield self._with_stops(path, speed)

    def _edge_free(self, ctx: Context, a: FloatArray, b: FloatArray) -> bool:
        def all_free(postures: FloatArray) -> bool:
            ctx.check()
            return checker.first_among(postures) is None

        assert self.collision is not None
        checker = self.collision
        return edge_is_free(all_free, a, b, EDGE_EVERY)

    def _ways_out(self, end: FloatArray, free: Free) -> Iterator[list[FloatArray]]:
        """Along the refused paths, then as usual."""
        for path in self.refused:
            points = path if np.array_equal(path[0], end) else path[::-1]
            turns = np.linalg.norm(np.diff(points, axis=0), axis=1).cumsum()
            at = np.arange(HINT_STEP, turns[-1], HINT_STEP)
            joints = [np.interp(at, [0.0, *turns], joint) for joint in points.T]
            yield list(np.stack(joints, axis=1))
        yield from super()._ways_out(end, free)


def vamp_planner(parts: MotionParts) -> VampPlanner:
    """The motion planner `vamp`. Raises ConfigError for an arm that VAMP does not know."""
    arm = parts.config.robot.model
    if arm != ARM:
        raise ConfigError(f'motion_planner: vamp knows the {ARM}, not the {arm}')
    collision = ProvingChecker(parts.arm, parts.config.robot.eye_in_hand)
    return VampPlanner(VampSearch(import_module('vamp')),
                       **planner_parts(parts.config, parts.arm, collision), seed=parts.seed)
