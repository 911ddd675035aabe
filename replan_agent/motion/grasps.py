"""Top-down grasps from an object's shape, size and yaw."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape

from .protocols import Grasp

ROUND_YAWS = 8  # a round object can be taken from any side


@dataclass(frozen=True)
class GripperGeometry:
    """What decides whether fingers fit (m)."""

    max_width: float = 0.080
    clearance: float = 0.004  # free room on each side while the fingers pass
    tip_below_tcp: float = 0.0095  # how far the finger tips reach beyond the TCP
    table_gap: float = 0.002  # least room between finger tips and what the object stands on
    palm_above_tcp: float = 0.040  # an object's top may reach this far above the TCP
    release_room: float = 0.020  # opening beyond the object's width when letting go


@dataclass(frozen=True)
class TopDownGrasps:
    """Grasps from above, across the object's own sides."""

    gripper: GripperGeometry = GripperGeometry()

    def candidates(self, thing: SceneObject, scene: Scene) -> list[Grasp]:
        """Ways to grasp, best first; empty when nothing fits between the pads."""
        grasps = []
        for yaw, width in self._closings(thing):
            opening = width + 2 * self.gripper.clearance
            if opening > self.gripper.max_width:
                continue
            for turn in (0.0, math.pi):  # the two fingers are alike
                tcp = top_down(*thing.position[:2], self._height(thing), yaw + turn)
                grasps.append(Grasp(
                    tcp, min(self.gripper.max_width, width + 2 * self._pass_room(width)), width,
                    score=self.gripper.max_width - width,
                    label=f'top-down yaw {math.degrees(_wrapped(yaw + turn)):.0f}°'))
        return sorted(grasps, key=lambda g: -g.score)

    def narrowest_width(self, thing: SceneObject) -> float:
        return min(width for _, width in self._closings(thing))

    def _pass_room(self, width: float) -> float:
        """Room on each side while going down: generous, as far as the stroke allows."""
        return min(0.015, (self.gripper.max_width - width) / 2)

    def _height(self, thing: SceneObject) -> float:
        """TCP height: the middle of the object, kept off the palm and off the table."""
        middle = thing.position[2]
        deepest = thing.bottom_z + self.gripper.tip_below_tcp + self.gripper.table_gap
        return max(middle, deepest, thing.top_z - self.gripper.palm_above_tcp)

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
