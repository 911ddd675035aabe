# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What should be seen after an action and what is seen; and whether it can be undone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, was_felt
from replan_agent.geometry.steps.after_step import after_step, grasped

from .local_skills import LocalSkills

OFF_M = 0.03
SHARE = 0.5  # it is as imagined within this share of the way that it should have moved


def difference(imagined: Scene, seen: Scene, before: Scene) -> str:
    """What is seen other than imagined, in a sentence; empty if nothing is."""
    if imagined.held != seen.held:
        return f'the hand holds {seen.held or "nothing"}, not {imagined.held or "nothing"}'
    found = []
    for thing in (o for o in imagined.movable() if o.name != seen.held):
        now, was = seen.get(thing.name), before.get(thing.name)
        if now is None:
            found.append(f'{thing.name} is not seen')
            continue
        way = math.dist(was.position, thing.position) if was else 0.0
        off = math.dist(now.position, thing.position)
        if off > max(OFF_M, SHARE * way):
            found.append(f'{thing.name} is {off * 1000:.0f} mm from where it should be')
    known = set(imagined.names())
    found += [f'{name} is there too' for name in seen.names() if name not in known
              and not was_felt(name)]
    return ', '.join(found)


def as_imagined(imagined: Scene | None, seen: Scene) -> bool:
    """Whether a scene is as imagined, so that what was planned for it holds."""
    return imagined is not None and not difference(imagined, seen, imagined)


def can_be_undone(undo: Sequence[Step], scene: Scene, skills: LocalSkills,
                  can: Callable[[Step, Scene], bool]) -> bool:
    """Whether the steps are possible one after the other, from an imagined scene on."""
    for step in undo:
        if not can(step, scene):
            return False
        scene = _after(step, scene, skills)
    return True


def _after(step: Step, scene: Scene, skills: LocalSkills) -> Scene:
    """The scene after the step, with the hand around what it takes."""
    skill = skills.skill_for(step)
    then = after_step(step, skill, scene) or scene
    return grasped(then, then.held) if skill and skill.effect.takes and then.held else then
