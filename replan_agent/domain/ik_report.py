# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The result of an inverse-kinematics solve, in numbers that can be checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from replan_agent.text.plain_values import Recorded

from .pose import Pose


class Reachability(str, Enum):
    """A solution was found, impossibility was proved, or neither."""

    REACHABLE = 'reachable'
    PROVED_UNREACHABLE = 'proved_unreachable'
    UNDECIDED = 'undecided'


@dataclass(frozen=True)
class IKReport(Recorded):
    """The outcome of one solve. `pos_err` and `rot_err` are those of FK at `joints`.

    `out_of_reach_m` is set if the proof gives a distance: the target must come at least this
    much closer.
    """

    converged: bool
    iterations: int
    pos_err: float  # m
    rot_err: float  # rad
    pos_tol: float  # m
    rot_tol: float  # rad
    target: Pose
    frame: str
    joints: tuple[float, ...]
    limiting_joint: str | None = None
    reachability: Reachability = Reachability.UNDECIDED
    out_of_reach_m: float | None = None
    proof: str = ''  # or what was tried instead
    solver: str = ''

    @property
    def sentence(self) -> str:
        """One sentence with the numbers, for `reason_detail`."""
        if self.converged:
            return f'IK converged (pos_err={self.pos_err:.4f}m, rot_err={self.rot_err:.4f}rad)'
        errors = [f'{name}={err:.4f}{unit} > tol={tol:g}{unit}' for name, err, tol, unit in (
            ('pos_err', self.pos_err, self.pos_tol, 'm'),
            ('rot_err', self.rot_err, self.rot_tol, 'rad')) if err > tol]
        tried = ('IK has no posture by its formulas, and none near it was found'
                 if self.solver.startswith('formulas') else
                 f'IK did not converge in {self.iterations} iters')
        text = f'{tried} ({", ".join(errors)})'
        if self.reachability is Reachability.PROVED_UNREACHABLE:
            text += f'; proved unreachable: {self.proof}'
        elif self.limiting_joint:
            text += f'; limited by {self.limiting_joint}'
        if self.reachability is Reachability.UNDECIDED and self.proof:
            text += f'; {self.proof}'
        return text
