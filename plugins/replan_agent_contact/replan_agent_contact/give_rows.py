# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""People who take what is handed over, and people who do not, for the suite `contact`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from replan_agent_bench.suite import DrawnRow

from replan_agent import Reason, SkillResult

from .contact_rows import ContactCase, Random, cube
from .furnished_world import FurnishedWorld
from .handing_over import PULL_N
from .person import Person

ASIDE_DEG = 35  # a pull is so far off the line away from the robot, at most
IN_HAND_M = 0.03


def taken(random: Random) -> ContactCase:
    """Somebody pulls after a while: hard enough, roughly away from the robot."""
    return _case(random, float(random.uniform(1.6, 3.5)) * PULL_N, 60.0, ASIDE_DEG, _is_theirs)


def not_taken(random: Random) -> ContactCase:
    """Nobody pulls, or too lightly, or only for a moment, or they push."""
    kind = str(random.choice(['nobody', 'lightly', 'bump', 'towards']))
    force = {'nobody': 0.0, 'lightly': random.uniform(0.2, 0.6), 'bump': random.uniform(1.0, 2.0),
             'towards': -random.uniform(1.0, 2.5)}[kind]
    return _case(random, float(force) * PULL_N, 0.5 if kind == 'bump' else 60.0, 0.0, _is_held,
                 lambda result: result.reason is Reason.TIMEOUT)


GIVE_ROWS: tuple[DrawnRow[ContactCase], ...] = (
    DrawnRow('hand_over', 'hand a cube over', 'a force on the cube pulls after 0.5 to 8 s', taken,
             bar=0.95),
    DrawnRow('hand_over_no_pull', 'hand a cube over to nobody',
             'no pull, a light one, a bump or a push; right is: told, and kept in the hand',
             not_taken, bar=0.95))


def _case(random: Random, force_n: float, lasts_s: float, aside_deg: float,
          judge: Callable[[FurnishedWorld, Person], Iterator[str]],
          trouble: Callable[[SkillResult], bool] | None = None) -> ContactCase:
    bearing, far = random.uniform(-0.7, 0.7), random.uniform(0.42, 0.60)
    x, y, z = far * math.cos(bearing), far * math.sin(bearing), random.uniform(0.3, 0.5)
    way = bearing + math.radians(random.uniform(-aside_deg, aside_deg))
    up, waits_s = random.uniform(-0.2, 0.3), float(random.uniform(0.5, 8.0))
    pull = force_n * np.array([math.cos(way), math.sin(way), up])
    people: list[Person] = []

    def start(world: FurnishedWorld) -> None:
        people.append(Person(world, 'red_cube', tuple(pull.tolist()), waits_s, lasts_s))

    return ContactCase(
        {'objects': [cube(random)]},
        f'pick(object="red_cube"); hand_over(x={x:.3f}, y={y:.3f}, z={z:.3f})',
        lambda world: judge(world, people[-1]), trouble, least_n=0.0, start=start)


def _is_theirs(world: FurnishedWorld, person: Person) -> Iterator[str]:
    if person.began_s is None or not person.has_it:
        yield 'the person does not have red_cube'
    if not _is_high(world) or _from_hand_m(world) < 2 * IN_HAND_M:
        yield 'red_cube is in the hand, or has fallen'


def _is_held(world: FurnishedWorld, person: Person) -> Iterator[str]:
    if person.has_it or not _is_high(world) or _from_hand_m(world) > IN_HAND_M:
        yield 'red_cube is not in the hand any more'


def _is_high(world: FurnishedWorld) -> bool:
    return _cube(world)[2] > 0.1


def _from_hand_m(world: FurnishedWorld) -> float:
    """From the middle between the fingers to the cube."""
    kinematics = world.arm.kinematics
    tcp = kinematics.forward(world.data.qpos[:world.arm.joint_count])[:3, 3]
    return math.dist(tcp, _cube(world))


def _cube(world: FurnishedWorld) -> tuple[float, float, float]:
    return next(o.position for o in world.true_objects() if o.name == 'red_cube')
