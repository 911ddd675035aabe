# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics on random reachable poses: the closed form and the generic solver."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.table import Table

from replan_agent.arms.arm_model import Kinematics
from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.config import IKConfig
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.motion.ik import ExactIK
from replan_agent.motion.numeric_ik import DampedLeastSquares, Tolerance

from .stats import percentile


@dataclass(frozen=True)
class IKTiming:
    """How one solver did. `worst_pos_err` (m) is over the poses it claims to have solved."""

    solver: str
    n: int
    solved: int
    median_ms: float
    p95_ms: float
    worst_pos_err: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure_ik(n: int, seed: int) -> list[IKTiming]:
    """Both solvers on the same `n` poses of random joint angles, starting from home."""
    kinematics = PANDA.kinematics
    limits, rng = kinematics.limits, np.random.default_rng(seed)
    poses = [Pose.from_matrix(kinematics.forward(q))
             for q in rng.uniform(limits.lower, limits.upper, (n, len(limits.names)))]
    config = IKConfig()
    exact = ExactIK(PANDA, config)
    numeric = DampedLeastSquares(kinematics, config.max_iterations,
                                 Tolerance(config.pos_tol, config.rot_tol))

    def solved_numerically(pose: Pose, near: FloatArray) -> FloatArray | None:
        attempt = numeric.solve(pose.matrix(), near)
        return attempt.joints if attempt.converged else None

    return [_measure(exact.name, lambda pose, near: exact.solve(pose, near).joints, kinematics,
                     poses),
            _measure('dls', solved_numerically, kinematics, poses)]


def _measure(name: str, solve: Callable[[Pose, FloatArray], FloatArray | None],
             kinematics: Kinematics, poses: list[Pose]) -> IKTiming:
    near, times, errors = np.array(HOME), [], []
    solve(poses[0], near)  # the first call pays for set-up
    for pose in poses:
        started = time.perf_counter()
        joints = solve(pose, near)
        times.append(1e3 * (time.perf_counter() - started))
        if joints is not None:
            reached = kinematics.forward(joints)[:3, 3]
            errors.append(float(np.linalg.norm(reached - np.array(pose.position))))
    return IKTiming(name, len(poses), len(errors), percentile(times, 50), percentile(times, 95),
                    max(errors, default=float('nan')))


def ik_table(timings: Sequence[IKTiming]) -> Table:
    table = Table(title='inverse kinematics: random reachable poses, 1 mm and 0.01 rad')
    for heading in ('solver', 'poses', 'solved', 'median ms', 'p95 ms', 'worst pos_err m'):
        table.add_column(heading, justify='left' if heading == 'solver' else 'right')
    for t in timings:
        table.add_row(t.solver, str(t.n), f'{t.solved} ({100 * t.solved / t.n:.1f} %)',
                      f'{t.median_ms:.2f}', f'{t.p95_ms:.2f}', f'{t.worst_pos_err:.1e}')
    return table
