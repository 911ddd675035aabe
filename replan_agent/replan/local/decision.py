# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The decision after a local action, in this order: success, cancel, retain, explore, revert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.local_planning import Decision
from replan_agent.domain.scene import Scene
from replan_agent.geometry.steps.same_places import same_places

REGRESSIONS = 3  # in a row: it keeps getting worse
LOOPS = 3  # times that actions led to the same state
SAME_M = 0.01  # two scenes are the same state if nothing moved more than this


@dataclass(frozen=True)
class Visit:
    """A local action that was tried: the scenes before and after, and its progress."""

    option: str
    before: Scene
    after: Scene
    progress: float


def decide(history: Sequence[Visit], met: bool, options_left: bool,
           on_path: bool = False) -> tuple[Decision, str]:
    """What to do after the last action of the history, and why.

    `on_path`: it went as imagined, and is on a path that leads to the goal.
    """
    last = history[-1]
    progress = f'progress {last.progress:+.1f}'
    if met:
        return Decision.SUCCESS, 'the step can be done now'
    if is_loop(history):
        return Decision.CANCEL, f'{last.option} led to the same state again and again: a loop'
    if on_path:
        return Decision.RETAIN, f'{progress}, as imagined on the way to the goal'
    if len(history) >= REGRESSIONS and all(v.progress < 0 for v in history[-REGRESSIONS:]):
        return Decision.CANCEL, f'{REGRESSIONS} actions in a row made it worse'
    if last.progress > 0:
        return Decision.RETAIN, progress
    if options_left:
        return Decision.EXPLORE, f'{progress}, and there are other options'
    return Decision.REVERT, f'{progress} and nothing else to try: a dead end'


def is_loop(history: Sequence[Visit]) -> bool:
    """Whether the last action had no effect for the second time, or led to a state too often."""
    last, earlier = history[-1], history[:-1]
    if same_state(last.before, last.after):
        return any(v.option == last.option and same_state(v.before, last.before)
                   and same_state(v.after, last.after) for v in earlier)
    arrived = [v for v in history
               if not same_state(v.before, v.after) and same_state(v.after, last.after)]
    return len(arrived) >= LOOPS


def same_state(a: Scene, b: Scene) -> bool:
    """Same objects in the same places, and the same one in the hand."""
    return same_places(a, b, SAME_M, ignoring=(a.held,))
