"""What would fall is refused before anything moves: places and ends of pushes need a table."""

from __future__ import annotations

from typing import Any

import pytest

from replan_agent.domain.forecast import Forecast
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import find_spec
from replan_agent.execute.skills.standard import standard_skills

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
