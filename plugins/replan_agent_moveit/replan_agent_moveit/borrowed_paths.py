# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A motion planner whose paths another program finds. Goals, timing and checks stay ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import POSITION_TOLERANCE, JointTrajectory
from replan_agent.motion.blend import corners, rounded
from replan_agent.motion.motion_protocols import MotionOutcome, MotionRequest, blocked_by
from replan_agent.motion.numeric_ik import pose_error
from replan_agent.motion.planner import (
    CORNER_RADII,
    START_TOLERANCE,
    STRAIGHT_CLEARANCE_M,
    JointPlanner,
)
from replan_agent.motion.timing import time_path

LINE_STRAY_M = 0.002  # of the tool from a straight line
KEPT_CLEARANCE = 0.5  # share of the clearance that our check wants: their arm has other shapes
SPARE_M = 0.008  # more clearance to ask for each time our check refuses a path: ours is thicker

ABOUT_THE_SCENE = (Reason.PATH_BLOCKED, Reason.IN_COLLISION, Reason.UNREACHABLE)


@dataclass(frozen=True)
class FoundPath:
    """Joint waypoints (N, joints) from the start to the goal, or why there are none.

    With `again`, another try may find a path.
    """

    waypoints: FloatArray | None
    reason: Reason | None = None
    detail: str = ''
    cause: Cause | None = None
    blockers: tuple[str, ...] = ()
    again: bool = False


class PathSource(Protocol):
    """Finds paths among the objects of a request. Times are no part of a path."""

    def around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, spare_m: float,
               limit_s: float, ctx: Context) -> FoundPath:
        """A path in joint space that keeps the request's clearance, and `spare_m` more.

        Near an end that is too close to something for the spare, the clearance alone is kept.
        """

    def line(self, start: FloatArray, target: Pose, request: MotionRequest, limit_s: float,
             ctx: Context) -> FoundPath:
        """A straight line of the tool centre point."""

    def close(self) -> None:
        """End what searches; there is no path after this."""


