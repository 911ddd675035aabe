# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random cups, grains and bowls for the suite `contact`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from replan_agent_bench.suite import DrawnRow

from replan_agent import SceneObject, SkillResult

from .contact_rows import ContactCase, Random, Values
from .furnished_world import FurnishedWorld
from .grains import ENOUGH, Holder

OFF_M = 0.12  # the bowl is so far from where it is seen: all goes beside it


def pour_out(random: Random) -> ContactCase:
    return ContactCase(filled(random), 'pour the cup into the bowl', is_poured)


def pour_beside(random: Random) -> ContactCase:
    """The bowl is seen at a wrong place; right is to tell what was spilled."""
    way = float(random.uniform(-math.pi, math.pi))

    def seen(thing: SceneObject) -> SceneObject:
        off = OFF_M * math.cos(way), OFF_M * math.sin(way)
        return replace(thing, pose=thing.pose.moved(*off)) if thing.name == 'bowl' else thing

    return ContactCase(filled(random), 'pour the cup into the bowl', is_poured, _tells_spill,
                       least_n=0.0, seen=seen)


POUR_ROWS: tuple[DrawnRow[ContactCase], ...] = (
    DrawnRow('pour', 'pour a cup into a bowl', '12 to 30 grains', pour_out, bar=0.95),
    DrawnRow('pour_beside', 'pour beside the bowl', 'it is seen 12 cm off; right is: told',
             pour_beside, bar=0.95))


def is_poured(world: FurnishedWorld) -> Iterator[str]:
    """Nine of ten grains are in the bowl."""
    (amount,) = (len(grains.names) for grains in world.grains)
    bowl = next(o for o in world.true_objects() if o.name == 'bowl')
    if not isinstance(bowl, Holder) or bowl.grains < ENOUGH * amount:
        yield f'{getattr(bowl, "grains", 0)} of {amount} grains are in the bowl'


def _tells_spill(result: SkillResult) -> bool:
    return not result.success and result.evidence.get('spilled', 0) > 0


def filled(random: Random) -> Values:
    """A cup with grains on one side of the arm, and a bowl on the other or in front."""
    side = float(random.choice([-1.0, 1.0]))
    wide = round(float(random.uniform(0.052, 0.066)), 3)
    rim = round(float(random.uniform(0.13, 0.18)), 3)
    high = round(float(random.uniform(0.04, 0.06)), 3)
    return {
        'objects': [
            {'name': 'cup', 'shape': 'bin', 'colour': 'blue', 'mass': 0.08,
             'size': [wide, wide, round(float(random.uniform(0.08, 0.11)), 3)],
             'yaw': round(float(random.uniform(-0.8, 0.8)), 2),
             **_at(side * random.uniform(0.4, 0.8), random.uniform(0.42, 0.55))},
            {'name': 'bowl', 'shape': 'bowl', 'colour': 'white', 'mass': 0.3, 'size': [rim, high],
             **_at(-side * random.uniform(0.0, 0.5), random.uniform(0.42, 0.58))}],
        'grains': [{'holder': 'cup', 'count': int(random.integers(12, 31)),
                    'size': round(float(random.uniform(0.008, 0.011)), 4),
                    'friction': round(float(random.uniform(0.3, 0.7)), 2)}]}


def _at(bearing: float, far: float) -> Values:
    return {'position': [round(float(far * math.cos(bearing)), 3),
                         round(float(far * math.sin(bearing)), 3)]}
