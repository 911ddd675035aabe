# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The suite of things: sets are found where they are, and a seed draws the same thing again."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_bench.report.suite_table import flaw_lines, left_out_lines
from replan_agent_bench.running.workers import run_job
from replan_agent_bench.suite import find
from replan_agent_bench.suites import pile_suite
from replan_agent_bench.suites.objects_episode import draw
from replan_agent_bench.suites.objects_suite import OBJECTS, ObjectsOutcome, flaws, object_numbers
from replan_agent_bench.suites.pile_suite import CENTRE, PileOutcome, pile, too_flat
from replan_agent_bench.worlds.object_sets import SETS

from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.domain.config import ConfigError
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape

TETRAHEDRON = ('o convex_0\nv 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\n'
               'f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n')
URDF = """<robot name="r"><link name="l"><contact><lateral_friction value="0.9"/></contact>
<inertial><mass value="0.2"/></inertial><collision><geometry>
<mesh filename="000.obj" scale="0.01 0.01 0.01"/></geometry></collision></link></robot>"""
MJCF = """<mujoco><asset><mesh file="meshes/{0}.msh" scale="2 2 2"/></asset><worldbody>
<geom density="100" friction="0.95 0.3 0.1"/></worldbody></mujoco>"""


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    """Both sets as their packages have them, one thing each or two."""
    urdfs = tmp_path / 'deep' / 'pybullet_data' / 'random_urdfs'
    for name in ('000', '001'):
        (urdfs / name).mkdir(parents=True)
        (urdfs / name / f'{name}.urdf').write_text(URDF.replace('000.obj', f'{name}.obj'))
        (urdfs / name / f'{name}.obj').write_text(TETRAHEDRON)
    groceries = tmp_path / 'robosuite' / 'models' / 'assets' / 'objects'
    groceries.mkdir(parents=True)
    for name in ('bottle', 'bread', 'can', 'cereal', 'lemon', 'milk'):
        (groceries / f'{name}.xml').write_text(MJCF.format(name))
    return tmp_path


def test_urdfs_are_found_below_the_folder_and_read_with_scale_mass_and_friction(unpacked) -> None:
    first, second = find(SETS, 'random_urdfs').things(unpacked)
    assert (first.name, second.name) == ('object_000', 'object_001')
    assert (first.mass, first.friction, first.scale) == (0.2, 0.9, (0.01, 0.01, 0.01))
    assert sum(p.volume for p in first.pieces()) == pytest.approx(0.04 ** 3 / 6)
    folder = unpacked / 'deep' / 'pybullet_data' / 'random_urdfs'
    assert find(SETS, 'random_urdfs').things(folder)[0] == first


def test_the_six_of_robosuite_use_the_triangles_beside_their_model(unpacked) -> None:
    things = find(SETS, 'robosuite').things(unpacked)
    assert [t.name for t in things] == ['bottle', 'bread', 'can', 'cereal', 'lemon', 'milk']
    assert things[5].file.parts[-2:] == ('meshes', 'milk.stl')
    assert (things[5].density, things[5].friction, things[5].scale) == (100, 0.95, (2, 2, 2))


@pytest.mark.parametrize('name', ['random_urdfs', 'robosuite'])
def test_a_set_that_is_not_there_is_an_error_that_says_how_to_get_it(name, tmp_path,
                                                                     monkeypatch) -> None:
    with pytest.raises(ConfigError, match=f'does not hold the set {name}'):
        find(SETS, name).things(tmp_path)
    monkeypatch.setattr('replan_agent_bench.worlds.object_sets.find_spec', lambda package: None)
    with pytest.raises(ConfigError, match='pip install .*--objects'):
        find(SETS, name).things(None)


def test_our_own_set_needs_no_folder_and_all_its_things_have_pieces() -> None:
    things = find(SETS, 'ours').things(None)
    assert {'mug', 'hammer', 'spatula', 'banana', 't_piece', 'l_piece', 'spanner',
            'toy_dog'} == {thing.name for thing in things}
    for thing in things:
        assert 0.01 < thing.mass_of(thing.pieces()) < 0.5


def test_a_seed_draws_the_same_pose_and_colour_again() -> None:
    thing = find(SETS, 'ours').things(None)[0]
    case, again, other = draw(thing, 3), draw(thing, 3), draw(thing, 4)
    assert case == again and case.spec.rpy != other.spec.rpy
    assert case.spec.shape is Shape.IRREGULAR and case.spec.colour.name in case.task


def test_an_upright_thing_is_only_turned() -> None:
    roll, pitch, yaw = draw(find(SETS, 'ours').things(None)[0], 3, upright=True).spec.rpy
    assert roll == pitch == 0.0 != yaw


def test_a_missing_set_ends_the_command_before_any_episode(tmp_path, capsys) -> None:
    status = main(['bench', '--suite', 'objects', '--set', 'random_urdfs', '--objects',
                   str(tmp_path)])
    assert status == WRONG_USE and 'does not hold' in capsys.readouterr().err


