"""A look at a scene in which nothing moves any more."""

from __future__ import annotations

import math

from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult

from .arm import hold
from .contract import Call

PAUSE_S = 0.4  # robot time between two looks
MOST_LOOKS = 25  # about 10 s: what moves longer than that is reported as it is
STILL_M = 0.003  # two looks that differ by less show the same place


def look_at_rest(call: Call) -> Scene | SkillResult:
    """The scene as soon as two looks agree about every movable object, or the last look.

    A perception that calls a model looks once, after a pause.
    """
    once = call.kit.perception.uses_model
    before = None if once else call.observe()
    if isinstance(before, SkillResult):
        return before
    for _ in range(MOST_LOOKS):
        waited = hold(call, PAUSE_S)
        if not waited.success:
            return waited
        now = call.observe()
        if isinstance(now, SkillResult) or before is None or not moving(before, now):
            return now
        before = now
    assert before is not None  # without one, the first look is returned
    return before


def moving(before: Scene, now: Scene) -> tuple[str, ...]:
    """The movable objects that are elsewhere in the second look."""
    pairs = [(o, now.get(o.name)) for o in before.movable()]
    return tuple(o.name for o, later in pairs
                 if later is not None and math.dist(o.position, later.position) > STILL_M)
