# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command: which jobs run, and what is shown after an interruption."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, replace
from io import StringIO
from types import SimpleNamespace

import pytest
from replan_agent_bench import command
from replan_agent_bench.command import INTERRUPTED, bench_settings, chosen_rows, collect
from replan_agent_bench.outcome import Job
from replan_agent_bench.report.suite_table import speed_lines
from replan_agent_bench.running import progress_bar, workers
from replan_agent_bench.running.kept import kept, read
from replan_agent_bench.running.ray_cluster import ray_runner
from replan_agent_bench.running.workers import run_job
from replan_agent_bench.suites.memory_suite import MEMORY
from replan_agent_bench.suites.motion_suite import MOTION
from replan_agent_bench.suites.recovery_suite import RECOVERY
from rich.console import Console

from replan_agent.app.build.skill_set import skill_set
from replan_agent.app.cli.main import WRONG_USE, main
from replan_agent.app.terminal.threads import OPENBLAS
from replan_agent.domain.config import Config, ConfigError


def test_rows_come_in_the_suite_order_whatever_order_they_are_named_in():
    assert [r.name for r in chosen_rows(MOTION, ['wall', 'cube24'])] == ['cube24', 'wall']
    assert chosen_rows(MOTION, None) == MOTION.rows
    with pytest.raises(ConfigError, match="motion named 'walls'.*choose from: cube24"):
        chosen_rows(MOTION, ['walls'])


def test_without_n_a_row_runs_its_own_number_of_episodes():
    rows = chosen_rows(MOTION, ['cube24', 'wall'])
    assert [(job.row, job.seed) for job in MOTION.jobs(rows, 2, 17)] == [
        ('cube24', 17), ('cube24', 18), ('wall', 17), ('wall', 18)]
    assert len(MOTION.jobs(rows, None, 0)) == 400 + 100


def test_every_column_is_its_own_job_if_its_episodes_are_independent():
    moved = RECOVERY.jobs(chosen_rows(RECOVERY, ['moved']), 1, 5)
    assert moved == [Job('recovery', 'moved', 5, column)
                     for column in ('off', 'plain', 'no_local', 'whole')]
    [life] = MEMORY.jobs(chosen_rows(MEMORY, ['slippery']), 1, 5)
    assert life == Job('memory', 'slippery', 5)
    assert MEMORY.columns_of(life) == ['first', 'second', 'off', 'other', 'alike']


def test_outcomes_are_shown_by_row_and_seed_however_they_came(outcome):
    came = [outcome(1, row='wall'), outcome(3), outcome(2)]
    assert [(o.row, o.seed) for o in MOTION.ordered(came)] == [('cube40', 2), ('cube40', 3),
                                                               ('wall', 1)]


def test_ctrl_c_keeps_what_was_done(outcome):
    def interrupted(config, jobs):
        yield [outcome(0)]
        raise KeyboardInterrupt

    jobs = MOTION.jobs(chosen_rows(MOTION, ['cube40']), 2, 0)
    run = collect(interrupted, Config(), MOTION, jobs, Console())
    assert not run.complete and run.outcomes == [outcome(0)]


def test_an_interrupted_run_shows_and_writes_a_partial_table(monkeypatch, tmp_path, outcome,
                                                            capsys):
    def interrupted(config, jobs):
        yield [outcome(0)]
        raise KeyboardInterrupt

    monkeypatch.setattr(command, 'processes', lambda count: interrupted)
    path = tmp_path / 'b.json'
    status = main(['bench', '--suite', 'motion', '--rows', 'cube40', '--json', str(path)])
    assert status == INTERRUPTED
    assert 'partial' in capsys.readouterr().out
    assert json.loads(path.read_text())['complete'] is False


def test_a_run_says_how_many_cores_its_episodes_kept_busy(outcome):
    done = [replace(outcome(seed), cpu_s=1.5) for seed in range(4)]
    assert speed_lines(done, 3.0) == ['4 episodes in 3.0 s with 6.0 s of processor time: '
                                      '2.0 cores busy']


def test_a_run_interrupted_before_its_first_outcome_ends_without_a_traceback(monkeypatch):
    def interrupted(config, jobs):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(command, 'processes', lambda count: interrupted)
    assert main(['bench', '--suite', 'motion']) == INTERRUPTED


