# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics with a report, by the branches of an arm; and its postures that are free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from replan_agent.arms.arm_model import ArmModel, ReachabilityProof
from replan_agent.domain.config import IKConfig
from replan_agent.domain.context import Context
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.pose import FloatArray, Pose

from . import motion_protocols as motions
from .motion_protocols import IKOutcome
from .numeric_ik import DampedLeastSquares, NumericSolution, Tolerance

DISTINCT_RAD = 0.4  # two solutions are different when some joint differs by this much
MOST_POSTURES = 8
MOST_ALTERNATIVES = 80  # solutions to check for them


class ExactIK:
    """The branches first, then the proof of unreachability, then the residual for the report.

    `last_proof` is the proof of the last failed solve; `elapsed_s` is how long it took.
    """

    def __init__(self, arm: ArmModel, config: IKConfig | None = None,
                 base_frame: str = '') -> None:
        config = config or IKConfig()
        self.name = f'{arm.branches.name}+dls'
        self.base_frame = base_frame or arm.base_frame
        self.last_proof: ReachabilityProof | None = None
        self._branches, self._prove = arm.branches, arm.prove or self._no_proof
        self._numeric = DampedLeastSquares(arm.kinematics, config.max_iterations,
                                           Tolerance(config.pos_tol, config.rot_tol))

    def solve(self, target: Pose, near: FloatArray) -> IKOutcome:
        """The solution nearest to `near` and clear of limits; a report if there is none."""
        T = _finite_matrix(target)
        joints = self._branches.solve_nearest(T, near)
        if joints is not None:
            return IKOutcome(joints)
        self.last_proof = self._prove(T)
        if self.last_proof.witness is not None:
            return IKOutcome(self.last_proof.witness)
        # There may be a solution within the tolerance even if there is no exact one.
        attempt = self._numeric.solve(T, near)
        if attempt.converged:
            return IKOutcome(attempt.joints)
        return IKOutcome(None, self._report(target, attempt, self._numeric.tolerance, self.name))

    def solve_many(self, targets: Sequence[Pose], near: FloatArray) -> list[FloatArray | None]:
        """All targets in one vectorised sweep; exact solutions only."""
        if not targets:
            return []
        return self._branches.solve_nearest_batch(
            np.stack([_finite_matrix(target) for target in targets]), near)

    def alternatives(self, targets: Sequence[Pose],
                     near: FloatArray) -> list[Iterator[FloatArray]]:
        """Solutions at least `DISTINCT_RAD` apart, cheapest first, on demand; exact ones only.

        All targets are solved in one vectorised sweep.
        """
        if not targets:
            return []
        T = np.stack([_finite_matrix(target) for target in targets])
        best = self._branches.solve_nearest_batch(T, near)
        row, joints = self._branches.solve_all_batch(T)
        order = np.lexsort((self._branches.cost(joints, near), row))
        ends = np.searchsorted(row[order], np.arange(1, len(T)))
        return [_distinct(nearest, others)
                for nearest, others in zip(best, np.split(joints[order], ends))]

    def report(self, target: Pose, attempt: NumericSolution, tolerance: Tolerance) -> IKReport:
        """A report on a failed attempt of another solver, with the proof if there is one."""
        self.last_proof = self._prove(_finite_matrix(target))
        return self._report(target, attempt, tolerance, 'dls')

    def _no_proof(self, T_base_tcp: FloatArray) -> ReachabilityProof:
        return ReachabilityProof(Reachability.UNDECIDED,
                                 proof=f'not found in {self._branches.tries} tries')

    def _report(self, target: Pose, attempt: NumericSolution, tolerance: Tolerance,
                solver: str) -> IKReport:
        assert self.last_proof is not None
        return IKReport(
            converged=attempt.converged, iterations=attempt.iterations, pos_err=attempt.pos_err,
            rot_err=attempt.rot_err, pos_tol=tolerance.pos, rot_tol=tolerance.rot, target=target,
            frame=self.base_frame, joints=tuple(map(float, attempt.joints)),
            limiting_joint=attempt.limiting_joint, solver=solver,
            reachability=self.last_proof.verdict, proof=self.last_proof.proof,
            out_of_reach_m=self.last_proof.out_of_reach_m)


def _distinct(best: FloatArray | None, others: FloatArray) -> Iterator[FloatArray]:
    """The best solution and those of the others (M, n) that differ from all before them."""
    chosen = best
    while chosen is not None:
        yield chosen
        others = others[np.abs(others - chosen).max(axis=1) >= DISTINCT_RAD]
        chosen = others[0] if len(others) else None


def _finite_matrix(target: Pose) -> FloatArray:
    T = target.matrix()
    if not np.isfinite(T).all():
        raise ValueError(f'the target pose must be finite: {target}')
    return T


def free_postures(found: Iterator[FloatArray], collision: motions.CollisionChecker | None,
                  request: motions.MotionRequest) -> motions.Postures:
    """The first of these IK solutions that touch nothing, or what the first one touches."""
    if collision is None:
        return motions.Postures(tuple(islice(found, MOST_POSTURES)))
    collision.use(request)
    free: list[FloatArray] = []
    contact = None
    for joints in islice(found, MOST_ALTERNATIVES):
        touched = collision.first_contact(joints)
        contact = contact or touched
        free += [joints] if touched is None else []
        if len(free) == MOST_POSTURES:
            break
    return motions.Postures(tuple(free), None if free else contact)


def to_easiest_posture(planner: motions.MotionPlanner, start: FloatArray, target: Pose,
                       request: motions.MotionRequest, ctx: Context
                       ) -> motions.MotionOutcome | None:
    """The motion to the first posture that has one, or why none has; None if no posture exists."""
    ctx.check()
    found = planner.postures(target, start, request)
    if found.contact is not None:
        return motions.blocked_by(found.contact, 'at the goal')
    if not found.joints:
        return None
    outcome = motions.MotionOutcome(None)
    for joints in found.joints:
        outcome = planner.to_joints(start, joints, request, ctx)
        if outcome.trajectory is not None:
            break
    return outcome
