# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How large a scene is for an arm: all are drawn for a Franka, and scaled for other arms."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import Config
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec, Range, TableSpec

Size = tuple[float, float, float]
Point = tuple[float, float, float]
BESIDE_HAND_M, BELOW_HAND_M = 0.15, 0.10  # room that the hand needs, from its TCP


@dataclass(frozen=True)
class Space:
    """Where an arm works, and what its hand takes. A Franka's changes no number at all."""

    reach_m: tuple[float, float] = PANDA.hand.reach_m
    opening_m: float = PANDA.hand.max_width_m
    block_m: float = PANDA.hand.block_m  # how thick an open finger is
    home_m: Point = PANDA.home_tcp  # where the hand is at the start

    @staticmethod
    def of(arm: ArmModel) -> Space:
        return Space(arm.hand.reach_m, arm.hand.max_width_m, arm.hand.block_m, arm.home_tcp)

    @property
    def wide(self) -> float:
        """Its opening as a share of a Franka's."""
        return self.opening_m / PANDA.hand.max_width_m

    @property
    def far(self) -> float:
        """Its reach as a share of a Franka's."""
        return self.reach_m[1] / PANDA.hand.reach_m[1]

    def radii(self, of_franka: Range) -> Range:
        """The distances (m) from the base that are in its reach what these are in a Franka's."""
        (near, far), (first, last) = self.reach_m, PANDA.hand.reach_m
        more = (far - near) / (last - first) - 1
        low, high = (r + (near - first) + (r - first) * more for r in of_franka)
        return low, high

    def sized(self, of_franka: Size) -> Size:
        """The size of a thing for its hand."""
        x, y, z = of_franka
        return self.wide * x, self.wide * y, self.wide * z

    def around_hand(self, across_m: float, thing_m: float) -> float:
        """How wide (m) a room is that has as much play around its hand with such a thing in it."""
        return across_m + (self.wide - 1) * thing_m + 2 * max(
            0.0, self.block_m - PANDA.hand.block_m)

    def is_clear(self, wall: ObjectSpec) -> bool:
        """Whether a wall leaves room for the hand at the start: it is lower, or beside it."""
        (x, y, z), (dx, dy, yaw) = self.home_m, (*wall.position[:2], wall.rpy[2])
        along = (x - dx) * math.cos(yaw) + (y - dy) * math.sin(yaw)
        across = (y - dy) * math.cos(yaw) - (x - dx) * math.sin(yaw)
        gaps = (abs(side) - size / 2 for side, size in zip((along, across), wall.size))
        return wall.size[2] < z - BELOW_HAND_M or max(gaps) > BESIDE_HAND_M

    def table(self) -> TableSpec:
        """A table as far as it reaches; its edge behind the arm stays."""
        usual, more = TableSpec(), max(1.0, self.far)
        (x, _), (width, depth) = usual.position, usual.size
        return replace(usual, size=(more * width, more * depth),
                       position=(x + (more - 1) * width / 2, 0.0))

    def settings(self, config: Config) -> Config:
        """The settings, with a workspace as far as it reaches."""
        more, room = max(1.0, self.far), config.workspace
        return replace(config, workspace=replace(
            room, x_min=more * room.x_min, x_max=more * room.x_max, y_min=more * room.y_min,
            y_max=more * room.y_max, z_max=more * room.z_max))


FRANKA = Space()
