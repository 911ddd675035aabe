# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where things are put, with real physics: side by side, inside, on the table, or refused."""

from __future__ import annotations

import pytest

from replan_agent import Simulation
from replan_agent.domain.cause import Cause
from replan_agent.domain.scene import SceneObject
from replan_agent.geometry.judging import is_inside
from replan_agent.geometry.outlines import beyond_m, parts
from replan_agent.robot.mujoco.scene.scene_file import parse_scene


def things(sim: Simulation) -> dict[str, SceneObject]:
    sim.world.step(500)
    return {o.name: o for o in sim.world.true_objects()}


def causes(result) -> list[Cause]:
    return [a.diagnosis.cause for a in result.attempts]


def test_four_things_go_side_by_side_into_the_bin():
    with Simulation('tabletop') as sim:
        assert sim.run('tidy up').success
        found = things(sim)
    for name in ('red_cube', 'blue_cube', 'green_cylinder', 'yellow_bar'):
        assert is_inside(found[name], found['bin']) and found[name].bottom_z < 0.01, name


def test_things_are_heaped_in_a_bowl_that_has_no_free_floor_for_them():
    with Simulation('tabletop') as sim:
        result = sim.run('put everything in the bowl')
        found = things(sim)
    assert result.success
    for name in ('red_cube', 'blue_cube', 'green_cylinder', 'yellow_bar'):
        assert is_inside(found[name], found['bowl']), name


def test_a_thing_is_taken_out_of_a_bowl_though_another_lies_against_it():
    with Simulation('tabletop') as sim:
        assert sim.run('put the red cube in the bowl then put the blue cube in the bowl').success
        assert sim.run('take the red cube out of the bowl').success
        found = things(sim)
    assert is_inside(found['blue_cube'], found['bowl'])
    assert not is_inside(found['red_cube'], found['bowl'])


@pytest.mark.parametrize(('scene', 'thing', 'numbers'), [
    ('tabletop', 'bowl', '160 x 160 mm'), ('kitchen', 'hammer', '219 x 80 mm')])
def test_what_does_not_fit_into_the_bin_is_refused_before_the_arm_moves(scene, thing, numbers):
    with Simulation(scene) as sim:
        result = sim.run(f'put the {thing} in the bin')
    assert not result.success and not result.steps and causes(result) == [Cause.DOES_NOT_FIT]
    assert numbers in result.final_detail


def test_a_long_thing_is_turned_so_that_it_fits_into_the_bin():
    with Simulation('kitchen') as sim:
        result = sim.run('put the spanner in the bin')
        found = things(sim)
    assert result.success and len(result.steps) == 2
    assert found['spanner'].top_z < found['bin'].top_z


def test_a_bowl_beside_the_bin_stays_on_the_table_and_the_bin_where_it_is():
    with Simulation('tabletop') as sim:
        before = things(sim)['bin']
        assert sim.run('put the bowl to the right of the bin').success
        found = things(sim)
    assert beyond_m(parts(found['bowl']), found['table']) < 0.0
    assert found['bin'].pose.distance_to(before.pose) < 0.005


def test_what_was_put_into_the_bin_can_be_picked_out_again():
    with Simulation('tabletop') as sim:
        assert sim.run('put the red cube and the blue cube in the bin').success
        result = sim.run('empty the bin')
        found = things(sim)
    assert result.success
    assert not any(is_inside(found[n], found['bin']) for n in ('red_cube', 'blue_cube'))


def test_an_irregular_thing_can_be_turned():
    with Simulation('kitchen') as sim:
        assert sim.run('turn the hammer by 80 degrees').success


def test_a_small_cube_is_taken_from_the_floor_of_a_bin_that_is_narrower_than_the_hand(tmp_path):
    scene = tmp_path / 'loaded.yaml'
    scene.write_text(
        'name: loaded\nobjects:\n'
        '  - {name: bin, shape: bin, size: [0.20, 0.16, 0.07], position: [0.48, -0.30]}\n'
        '  - {name: orange_cube, shape: box, size: 0.03, position: [0.48, -0.30, 0.03]}\n')
    with Simulation(scene) as sim:
        assert sim.run('empty the bin').success
        found = things(sim)
    assert not is_inside(found['orange_cube'], found['bin'])


def test_two_cubes_stand_side_by_side_on_a_plate(tmp_path):
    scene = tmp_path / 'plate.yaml'
    scene.write_text(
        'name: plate\nobjects:\n'
        '  - {name: plate, shape: box, size: [0.12, 0.12, 0.012], position: [0.50, 0.20]}\n'
        '  - {name: red_cube, shape: box, size: 0.04, position: [0.45, -0.10]}\n'
        '  - {name: blue_cube, shape: box, size: 0.04, position: [0.60, -0.05]}\n')
    with Simulation(scene) as sim:
        result = sim.run('put the cubes on the plate')
        found = things(sim)
    assert result.success and len(result.steps) == 4
    assert all(abs(found[n].bottom_z - 0.012) < 0.003 for n in ('red_cube', 'blue_cube'))


def test_a_full_container_says_what_to_take_out():
    things = [{'name': f'{colour}_box', 'shape': 'box', 'size': [0.07, 0.13, 0.05],
               'colour': colour, 'position': [x, -0.30, 0.032]}
              for colour, x in (('blue', 0.454), ('green', 0.526))]
    scene = {'objects': [*things, {'name': 'bin', 'shape': 'bin', 'size': [0.16, 0.15, 0.06],
                                   'colour': 'grey', 'position': [0.49, -0.30]},
                         {'name': 'red_cube', 'shape': 'box', 'size': 0.04, 'colour': 'red',
                          'position': [0.45, 0.1]}]}
    with Simulation(parse_scene(scene, 'full')) as sim:
        result = sim.run('put the red cube in the bin')
    assert not result.success and 'blue_box and green_box fill it' in result.would_help
