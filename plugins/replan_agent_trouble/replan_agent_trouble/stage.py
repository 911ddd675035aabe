# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a world of this benchmark gives: the stage of an episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from replan_agent import Config, ConfigError, RobotCell
from replan_agent.app.build import plugins
from replan_agent.arms.arm_model import Kinematics
from replan_agent.domain.pose import FloatArray

WORLDS = 'replan_agent_trouble.worlds'


class Stage(Protocol):
    """A world with its trouble. What is below `cell` is the truth, for the judge alone."""

    @property
    def task(self) -> str: ...

    @property
    def cell(self) -> RobotCell:
        """The arm and the camera, for agents. Only commands make time pass."""

    @property
    def kinematics(self) -> Kinematics: ...

    def follow(self, joints: FloatArray, grip: float, seconds: float) -> None:
        """Let that time pass while the joints go to these angles (rad).

        `grip` from -1 to 0 is an opening, from wide open to closed; above 0 the fingers press
        with that share of their force.
        """

    @property
    def solvable(self) -> bool: ...

    @property
    def causes(self) -> frozenset[str]:
        """The words of CAUSES that are true of its trouble; none if it has none."""

    def has_met(self) -> bool:
        """Whether the trouble came about."""

    def touched(self) -> tuple[str, ...]:
        """The things beside the task's own that the arm, or what it held, touched."""

    def objection(self) -> str:
        """What is wrong once everything came to rest; '' if the task is done."""

    def now(self) -> float:
        """Robot time (s) since the start."""

    def close(self) -> None: ...


class TroubleWorld(Protocol):
    """What an entry point of the group `replan_agent_trouble.worlds` names."""

    @property
    def troubles(self) -> Mapping[str, str]:
        """What it offers: a name each, and what happens."""

    def twins(self, trouble: str) -> tuple[bool, ...]:
        """Whether it has a solvable twin (True), an unsolvable one (False), or both."""

    def stage(self, trouble: str, seed: int, solvable: bool, config: Config,
              picture: tuple[int, int] | None = None) -> Stage:
        """A fresh world. The first picture does not tell the twins apart."""


def world_names() -> tuple[str, ...]:
    return plugins.installed_names(WORLDS)


def world_named(name: str) -> TroubleWorld:
    """The world of that name. Raises ConfigError, which lists the available ones."""
    return cast(TroubleWorld, plugins.offered(WORLDS, name))


def checked_trouble(world: TroubleWorld, trouble: str) -> str:
    """The trouble, if the world has it. Raises ConfigError, which lists those that it has."""
    if trouble not in world.troubles:
        raise ConfigError(f'trouble: {trouble!r} is not one of: {", ".join(world.troubles)}')
    return trouble
