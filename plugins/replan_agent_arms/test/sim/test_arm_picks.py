# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms that were read from files pick up a cube, on real physics."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from foreign_packages import PINNED, on_path
from replan_agent_arms.arm_by_name import arm_by_name
from replan_agent_arms.arm_command import add_commands
from replan_agent_bench.bench_commands import add_commands as add_bench

from replan_agent import Simulation, load_config
from replan_agent.app.build.share import share_path
from replan_agent.app.cli.main import main

sys.path.insert(0, str(Path(__file__).parents[1] / 'unit'))
from small_arms import LINKED, SIDECAR, linkage, six_joints  # noqa: E402

ARMS = sorted(file.stem for file in share_path('config', 'arms').glob('*.yaml'))
EVERY_TIME = ('ur5e',)  # the others are tried before a release
SCENE = """
name: near
objects:
  - {{name: red_cube, shape: box, size: 0.04, colour: red, mass: 0.08, position: [{}, {}]}}
  - {{name: bowl, shape: bowl, size: [0.16, 0.055], colour: white, mass: 0.3, position: [{}, {}]}}
"""


def with_arm(model: str, scene: str = 'tabletop') -> Simulation:
    config = load_config()
    return Simulation(scene, config=replace(config, robot=replace(config.robot, model=model)))


@pytest.mark.parametrize('sidecar', [SIDECAR, LINKED], ids=['slides', 'linkage'])
def test_an_arm_of_a_urdf_puts_a_cube_into_a_bowl(tmp_path: Path, sidecar: str) -> None:
    (tmp_path / 'arm.urdf').write_text(six_joints(), 'utf-8')
    (tmp_path / 'hand.xml').write_text(linkage(), 'utf-8')
    (tmp_path / 'small.yaml').write_text(sidecar, 'utf-8')
    result = with_arm(str(tmp_path / 'small.yaml')).run('put the red cube in the bowl')
    assert result.success, result.final_detail


@pytest.mark.parametrize('sidecar', [SIDECAR, LINKED], ids=['slides', 'linkage'])
def test_arm_check_says_that_all_is_well(tmp_path: Path, sidecar: str,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'arm.urdf').write_text(six_joints(), 'utf-8')
    (tmp_path / 'hand.xml').write_text(linkage(), 'utf-8')
    (tmp_path / 'small.yaml').write_text(sidecar, 'utf-8')
    status = main(['arm', 'check', str(tmp_path / 'small.yaml'), '--out', str(tmp_path / 'out')],
                  [add_commands])
    said = capsys.readouterr().out
    assert status == 0, said
    assert 'pick up the red cube: holding(red_cube)' in said and 'WRONG' not in said
    report = (tmp_path / 'out' / 'report.md').read_text()
    assert '| wrist3 | -3.10 | 3.10 |' in report and 'All is well.' in report
    assert all((tmp_path / 'out' / name).stat().st_size > 5000 and f']({name})' in report
               for name in ('home.png', 'picked.png'))


def test_arm_check_says_what_is_wrong_and_does_not_move(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'arm.urdf').write_text(six_joints().replace('<axis xyz="0 0 -1"/>',
                                                            '<axis xyz="0 1 0"/>'), 'utf-8')
    (tmp_path / 'small.yaml').write_text(SIDECAR, 'utf-8')
    status = main(['arm', 'check', str(tmp_path / 'small.yaml'), '--out', str(tmp_path / 'out')],
                  [add_commands])
    said = capsys.readouterr().out
    assert status == 1
    assert 'WRONG the hand cannot be moved and turned freely: lift, elbow, wrist1, ' in said
    assert 'it is not moved until this is right' in said and 'picking up' not in said
    assert (tmp_path / 'out' / 'home.png').exists()
    assert '**Wrong: ' in (tmp_path / 'out' / 'report.md').read_text()


@pytest.mark.gl
@pytest.mark.release
def test_an_arm_of_a_urdf_looks_with_the_camera_on_its_hand(tmp_path: Path) -> None:
    (tmp_path / 'arm.urdf').write_text(six_joints(), 'utf-8')
    (tmp_path / 'small.yaml').write_text(
        f'{SIDECAR}camera: {{frame: palm, xyz: [0.06, 0, 0.02], rpy: [0, 0, 1.5708], fovy: 50}}')
    config = load_config()
    robot = replace(config.robot, model=str(tmp_path / 'small.yaml'), eye_in_hand=True)
    config = replace(config, robot=robot, perception='camera')
    result = Simulation('tabletop', config=config).run('put the red cube in the bowl')
    assert result.success, result.final_detail


@pytest.mark.parametrize('name', [
    pytest.param(name, marks=[] if name in EVERY_TIME else [pytest.mark.release])
    for name in ARMS])
def test_arms_of_others_put_a_cube_into_a_bowl(name: str, tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    text = (share_path('config', 'arms') / f'{name}.yaml').read_text('utf-8')
    on_path([package for package in PINNED if f'package:{package}/' in text], monkeypatch)
    arm = arm_by_name(name)
    limits, rng = arm.limits, np.random.default_rng(0)
    poses = arm.kinematics.forward(rng.uniform(limits.lower, limits.upper, (400, arm.joint_count)))
    solved = arm.branches.solve_all_batch(poses)
    assert len(np.unique(solved.row)) >= 0.995 * len(poses)
    assert np.abs(arm.kinematics.forward(solved.joints) - poses[solved.row]).max() < 1e-6
    radius = sum(arm.hand.reach_m) / 2
    places = [round(radius * f(angle), 3) for angle in (-0.3, 0.5) for f in (math.cos, math.sin)]
    (tmp_path / 'near.yaml').write_text(SCENE.format(*places), 'utf-8')
    result = with_arm(name, str(tmp_path / 'near.yaml')).run('put the red cube in the bowl')
    assert result.success, result.final_detail


def test_the_suite_motion_measures_the_arm_of_a_file(tmp_path: Path) -> None:
    (tmp_path / 'arm.urdf').write_text(six_joints(), 'utf-8')
    (tmp_path / 'small.yaml').write_text(SIDECAR, 'utf-8')
    file, report = str(tmp_path / 'small.yaml'), tmp_path / 'report.json'
    bench = ['bench', '--suite', 'motion', '--arm', file, '--rows', 'cube40', 'wall', '--n', '1']
    assert main([*bench, '--jobs', '1', '--json', str(report)], [add_bench]) == 0
    found = json.loads(report.read_text('utf-8'))
    assert found['arm'] == file and len(found['rows']) == 2
    for row in found['rows']:
        assert (row['successes'], row['with_contact'], row['over_limit']) == (1, 0, 0), row


def test_sidecars_have_at_most_40_lines() -> None:
    lengths = {name: len((share_path('config', 'arms') / f'{name}.yaml').read_text().splitlines())
               for name in ARMS}
    assert len(lengths) >= 7 and max(lengths.values()) <= 40, lengths
