# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenes and skills for the planner's tests, built by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit

MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]


def _object(name: str, x: float, y: float, z: float = 0.02, shape: Shape = Shape.BOX,
            size: tuple[float, float, float] = (0.04, 0.04, 0.04), colour: str | None = None,
            movable: bool = True) -> SceneObject:
    colour = name.split('_')[0] if colour is None else colour
    return SceneObject(name, shape, size, Pose((x, y, z)), colour, movable)


TABLE = _object('table', 0.4, 0.0, -0.02, Shape.TABLE, (1.2, 1.2, 0.04), 'wood', movable=False)
BOWL = _object('bowl', 0.5, -0.3, 0.03, Shape.BOWL, (0.16, 0.16, 0.06), 'white')


@pytest.fixture
def make_object() -> MakeObject:
    """A 40 mm cube on the table by default. Its colour is the first part of its name."""
    return _object


@pytest.fixture
def make_scene() -> MakeScene:
    """A scene of the given objects (default: three cubes), a bowl and a table."""

    def make(*objects: SceneObject, held: str | None = None, at_home: bool = False) -> Scene:
        things = objects or (
            _object('red_cube', 0.45, 0.20), _object('green_cube', 0.55, 0.00),
            _object('blue_cube', 0.40, -0.10))
        arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, at_home)
        return Scene('scene-1', 0.0, (*things, BOWL, TABLE), 'by_hand', arm, held, hand=PANDA.hand)

    return make


@pytest.fixture
def skills() -> tuple[SkillSpec, ...]:
    """The six skills as a planner sees them."""

    def schema(**properties: str) -> dict[str, Any]:
        return {'type': 'object', 'properties': {k: {'type': v} for k, v in properties.items()},
                'required': list(properties), 'additionalProperties': False}

    return (
        SkillSpec('pick', 'Pick up.', schema(object='string'), ('object',), False,
                  Effect(EffectKind.TAKE, object='object'), 'pick(object="red_cube")',
                  must_be={'object': Fit.MOVABLE}),
        SkillSpec('place_on', 'Place.', schema(target='string'), ('target',), True,
                  Effect(EffectKind.PUT_ON, target='target')),
        SkillSpec('place_at', 'Place.', schema(x='number', y='number'), (), True,
                  Effect(EffectKind.PUT_AT, x='x', y='y')),
        SkillSpec('home', 'Go home.', schema(), effect=Effect(EffectKind.GO_HOME)),
        SkillSpec('open_gripper', 'Let go.', schema(), effect=Effect(EffectKind.RELEASE)),
        SkillSpec('look', 'Look.', schema(), effect=Effect(EffectKind.OBSERVE)),
    )
