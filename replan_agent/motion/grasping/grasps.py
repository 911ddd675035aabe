# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Grasps from an object's shape, size and pose: from above, tilted, from the side, at the rim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from transforms3d import axangles

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.support import STANDING, half_extent_along, may_be_near, up_alignment

from ..motion_protocols import Grasp, GraspKind

ROUND_YAWS = 8  # a round object can be grasped from any side
TILTS = tuple(math.radians(d) for d in (25, -25, 45, -45))
LEANS = tuple(math.radians(d) for d in (10, -10, 15, -15, 25, -25))
HIGHER_M = (0.007, 0.014)  # above the usual height, if nothing lower is free
LEAST_HELD_M = 0.006  # the pads' middle stays this far below the top
BARELY_HELD_M = (0.002, -0.001)  # the same if a wall leaves no other way: 8 mm still touch
RIM_YAWS = 12
RIM_WALL_M = 0.008  # assumed thickness of a container's wall
RIM_DEPTH_M = 0.012  # how far the pads' middle goes below the rim
CLEARANCE_M = 0.004  # least free space on each side while the fingers pass
AMPLE_M = 0.015  # used if there is enough space
TABLE_GAP_M = 0.002  # least space between finger tips and the object's support
PALM_GAP_M = 0.004  # least space between the palm and the object's top


@dataclass(frozen=True)
class Closing:
    """One way the fingers can close on an object: along a yaw (rad), this wide (m)."""

    yaw: float
    width: float


