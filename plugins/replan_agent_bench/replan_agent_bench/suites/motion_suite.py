# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motion and perception: does the arm do the task, without contacts and fast?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from replan_agent_bench.stats import percentile
from replan_agent_bench.suite import Cell, Panel, Suite
from replan_agent_bench.summary import Summary

from . import motion_rows
from .cells import BAR, FALSE, INTERVAL, OK, SUCCESS, count
from .motion_episode import MotionOutcome, run_motion
from .motion_rows import MotionRow


@dataclass(frozen=True)
class MotionNumbers:
    """Counts are episodes, if not stated otherwise."""

    replans: int  # in all episodes together
    reasons: dict[str, int]  # of failed attempts, retried ones too
    with_contact: int
    with_disturbed: int
    peak_speed: float
    peak_acceleration: float
    over_limit: int  # a joint was faster than its limit, or accelerated more
    cpu_median_s: float
    setup_median_s: float
    realtime: float  # all robot seconds over all wall seconds
    unnamed: int  # the target was not in the first scene under its name
    seen_median_mm: float | None  # from its true place; None without any
    seen_p95_mm: float | None


def motion_numbers(outcomes: Sequence[MotionOutcome]) -> MotionNumbers:
    wall_s = sum(o.wall_s for o in outcomes)
    off = [1000 * o.seen_off_m for o in outcomes if o.seen_off_m is not None]
    return MotionNumbers(
        replans=sum(o.replans for o in outcomes),
        reasons=dict(Counter(a.reason for o in outcomes for a in o.attempts).most_common()),
        with_contact=sum(bool(o.contacts) for o in outcomes),
        with_disturbed=sum(bool(o.disturbed) for o in outcomes),
        peak_speed=max(o.peak_speed for o in outcomes),
        peak_acceleration=max(o.peak_acceleration for o in outcomes),
        over_limit=sum(max(o.peak_speed, o.peak_acceleration) > 1.0 for o in outcomes),
        cpu_median_s=percentile([o.cpu_s for o in outcomes], 50),
        setup_median_s=percentile([o.setup_s for o in outcomes], 50),
        realtime=sum(o.robot_s for o in outcomes) / wall_s if wall_s else 0.0,
        unnamed=len(outcomes) - len(off),
        seen_median_mm=percentile(off, 50) if off else None,
        seen_p95_mm=percentile(off, 95) if off else None)


def flaws(outcome: MotionOutcome) -> list[str]:
    """The problems of an episode, one sentence each; empty for a clean success."""
    found = []
    if outcome.false_success:
        found.append(f'claimed success, but {outcome.objection}')
    elif not outcome.success:
        found.append(f'{outcome.final_reason}: {outcome.final_detail} ({outcome.objection})')
    elif not outcome.claimed:
        found.append(f'done, but reported as failed: {outcome.final_reason}: '
                     f'{outcome.final_detail}')
    found += [f'touched: {contact}' for contact in outcome.contacts]
    found += [f'moved {d.name} by {1000 * d.distance_m:.0f} mm' for d in outcome.disturbed]
    if outcome.peak_speed > 1.0:
        found.append(f'a joint moved at {outcome.peak_speed:.2f} of its speed limit')
    if outcome.peak_acceleration > 1.0:
        found.append(f'a joint accelerated with {outcome.peak_acceleration:.2f} of its limit')
    return found


def _share(share: float) -> Text:
    return Text(f'{share:.2f}', 'bold red' if share > 1.0 else '')


def _off(s: Summary[MotionNumbers]) -> str:
    if s.own.seen_median_mm is None or s.own.seen_p95_mm is None:
        return '–'
    return f'{s.own.seen_median_mm:.1f}–{s.own.seen_p95_mm:.1f}'


CELLS: tuple[Cell[MotionNumbers], ...] = (
    OK, INTERVAL, BAR, FALSE,
    Cell('hit', 'episodes with an unintended contact', lambda s: count(s.own.with_contact)),
    Cell('dist', 'with something else moved > 5 mm', lambda s: count(s.own.with_disturbed)),
    Cell('wall', 's an episode, median', lambda s: f'{s.wall_median_s:.2f}'),
    Cell('p95', 'of wall', lambda s: f'{s.wall_p95_s:.2f}'))
HOW_FAST: tuple[Cell[MotionNumbers], ...] = (
    Cell('speed', 'highest joint speed / limit', lambda s: _share(s.own.peak_speed)),
    Cell('acc', 'the same of accelerations, but for contacts',
         lambda s: _share(s.own.peak_acceleration)),
    Cell('× rt', 'robot seconds a wall second', lambda s: f'{s.own.realtime:.1f}'))
HOW_SEEN: tuple[Cell[MotionNumbers], ...] = (
    Cell('off mm', 'median and p95 of how far from its place the target is seen', _off),)
PANELS: tuple[Panel[MotionNumbers], ...] = (
    SUCCESS,
    Panel('wall s an episode: median, line to p95', lambda s: s.wall_median_s,
          lambda s: (s.wall_median_s, s.wall_p95_s)))


def _suite(name: str, title: str, rows: tuple[MotionRow, ...],
           more_cells: tuple[Cell[MotionNumbers], ...],
           ) -> Suite[MotionRow, MotionOutcome, MotionNumbers]:
    return Suite(name, title, rows, MotionOutcome, run_motion, motion_numbers, flaws,
                 (*CELLS, *more_cells), PANELS)


WITH_GROUND_TRUTH = 'ground-truth perception, no rendering, stub planner'
MOTION = _suite('motion', WITH_GROUND_TRUTH, motion_rows.MOTION, HOW_FAST)
PICK = _suite('pick', WITH_GROUND_TRUTH, motion_rows.MOTION[:4], HOW_FAST)
PERCEPTION = _suite('perception', 'ground-truth perception and the camera, stub planner',
                    motion_rows.PERCEPTION, HOW_SEEN)
