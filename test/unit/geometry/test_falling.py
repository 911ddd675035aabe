# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What would fall is refused before anything moves: places and ends of pushes need a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from replan_agent.domain.piece import Piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import find_spec
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.steps.forecast import Forecast
from replan_agent.geometry.steps.slide import Slide

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)), '', False)


def objections(skill: str, at: tuple[float, float], held: str | None = None,
               **args: Any) -> list[str]:
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((*at, 0.02)))
    spec = find_spec(standard_skills().specs(), skill)
    assert spec is not None
    return list(Forecast(Scene('s', 0.0, (TABLE, cube), 'test', None, held), held).objections(
        spec, args))


def test_a_place_beside_the_table_is_refused_with_where_the_table_is():
    (why,) = objections('place_at', (0.4, 0.0), 'cube', x=-0.4, y=0.3)
    assert why.startswith('it would fall: (-0.40, 0.30) is not over the table')
    assert 'x -0.20 to 1.00' in why


def test_a_place_on_the_table_is_not_refused():
    assert objections('place_at', (0.4, 0.0), 'cube', x=0.9, y=0.5) == []


@pytest.mark.parametrize(('direction', 'falls'), [('left', True), ('right', False)])
def test_a_push_over_the_edge_is_refused(direction, falls):
    found = objections('push', (0.4, 0.5), object='cube', direction=direction, distance=0.2)
    assert bool(found) is falls


def test_a_push_by_the_default_distance_is_judged_too():
    assert objections('push', (0.4, 0.57), object='cube', direction='left')


def test_a_pull_along_the_table_is_not_refused():
    assert objections('pull', (0.97, 0.55), object='cube', distance=0.3) == []


def slide_objections(*others: SceneObject, **args: Any) -> list[str]:
    """Objections to a push of a cube at (0.4, 0.43), 17 cm from the table's edge."""
    cube = SceneObject('cube', Shape.BOX, (0.04, 0.04, 0.04), Pose((0.4, 0.43, 0.02)))
    spec = find_spec(standard_skills().specs(), 'push')
    assert spec is not None
    scene = Scene('s', 0.0, (TABLE, cube, *others), 'test')
    return list(Forecast(scene, None).objections(spec, {'object': 'cube', **args}))


def block(name: str, x: float, y: float, z: float = 0.02, movable: bool = True) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)), '', movable)


def test_a_push_that_takes_a_neighbour_over_the_edge_is_refused_and_names_it():
    found = slide_objections(block('blue', 0.4, 0.56), direction='left', distance=0.13)
    assert found == ['cube would push blue off the table']


def test_a_row_of_neighbours_passes_the_push_on():
    row = [block('near', 0.4, 0.48), block('last', 0.4, 0.56)]
    assert slide_objections(*row, direction='left', distance=0.1) == [
        'cube would push last off the table']


@pytest.mark.parametrize('other', [
    block('beside', 0.45, 0.56), block('behind', 0.4, 0.37), block('above', 0.4, 0.56, 0.2),
    block('short_of_the_edge', 0.4, 0.5)])
def test_a_neighbour_that_stays_on_the_table_does_not_stop_a_push(other):
    assert slide_objections(other, direction='left', distance=0.08) == []


def test_what_is_slid_along_the_wall_that_it_leans_against_does_not_push_that():
    cube = block('cube', 0.4, 0.43)
    wall = SceneObject('bin', Shape.BIN, (0.24, 0.30, 0.1), Pose((0.532, 0.45, 0.05)))
    assert Slide(cube, (0.0, 1.0), 0.06).pushed_along([wall]) == []  # 8 mm in it, as believed
    assert Slide(cube, (1.0, 0.0), 0.06).pushed_along([wall])


def test_a_push_towards_something_beside_the_table_is_refused():
    found = slide_objections(block('bowl', 0.4, 0.9, -0.7), target='bowl')
    assert found[0] == 'bowl does not stand on the table, where cube is'
    assert 'it would fall' in found[1]


def test_a_push_towards_something_on_the_floor_is_refused_although_it_ends_on_the_table():
    found = slide_objections(block('bowl', 0.4, 0.9, -0.7), target='bowl', distance=0.05)
    assert found == ['bowl does not stand on the table, where cube is']


def test_a_push_towards_the_table_it_stands_on_is_refused():
    assert slide_objections(target='table') == [
        'cube is on or in table, so it cannot be brought closer to it']


def test_a_push_towards_a_neighbour_ends_before_it():
    spec = find_spec(standard_skills().specs(), 'push')
    assert spec is not None
    scene = Scene('s', 0.0, (TABLE, block('cube', 0.4, 0.2), block('blue', 0.4, 0.4)), 'test')
    end = Forecast(scene, None).end(spec, {'object': 'cube', 'target': 'blue'})
    assert end == pytest.approx((0.4, 0.35))


def test_a_thing_with_its_weight_at_one_end_is_not_put_near_the_edge():
    head = Piece.around(np.array([(x, y, z) for x in (0.06, 0.10) for y in (-0.03, 0.03)
                                  for z in (-0.02, 0.02)]))
    handle = Piece.around(np.array([(x, y, z) for x in (-0.10, 0.06) for y in (-0.005, 0.005)
                                    for z in (-0.005, 0.005)]))
    hammer = SceneObject('hammer', Shape.IRREGULAR, (0.2, 0.06, 0.04), Pose((0.4, 0.0, 0.02)),
                         pieces=(head, handle))
    spec = find_spec(standard_skills().specs(), 'place_at')
    assert spec is not None
    held = Forecast(Scene('s', 0.0, (TABLE, hammer), 'test', None, 'hammer'), 'hammer')
    assert 'it would fall' in ''.join(held.objections(spec, {'x': 0.4, 'y': 0.58}))
    assert not list(held.objections(spec, {'x': 0.4, 'y': 0.48}))
