# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The motion planner: postures, joint motions around obstacles, and straight lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from replan_agent.arms.arm_model import ArmModel, Kinematics
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config, IKConfig, MotionConfig
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.trajectory import JointTrajectory
from replan_agent.geometry.keep_out import keep_out_zones

from .blend import checkpoints, free_radii, rounded
from .cartesian import LINE_TOLERANCE, LineFollower, StraightLine, ways_out
from .envelope import BoundedChecker, ZonedChecker, sampled
from .ik import ExactIK, free_postures, to_easiest_posture
from .motion_protocols import (
    CollisionChecker,
    Contact,
    FoundContact,
    IKOutcome,
    MotionOutcome,
    MotionRequest,
    Postures,
    blocked_by,
)
from .rrt import PathSearch, SearchLimits
from .shortcuts import EdgeFree, Free
from .timing import joined, time_joint_move, time_path

START_TOLERANCE = 0.02  # rad; a real arm may be this far outside its limits
STRAIGHT_CLEARANCE_M = 0.0005  # straight lines lead to contacts, so they only must not touch
CORNER_RADII = (0.6, 0.3, 0.15, 0.07, 0.03)  # rad; tried until the rounded corner is free
# How a path is searched: rad between two checks, more clearance than needed (m), and the share of
# the time. The motion is checked again in the end. If it touches something, or if nothing was
# found, the search is done again, finely; then with other random numbers.
ROUNDS = ((0.05, 0.004, 0.4), (0.01, 0.0, 1.0), (0.01, 0.002, 1.0), (0.005, 0.0, 1.0))
CHECKED_EVERY = 0.01  # rad of a joint, along the motion: the tool moves 5 mm, 15 at most
CLOSELY_EVERY = 0.0025  # where less than ROOMY_M is kept
ROOMY_M = 0.008
START_SLACK_M = 0.0005
END_TOLERANCE = 0.01  # rad of a joint, or m of the tool


