# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stacks of loose things, and how big a thing is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill_effect import FLAT_ON_TOP

from .judging import is_resting_on


def below_it(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """The loose things of the stack below it, the next one first."""
    below = next((o for o in scene.without([thing.name]) if is_loose(o)
                  and is_resting_on(thing, o, scene)), None)
    return [below, *below_it(below, scene)] if below is not None else []


def foot_of(thing: SceneObject, scene: Scene) -> SceneObject:
    """The lowest loose thing of the stack that it is on; itself if it is on none."""
    return [thing, *below_it(thing, scene)][-1]


def tower_of(thing: SceneObject, scene: Scene) -> list[SceneObject]:
    """All loose things of the stack that it is part of."""
    foot = foot_of(thing, scene)
    return [o for o in scene.objects if is_loose(o) and foot_of(o, scene) == foot]


def is_stacked(thing: SceneObject, scene: Scene) -> bool:
    """Whether it is part of a stack of loose things."""
    return is_loose(thing) and len(tower_of(thing, scene)) > 1


def height(thing: SceneObject) -> float:
    return thing.top_z - thing.bottom_z


def volume(thing: SceneObject) -> float:
    """How big it is (m³): what is known of its solid, or the box around it."""
    if thing.pieces:
        return sum(piece.volume for piece in thing.pieces)
    share = {Shape.SPHERE: math.pi / 6, Shape.CYLINDER: math.pi / 4}.get(thing.shape, 1.0)
    return share * math.prod(thing.size)


def bottom_up(things: Sequence[SceneObject]) -> list[str]:
    """An order to stack them: flat tops below, the widest first."""
    return [o.name for o in sorted(
        things, key=lambda o: (o.shape not in FLAT_ON_TOP, -min(o.size[:2])))]
