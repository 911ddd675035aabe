# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MotionBenchMaker's problems: read from an archive, planned, judged, counted."""

from __future__ import annotations

import io
import math
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from replan_agent_bench.outcome import Job, crashed
from replan_agent_bench.suites.cells import percent
from replan_agent_bench.suites.mbm_suite import MBM, check, flaws, notes, run_problem
from replan_agent_bench.worlds import mbm_problems
from replan_agent_bench.worlds.mbm_problems import load_problem

from replan_agent.app.cli.main import WRONG_USE, main
from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_numbers import HOME
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.scene import Shape

UPRIGHT = [0.0, 0.0, 0.0, 1.0]
WALL = {'type': 'box', 'dimensions': [0.3, 0.02, 0.5]}
CAN = {'type': 'cylinder', 'dimensions': [0.2, 0.03]}  # height, radius


def texts(goal: list[float], x: float = 0.5) -> dict[str, str]:
    """A wall across the straight way from home, and a can behind it."""
    things = [{'id': name, 'primitives': [shape],
               'primitive_poses': [{'position': [x, y, 0.25], 'orientation': UPRIGHT}]}
              for name, shape, y in (('wall', WALL, 0.25), ('can', CAN, 0.6))]
    request = {
        'start_state': {'joint_state': {'name': [*PANDA.joint_names, *PANDA.finger_names],
                                        'position': [*HOME, 0.065, 0.065]}},
        'goal_constraints': [{'joint_constraints': [
            {'joint_name': name, 'position': value}
            for name, value in zip(PANDA.joint_names, goal)]}]}
    return {'scene': yaml.safe_dump({'world': {'collision_objects': things}}),
            'request': yaml.safe_dump(request)}


