# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A board with holes in its top: what just fits is put in by feel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, dataclass

from replan_agent import Pose
from replan_agent.domain.config import setting
from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M, CONTAINER_WALL_M
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec
from replan_agent.robot.mujoco.scene.scene_values import number, word, wrong

from .joint import Vector
from .part import box

FILLED = 'filled'
LEAST_FLOOR_M = 0.004  # of the board below a hole
RIM_M = 0.0005  # of a hole, above the board: so the board does not cover it


@dataclass(frozen=True)
class HoleFields:
    """A square hole as the file gives it."""

    name: str = setting(MISSING, 'a name of its own', read=word)
    size: float = setting(0.024, 'm, of each side', 0.008, 0.1)
    depth: float | None = setting(None, 'm; without, as deep as the board allows',
                                  read=number(0.01, 0.2))
    colour: Colour = setting(Colour.named('black'), 'a name or [r, g, b]', read=Colour.read)


@dataclass(frozen=True)
class HoleSpec(ObjectSpec):
    """A hole with its walls and its floor. It is a bin that only `insert` fills."""


@dataclass(frozen=True)
class BoardSpec(ObjectSpec):
    """A board with holes."""


def peg_board(name: str, size: Vector, at: Vector, yaw: float, colour: Colour,
              holes: tuple[HoleFields, ...], here: str) -> Iterator[ObjectSpec]:
    """The board, then its holes from left to right, for somebody who stands at the robot."""
    depth, width, height = size
    share, solids, found = width / len(holes), [], list[ObjectSpec]()
    board = Pose.from_rpy(*at, yaw=yaw)
    for place, hole in enumerate(holes):
        outer = hole.size + 2 * CONTAINER_WALL_M
        deep = (hole.depth or height - LEAST_FLOOR_M - CONTAINER_FLOOR_M) + CONTAINER_FLOOR_M
        if outer > min(share, depth) or deep > height - LEAST_FLOOR_M:
            raise wrong(f'{here}: {hole.name}', 'at most '
                        f'{min(share, depth) - 2 * CONTAINER_WALL_M:.3f} m wide and '
                        f'{height - LEAST_FLOOR_M - CONTAINER_FLOOR_M:.3f} m deep',
                        f'{hole.size:g} m wide and {deep - CONTAINER_FLOOR_M:g} m deep')
        y, z = width / 2 - (place + 0.5) * share, (height - deep) / 2
        solids.append(box((0, y, -deep / 2), (depth, share, height - deep)))
        for side in (-1, 1):
            solids.append(box((side * (outer + depth) / 4, y, z),
                              ((depth - outer) / 2, share, deep)))
            solids.append(box((0, y + side * (outer + share) / 4, z),
                              (outer, (share - outer) / 2, deep)))
        middle = Pose.from_matrix(board.matrix() @ Pose((0, y, z + RIM_M)).matrix())
        found.append(HoleSpec(hole.name, Shape.BIN, (outer, outer, deep), hole.colour,
                              middle.position, (0, 0, yaw), fixed=True))
    yield BoardSpec(name, Shape.IRREGULAR, size, colour, at, (0, 0, yaw), fixed=True,
                    pieces=tuple(solids))
    yield from found