class BorrowedPathPlanner(JointPlanner):
    """A JointPlanner that asks `source` for each path, up to `tries` times.

    It trusts none: limits, ends and every sample of the motion are checked here, with our own
    collision checker, before anyone gets the motion.
    """

    def __init__(self, source: PathSource, tries: int, **parts: Any) -> None:
        super().__init__(**parts)
        assert self.collision is not None, 'a path of another program is never used unchecked'
        self._source, self._tries = source, tries

    def close(self) -> None:
        self._source.close()

    def _around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, ends_m: float,
                ctx: Context) -> MotionOutcome:
        """A joint motion along a path of the source."""
        assert self.collision is not None
        self.collision.use(replace(request, clearance_m=KEPT_CLEARANCE * request.clearance_m))
        outcome, spare_m, step_m = MotionOutcome(None), 0.0, SPARE_M
        asked = self.collision.with_zones(request)
        for _ in range(self._tries):
            found = self._source.around(start, goal, asked, spare_m, self._limit_s(ctx), ctx)
            ctx.check()
            if found.waypoints is not None:
                outcome = self._along(found.waypoints, start, goal, request.speed, ctx)
                if outcome.trajectory is not None:
                    return outcome
                spare_m += step_m
                continue
            outcome = _failure(found, request)
            if not found.again:
                break
            if spare_m:  # maybe too much, but less was refused
                step_m /= 2
                spare_m -= step_m
        return self._explained(outcome, start, goal, ctx)

    def _leaving(self, start: FloatArray, request: MotionRequest,
                 ctx: Context) -> JointTrajectory | None:
        """None: the source itself leads out of a contact at the start."""
        return None

    def straight(self, start: FloatArray, target: Pose, request: MotionRequest,
                 ctx: Context) -> MotionOutcome:
        """A straight line of the source. If it has none, our own planner says why.

        Ours is not moved if the source has none: its model of the arm may have more parts.
        """
        ctx.check()
        wrong = self._wrong(start, 'start', START_TOLERANCE)
        if wrong:
            return MotionOutcome(None, Reason.BAD_ARGUMENTS, wrong)
        assert self.collision is not None
        asked = self.collision.with_zones(replace(request, clearance_m=0.0))
        found = self._source.line(start, target, asked, self._limit_s(ctx), ctx)
        ctx.check()
        if found.waypoints is None:
            ours = super().straight(start, target, request, ctx)
            failure = _failure(found, request)
            return ours if ours.trajectory is None else _contradicted(failure, 'this line')
        path = self._checked(found.waypoints, start, None)
        if isinstance(path, MotionOutcome):
            return path
        trajectory = time_path(path, self.kinematics.limits, *self._scaling(request.speed))
        wrong = self._strays(trajectory, target)
        if wrong:
            return MotionOutcome(None, Reason.CONTROLLER_ABORTED, wrong,
                                 cause=Cause.CONTROLLER_ERROR)
        self.collision.use(replace(request, clearance_m=STRAIGHT_CLEARANCE_M))
        return self._line_outcome(trajectory, ctx)

    def _limit_s(self, ctx: Context) -> float:
        """How long one try may take (s)."""
        return max(0.01, min(self.motion.allowed_planning_time / self._tries, ctx.remaining_s()))

    def _explained(self, failure: MotionOutcome, start: FloatArray, goal: FloatArray,
                   ctx: Context) -> MotionOutcome:
        """The failure. If the source does not name what is in the way, we look for it.

        A search that took too long because of it found no way around: it is blocked.
        """
        if failure.blockers or failure.reason not in (*ABOUT_THE_SCENE, Reason.TIMEOUT):
            return failure
        blocked = self._contact_along(self._timed([start, goal], 1.0), ctx)
        if blocked is None:
            return _contradicted(failure, 'the direct way')
        if failure.reason not in (Reason.PATH_BLOCKED, Reason.TIMEOUT):
            return failure
        contact = blocked[1]
        return replace(failure, reason=Reason.PATH_BLOCKED, cause=Cause.APPROACH_BLOCKED,
                       detail=f'{failure.detail}; in the way: {contact.first} and '
                       f'{contact.second}', blockers=contact.blockers)

    def _along(self, waypoints: FloatArray, start: FloatArray, goal: FloatArray, speed: float,
               ctx: Context) -> MotionOutcome:
        """The fastest motion along a path that our checker finds free, or the contact."""
        path = self._checked(waypoints, start, goal)
        if isinstance(path, MotionOutcome):
            return path
        blocked = None
        for trajectory in self._motions(corners(path), speed):
            blocked = self._contact_along(trajectory, ctx)
            if blocked is None:
                return MotionOutcome(trajectory)
        assert blocked is not None
        share, contact = blocked
        return blocked_by(contact, f'after {share:.0%} of the path that was found',
                          Reason.PATH_BLOCKED)

    def _motions(self, path: list[FloatArray], speed: float) -> Iterator[JointTrajectory]:
        """Motions along a path, the fastest first; the last one stops at every corner."""
        for radius in CORNER_RADII:
            yield time_path(rounded(path, radius), self.kinematics.limits, *self._scaling(speed))
        yield self._with_stops(path, speed)

    def _checked(self, waypoints: FloatArray, start: FloatArray,
                 goal: FloatArray | None) -> FloatArray | MotionOutcome:
        """The waypoints with exactly our ends; a failure if they are not a path between them."""
        limits = self.kinematics.limits
        try:
            path = np.array(waypoints, dtype=float)
        except (TypeError, ValueError):  # of another program: anything
            path = np.array(np.nan)
        if (path.ndim != 2 or path.shape[1] != len(limits.names) or not len(path)
                or not np.isfinite(path).all()):
            return _invalid('its points are not finite joint angles')
        if np.abs(path[0] - start).max() > START_TOLERANCE + POSITION_TOLERANCE:
            return _invalid('it begins elsewhere')
        if goal is not None and np.abs(path[-1] - goal).max() > POSITION_TOLERANCE:
            return _invalid('it ends elsewhere')
        if not limits.contain(path[1:], POSITION_TOLERANCE):
            return _invalid('it leaves the joint limits')
        ends = [] if goal is None else [np.asarray(goal, dtype=float)]
        inner = path[1:] if goal is None else path[1:-1]
        return np.stack([np.asarray(start, dtype=float), *limits.clamp(inner), *ends])

    def _strays(self, trajectory: JointTrajectory, target: Pose) -> str:
        """How a motion differs from the straight line to `target`; '' if it is that line."""
        T = self.kinematics.forward(trajectory.positions)
        _, distance_m, angle = pose_error(target.matrix(), T[-1])
        if distance_m > self.ik_config.pos_tol or angle > self.ik_config.rot_tol:
            return f'the line that was found ends {1000 * distance_m:.1f} mm beside its target'
        points, begin = T[:, :3, 3], T[0, :3, 3]
        way = np.asarray(target.position) - begin
        share = np.clip((points - begin) @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
        stray_m = float(np.linalg.norm(begin + share[:, None] * way - points, axis=1).max())
        if stray_m <= LINE_STRAY_M:
            return ''
        return f'the line that was found is not straight: {1000 * stray_m:.1f} mm off'


def _failure(found: FoundPath, request: MotionRequest) -> MotionOutcome:
    """Why there is no path. What is held, and zones, are in nobody's way."""
    blockers = tuple(dict.fromkeys(name for name in found.blockers
                                   if request.scene.get(name) and name != request.scene.held))
    return MotionOutcome(None, found.reason, found.detail, cause=found.cause, blockers=blockers)


def _contradicted(failure: MotionOutcome, way: str) -> MotionOutcome:
    """The failure of a source that finds no path where ours is free.

    What it says about the scene is not true, so nobody should plan by it.
    """
    if failure.reason not in ABOUT_THE_SCENE:
        return failure
    return MotionOutcome(None, Reason.CONTROLLER_ABORTED,
                         f'{failure.detail}; but our check finds {way} free',
                         cause=Cause.CONTROLLER_ERROR)


def _invalid(why: str) -> MotionOutcome:
    return MotionOutcome(None, Reason.CONTROLLER_ABORTED,
                         f'the path that was found is wrong: {why}',
                         cause=Cause.CONTROLLER_ERROR)
