# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Objects: can it pick up things that nobody here made?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.config import ConfigError
from replan_agent_bench.outcome import Job
from replan_agent_bench.suite import Cell, Column, Suite

from .cells import FALSE, INTERVAL, OK, ROBOT, SUCCESS, percent
from .objects_episode import CAMERA, ROWS, TRUTH, ObjectRow, ObjectsOutcome, run_object, things_of


@dataclass(frozen=True)
class ObjectNumbers:
    """`graspable` are episodes in which the true shape can be grasped."""

    graspable: int
    of_graspable: float
    reasons: dict[str, int]
    replans: int


def object_numbers(outcomes: Sequence[ObjectsOutcome]) -> ObjectNumbers:
    graspable = [o for o in outcomes if o.graspable]
    return ObjectNumbers(
        len(graspable), sum(o.success for o in graspable) / max(1, len(graspable)),
        dict(Counter(o.final_reason for o in outcomes).most_common()),
        sum(o.replans for o in outcomes))


def flaws(outcome: ObjectsOutcome) -> list[str]:
    """The problems of an episode, one sentence each."""
    if outcome.success and outcome.claimed:
        return []
    found = [f'{outcome.thing}: {outcome.objection or "done, but reported as failed"}',
             f'{outcome.final_reason}: {outcome.final_detail}']
    if not outcome.graspable:
        found.append('a search over its true shape finds no grasp in this pose')
    return [*found, *([f'see {outcome.picture}'] if outcome.picture else [])]


def notes(outcomes: Sequence[ObjectsOutcome]) -> list[str]:
    """A line with the things that no gripper of this width can take as they lie."""
    found = [f'{o.thing} ({o.row}, seed {o.seed})' for o in outcomes if not o.graspable]
    return [f'cannot be grasped as they lie: {", ".join(found)}'] if found else []


def check(jobs: Sequence[Job]) -> None:
    """Raise ConfigError if a set is not on this machine, or pictures cannot be written."""
    for row, folder in {(job.row, job.objects) for job in jobs}:
        things_of(row, folder)
    for pictures in {job.pictures for job in jobs if job.pictures}:
        try:
            pictures.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f'--pictures: {pictures}: {error.strerror}') from error


BY_PERCEPTION = (Column(CAMERA, 'camera'), Column(TRUTH, 'ground truth', '#b9bec4'))
OBJECTS: Suite[ObjectRow, ObjectsOutcome, ObjectNumbers] = Suite(
    'objects', 'one thing of a set on the table, stub planner', ROWS, ObjectsOutcome, run_object,
    object_numbers, flaws,
    cells=(
        OK, INTERVAL, FALSE,
        Cell('can', 'episodes in which a search over the true shape finds a grasp',
             lambda s: str(s.own.graspable)),
        Cell('of can %', 'of those, picked', lambda s: percent(s.own.of_graspable)),
        Cell('wall', 's an episode, median', lambda s: f'{s.wall_median_s:.2f}'), ROBOT),
    panels=(SUCCESS,), row_heading='set',
    columns=BY_PERCEPTION, column_heading='seen by', filmed=CAMERA, shown_flaws=1000, check=check,
    notes=notes, option='perception')