def archive(goals: list[list[float]], name: str, mode: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as tar:  # type: ignore[call-overload]
        for number, goal in enumerate(goals, 1):
            for part, text in texts(goal).items():
                info = tarfile.TarInfo(f'problems/{name}_panda/{part}{number:04d}.yaml')
                info.size = len(text.encode())
                tar.addfile(info, io.BytesIO(text.encode()))
    return file.getvalue()


@pytest.fixture(scope='module')
def problems(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source package like that of vamp-planner: one good problem, one beyond the limits."""
    behind = [math.pi / 3, *HOME[1:]]
    inner = archive([behind, [3.2, *HOME[1:]]], 'box', 'w:bz2')
    path = tmp_path_factory.mktemp('sdist') / 'vamp_planner-1.0.tar.gz'
    with tarfile.open(path, 'w:gz') as tar:
        info = tarfile.TarInfo('vamp_planner-1.0/resources/panda/problems.tar.bz2')
        info.size = len(inner)
        tar.addfile(info, io.BytesIO(inner))
    return path


def test_a_problem_is_read_from_the_source_package(problems: Path) -> None:
    problem = load_problem(problems, 'box', 1)
    assert problem.gripper_width == pytest.approx(0.13)
    wall, can = problem.scene.objects
    assert (wall.shape, wall.size) == (Shape.BOX, (0.3, 0.02, 0.5))
    assert (can.shape, can.size) == (Shape.CYLINDER, (0.06, 0.06, 0.2))
    assert problem.goal[0] == pytest.approx(math.pi / 3)


def test_a_problem_is_planned_and_judged_and_an_impossible_one_is_not_counted(
        problems: Path) -> None:
    outcomes = [run_problem(Config(), Job('mbm', 'box', seed, problems=problems))[0]
                for seed in (0, 1)]
    good, beyond = outcomes
    assert good.success and good.claimed and good.length_rad > math.pi / 3 - 0.01
    assert not beyond.feasible and not beyond.claimed
    own = MBM.numbers(outcomes)
    assert (own.feasible, own.solved, own.share) == (1, 1, 1.0)
    assert notes(outcomes) == [
        'not feasible in our model, so not counted: box 1 (bad_arguments)']


def test_a_missing_file_is_an_error_that_says_how_to_get_it(
        tmp_path: Path, problems: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['bench', '--suite', 'mbm']) == WRONG_USE
    assert 'pip download --no-deps --no-binary vamp-planner' in capsys.readouterr().err
    with pytest.raises(ConfigError, match='no_such_file.*pip download'):
        check([Job('mbm', 'box', 0, problems=tmp_path / 'no_such_file.tar.gz')])
    with pytest.raises(ConfigError, match='has no problem 3 of box'):
        load_problem(problems, 'box', 3)


def packed(path: Path, members: dict[str, bytes | tuple[bytes, str]]) -> Path:
    """An archive of files, and of members of another type: (type, where a link leads)."""
    with tarfile.open(path, 'w:gz') as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            if isinstance(content, tuple):
                info.type, info.linkname = content
                content = b''
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def changed(tmp_path: Path, scene: dict[str, Any], start: float = 0.065) -> Path:
    """A problem whose first thing has these values; `start` is where each finger is."""
    found = {part: yaml.safe_load(text) for part, text in texts([1.0, *HOME[1:]]).items()}
    thing = found['scene']['world']['collision_objects'][0]
    for part in ('primitives', 'primitive_poses'):
        thing[part][0] = {**thing[part][0], **{k: v for k, v in scene.items()
                                               if k in thing[part][0]}}
    found['request']['start_state']['joint_state']['position'][-2:] = [start, start]
    return packed(tmp_path / 'changed.tar.gz',
                  {f'box_panda/{part}0001.yaml': yaml.safe_dump(values).encode()
                   for part, values in found.items()})


@pytest.mark.parametrize('scene', [
    {'position': [math.nan, 0.0, 0.2]}, {'dimensions': [0.3, math.nan, 0.5]},
    {'dimensions': [0.3, -0.02, 0.5]}, {'dimensions': [10 ** 400, 0.1, 0.1]},
    {'orientation': [math.nan, 0.0, 0.0, 1.0]}, {'orientation': [0.0, 0.0, 0.0, 0.0]}],
    ids=lambda scene: next(iter(scene)))
def test_a_thing_that_no_checker_would_see_is_refused(tmp_path: Path,
                                                      scene: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match='box 1 cannot be read'):
        load_problem(changed(tmp_path, scene), 'box', 1)


@pytest.mark.parametrize('finger', [math.nan, -1.0, 5.0])
def test_fingers_that_cannot_be_there_are_refused(tmp_path: Path, finger: float) -> None:
    with pytest.raises(ConfigError, match='the fingers cannot be'):
        load_problem(changed(tmp_path, {}, finger), 'box', 1)


def test_a_goal_that_is_no_number_is_refused_and_not_called_infeasible(tmp_path: Path) -> None:
    path = packed(tmp_path / 'goal.tar.gz', {
        f'box_panda/{part}0001.yaml': text.encode()
        for part, text in texts([math.nan, *HOME[1:]]).items()})
    with pytest.raises(ConfigError, match='a joint angle is no finite number'):
        load_problem(path, 'box', 1)


@pytest.mark.parametrize('odd', [
    (tarfile.DIRTYPE, ''), (tarfile.SYMTYPE, '/etc/passwd'), (tarfile.SYMTYPE, 'scene0001.yaml'),
    (tarfile.LNKTYPE, '/etc/passwd'), (tarfile.FIFOTYPE, '')])
def test_a_link_or_a_folder_in_the_archive_is_no_problem_file(
        tmp_path: Path, odd: tuple[bytes, str]) -> None:
    path = packed(tmp_path / 'odd.tar.gz', {
        'box_panda/scene0001.yaml': odd, 'box_panda/request0001.yaml': b'{}'})
    with pytest.raises(ConfigError, match='has no problem 1 of box'):
        load_problem(path, 'box', 1)


def test_an_archive_that_unpacks_to_too_much_is_refused(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mbm_problems, 'MOST_BYTES', 1_000_000)
    path = packed(tmp_path / 'bomb.tar.gz', {'box_panda/scene0001.yaml': b' ' * 1_000_001})
    with pytest.raises(ConfigError, match='more than 1 MB of problems'):
        load_problem(path, 'box', 1)


def test_the_share_of_no_problem_at_all_is_a_dash() -> None:
    assert percent(math.nan) == '–'


def test_a_motion_planner_that_cannot_be_made_is_named_before_any_episode(
        problems: Path, tmp_path: Path, on_path: Callable[[Path], None],
        capsys: pytest.CaptureFixture[str]) -> None:
    about = tmp_path / 'odd_motion-1.dist-info'
    about.mkdir()
    (about / 'METADATA').write_text('Metadata-Version: 2.1\nName: odd-motion\nVersion: 1\n')
    (about / 'entry_points.txt').write_text(
        '[replan_agent.motion_planners]\nodd = odd_motion:of\n')
    (tmp_path / 'odd_motion.py').write_text('def of(parts):\n    return 42\n')
    on_path(tmp_path)
    assert main(['bench', '--suite', 'mbm', '--problems', str(problems), '--rows', 'box', '--n',
                 '1', '--jobs', '1', '--motion-planner', 'odd']) == WRONG_USE
    assert 'odd-motion cannot be used: TypeError' in capsys.readouterr().err


def test_a_problem_that_crashed_says_where() -> None:
    try:
        raise RuntimeError('boo')
    except RuntimeError as error:
        outcome = crashed(MBM.outcome, Job('mbm', 'box', 0), '', error)
    assert flaws(outcome) == [outcome.final_detail] and 'RuntimeError: boo' in outcome.final_detail
