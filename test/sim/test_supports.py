# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What carries a thing, with real physics: thin plates and slabs count, a rim is no inside."""

from __future__ import annotations

import pytest
from replan_agent_bench.worlds.judges import InBowl, Truth

from replan_agent import Simulation
from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.geometry.judging import judge
from replan_agent.geometry.outlines import gap_m, parts
from replan_agent.robot.mujoco.scene.scene_file import parse_scene


def box(name, size, z):
    return {'name': name, 'shape': 'box', 'size': size, 'colour': name.split('_')[0],
            'position': [0.5, 0.0, z]}


def simulation(*objects, perception) -> Simulation:
    return Simulation(parse_scene({'objects': list(objects)}, 'own'), perception=perception)


@pytest.mark.parametrize(('perception', 'thick'), [('ground_truth', 0.005), ('camera', 0.008)])
def test_a_cube_is_taken_from_a_thin_plate_to_the_table(perception, thick):
    with simulation(box('blue_plate', [0.14, 0.14, thick], thick / 2),
                    box('red_cube', [0.04] * 3, thick + 0.02), perception=perception) as sim:
        result = sim.run('put the red cube on the table')
        cube = Truth(sim.world).object('red_cube')
    assert result.success and len(result.steps) == 2
    assert cube.bottom_z < 0.002


@pytest.mark.parametrize('perception', ['ground_truth', 'camera'])
def test_three_thin_slabs_that_are_taken_apart_lie_apart(perception):
    slabs = [box(f'{colour}_slab', [long, wide, 0.008], 0.004 + 0.008 * level)
             for level, (colour, long, wide) in enumerate((
                 ('red', 0.14, 0.075), ('green', 0.12, 0.06), ('blue', 0.10, 0.045)))]
    with simulation(*slabs, perception=perception) as sim:
        assert sim.run('take the tower apart').success
        truth = Truth(sim.world)
        low, middle, high = (truth.object(slab['name']) for slab in slabs)
    assert all(o.bottom_z < 0.002 for o in (low, middle, high))
    assert all(gap_m(parts(a), parts(b)) > 0 for a, b in ((low, middle), (low, high)))


@pytest.mark.parametrize('perception', ['ground_truth', 'camera'])
@pytest.mark.parametrize(('long', 'z'), [(0.20, 0.0725), (0.14, 0.065)])
def test_a_bar_across_the_rim_of_a_bowl_is_not_in_it(perception, long, z):
    bowl = {'name': 'bowl', 'shape': 'bowl', 'size': [0.16, 0.06], 'colour': 'grey',
            'position': [0.5, 0.0]}
    with simulation(bowl, box('red_bar', [long, 0.025, 0.025], z), perception=perception) as sim:
        sim.world.step(500)
        assert judge(Goal(Predicate.IN, 'red_bar', 'bowl'), sim.scene) is False
        assert judge(Goal(Predicate.ON, 'red_bar', 'table'), sim.scene) is False
        assert InBowl('red_bar', 'bowl')(Truth(sim.world))


def test_what_stays_on_the_rim_is_told_as_too_large_for_the_bowl():
    bar = {'name': 'red_bar', 'shape': 'box', 'size': [0.03, 0.18, 0.03], 'colour': 'red',
           'position': [0.45, -0.1], 'yaw': 0.7}
    bowl = {'name': 'bowl', 'shape': 'bowl', 'size': [0.16, 0.055], 'colour': 'white',
            'position': [0.5, 0.2]}
    with simulation(bar, bowl, perception='ground_truth') as sim:
        result = sim.run('put the red bar in the bowl')
    assert not result.success and result.causes == (Cause.DOES_NOT_FIT.value,)
    assert 'larger container' in result.would_help
