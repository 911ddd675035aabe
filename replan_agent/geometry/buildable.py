# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Perceived things that cannot be built: a wall of 0 mm, a bin lower than its own floor is thick.

They become irregular things, solid and a little too large, so that motions still avoid them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from replan_agent.domain.piece import LEAST_M, box_piece
from replan_agent.domain.scene import CONTAINERS, Scene, SceneObject, Shape

CONTAINER_M = (0.02, 0.02, 0.01)  # least width, depth and height: room for walls and floor


def can_be_built(thing: SceneObject) -> bool:
    """Whether the shape has a solid of this size."""
    least = CONTAINER_M if thing.shape in CONTAINERS else (LEAST_M,) * 3
    return bool(thing.pieces) or all(s >= low for s, low in zip(thing.size, least))


def buildable(thing: SceneObject) -> SceneObject:
    """The thing, or what stands for it if it cannot be built. A table stays one."""
    if can_be_built(thing):
        return thing
    x, y, z = np.maximum(np.nan_to_num(thing.size), LEAST_M)
    size = (float(x), float(y), float(z))
    if thing.shape is Shape.TABLE:
        return replace(thing, size=size)
    return replace(thing, shape=Shape.IRREGULAR, size=size, pieces=(box_piece(size),))


def with_buildable_things(scene: Scene) -> Scene:
    """The scene with a warning for each thing that had to become irregular."""
    wrong = [thing for thing in scene.objects if not can_be_built(thing)]
    if not wrong:
        return scene
    warnings = [f'{thing.name} is seen as a {thing.shape.value} of '
                f'{" × ".join(f"{1000 * side:.1f}" for side in thing.size)} mm, which cannot be; '
                'it is taken as irregular' for thing in wrong]
    return replace(scene, objects=tuple(map(buildable, scene.objects)),
                   warnings=(*scene.warnings, *warnings))
