"""How close a scene is to what a blocked step needs: 0 to 9, from geometry; 10 is possible."""

from __future__ import annotations

import math

import numpy as np

from replan_agent.domain.plan import Step
from replan_agent.domain.scene import ROUND, Scene, SceneObject, Shape
from replan_agent.domain.skill_effect import Effect
from replan_agent.domain.standing_room import RELEASE_GAP_M
from replan_agent.domain.standing_room import occupants as occupants_at
from replan_agent.domain.support import half_extent_along, may_be_near

from .imagination import Point, resting_on

BEST = 9.0  # the most that geometry can say; only planning finds out if the step is possible
DONE = 10.0
EASY_REACH_M = 0.75
REACH_PER_M = 30.0
FINGER_ROOM_M = 0.022  # a finger and its clearance, on each side of the object
FINGER_HALF_M = 0.012  # half a finger's width
CROWDED_SIDE = 2.5
CROWDED_AROUND = 2.0  # for all sides together: every neighbour less is better
ON_TOP = 2.0
OCCUPIED = 3.0
WRONG_HAND = 1.0  # the gripper holds something else, or not the object to put down


def pick_score(thing: SceneObject, scene: Scene) -> float:
    """For taking an object: its reach, the room beside it, what stands on it."""
    lost = REACH_PER_M * max(0.0, math.hypot(*thing.position[:2]) - EASY_REACH_M)
    lost += CROWDED_SIDE * crowding(thing, scene) + CROWDED_AROUND * surrounded(thing, scene)
    lost += ON_TOP * len(resting_on(scene, thing))
    lost += WRONG_HAND * (scene.held is not None)
    return max(0.0, BEST - lost)


def place_score(step: Step, effect: Effect, carried: SceneObject, scene: Scene) -> float:
    """For putting an object down: what is in the way there, and whether the gripper holds it."""
    at = target_point(step, effect, scene)
    lost = OCCUPIED * len(occupants(step, effect, carried, scene))
    lost += WRONG_HAND * (scene.held != carried.name)
    if at is not None:
        lost += REACH_PER_M * max(0.0, math.hypot(*at) - EASY_REACH_M)
    return max(0.0, BEST - lost)


def target_point(step: Step, effect: Effect, scene: Scene) -> Point | None:
    """Where the step puts something down; None if the skill chooses."""
    point = effect.point(step.args)
    if point is not None:
        return point
    target = scene.get(effect.name('target', step.args) or '')
    if target is None or target.shape is Shape.TABLE:
        return None
    return target.position[:2]


def occupants(step: Step, effect: Effect, carried: SceneObject, scene: Scene,
              ) -> list[SceneObject]:
    """What stands where the object should go."""
    target = scene.get(effect.name('target', step.args) or '')
    at = target_point(step, effect, scene)
    if at is None or (target is not None and target.is_container):
        return []
    ground = target or scene.table
    bottom_z = (ground.top_z if ground else 0.0) + RELEASE_GAP_M
    return occupants_at(carried, (*at, bottom_z), scene, ground.name if ground else '')


def crowding(thing: SceneObject, scene: Scene) -> float:
    """How crowded the best two opposite sides are: 0 if both have finger room, 2 at most."""
    return min(map(sum, _sides(thing, scene)))


def surrounded(thing: SceneObject, scene: Scene) -> float:
    """The share of the finger room that is missing all around the object, 0 to 1."""
    sides = [share for pair in _sides(thing, scene) for share in pair]
    return sum(sides) / len(sides)


def _sides(thing: SceneObject, scene: Scene) -> list[tuple[float, float]]:
    """For each closing direction, the missing share of the finger room on both sides."""
    others = [o for o in scene.without([thing.name]) if o.shape is not Shape.TABLE
              and may_be_near(thing, thing.position, o, FINGER_ROOM_M + max(o.size))]
    return [(_blocked(thing, yaw, others), _blocked(thing, yaw + math.pi, others))
            for yaw in _closings(thing)]


def _closings(thing: SceneObject) -> list[float]:
    """Horizontal directions (rad) along which fingers can close on the object."""
    if thing.shape in ROUND or thing.shape is Shape.SPHERE:
        return [math.pi * k / 8 for k in range(8)]
    return [thing.pose.yaw, thing.pose.yaw + math.pi / 2]


def _blocked(thing: SceneObject, yaw: float, others: list[SceneObject]) -> float:
    """The share of the finger room that is missing on this side, 0 to 1."""
    reach = half_extent_along(thing, yaw)
    side = np.array([math.cos(yaw), math.sin(yaw)])
    across = np.array([-side[1], side[0]])
    free = FINGER_ROOM_M
    for other in others:
        if other.top_z <= thing.position[2] - 0.01 or other.bottom_z >= thing.top_z:
            continue
        offset = np.subtract(other.position[:2], thing.position[:2])
        aside = abs(float(offset @ across)) - half_extent_along(other, yaw + math.pi / 2)
        aside -= FINGER_HALF_M
        along = float(offset @ side)
        if aside < 0 and along > 0:
            free = min(free, along - half_extent_along(other, yaw) - reach)
    return min(1.0, max(0.0, 1.0 - max(0.0, free) / FINGER_ROOM_M))