class JointPlanner:
    """The MotionPlanner of an arm with these kinematics and this IK.

    Without a collision checker, nothing is avoided. With one, every motion is checked against the
    perceived scene before the arm gets it: every sample of a straight line of the tool, and every
    hundredth of a radian of a joint motion. What a subclass finds in its own way is checked again.
    """

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        for name in {'to_joints', 'to_pose', 'straight', '_around'} & vars(cls).keys():
            setattr(cls, name, _checked_again(vars(cls)[name]))

    def __init__(self, kinematics: Kinematics, ik: ExactIK, motion: MotionConfig | None = None,
                 ik_config: IKConfig | None = None, collision: CollisionChecker | None = None,
                 keep_out: tuple[SceneObject, ...] = (), seed: int = 0) -> None:
        self.kinematics = kinematics
        self.ik = ik
        self.motion = motion or MotionConfig()
        self.ik_config = ik_config or IKConfig()
        self.collision = None if collision is None else ZonedChecker(collision, keep_out)
        self.seed = seed
        self._lines = LineFollower(kinematics, self.ik_config.max_iterations)

    def close(self) -> None:
        """End what plans outside this process; here nothing does."""

    def forward(self, joints: FloatArray) -> Pose:
        """T_base_tcp."""
        return Pose.from_matrix(self.kinematics.forward(joints))

    def solve_ik(self, target: Pose, near: FloatArray) -> IKOutcome:
        """The solution nearest to `near` that keeps clear of the joint limits."""
        return self.ik.solve(target, near)

    def postures(self, target: Pose, near: FloatArray, request: MotionRequest) -> Postures:
        """Different ways to reach a target without touching anything, nearest to `near` first."""
        return next(self.postures_of_each([(target, request)], near))

    def postures_of_each(self, targets: Sequence[tuple[Pose, MotionRequest]],
                         near: FloatArray) -> Iterator[Postures]:
        """`postures` of each target, in order. Their IK is solved in one batch."""
        found = self.ik.alternatives([target for target, _ in targets], near)
        for alternatives, (_, request) in zip(found, targets):
            yield free_postures(alternatives, self.collision, request)

    def to_joints(self, start: FloatArray, goal: FloatArray, request: MotionRequest,
                  ctx: Context) -> MotionOutcome:
        """A joint motion: straight if that is free, else around the obstacles."""
        ctx.check()
        wrong = self._wrong(start, 'start', START_TOLERANCE) or self._wrong(goal, 'goal', 1e-6)
        if wrong:
            return MotionOutcome(None, Reason.BAD_ARGUMENTS, wrong)
        if self.collision is None:
            return MotionOutcome(self._timed([start, goal], request.speed))
        request = replace(request, clearance_m=self.motion.collision_clearance)
        leaving = self._leaving(start, request, ctx)
        begin = start if leaving is None else leaving.end
        prepared = self._prepare(begin, goal, request)
        if isinstance(prepared, MotionOutcome):
            return prepared
        found = self._around(begin, goal, *prepared, ctx)
        if leaving is None or found.trajectory is None:
            return found
        return replace(found, trajectory=joined([leaving, found.trajectory]))

    def to_pose(self, start: FloatArray, target: Pose, request: MotionRequest,
                ctx: Context) -> MotionOutcome:
        """A joint motion to the easiest posture at `target`."""
        found = to_easiest_posture(self, start, target, request, ctx)
        return self._unreachable(target, start, request, ctx) if found is None else found

    def straight(self, start: FloatArray, target: Pose, request: MotionRequest,
                 ctx: Context) -> MotionOutcome:
        """A straight line of the TCP to `target`: all of it, or how far it got."""
        ctx.check()
        wrong = self._wrong(start, 'start', START_TOLERANCE)
        if wrong:
            return MotionOutcome(None, Reason.BAD_ARGUMENTS, wrong)
        line = self._line(start, target, ctx)
        if line.failed_target is not None and line.attempt is not None:
            report = self.ik.report(line.failed_target, line.attempt, LINE_TOLERANCE)
            detail = f'straight line stops at {line.reached:.0%}: {report.sentence}'
            return _unreached(detail, report)
        trajectory = time_path(line.waypoints, self.kinematics.limits,
                               *self._scaling(request.speed))
        if self.collision is None:
            return MotionOutcome(trajectory)
        self.collision.use(replace(request, clearance_m=STRAIGHT_CLEARANCE_M))
        return self._line_outcome(trajectory, ctx)

    def _line_outcome(self, trajectory: JointTrajectory, ctx: Context) -> MotionOutcome:
        """A motion along a straight line, or what it touches."""
        blocked = self._contact_along(trajectory, ctx)
        if blocked is None:
            return MotionOutcome(trajectory)
        share, contact = blocked
        reason = Reason.IN_COLLISION if share == 1.0 else Reason.PATH_BLOCKED
        return blocked_by(contact, f'after {share:.0%} of the straight line', reason)

    def _unreachable(self, target: Pose, start: FloatArray, request: MotionRequest,
                     ctx: Context) -> MotionOutcome:
        """Why there is no exact solution. One within the tolerance is still good enough."""
        solved = self.ik.solve(target, start)
        if solved.joints is not None:
            return self.to_joints(start, solved.joints, request, ctx)
        detail = solved.report.sentence if solved.report else 'IK found no solution'
        return _unreached(detail, solved.report)

    def _leaving(self, start: FloatArray, request: MotionRequest,
                 ctx: Context) -> JointTrajectory | None:
        """A straight motion of the hand out of the objects that the arm touches at its start.

        None if it touches none, or if no line leads out. On a joint motion it would sweep away
        what stands between the fingers.
        """
        assert self.collision is not None
        checker, apart = self.collision, replace(request, clearance_m=0.0)

        def free(joints: FloatArray) -> bool:
            return checker.first_contact(joints) is None

        checker.use(apart)
        contact = checker.first_contact(start)
        if contact is None or not contact.blockers:
            return None
        touching = self._touching(start, apart)
        lines = list(self._ways_out(start, free))
        outs = []
        for asked in (request, apart):  # so far that a path can begin there, else out of it
            checker.use(asked)
            outs += [end for line in lines if (end := next(filter(free, line), None)) is not None]
        for out in outs:
            found = self.straight(start, self.forward(out), touching, ctx)
            if found.trajectory is not None:
                return found.trajectory
        return None

    def _touching(self, start: FloatArray, request: MotionRequest) -> MotionRequest:
        """The request, with the contacts at the start allowed. From now on they are."""
        assert self.collision is not None
        self.collision.use(request)
        contact = self.collision.first_contact(start)
        while contact is not None:
            pair = (contact.first, contact.second)
            request = replace(request, allowed_contacts=(*request.allowed_contacts, pair))
            self.collision.use(request)
            contact = self.collision.first_contact(start)
        return request

    def _prepare(self, start: FloatArray, goal: FloatArray,
                 request: MotionRequest) -> MotionOutcome | tuple[MotionRequest, float]:
        """What to ask of the path, and how close its ends are (m). A failure if the goal touches.

        If the start or the goal is closer to something than the clearance, the path between them
        only needs to keep that distance.
        """
        assert self.collision is not None
        self.collision.use(replace(request, clearance_m=0.0))
        contact = self.collision.first_contact(goal)
        if contact is not None:
            return blocked_by(contact, 'at the goal')
        # What it touches already must not block the motion.
        touching = self._touching(start, replace(request, clearance_m=0.0))
        request = replace(request, allowed_contacts=touching.allowed_contacts)
        ends_m = min(map(self.collision.clearance, (start, goal))) - START_SLACK_M
        return replace(request, clearance_m=max(0.0, min(request.clearance_m, ends_m))), ends_m

    def _around(self, start: FloatArray, goal: FloatArray, request: MotionRequest, ends_m: float,
                ctx: Context) -> MotionOutcome:
        """A motion between two postures that touches nothing. A subclass may find its path."""
        return self._search(start, goal, request, ends_m,
                            ctx.within(self.motion.allowed_planning_time), ctx)

    def _search(self, start: FloatArray, goal: FloatArray, request: MotionRequest, ends_m: float,
                whole: Context, ctx: Context) -> MotionOutcome:
        """A path as one motion: straight if that is free. Smoothed, it keeps the clearance too.

        `whole` is `ctx` with the time that is left for all of the search.
        """
        assert self.collision is not None
        checker, met = self.collision, Counter[tuple[str, str, tuple[str, ...]]]()

        def none(found: FoundContact | None) -> bool:
            if found is not None:
                contact = found[1]
                met[contact.first, contact.second, contact.blockers] += 1
            return found is None

        def free(joints: FloatArray) -> bool:
            return none(checker.first_among(joints[None]))

        def all_free(postures: FloatArray) -> bool:
            ctx.check()
            return none(checker.first_among(postures))

        limit_s = self.motion.allowed_planning_time
        every = CHECKED_EVERY if request.clearance_m >= ROOMY_M else CLOSELY_EVERY
        for number, (resolution, spare_m, share) in enumerate(ROUNDS):
            wanted_m = max(request.clearance_m, min(request.clearance_m + spare_m, ends_m))
            checker.use(replace(request, clearance_m=wanted_m))
            search = PathSearch(self.kinematics.limits, free, SearchLimits(resolution),
                                self.seed + max(0, number - 1),
                                lambda end: self._ways_out(end, free), all_free)
            path = _found(search, start, goal, whole.within(share * limit_s), ctx)
            checker.use(request)
            if path is None and number:
                break
            for trajectory in self._smoothed(path, search.edge_free, request.speed, number > 0):
                if none(checker.first_among(checkpoints(trajectory, every))):
                    return MotionOutcome(trajectory)
        return _no_way(met, limit_s)

    def _ways_out(self, end: FloatArray, free: Free) -> Iterator[list[FloatArray]]:
        """Lines of joints that lead away from an end of a path: how a search begins."""
        return ways_out(self.kinematics, end, free)

    def _smoothed(self, path: list[FloatArray] | None, edge_free: EdgeFree, speed: float,
                  careful: bool) -> Iterator[JointTrajectory]:
        """Motions along a path. Careful ones stay closer to it; the last stops at every corner."""
        if path is None:
            return
        radii = free_radii(path, edge_free, CORNER_RADII)
        yield self._curve(path, radii, speed)
        if careful:
            yield self._curve(path, [radius / 4 for radius in radii], speed)
            yield self._with_stops(path, speed)

    def _with_stops(self, path: list[FloatArray], speed: float) -> JointTrajectory:
        """The motion that stops at every corner of a path."""
        return joined([self._timed([a, b], speed) for a, b in zip(path, path[1:])])

    def _curve(self, path: list[FloatArray], radii: list[float], speed: float) -> JointTrajectory:
        """The motion along a path with rounded corners."""
        return time_path(rounded(path, radii), self.kinematics.limits, *self._scaling(speed))

    def _contact_along(self, trajectory: JointTrajectory,
                       ctx: Context) -> tuple[float, Contact] | None:
        """Where along a trajectory (0 to 1) the first contact is, and with what."""
        assert self.collision is not None
        ctx.check()
        times, positions = sampled(trajectory, CLOSELY_EVERY)
        # The end first: a goal in contact should be reported as such, not as a blocked path to it.
        contact = self.collision.first_contact(positions[-1])
        if contact is not None:
            return 1.0, contact
        found = self.collision.first_among(positions[1:-1])
        return found and (float(times[found[0] + 1] / times[-1]), found[1])

    def _line(self, start: FloatArray, target: Pose, ctx: Context) -> StraightLine:
        """The line that continues as it began, or else one that steers to an IK solution."""
        line = self._lines.follow(start, target, ctx)
        if line.reached == 1.0:
            return line
        goal = self.ik.solve_many([target], start)[0]
        if goal is None:
            return line
        steered = self._lines.follow(start, target, ctx, toward=goal)
        return steered if steered.reached > line.reached else line

    def _checked_again(self, found: MotionOutcome, start: FloatArray, goal: FloatArray | Pose,
                       request: MotionRequest) -> MotionOutcome:
        """A motion of a subclass, or why nobody gets it: its end is elsewhere, or it touches."""
        trajectory = found.trajectory
        if trajectory is None:
            return found
        off = (self.forward(trajectory.end).distance_to(goal) if isinstance(goal, Pose)
               else float(np.abs(trajectory.end - goal).max()))
        if not off <= END_TOLERANCE:  # also if it is no number
            return MotionOutcome(None, Reason.PATH_BLOCKED, 'the motion that was found ends '
                                 f'{off:.3g} {"m" if isinstance(goal, Pose) else "rad"} off')
        if self.collision is None:
            return found
        prepared = self._prepare(start, trajectory.end, replace(request, clearance_m=0.0))
        if isinstance(prepared, MotionOutcome):
            return prepared
        self.collision.use(prepared[0])
        touched = self.collision.first_among(checkpoints(trajectory, CHECKED_EVERY))
        return found if touched is None else blocked_by(
            touched[1], 'on the way that was found', Reason.PATH_BLOCKED)

    def _timed(self, ends: list[FloatArray], speed: float) -> JointTrajectory:
        return time_joint_move(ends[0], ends[1], self.kinematics.limits, *self._scaling(speed))

    def _scaling(self, speed: float = 1.0) -> tuple[float, float]:
        return (self.motion.max_velocity_scaling_factor * speed,
                self.motion.max_acceleration_scaling_factor * speed)

    def _wrong(self, joints: FloatArray, what: str, tolerance: float) -> str:
        """What is wrong with these joints, in a sentence; empty if they are fine."""
        limits, joints = self.kinematics.limits, np.asarray(joints, dtype=float)
        if joints.shape != limits.lower.shape or not np.all(np.isfinite(joints)):
            return f'the {what} needs {len(limits.names)} finite joint angles, not {joints}'
        outside = np.maximum(limits.lower - joints, joints - limits.upper)
        worst = int(np.argmax(outside))
        if outside[worst] <= tolerance:
            return ''
        return (f'the {what} has {limits.names[worst]}={joints[worst]:.4f} rad, outside its '
                f'limits {limits.lower[worst]:.4f} to {limits.upper[worst]:.4f}')