class ShapeGrasps:
    """The GraspPlanner for a parallel gripper. The motion planner checks for collisions."""

    def __init__(self, hand: HandShape, table_gap_m: float = TABLE_GAP_M) -> None:
        self._hand, self._table_gap_m = hand, table_gap_m

    def candidates(self, thing: SceneObject, scene: Scene) -> Iterator[Grasp]:
        """Ways to grasp, tier by tier, best first; empty if nothing fits.

        Each kind comes first with the fingers wide open, then just wide enough to pass a
        neighbour. Only beside a neighbour the hand leans.
        """
        beside = any(o.shape is not Shape.TABLE for o in scene.without([thing.name])
                     if may_be_near(thing, thing.position, o, self._hand.half_width_m))
        kinds = (((self._rim,),) if thing.is_container else (
            (self._from_above, self._higher), (self._tilted, self._tilted_higher),
            (self._from_the_side,), *([(self._highest, self._leaning)] if beside else [])))
        tiers = [(way, snug) for ways, snug in product(kinds, (False, True)) for way in ways]
        for tier, (way, snug) in enumerate(tiers):
            found = way(thing, snug)
            yield from (replace(grasp, tier=tier)
                        for grasp in sorted(found, key=lambda grasp: -grasp.score))

    def narrowest_width(self, thing: SceneObject) -> float:
        """The least opening (m) at which the pads could pass the object."""
        if thing.is_container:
            return RIM_WALL_M
        return min(closing.width for closing in _closings(thing))

    def _from_above(self, thing: SceneObject, snug: bool, higher_m: float = 0.0
                    ) -> Iterator[Grasp]:
        z = self._height(thing) + higher_m
        for closing, opening in self._fitting(thing, snug):
            for turn in (0.0, math.pi):  # the two fingers are interchangeable
                tcp = top_down(*thing.position[:2], z, closing.yaw + turn)
                yield self._grasp(GraspKind.TOP_DOWN, tcp, opening, closing.width, higher_m)

    def _higher(self, thing: SceneObject, snug: bool) -> Iterator[Grasp]:
        """From above, nearer to the top: the palm and the tips stay clear of walls and neighbours.
        """
        for higher_m in HIGHER_M:
            if self._height(thing) + higher_m <= thing.top_z - LEAST_HELD_M:
                yield from self._from_above(thing, snug, higher_m)

    def _highest(self, thing: SceneObject, snug: bool) -> Iterator[Grasp]:
        """From above with the lower half of the pads: for a small thing between high walls."""
        upright = thing.shape is Shape.BOX or (
            thing.shape is Shape.CYLINDER and abs(up_alignment(thing)) > STANDING)
        for held_m in BARELY_HELD_M:
            higher_m = thing.top_z - held_m - self._height(thing)
            if higher_m > 0 and upright:  # the sides of others fall off towards the top
                yield from self._from_above(thing, snug, higher_m)

    def _tilted(self, thing: SceneObject, snug: bool, higher_m: float = 0.0) -> Iterator[Grasp]:
        """Tilted about the closing axis: for more reach, or to get past a neighbour."""
        for closing, opening in self._fitting(thing, snug):
            half = half_extent_along(thing, closing.yaw + math.pi / 2)
            for turn, tilt in product((0.0, math.pi), TILTS):
                z = self._height(thing, tilt, half) + higher_m
                if higher_m and z > thing.top_z - LEAST_HELD_M:
                    continue
                upright = top_down(*thing.position[:2], z, closing.yaw + turn)
                yield self._grasp(GraspKind.TILTED, _turned(upright, (0, 1, 0), tilt), opening,
                                  closing.width, 0.01 * abs(tilt) + higher_m)

    def _tilted_higher(self, thing: SceneObject, snug: bool) -> Iterator[Grasp]:
        yield from self._tilted(thing, snug, HIGHER_M[0])

    def _leaning(self, thing: SceneObject, snug: bool) -> Iterator[Grasp]:
        """Leaning in the closing direction, one end of the hand higher: over a wall beside it.

        The pads turn the object a little when they close. At this angle it is wider: from its
        upper edge down to the tips it must pass between them.
        """
        hand = self._hand
        for closing, opening in self._fitting(thing, snug):
            half = closing.width / 2
            for turn, lean in product((0.0, math.pi), LEANS):
                sine, cosine = abs(math.sin(lean)), math.cos(lean)
                dip = hand.tip_beyond_tcp_m * cosine + (opening / 2 + hand.tip_m) * sine
                palm = hand.palm_above_tcp_m * cosine - half * sine
                low = max(thing.position[2], thing.bottom_z + dip + self._table_gap_m,
                          thing.top_z - palm)
                high = thing.top_z - LEAST_HELD_M - half * sine  # the pad at the higher end holds
                tips = (hand.tip_beyond_tcp_m + half * sine) / cosine
                for z in (low, high) if low <= high else ():
                    deepest = max(thing.top_z - z, min(z - thing.bottom_z, tips))
                    if opening / 2 < half * cosine + deepest * sine:
                        continue
                    upright = top_down(*thing.position[:2], z, closing.yaw + turn)
                    yield self._grasp(GraspKind.TILTED, _turned(upright, (1, 0, 0), lean),
                                      opening, closing.width, 0.01 * abs(lean) + z - low)

    def _from_the_side(self, thing: SceneObject, snug: bool) -> Iterator[Grasp]:
        """Level with the table, for objects tall enough to keep the hand off it."""
        x, y, z = thing.position
        z = max(z, thing.bottom_z + self._hand.half_depth_m + 0.01)
        if z > thing.top_z - self._hand.pad_width_m / 2:
            return
        for closing, opening in self._fitting(thing, snug):
            for side, roll in product((math.pi / 2, -math.pi / 2), (0.0, math.pi)):
                tcp = sideways(x, y, z, closing.yaw + side, roll)
                yield self._grasp(GraspKind.SIDE, tcp, opening, closing.width)

    def _rim(self, thing: SceneObject, snug: bool) -> Iterator[Grasp]:
        """Across the wall of a bowl or bin, one finger inside."""
        room = CLEARANCE_M if snug else AMPLE_M
        depth = min(RIM_DEPTH_M, thing.size[2] / 2)
        for k in range(RIM_YAWS if thing.shape is Shape.BOWL else 4):
            yaw = 2 * math.pi * k / (RIM_YAWS if thing.shape is Shape.BOWL else 4)
            across = thing.size[0] if thing.shape is Shape.BOWL or k % 2 == 0 else thing.size[1]
            radius = across / 2 - RIM_WALL_M
            own = top_down(radius * math.cos(yaw), radius * math.sin(yaw),
                           thing.size[2] / 2 - depth, yaw)
            tcp = Pose.from_matrix(thing.pose.matrix() @ own.matrix())  # as it leans
            yield self._grasp(GraspKind.RIM, tcp, RIM_WALL_M + 2 * room, RIM_WALL_M, 0.001 * k)

    def _grasp(self, kind: GraspKind, tcp: Pose, opening: float, width: float,
               penalty: float = 0.0) -> Grasp:
        yaw = math.degrees(_axis_yaw(tcp.matrix()[:3, 1]))
        label = f'{kind.value}, closing at {round(yaw)}°, {opening * 1000:.0f} mm open'
        return Grasp(kind, 0, tcp, opening, width, opening - 2 * width - penalty, label)

    def _fitting(self, thing: SceneObject, snug: bool) -> Iterator[tuple[Closing, float]]:
        """The closings that fit the object, each with how far to open."""
        hand = self._hand
        for closing in _closings(thing):
            least = closing.width + 2 * CLEARANCE_M
            ample = min(hand.max_width_m, closing.width + 2 * AMPLE_M)
            if least <= hand.max_width_m and (not snug or least < ample):
                yield closing, least if snug else ample

    def _height(self, thing: SceneObject, tilt: float = 0.0, half: float = 0.0) -> float:
        """TCP height: the middle of the object, but clear of the palm and the table.

        `half` is how far (m) the object extends below a tilted palm.
        """
        hand = self._hand
        dip = hand.tip_beyond_tcp_m * math.cos(tilt) + hand.pad_width_m / 2 * abs(math.sin(tilt))
        deepest = thing.bottom_z + dip + self._table_gap_m
        lean, palm = abs(tilt), hand.palm_above_tcp_m
        edge = max(-half, -palm * math.sin(lean) - hand.half_depth_m * math.cos(lean))
        above = palm * math.cos(lean) + (edge + palm * math.sin(lean)) * math.tan(lean)
        highest = thing.top_z - above + PALM_GAP_M
        return max(thing.position[2], deepest, highest)