def test_the_options_of_this_suite_are_refused_with_another(tmp_path, capsys) -> None:
    status = main(['bench', '--suite', 'motion', '--pictures', str(tmp_path)])
    assert status == WRONG_USE and '--pictures: only for the suites objects, pile and why' in (
        capsys.readouterr().err)


def outcome(success: bool, graspable: bool, picture: str = '') -> ObjectsOutcome:
    return ObjectsOutcome('ours', 0, success, '' if success else 'it fell', success, 'gave_up',
                          'x', OBJECTS.columns[0].name, thing='mug',
                          graspable=graspable, picture=picture)


def test_the_rate_of_what_can_be_grasped_leaves_out_what_cannot() -> None:
    numbers = object_numbers([outcome(True, True), outcome(False, True), outcome(False, False)])
    assert (numbers.graspable, numbers.of_graspable) == (2, 0.5)


def test_a_failed_episode_names_its_thing_and_its_picture() -> None:
    assert not flaws(outcome(True, True))
    line = '; '.join(flaws(outcome(False, False, 'mug.png')))
    assert 'mug: it fell' in line and 'no grasp' in line and 'see mug.png' in line


def test_what_cannot_be_grasped_is_listed() -> None:
    assert OBJECTS.notes([outcome(True, True)]) == []
    assert OBJECTS.notes([outcome(False, False)]) == [
        'cannot be grasped as they lie: mug (ours, seed 0)']


def test_a_pile_is_five_things_of_different_colours_within_25_cm() -> None:
    specs = pile('ours', None, 2)
    assert len({spec.name for spec in specs}) == len({spec.colour for spec in specs}) == 5
    assert all(math.dist(spec.position[:2], CENTRE) <= 0.125 for spec in specs)
    assert specs == pile('ours', None, 2) != pile('ours', None, 3)


def test_a_damaged_thing_is_no_episode_and_is_listed(unpacked) -> None:
    damaged = unpacked / 'deep' / 'pybullet_data' / 'random_urdfs' / '001' / '001.obj'
    damaged.write_text(TETRAHEDRON.replace('v 4 0 0', 'v nan 0 0'))
    job = Job('objects', 'random_urdfs', 1, 'camera', unpacked)
    outcomes = run_job(load_config(), job)
    assert [o.took_place for o in outcomes] == [False]
    assert OBJECTS.summaries(outcomes) == [] and flaw_lines(OBJECTS, outcomes) == []
    line, = left_out_lines(outcomes)
    assert line.startswith('cannot be loaded: random_urdfs seed 1') and '001.obj' in line


@pytest.mark.parametrize(('floor_m', 'draws'), [(-0.1, 0), (10.0, 2)])
def test_a_pile_of_which_something_is_on_the_floor_is_drawn_again(monkeypatch, floor_m, draws):
    monkeypatch.setattr(pile_suite, 'ON_FLOOR_M', floor_m)
    monkeypatch.setattr(pile_suite, 'MOST_DRAWS', 2)
    sim, specs = pile_suite.heaped(load_config(), Job('pile', 'ours', 3, column='ground_truth'))
    with sim:
        assert specs == pile('ours', None, 3, draws)
    assert pile('ours', None, 3) != pile('ours', None, 3, 2)


def test_the_lowest_thing_of_a_pile_starts_on_the_table_if_it_is_long(monkeypatch):
    size = (0.03, 0.03, 0.2)
    long = replace(pile('ours', None, 3)[0], size=size, pieces=(box_piece(size),), rpy=(0, 0, 0))
    monkeypatch.setattr(pile_suite, 'draw', lambda thing, seed: SimpleNamespace(spec=long))
    assert [spec.position[2] for spec in pile('ours', None, 3)][:2] == pytest.approx([0.1, 0.19])


def test_a_pile_that_would_start_inside_itself_is_drawn_again():
    sim, specs = pile_suite.heaped(load_config(), Job('pile', 'ours', 2, column='ground_truth'))
    with sim:
        assert specs != pile('ours', None, 2)


@pytest.mark.parametrize(('top_m', 'verdict', 'is_false'), [
    (0.001, 'done; things lower than 9 mm may not be seen', False),
    (0.001, 'done', True),
    (0.02, 'done; things lower than 9 mm may not be seen', True),
    (-0.7, 'done; things lower than 9 mm may not be seen', True)])
def test_only_what_is_below_the_limit_of_sight_that_the_verdict_names_is_no_false_success(
        top_m, verdict, is_false):
    flake = SceneObject('flake', Shape.BOX, (0.03, 0.03, 0.002), Pose((0.4, 0.1, top_m - 0.001)))
    outcome = PileOutcome('ours', 1, False, 'left: flake', True, 'plan_complete', verdict,
                          in_bin=4, too_flat=too_flat([flake], verdict))
    assert outcome.false_success is is_false and not outcome.success
    assert pile_suite.pile_numbers([outcome]).too_flat == (not is_false)