def _checked_again(find: Callable[..., MotionOutcome]) -> Callable[..., MotionOutcome]:
    @wraps(find)
    def found(self: JointPlanner, start: FloatArray, goal: FloatArray | Pose,
              request: MotionRequest, *rest: Any) -> MotionOutcome:
        return self._checked_again(find(self, start, goal, request, *rest), start, goal, request)

    return found


def _found(search: PathSearch, start: FloatArray, goal: FloatArray, within: Context,
           ctx: Context) -> list[FloatArray] | None:
    """A path, or None if there is none or the time of the search is over."""
    try:
        return search.find(start, goal, within)
    except DeadlineExceeded:
        ctx.check()
        return None


def _no_way(met: Counter[tuple[str, str, tuple[str, ...]]], limit_s: float) -> MotionOutcome:
    """No path. It names the two pairs that met most often, as (first, second, blockers)."""
    worst = [pair for pair, _ in met.most_common(2)]
    named = '; '.join(f'{first} and {second}' for first, second, _ in worst)
    return MotionOutcome(
        None, Reason.PATH_BLOCKED, 'no way around found within '
        f'allowed_planning_time={limit_s:g}s; in the way: {named}',
        cause=Cause.APPROACH_BLOCKED,
        blockers=tuple(dict.fromkeys(name for *_, names in worst for name in names)))


def _unreached(detail: str, report: IKReport | None) -> MotionOutcome:
    return MotionOutcome(None, Reason.UNREACHABLE, detail, report, Cause.NO_POSTURE)


def joint_planner(config: Config, arm: ArmModel, collision: CollisionChecker | None = None,
                  seed: int = 0) -> JointPlanner:
    """A JointPlanner for an arm, which keeps its tool in the workspace of the settings."""
    return JointPlanner(**planner_parts(config, arm, collision), seed=seed)


def planner_parts(config: Config, arm: ArmModel,
                  collision: CollisionChecker | None) -> dict[str, Any]:
    """What a JointPlanner for this arm is made of."""
    return {'kinematics': arm.kinematics, 'ik': ExactIK(arm, config.ik, config.robot.frame),
            'motion': config.motion, 'ik_config': config.ik,
            'collision': collision and BoundedChecker(collision, arm, config.workspace),
            'keep_out': keep_out_zones(config.workspace)}
