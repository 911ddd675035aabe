# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where objects stand for a seed."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.domain.scene import Shape
from replan_agent.robot.mujoco.scene.placement import overlap, place
from replan_agent.robot.mujoco.scene.scene_spec import (
    Colour,
    ObjectSpec,
    Randomize,
    SceneSpec,
    TableSpec,
)

CUBE = ObjectSpec('cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named('red'))
AREA = Randomize(x=(0.4, 0.6), y=(-0.1, 0.1), yaw=(-math.pi, math.pi))


def scene(*objects: ObjectSpec, table: TableSpec | None = None) -> SceneSpec:
    return SceneSpec('test', objects=objects, table=table or TableSpec())


def crowd(n: int) -> SceneSpec:
    return scene(*(replace(CUBE, name=f'cube{i}', randomize=AREA) for i in range(n)))


def test_the_same_seed_gives_the_same_places() -> None:
    assert place(crowd(5), seed=3) == place(crowd(5), seed=3)


def test_another_seed_gives_other_places() -> None:
    assert place(crowd(1), seed=3) != place(crowd(1), seed=4)


@pytest.mark.parametrize('seed', range(20))
def test_sampled_objects_do_not_overlap(seed: int) -> None:
    pairs = itertools.combinations(place(crowd(6), seed), 2)
    assert not any(overlap(a, b) for a, b in pairs)


@pytest.mark.parametrize('seed', range(20))
def test_a_radius_range_is_kept(seed: int) -> None:
    ring = replace(CUBE, randomize=Randomize(radius=(0.3, 0.72), angle=(-0.5, 0.5)))
    x, y, _ = place(scene(ring), seed)[0].pose.position
    assert 0.3 <= math.hypot(x, y) <= 0.72 and abs(math.atan2(y, x)) <= 0.5


def test_sampled_objects_keep_clear_of_those_that_the_file_placed() -> None:
    wall = ObjectSpec('wall', Shape.WALL, (0.2, 0.1, 0.2), Colour.named('grey'), (0.5, 0.05, None))
    placed = place(scene(replace(CUBE, randomize=AREA), wall), seed=0)
    assert [p.spec.name for p in placed] == ['cube', 'wall'] and not overlap(*placed)


def test_a_full_table_is_an_error_that_names_the_object() -> None:
    with pytest.raises(ConfigError, match='cube[0-9]+.*no free place'):
        place(crowd(60), seed=0)


@pytest.mark.parametrize(('spec', 'height'), [
    (CUBE, 0.02),
    (replace(CUBE, rpy=(math.pi / 4, 0.0, 0.0)), 0.02 * math.sqrt(2)),
    (replace(CUBE, shape=Shape.CYLINDER, size=(0.04, 0.04, 0.1)), 0.05),
    (replace(CUBE, shape=Shape.CYLINDER, size=(0.04, 0.04, 0.1), rpy=(0, math.pi / 2, 0)), 0.02),
    (replace(CUBE, shape=Shape.SPHERE, size=(0.06, 0.06, 0.06), rpy=(0.3, 0.4, 0)), 0.03),
])  # fmt: skip
def test_an_object_without_z_stands_on_the_table(spec: ObjectSpec, height: float) -> None:
    placed = place(scene(spec, table=TableSpec(height=0.1)), seed=0)
    assert placed[0].pose.position[2] == pytest.approx(0.1 + height)


def test_objects_above_each_other_do_not_overlap() -> None:
    lower, upper = place(scene(CUBE, replace(CUBE, name='b', position=(0.5, 0.0, 0.061))), seed=0)
    assert not overlap(lower, upper)


def test_a_turned_box_is_measured_by_its_corners() -> None:
    bar = replace(CUBE, size=(0.02, 0.12, 0.02), position=(0.5, 0.0, None))
    beside = replace(CUBE, name='b', position=(0.55, 0.0, None))
    assert not overlap(*place(scene(bar, beside), seed=0))
    assert overlap(*place(scene(replace(bar, rpy=(0, 0, math.pi / 2)), beside), seed=0))
