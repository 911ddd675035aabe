"""What is known about one episode after it ended."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Contact:
    """Two things that touched and should not have: when first, how long, how hard at worst."""

    first: str
    second: str
    at_s: float  # robot time
    lasted_s: float
    peak_n: float

    def __str__(self) -> str:
        return f'{self.first}–{self.second} at {self.at_s:.2f} s ({self.peak_n:.1f} N)'


@dataclass(frozen=True)
class Disturbed:
    """Something that the task does not mention and that ended up elsewhere."""

    name: str
    distance_m: float


@dataclass(frozen=True)
class Failed:
    """One failed attempt of the agent, as it gave it to its planner."""

    skill: str
    reason: str
    detail: str


@dataclass(frozen=True)
class Outcome:
    """How one episode ended. `success` is the physics' word, `claimed` the agent's.

    `objection` says what the judge found wrong ('' on success). `peak_speed` is the highest
    simulated joint speed as a share of that joint's limit; `pushed_m` how far the row's push, if
    it has one, moved the object before something stopped it; `seen_off_m` how far from its true
    place the target was in the first scene, None when it was not there under its name.
    """

    row: str
    seed: int
    success: bool
    objection: str
    claimed: bool
    final_reason: str
    final_detail: str
    replans: int = 0
    attempts: tuple[Failed, ...] = ()
    contacts: tuple[Contact, ...] = ()
    disturbed: tuple[Disturbed, ...] = ()
    peak_speed: float = 0.0
    pushed_m: float = 0.0
    seen_off_m: float | None = None
    robot_s: float = 0.0
    setup_s: float = 0.0  # building the world, part of wall_s
    wall_s: float = 0.0
    cpu_s: float = 0.0  # what wall_s would be on an idle machine, and watching
    machine: str = ''

    @property
    def false_success(self) -> bool:
        return self.claimed and not self.success

    @property
    def realtime(self) -> float:
        """Robot seconds per wall second."""
        return self.robot_s / self.wall_s if self.wall_s else 0.0

    def without_clock(self) -> Outcome:
        """The part that the seed decides: equal wherever the episode ran."""
        return replace(self, setup_s=0.0, wall_s=0.0, cpu_s=0.0, machine='')

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), 'false_success': self.false_success, 'realtime': self.realtime}
