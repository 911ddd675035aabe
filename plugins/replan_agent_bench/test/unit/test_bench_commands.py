# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands that this package adds: `bench` and `fake-model`."""

from __future__ import annotations

import importlib.util
import json
import socket
from pathlib import Path

import pytest
from replan_agent_bench.all_suites import find_suite, suite_names
from replan_agent_bench.bench_commands import add_commands

from replan_agent.app.build.plugins import PlugInError
from replan_agent.app.cli.main import main
from replan_agent.app.terminal.exits import WRONG_USE

OURS = (add_commands,)
ROOT = Path(__file__).parents[4]


def test_a_slip_in_the_name_of_a_suite_is_asked_about(capsys):
    with pytest.raises(SystemExit) as end:
        main(['bench', '--suite', 'recoverry'], OURS)
    assert end.value.code == 2 and "did you mean 'recovery'?" in capsys.readouterr().err


def test_a_way_to_misbehave_that_is_none_is_refused_with_the_choices(capsys):
    assert main(['fake-model', '--misbehave', 'politely'], OURS) == WRONG_USE
    assert 'politely' in capsys.readouterr().err


def test_ros_is_one_benchmark_among_the_others(capsys):
    with pytest.raises(SystemExit) as end:
        main(['bench', '--ros', '--ik'], OURS)
    assert end.value.code == WRONG_USE
    assert 'not allowed with' in capsys.readouterr().err


@pytest.mark.skipif(importlib.util.find_spec('rclpy') is not None, reason='rclpy is installed')
def test_without_ros_the_benchmark_of_ros_says_what_brings_it(capsys):
    assert main(['bench', '--ros'], OURS) == WRONG_USE
    assert 'needs ROS 2 (no module named' in capsys.readouterr().err


def test_a_port_in_use_is_said_once_with_a_way_out(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(['fake-model', '--port', port], OURS) == 2
    said = capsys.readouterr().err
    assert said.count(port) == 1 and 'another program uses this port' in said
    assert '--port 0' in said




def test_numbers_of_a_benchmark_that_cannot_be_written_exit_with_3_and_one_sentence(
        tmp_path, capsys, files_of_at_most):
    with files_of_at_most(0):
        assert main(['bench', '--ik', '--n', '2', '--json', str(tmp_path / 'ik.json')], OURS) == 3
    said = capsys.readouterr()
    assert said.err == f'replan-agent: {tmp_path}/ik.json: cannot be written: File too large\n'
    assert 'written to' not in said.out and not list(tmp_path.iterdir())


SUITE = """
from dataclasses import dataclass
from replan_agent_bench.outcome import Outcome
from replan_agent_bench.suite import DrawnRow, Suite

@dataclass
class Tosses:
    count: int

def run(config, job, video):
    return [Outcome(job.row, job.seed, job.seed != 1, '', True, 'plan_complete', '', job.column)]

COINS = Suite('coins', 'a coin', (DrawnRow('toss', 'one toss', '', lambda rng: None),), Outcome,
              run, lambda found: Tosses(len(found)),
              lambda outcome: ['tails'] * outcome.false_success, (), ())
"""


def test_an_installed_suite_is_run_by_its_name_and_its_rows_are_counted(offered, tmp_path):
    offered('tossing', SUITE, suites='coins = tossing:COINS')
    assert 'coins' in suite_names()
    report = tmp_path / 'coins.json'
    bench = ['bench', '--suite', 'coins', '--n', '3', '--seed', '0', '--jobs', '1']
    assert main([*bench, '--json', str(report)], OURS) == 0
    (line,) = json.loads(report.read_text('utf-8'))['rows']
    assert (line['n'], line['successes'], line['false_successes']) == (3, 2, 1)


@pytest.mark.parametrize('option', ['--objects', '--pictures'])
def test_options_of_our_suites_are_refused_with_an_installed_one_that_has_a_check(
        option, offered, tmp_path, capsys):
    source = SUITE.replace('(), ())', "(), (), option='perception', check=lambda jobs: None)")
    offered('tossing', source, suites='coins = tossing:COINS')
    bench = ['bench', '--suite', 'coins', '--n', '1', '--jobs', '1', option, str(tmp_path)]
    assert main(bench, OURS) == WRONG_USE
    assert f'{option}: only for the suites objects, pile and why' in capsys.readouterr().err


@pytest.mark.parametrize(('suite', 'arm', 'said'), [
    ('pile', 'fr3', '--arm: only for the suites motion, pick, perception, objects and robosuite'),
    ('motion', 'ur55', "--arm: 'ur55' is not allowed; choose from: panda, fr3"),
])
def test_an_arm_is_refused_if_it_does_not_exist_or_the_suite_has_no_scenes_for_it(
        suite, arm, said, capsys):
    assert main(['bench', '--suite', suite, '--arm', arm, '--n', '1'], OURS) == WRONG_USE
    assert said in capsys.readouterr().err


def test_what_is_no_suite_is_refused_in_one_sentence(offered):
    offered('tossing', 'COINS = 3', suites='coins = tossing:COINS')
    with pytest.raises(PlugInError, match="suite 'coins' must be a Suite of that name, not 3"):
        find_suite('coins')


def test_the_help_names_all_three_acts_of_the_demo(capsys):
    with pytest.raises(SystemExit):
        main(['--help'], OURS)
    helped = ' '.join(capsys.readouterr().out.split())
    for said in (helped, (ROOT / 'Makefile').read_text('utf-8')):
        assert 'three acts' in said and 'a task that works, one that cannot' in said
