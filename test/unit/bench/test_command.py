"""The command: which jobs, who runs them, and what an interruption leaves."""

from __future__ import annotations

import json
import sys

import pytest
from rich.console import Console

from replan_agent.app.cli.main import WRONG_USE, main
from replan_agent.bench import command, recovery_command
from replan_agent.bench import memory_bench as memory_command
from replan_agent.bench.command import INTERRUPTED, Run, chosen_rows, collect, planned_jobs
from replan_agent.bench.motion_episode import Job, run_job
from replan_agent.bench.ray_cluster import ray_runner
from replan_agent.bench.rows import MOTION
from replan_agent.domain.config import Config, ConfigError


def test_rows_come_in_the_suite_order_whatever_order_they_are_named_in():
    assert [r.name for r in chosen_rows('motion', ['wall', 'cube24'])] == ['cube24', 'wall']
    assert chosen_rows('motion', None) == MOTION
    with pytest.raises(ConfigError, match="no row named 'walls'.*choose from: cube24"):
        chosen_rows('motion', ['walls'])


def test_a_row_runs_as_often_as_its_claim_takes_unless_told():
    rows = chosen_rows('motion', ['cube24', 'wall'])
    assert planned_jobs(rows, 2, 17) == [Job('cube24', 17), Job('cube24', 18), Job('wall', 17),
                                         Job('wall', 18)]
    assert len(planned_jobs(rows, None, 0)) == 400 + 100


def test_outcomes_are_shown_by_row_and_seed_however_they_came(outcome):
    run = Run([outcome(1, row='wall'), outcome(3), outcome(2)])
    assert [(o.row, o.seed) for o in run.ordered(MOTION)] == [('cube40', 2), ('cube40', 3),
                                                              ('wall', 1)]


def test_ctrl_c_keeps_what_was_done(outcome):
    def interrupted(config, jobs):
        yield outcome(0)
        raise KeyboardInterrupt

    run = collect(interrupted, Config(), [Job('cube40', 0), Job('cube40', 1)], Console())
    assert not run.complete and run.outcomes == [outcome(0)]


def test_an_interrupted_run_shows_and_writes_a_partial_table(monkeypatch, tmp_path, outcome,
                                                            capsys):
    def interrupted(config, jobs):
        yield outcome(0)
        raise KeyboardInterrupt

    monkeypatch.setattr(command, 'processes', lambda count: interrupted)
    path = tmp_path / 'b.json'
    status = main(['bench', '--suite', 'motion', '--rows', 'cube40', '--json', str(path)])
    assert status == INTERRUPTED
    assert 'partial' in capsys.readouterr().out
    assert json.loads(path.read_text())['complete'] is False


def test_a_run_interrupted_before_its_first_outcome_ends_without_a_traceback(monkeypatch):
    def interrupted(config, jobs):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(command, 'processes', lambda count: interrupted)
    assert main(['bench', '--suite', 'motion']) == INTERRUPTED


def test_an_episode_that_raises_is_an_outcome_that_says_so():
    crashed = run_job(Config(), Job('no such row', 4))
    assert not crashed.success and crashed.final_reason == 'crashed' and crashed.seed == 4
    assert "ValueError: no row named 'no such row'" in crashed.final_detail


@pytest.mark.parametrize(('arguments', 'message'), [
    (['--suite', 'motion', '--rows', 'nothing'], 'choose from: cube24'),
    (['--suite', 'motion', '--video', 'x.mp4'], '--rows NAME --seed SEED --n 1'),
    (['--tasks', 'pick', '--rows', 'wall'], "no row named 'wall' in the suite pick"),
])
def test_wrong_use_says_what_to_change(arguments, message, capsys):
    assert main(['bench', *arguments]) == WRONG_USE
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(('option', 'path', 'message'), [
    ('--json', '/proc/x.json', '/proc/x.json: cannot be written'),
    ('--json', '/tmp', '/tmp: is a folder'),
    ('--plot', '/proc/x.png', '/proc/x.png: cannot be written'),
    ('--plot', '/tmp/x.foo', '/tmp/x.foo must end with one of .png, .svg, .pdf'),
])
@pytest.mark.parametrize('suite', ['motion', 'recovery', 'memory'])
def test_what_cannot_be_written_is_refused_before_the_run(suite, option, path, message,
                                                          monkeypatch, capsys):
    for module in (command, recovery_command, memory_command):
        monkeypatch.setattr(module, 'load_config', pytest.fail)
    assert main(['bench', '--suite', suite, option, path]) == WRONG_USE
    assert message in capsys.readouterr().err


def test_without_ray_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'ray', None)
    with pytest.raises(ConfigError, match=r"pip install 'replan_agent\[ray\]'"):
        ray_runner('local')


@pytest.mark.parametrize(('address', 'message'), [
    ('127.0.0.1:1', 'cannot join a cluster there: .*refused'), ('somewhere', 'HOST:PORT')])
def test_a_cluster_that_is_not_there_is_reported_at_once(address, message, monkeypatch):
    monkeypatch.setitem(sys.modules, 'ray', object())
    with pytest.raises(ConfigError, match=message):
        list(ray_runner(address)(Config(), []))
