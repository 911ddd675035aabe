# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a search reads from a scene: piles, dead ends, and whether it was here before."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.judging import resting_on
from replan_agent.geometry.room.free_place import SPACING_M
from replan_agent.text.shown_text import listed


def is_exact(goal: Goal) -> bool:
    """Whether there are few places where it is true, beside things that stay."""
    return goal.distance is not None or goal.predicate is Predicate.BETWEEN


def is_set(goal: Goal, scene: Scene) -> bool:
    """Whether it is met by setting the state of a thing, or its turn where it is fixed."""
    return goal.predicate is Predicate.IS or goal.predicate is Predicate.TURNED and any(
        (o := scene.get(part.object or '')) and not o.movable for part in goal.named(scene))


def dead_end(goal: Goal, scene: Scene) -> str:
    """Why no movement makes the goal true."""
    thing = scene.get(goal.object or '')
    if goal.predicate is Predicate.TURNED and thing is not None and thing.turn_unknown:
        return f'how {thing.name} is turned now cannot be told from what is seen of it'
    lost = [p.object for p in goal.named(scene) if p.object and not scene.get(p.object)]
    if lost:
        return f'{listed(lost)} {"is" if len(lost) == 1 else "are"} not seen any more'
    if is_exact(goal):
        return (f'there is no free spot on the table, in reach, where {goal} is true; the fingers '
                f'need {1000 * SPACING_M:.0f} mm beside a thing')
    return f'no spot or movement makes {goal} true'


def tops(name: str, scene: Scene, below: tuple[str, ...] = ()) -> list[str]:
    """What can be lifted of a pile: the things above that carry nothing, or the thing itself."""
    thing = scene.get(name)
    above = resting_on(thing, scene) if thing is not None else []
    return [top for o in above if o.name not in (name, *below)
            for top in tops(o.name, scene, (name, *below))] or [name]


def belongs(thing: SceneObject, target: SceneObject, goals: Sequence[Goal], scene: Scene) -> bool:
    """Whether a goal wants the thing on the target."""
    return any(part.object == thing.name and part.target == target.name and not goal.negated
               for goal in goals for part in goal.named(scene))


def scene_key(scene: Scene) -> tuple[object, ...]:
    arm_home = scene.arm.at_home if scene.arm else None
    return (scene.held, arm_home, *((o.name, *(round(v, 3) for v in o.position),
                                     round(o.pose.yaw, 2), o.states and (
                                         o.states.now, o.states.degrees)) for o in scene.objects))
