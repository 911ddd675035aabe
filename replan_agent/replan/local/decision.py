"""The decision after a local action, in this order: success, cancel, retain, explore, revert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.local_planning import Decision
from replan_agent.domain.same_places import same_places
from replan_agent.domain.scene import Scene

REGRESSIONS = 3  # in a row: it keeps getting worse
NOTHING = 0.05  # smaller changes of the score do not count
SAME_M = 0.01  # two scenes are the same state if nothing moved more than this


@dataclass(frozen=True)
class Visit:
    """A local action that was tried: the scenes before and after, and its progress."""

    option: str
    before: Scene
    after: Scene
    progress: float


def decide(history: Sequence[Visit], met: bool, options_left: bool) -> tuple[Decision, str]:
    """What to do after the last action of the history, and why."""
    last = history[-1]
    if met:
        return Decision.SUCCESS, 'the step can be done now'
    if is_loop(history):
        return Decision.CANCEL, f'{last.option} led back to where it was before: a loop'
    if keeps_regressing(history):
        return Decision.CANCEL, f'{REGRESSIONS} actions in a row made it worse'
    if last.progress > NOTHING:
        return Decision.RETAIN, f'progress {last.progress:+.1f}'
    if options_left:
        return Decision.EXPLORE, f'progress {last.progress:+.1f}, and there are other options'
    return Decision.REVERT, f'progress {last.progress:+.1f} and nothing else to try: a dead end'


def is_loop(history: Sequence[Visit]) -> bool:
    """Whether the last action led back to an earlier state, or was tried before in this one."""
    last, earlier = history[-1], history[:-1]
    if same_state(last.before, last.after):
        return any(v.option == last.option and same_state(v.before, last.before)
                   for v in earlier)
    return any(same_state(v.before, last.after) for v in earlier)


def keeps_regressing(history: Sequence[Visit]) -> bool:
    recent = history[-REGRESSIONS:]
    return len(recent) == REGRESSIONS and all(v.progress < -NOTHING for v in recent)


def same_state(a: Scene, b: Scene) -> bool:
    """Same objects in the same places, and the same one in the hand."""
    return same_places(a, b, SAME_M, ignoring=(a.held,))