def test_an_episode_that_raises_is_an_outcome_that_says_so():
    [crashed] = run_job(Config(), Job('motion', 'no such row', 4))
    assert not crashed.success and crashed.final_reason == 'crashed' and crashed.seed == 4
    assert "ValueError: no row named 'no such row'" in crashed.final_detail


def test_a_life_that_raises_is_an_outcome_of_each_of_its_meetings():
    crashed = run_job(Config(), Job('memory', 'no such row', 4))
    assert [o.column for o in crashed] == ['first', 'second', 'off', 'other', 'alike']
    assert not any(o.success for o in crashed)


@pytest.mark.parametrize(('arguments', 'message'), [
    (['--suite', 'motion', '--rows', 'nothing'], 'choose from: cube24'),
    (['--suite', 'recovery', '--rows', 'moved', '--video', 'x.mp4'], '--n 1'),
    (['--suite', 'memory', '--video', 'x.mp4'], 'the suite memory cannot be filmed'),
    (['--suite', 'motion', '--video', 'x.mp4'], '--rows NAME --seed SEED --n 1'),
    (['--tasks', 'pick', '--rows', 'wall'], "no row of the suite pick named 'wall'"),
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
    monkeypatch.setattr(command, 'load_config', pytest.fail)
    assert main(['bench', '--suite', suite, option, path]) == WRONG_USE
    assert message in capsys.readouterr().err


def test_without_ray_the_error_names_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'ray', None)
    with pytest.raises(ConfigError, match=r"pip install 'replan_agent_bench\[ray\]'"):
        ray_runner('local')


@pytest.mark.parametrize(('address', 'message'), [
    ('127.0.0.1:1', 'cannot join a cluster there: .*refused'), ('somewhere', 'HOST:PORT')])
def test_a_cluster_that_is_not_there_is_reported_at_once(address, message, monkeypatch):
    monkeypatch.setitem(sys.modules, 'ray', object())
    with pytest.raises(ConfigError, match=message):
        list(ray_runner(address)(Config(), []))


@pytest.mark.parametrize('content', [
    b'# notes\n', b'\xff\xfe\x00', b'{"settings": 3}\n'], ids=['text', 'bytes', 'settings'])
def test_a_file_of_somebody_is_not_written_to_by_keep(tmp_path, content):
    file = tmp_path / 'notes'
    file.write_bytes(content)
    run = kept(lambda config, jobs: iter([]), MOTION, file)
    with pytest.raises(ConfigError, match='not a file of --keep'):
        list(run(Config(), [Job('motion', 'cube40', 0)]))
    assert file.read_bytes() == content


def test_kept_outcomes_with_values_of_another_type_are_refused(tmp_path, outcome):
    file = tmp_path / 'kept.jsonl'
    values = asdict(outcome()) | {'wall_s': 'long'}
    file.write_text(json.dumps(values) + '\n')
    with pytest.raises(ConfigError, match='not the outcomes of the suite motion'):
        read(MOTION, file)


def test_benchmarks_use_only_our_own_skills(small_plugin, on_path):
    on_path(small_plugin)
    assert 'nod' not in skill_set(bench_settings().skills, simulated=True).names()


def test_without_a_terminal_lines_tell_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr(progress_bar, 'BETWEEN_LINES_S', -1.0)
    done = [SimpleNamespace(success=success) for success in (True, False)]
    found, complete = progress_bar.gather(iter([[each] for each in done]), 2,
                                          Console(file=StringIO()))
    assert complete and found == done
    assert capsys.readouterr().err == '1 of 2 episodes, 0 failed\n2 of 2 episodes, 1 failed\n'


def test_ctrl_c_says_that_it_waits_before_it_waits(monkeypatch, capsys):
    class Pool:
        def submit(self, *work):
            return SimpleNamespace(result=lambda: (_ for _ in ()).throw(KeyboardInterrupt))

        def shutdown(self, wait, cancel_futures):
            assert capsys.readouterr().err == 'stopping after the current episodes\n'

    monkeypatch.setattr(workers, 'worker_pool', lambda count: Pool())
    monkeypatch.setattr(workers, 'as_completed', list)
    coming = workers.processes(2)(Config(), [None, None])
    assert progress_bar.gather(coming, 2, Console(file=StringIO())) == ([], False)


def test_workers_use_one_thread_for_matrices_whoever_starts_them(monkeypatch):
    monkeypatch.setenv(OPENBLAS, '')  # it is put back
    monkeypatch.delenv(OPENBLAS)
    workers.worker_pool(1).shutdown()
    assert os.environ[OPENBLAS] == '1'