def _closings(thing: SceneObject) -> list[Closing]:
    """Across each pair of upright sides; at any yaw if the object is round."""
    rotation = thing.pose.matrix()[:3, :3]
    upright = int(np.argmax(np.abs(rotation[2])))  # the axis that points up or down
    if thing.shape is Shape.SPHERE or (thing.shape is Shape.CYLINDER and upright == 2):
        return [Closing(math.pi * k / ROUND_YAWS, thing.size[0]) for k in range(ROUND_YAWS)]
    sides = [axis for axis in range(3) if axis != upright]
    if thing.shape is Shape.CYLINDER:
        sides = [axis for axis in sides if axis != 2]  # lying down: only across its axis
        sides = sides or [0]
    return [Closing(_axis_yaw(rotation[:, axis]), thing.size[axis]) for axis in sides]


def top_down(x: float, y: float, z: float, closing_yaw: float) -> Pose:
    """A TCP pose that points straight down, with fingers that close along `closing_yaw`.

    The fingers close along the TCP's y axis, so its x axis is a quarter turn behind.
    """
    return Pose.from_rpy(x, y, z, roll=math.pi, yaw=closing_yaw + math.pi / 2)


def sideways(x: float, y: float, z: float, heading: float, roll: float) -> Pose:
    """A TCP pose that points horizontally along `heading` (rad); its fingers close level too."""
    forward = np.array([math.cos(heading), math.sin(heading), 0.0])
    across = np.array([-math.sin(heading), math.cos(heading), 0.0]) * math.cos(roll)
    T = np.eye(4)
    T[:3, 2], T[:3, 1] = forward, across
    T[:3, 0] = np.cross(across, forward)
    T[:3, 3] = (x, y, z)
    return Pose.from_matrix(T)


def _turned(pose: Pose, own_axis: Iterable[float], angle: float) -> Pose:
    """The pose turned in place about one of its own axes."""
    T = pose.matrix()
    T[:3, :3] = T[:3, :3] @ axangles.axangle2mat(tuple(own_axis), angle)
    return Pose.from_matrix(T)


def _axis_yaw(axis: FloatArray) -> float:
    return math.atan2(float(axis[1]), float(axis[0]))
