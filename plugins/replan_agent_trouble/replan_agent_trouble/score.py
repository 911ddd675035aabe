# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How an episode ended, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Claim(str, Enum):
    """What the agent says about the end."""

    DONE = 'done'
    IMPOSSIBLE = 'impossible'
    NOTHING = 'nothing'

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Score:
    """The verdict of one episode.

    `done` is what the physics say; `objection` tells what is wrong ('' if it is done). `causes`
    are the words of CAUSES that are true; none if there is no trouble. `met`: the trouble came
    about. `told` is the cause that was reported last. `motions` counts the commands to the arm,
    or the calls of `step`. `touched` are the things beside the task's own that the arm, or what
    it held, touched.
    """

    trouble: str
    seed: int
    solvable: bool
    done: bool
    objection: str
    claim: Claim
    told: str
    causes: frozenset[str]
    met: bool
    motions: int
    robot_s: float
    wall_s: float
    touched: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether it is done if it can be done, and else whether that was found out."""
        return self.done if self.solvable else self.claim is Claim.IMPOSSIBLE

    @property
    def false_claim(self) -> bool:
        """Whether it was called done and is not, or impossible and can be done."""
        return (self.claim is Claim.DONE and not self.done
                or self.claim is Claim.IMPOSSIBLE and self.solvable)

    @property
    def asked(self) -> bool:
        """Whether the cause counts: one was told, or the trouble came about and it is not done."""
        return bool(self.told) or self.met and bool(self.causes) and not self.done

    @property
    def cause_right(self) -> bool:
        return self.told in self.causes
