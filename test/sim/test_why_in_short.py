# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands in the way for good is told once, with all names, and nothing moves for it."""

from __future__ import annotations

import pytest

from replan_agent import Simulation
from replan_agent.robot.mujoco.scene.scene_file import parse_scene


@pytest.mark.parametrize(('x', 'y', 'shape', 'size', 'gap'), [
    (0.5, 0.0, 'box', 0.04, 0.005), (0.45, 0.12, 'cylinder', [0.044, 0.06], 0.004)])
def test_a_thing_between_four_walls_names_all_of_them_and_is_planned_once(x, y, shape, size, gap):
    out = (size if isinstance(size, float) else size[0]) / 2 + gap + 0.01
    walls = {'north': (out, 0), 'south': (-out, 0), 'east': (0, out), 'west': (0, -out)}
    objects = [{'name': 'red_thing', 'shape': shape, 'size': size, 'colour': 'red',
                'position': [x, y]},
               {'name': 'bowl', 'shape': 'bowl', 'size': [0.16, 0.055], 'colour': 'white',
                'position': [0.5, -0.3]},
               *({'name': name, 'shape': 'wall', 'colour': 'brown', 'position': [x + dx, y + dy],
                  'size': [0.02, 0.12, 0.15] if dx else [0.04, 0.02, 0.15]}
                 for name, (dx, dy) in walls.items())]
    with Simulation(parse_scene({'objects': objects}, 'own')) as sim:
        result = sim.run('put the red thing in the bowl')
    assert not result.success and len(result.steps) == 1 and result.causes == ('boxed_in',)
    assert 'stand in the way of red_thing' in result.why and ' 0.0 cm' not in result.why
    assert all(name in result.why and name in result.would_help for name in walls)
    assert result.would_help.endswith('out of the way')
    assert 'give up' not in result.final_detail


@pytest.mark.parametrize('perception', ['ground_truth', 'camera'])
@pytest.mark.parametrize(('at_s', 'cause', 'why'), [
    (1, 'taken_away', 'green_cube was taken away: it is '),
    (2, 'not_where_seen', 'green_cube is not where it was seen: it is ')])  # as the fingers close
def test_the_why_of_a_thing_that_is_taken_away_is_that(perception, at_s, cause, why):
    objects = [{'name': f'{colour}_cube', 'shape': 'box', 'size': 0.04, 'colour': colour,
                'position': [0.45, y]} for colour, y in (('green', 0.1), ('blue', -0.2))]
    with Simulation(parse_scene({'objects': objects}, 'own'), perception=perception) as sim:
        seconds = iter(range(100))

        def take_away() -> None:
            if next(seconds) == at_s - 1:
                sim.world.data.joint('green_cube').qpos[:3] = (2.0, 2.0, 0.02)
        sim.world.on_step(take_away, 1.0)
        result = sim.run('pick up the green cube')
    assert not result.success and result.causes == (cause,)
    assert result.why.startswith(why)
    assert result.would_help.startswith('green_cube brought back')
