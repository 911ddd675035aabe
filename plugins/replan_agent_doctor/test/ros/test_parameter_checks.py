# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What ROS ignores in parameters: a name that no node declares, a type that loses."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from replan_agent_doctor.findings import Finding, Verdict
from replan_agent_doctor.parameter_checks import parameters

CONFIG = Path(__file__).resolve().parents[4] / 'config'


def checked(tmp_path: Path, *files: str, more: tuple[str, ...] = ()) -> Finding:
    words = ['--ros-args']
    for number, text in enumerate(files):
        file = tmp_path / f'{number}.yaml'
        file.write_text(text)
        words += ['--params-file', str(file)]
    return parameters([*words, *more])


def for_all(lines: str, section: str = '/**') -> str:
    return f'{section}:\n  ros__parameters:\n    {lines}\n'


def test_the_files_of_this_repository_give_what_the_nodes_declare() -> None:
    files = [CONFIG / name for name in (
        'ros_sim.yaml', 'robot.yaml', 'franka/names.yaml', 'franka/controllers.yaml')]
    assert all('ros__parameters' in file.read_text('utf-8') for file in files)
    for file in files:
        one = parameters(['--ros-args', '--params-file', str(file)])
        assert one.verdict is Verdict.OK and 'integer' not in one.seen, (file, one)
    names = yaml.safe_load(files[2].read_text('utf-8'))['/**']['ros__parameters']
    assert parameters(['--ros-args', '--params-file', str(files[2])]).seen.startswith(
        f'{len(names)} given, all are declared')


@pytest.mark.parametrize(('text', 'meant'), [
    (for_all('workspace: {keepout: ["a 0 0 0 1 1 1"]}'), "'workspace.keep_out'"),
    (for_all('workspace.keepout: []', '/left/skill_node'), "'workspace.keep_out'"),
    (for_all('agent.max_replan: 3', 'agent_node'), "'agent.max_replans'"),
    ('left:\n  ' + for_all('agent.max_replan: 3', 'agent_node').replace('\n', '\n  '),
     "'agent.max_replans'"),
    (for_all('max_object_age: 3.0'), '')])
def test_a_name_that_no_node_declares_is_wrong(tmp_path: Path, text: str, meant: str) -> None:
    one = checked(tmp_path, text)
    assert one.verdict is Verdict.WRONG and 'no node of ours declares' in one.seen and one.do
    assert '(0.yaml)' in one.seen and (f'did you mean {meant}?' in one.seen) is bool(meant)


@pytest.mark.parametrize('said', ['agent.max_replan:=3', 'agent_node:agent.max_replan:=3'])
@pytest.mark.parametrize('option', ['-p', '--param'])
def test_also_on_the_command_line(tmp_path: Path, option: str, said: str) -> None:
    one = checked(tmp_path, more=(option, said))
    assert one.verdict is Verdict.WRONG and "did you mean 'agent.max_replans'?" in one.seen


def test_parameters_of_other_nodes_are_not_judged(tmp_path: Path) -> None:
    assert checked(tmp_path, for_all('align_depth.enable: 1', '/camera/camera'),
                   for_all('use_sim_time: false')).verdict is Verdict.OK


@pytest.mark.parametrize(('line', 'told'), [
    ('agent.max_replans: 3.0', 'is a float, declared is an integer'),
    ('agent.max_replans: true', 'is true or false, declared is an integer'),
    ('agent.rehearse: 1', 'is an integer, declared is true or false'),
    ('robot.model: 3', 'is an integer, declared is a word'),
    ('workspace.keep_out: box', 'is a word, declared is a list'),
    ('workspace.x_max: "0.5"', 'is a word, declared is a float'),
    ('workspace.x_max: 5e-1', ''), ('workspace.keep_out: []', '')])
def test_a_value_of_another_type_is_wrong(tmp_path: Path, line: str, told: str) -> None:
    one = checked(tmp_path, for_all(line))
    assert one.verdict is (Verdict.WRONG if told else Verdict.OK) and told in one.seen


def test_an_integer_for_a_float_is_a_hint_and_wrong_where_it_wins(tmp_path: Path) -> None:
    speed = 'motion.max_velocity_scaling_factor: '
    one = checked(tmp_path, for_all(f'{speed}1'))
    assert one.verdict is Verdict.OK and 'write 1.0 for 1' in one.seen
    one = checked(tmp_path, for_all(f'{speed}1'), for_all(f'{speed}0.1', 'skill_node'))
    assert one.verdict is Verdict.WRONG
    assert 'it wins over the float 0.1 (1.yaml)' in one.seen
    one = checked(tmp_path, for_all(f'{speed}1', 'agent_node'),
                  for_all(f'{speed}0.1', 'skill_node'))
    assert one.verdict is Verdict.OK, 'no node has both'
