# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""One episode: an arm, a sentence, a trouble, and what the agent says about it."""

from __future__ import annotations

import time
from dataclasses import replace
from types import TracebackType

import numpy as np

from replan_agent import Config, ConfigError, RobotCell, load_config
from replan_agent.domain.pose import FloatArray

from .causes import checked_cause
from .counted import CountedRobot
from .score import Claim, Score
from .stage import Stage, checked_trouble, world_named

COIN = 39  # so that the coin of a seed is not the first number of its scene


class Episode:
    """A task that may meet a trouble: `Episode('tabletop', 'moved_mid_pick', seed=7)`.

    An agent works with `cell`, its arm and camera, until it has carried out `task`. Then it says
    `done()`, or `give_up(cause)` if it cannot be done; `report(cause)` says what went wrong on
    the way. `score()` also ends it, without a claim. `solvable` chooses one of the twins; by
    default the seed does, and nobody is told. `picture` is the size of the camera's pictures.
    """

    def __init__(self, world: str, trouble: str, seed: int = 0, solvable: bool | None = None, *,
                 config: Config | None = None, picture: tuple[int, int] | None = None) -> None:
        self._started = time.perf_counter()
        found = world_named(world)
        self.trouble, self.seed = checked_trouble(found, trouble), seed
        twins = found.twins(trouble)
        if solvable is not None and solvable not in twins:
            raise ConfigError(f'{trouble!r} has no {"" if solvable else "un"}solvable twin')
        coin = int(np.random.default_rng((COIN, seed)).integers(len(twins)))
        self.stage: Stage = found.stage(
            trouble, seed, twins[coin] if solvable is None else solvable,
            config or load_config(None), picture)
        self._robot = CountedRobot(self.stage.cell.robot)
        self._told = ''
        self._score: Score | None = None

    @property
    def task(self) -> str:
        """The sentence that is to be carried out."""
        return self.stage.task

    @property
    def cell(self) -> RobotCell:
        """The arm and the camera; `Agent(episode.cell, config=...)` runs our agent on them."""
        return replace(self.stage.cell, robot=self._robot)

    def follow(self, joints: FloatArray, grip: float, seconds: float) -> None:
        """Let the arm go to these angles, for programs that steer it in small steps.

        `grip` from -1 to 0 is an opening, above 0 a share of the force.
        """
        self._check_open()
        self._robot.count.commands += 1
        self.stage.follow(joints, grip, seconds)

    def report(self, cause: str) -> None:
        """Say what went wrong, with a word of CAUSES. The last word counts."""
        self._check_open()
        self._told = checked_cause(cause)

    def give_up(self, reason: str) -> Score:
        """Say that it cannot be done, and why, with a word of CAUSES. This ends the episode."""
        self.report(reason)
        return self._ended(Claim.IMPOSSIBLE)

    def done(self) -> Score:
        """Say that the task is done. This ends the episode."""
        self._check_open()
        return self._ended(Claim.DONE)

    def score(self) -> Score:
        """The verdict. If nothing was claimed, this ends the episode."""
        return self._score or self._ended(Claim.NOTHING)

    @property
    def is_over(self) -> bool:
        return self._score is not None

    def _ended(self, claim: Claim) -> Score:
        stage, robot_s = self.stage, self.stage.now()
        wall_s = time.perf_counter() - self._started
        objection = stage.objection()
        self._score = Score(
            self.trouble, self.seed, stage.solvable, not objection, objection, claim, self._told,
            stage.causes, stage.has_met(), self._robot.count.commands, robot_s, wall_s,
            stage.touched())
        return self._score

    def _check_open(self) -> None:
        if self.is_over:
            raise RuntimeError('the episode has ended: nothing more can be done or said in it')

    def close(self) -> None:
        self.stage.close()

    def __enter__(self) -> Episode:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
