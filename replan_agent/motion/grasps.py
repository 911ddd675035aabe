"""Top-down grasps from an object's shape, size and yaw."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.domain import franka
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

from .protocols import Grasp

ROUND_YAWS = 8  # a round object can be taken from any side


@dataclass(frozen=True)
class GripperGeometry:
    """What decides whether fingers fit (m)."""

    max_width: float = franka.MAX_GRIPPER_WIDTH_M
    clearance: float = 0.004  # least free room on each side while the fingers pass
    ample: float = 0.015  # what is taken where there is room
    tip_below_tcp: float = franka.TIP_BEYOND_TCP_M
    table_gap: float = 0.002  # least room between finger tips and what the object stands on
    palm_above_tcp: float = franka.PALM_ABOVE_TCP_M
    palm_gap: float = 0.004  # least room between the palm and the object's top


@dataclass(frozen=True)
class TopDownGrasps:
    """Grasps from above, across the object's own sides."""

    gripper: GripperGeometry = GripperGeometry()

    def candidates(self, thing: SceneObject, scene: Scene) -> list[Grasp]:
        """Ways to grasp, best first; empty when nothing fits between the pads."""
        grasps = []
        for yaw, width in self._closings(thing):
            for opening in self._openings(width):
                for turn in (0.0, math.pi):  # the two fingers are alike
                    tcp = top_down(*thing.position[:2], self._height(thing), yaw + turn)
                    grasps.append(Grasp(
                        tcp, opening, width, score=opening - 2 * width,
                        label=f'top-down, yaw {math.degrees(_wrapped(yaw + turn)):.0f}°, '
                              f'{opening * 1000:.0f} mm open'))
        return sorted(grasps, key=lambda g: -g.score)

    def narrowest_width(self, thing: SceneObject) -> float:
        return min(width for _, width in self._closings(thing))

    def _openings(self, width: float) -> tuple[float, ...]:
        """How far to open: with room to spare first, then just enough to pass a neighbour."""
        tight = width + 2 * self.gripper.clearance
        if tight > self.gripper.max_width:
            return ()
        wide = min(self.gripper.max_width, width + 2 * self.gripper.ample)
        return (wide, tight) if wide > tight else (tight,)

    def _height(self, thing: SceneObject) -> float:
        """TCP height: the middle of the object, kept off the palm and off the table."""
        middle = thing.position[2]
        deepest = thing.bottom_z + self.gripper.tip_below_tcp + self.gripper.table_gap
        highest = thing.top_z - self.gripper.palm_above_tcp + self.gripper.palm_gap
        return max(middle, deepest, highest)

    def _closings(self, thing: SceneObject) -> list[tuple[float, float]]:
        """(yaw of the closing axis, width across it) for each way the fingers can close."""
        rotation = thing.pose.matrix()[:3, :3]
        if thing.shape is Shape.SPHERE:
            return _round(thing.size[0])
        upright = int(np.argmax(np.abs(rotation[2])))  # the axis that points up or down
        if thing.shape is Shape.CYLINDER and upright == 2:
            return _round(thing.size[0])
        sides = [axis for axis in range(3) if axis != upright]
        if thing.shape is Shape.CYLINDER:
            sides = [axis for axis in sides if axis != 2]  # lying: only across its axis
        return [(_yaw_of(rotation[:, axis]), thing.size[axis]) for axis in sides]


def top_down(x: float, y: float, z: float, closing_yaw: float) -> Pose:
    """A TCP pose that looks straight down and whose fingers close along `closing_yaw`.

    The fingers close along the TCP's y axis, so its x axis is a quarter turn behind.
    """
    return Pose.from_rpy(x, y, z, roll=math.pi, yaw=closing_yaw + math.pi / 2)


def closing_yaw(tcp: Pose) -> float:
    """The direction (rad, base frame) in which the fingers of a top-down TCP pose close."""
    return _yaw_of(tcp.matrix()[:3, 1])


def _round(diameter: float) -> list[tuple[float, float]]:
    return [(math.pi * k / ROUND_YAWS, diameter) for k in range(ROUND_YAWS)]


def _yaw_of(axis: FloatArray) -> float:
    return math.atan2(float(axis[1]), float(axis[0]))


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi
