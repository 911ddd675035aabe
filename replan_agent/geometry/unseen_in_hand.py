"""Whether the hand may hold something that is not seen."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from replan_agent.domain.hand import may_hold
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.skill import SkillSpec, find_spec

LET_GO = ''


def may_hold_unseen(request: PlanRequest) -> bool:
    """Whether there may be something in the hand that the scene does not show.

    Pads that are neither open nor closed may hold it, unless the last thing that they did in this
    task was to let go, and each thing that they tried to take is seen.
    """
    scene = request.scene
    width = scene.arm.gripper_width if scene.arm is not None else None
    widest_m = scene.hand.max_width_m if scene.hand is not None else math.inf
    if scene.held or width is not None and not may_hold(width, widest_m):
        return False
    tried = [_taken(a.skill, a.args, request.skills) for a in request.prior_attempts]
    done = [_taken(d.step.skill, d.step.args, request.skills) for d in request.completed]
    in_doubt = [*filter(None, tried), *[name for name in done if name is not None][-1:]]
    return not in_doubt or not set(in_doubt) <= {LET_GO, *scene.names()}


def _taken(skill: str, args: Mapping[str, Any], skills: Sequence[SkillSpec]) -> str | None:
    """What such a step takes in the hand; LET_GO if it lets go; None if it does neither."""
    spec = find_spec(skills, skill)
    if spec is None or not spec.effect.changes_hand:
        return None
    return spec.effect.name('object', args) if spec.effect.takes else LET_GO
