# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How close a scene is to what a blocked step needs: 0 to 9, from geometry; 10 is possible."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from replan_agent.domain.hand_shape import HandShape
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill_effect import Effect
from replan_agent.geometry.judging import is_inside, load
from replan_agent.geometry.outlines import Part
from replan_agent.geometry.room.container_room import WALL_M
from replan_agent.geometry.room.free_place import RELEASE_GAP_M, Point
from replan_agent.geometry.room.free_place import occupants as occupants_at
from replan_agent.geometry.room.hand_parts import half_hand_m
from replan_agent.geometry.room.hand_room import closings, hand_at, meets
from replan_agent.geometry.support import half_extent_along, may_be_near

BEST = 9.0  # the most that geometry can say; only planning finds out if the step is possible
DONE = 10.0
REACH_PER_M = 30.0
CLEARANCE_M = 0.008  # of a finger beside the object
BLOCKS = 2.0  # for each object in the way: in the way of the fingers, of the palm, or on top
BLOCKS_FOR_GOOD = 6.0  # for one that cannot be moved
CROWDED_AROUND = 1.0  # for all sides together: every neighbour less is better
WRONG_HAND = 1.0  # the gripper holds something else, or not the object to put down


def pick_loss(thing: SceneObject, scene: Scene) -> float:
    """What is missing for a grasp from above, in points: 0 if nothing is."""
    lost = REACH_PER_M * _beyond_reach_m(thing.position[:2], scene.hand)
    lost += min(map(_points, blocking(thing, scene))) + CROWDED_AROUND * surrounded(thing, scene)
    return lost + WRONG_HAND * (scene.held is not None)


def place_loss(step: Step, effect: Effect, carried: SceneObject, scene: Scene) -> float:
    """What is missing to put the object there, in points: 0 if nothing is."""
    at = target_point(step, effect, scene)
    lost = _points(with_loads(occupants(step, effect, carried, scene), scene, carried))
    lost += WRONG_HAND * (scene.held != carried.name)
    return lost + (REACH_PER_M * _beyond_reach_m(at, scene.hand) if at is not None else 0.0)


def _beyond_reach_m(at: Point, hand: HandShape | None) -> float:
    return max(0.0, math.hypot(*at) - hand.reach_m[1]) if hand is not None else 0.0


def score_of(lost: float) -> float:
    """From BEST down towards 0: each further point counts less, and none is lost."""
    return BEST / (1.0 + lost / BEST)


def _points(blockers: list[SceneObject]) -> float:
    return sum(BLOCKS if o.movable else BLOCKS_FOR_GOOD for o in blockers)


def blocking(thing: SceneObject, scene: Scene) -> list[list[SceneObject]]:
    """For each closing direction what is in the way of the hand, and what must go before that."""
    on_it = load(thing, scene)
    others = [o for o in scene.without([thing.name, scene.held or ''])
              if o.shape is not Shape.TABLE and o not in on_it
              and scene.hand is not None
              and may_be_near(thing, thing.position, o, half_hand_m(scene.hand))]
    return [with_loads([*on_it, *(o for o in others if _meets(hand, thing, o))], scene, thing)
            for hand in _hands(thing, scene.hand)]


def with_loads(blockers: list[SceneObject], scene: Scene, target: SceneObject,
               ) -> list[SceneObject]:
    """These objects and all that rests on them, each once."""
    found = {o.name: o for o in blockers}
    for o in blockers:
        found |= {top.name: top for top in load(o, scene) if top.name != target.name}
    return list(found.values())


@lru_cache(maxsize=64)
def _hands(thing: SceneObject, hand: HandShape | None) -> list[list[Part]]:
    """The open hand around the object for each closing direction; no parts if it is unknown."""
    return [hand_at(thing, yaw, hand) if hand is not None else [] for yaw in closings(thing)]


def _meets(hand: list[Part], thing: SceneObject, other: SceneObject) -> bool:
    """Whether a part of the hand would be inside the other thing, or in a wall of it."""
    return _meets_wall(hand, other) if is_inside(thing, other) else meets(hand, other)


def _meets_wall(hand: list[Part], container: SceneObject) -> bool:
    """Whether a part of the hand that is below the rim reaches a wall of the container."""
    half = np.asarray(container.size[:2]) / 2 - WALL_M
    c, s = math.cos(container.pose.yaw), math.sin(container.pose.yaw)
    for part in hand:
        own = (part.outline - container.position[:2]) @ np.array([[c, -s], [s, c]])
        outside = (np.hypot(*own.T) > half[0] if container.shape is Shape.BOWL
                   else (np.abs(own) > half).any(axis=1))
        if part.bottom_z < container.top_z and outside.any():
            return True
    return False


def target_point(step: Step, effect: Effect, scene: Scene) -> Point | None:
    """Where the step puts something down; None if the skill chooses."""
    target = scene.get(effect.name('target', step.args) or '')
    solid = target is not None and target.shape is not Shape.TABLE
    return effect.point(step.args) or (target.position[:2] if target and solid else None)


def occupants(step: Step, effect: Effect, carried: SceneObject, scene: Scene) -> list[SceneObject]:
    """What stands where the object should go."""
    target = scene.get(effect.name('target', step.args) or '')
    at = target_point(step, effect, scene)
    if at is None or (target is not None and target.is_container):
        return []
    ground = target or scene.table
    bottom_z = (ground.top_z if ground else 0.0) + RELEASE_GAP_M
    return occupants_at(carried, (*at, bottom_z), scene, ground.name if ground else '')


def surrounded(thing: SceneObject, scene: Scene) -> float:
    """The share of the finger room that is missing all around the object, 0 to 1."""
    hand = scene.hand
    if hand is None:
        return 0.0
    others = [o for o in scene.without([thing.name]) if o.shape is not Shape.TABLE
              and not is_inside(thing, o)
              and may_be_near(thing, thing.position, o, hand.finger_m + CLEARANCE_M + max(o.size))]
    sides = [_blocked(thing, yaw + turn, others, hand)
             for yaw in closings(thing) for turn in (0.0, math.pi)]
    return sum(sides) / len(sides)


def _blocked(thing: SceneObject, yaw: float, others: list[SceneObject], hand: HandShape) -> float:
    """The share of the finger room that is missing on this side, 0 to 1."""
    reach = half_extent_along(thing, yaw)
    side = np.array([math.cos(yaw), math.sin(yaw)])
    across = np.array([-side[1], side[0]])
    free = room = hand.finger_m + CLEARANCE_M
    for other in others:
        if other.top_z <= thing.position[2] - 0.01 or other.bottom_z >= thing.top_z:
            continue
        offset = np.subtract(other.position[:2], thing.position[:2])
        aside = abs(float(offset @ across)) - half_extent_along(other, yaw + math.pi / 2)
        along = float(offset @ side)
        if aside < hand.half_finger_m and along > 0:
            free = min(free, along - half_extent_along(other, yaw) - reach)
    return min(1.0, max(0.0, 1.0 - max(0.0, free) / room))
