# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, continued, or cannot be recorded: real processes, physics and HTTP."""

from __future__ import annotations

import json
import os
import resource
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model

from replan_agent import Approval, ConfigError, PerceptionError, Simulation, load_config
from replan_agent.app.cli.main import EXAMPLES, main
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.stored_run import StoredRun

TASK = 'put the red cube in the bowl'
FAR = ['run', 'pick up the red cube', '--scene', 'far_cube', '--max-replans', '0']
REPO = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def result_in(folder: str) -> dict:
    return json.loads(Path(folder, 'result.json').read_text(encoding='utf-8'))


def killed_while_it_moves(*arguments: str) -> None:
    """Start the command in a process of its own, and kill it when its first step has begun."""
    env = {**os.environ, 'PYTHONUNBUFFERED': '1', 'PYTHONPATH': str(REPO)}
    command = [sys.executable, '-m', 'replan_agent.app.cli.main', *arguments]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        started = any(line.startswith('EXECUTE') for line in process.stdout)
        process.kill()
    assert started and process.returncode == -9


def test_a_killed_run_is_finished_with_its_settings_in_the_same_folder(capsys):
    killed_while_it_moves('run', TASK, '--seed', '3', '--approver', 'adaptive', '--max-replans',
                          '1', '--out', 'r')
    assert not Path('r/result.json').exists()
    assert main(['run', '--resume', 'r', '--out', 'r']) == 0
    result = result_in('r')
    assert (result['task'], result['seed'], result['approver']) == (TASK, 3, 'adaptive')
    assert result['settings']['agent']['max_replans'] == 1
    assert [plan['version'] for plan in result['plans']] == [1, 2]
    assert Path('r/earlier-1/events.jsonl').is_file()


def test_a_killed_run_does_not_show_the_result_of_the_run_before_it():
    assert main(['run', TASK, '--out', 'r']) == 0
    killed_while_it_moves('run', 'pick up the blue cube', '--out', 'r')
    assert not Path('r/result.json').exists()
    assert result_in('r/earlier-1')['task'] == TASK
    assert StoredRun.load(Path('r')).task == 'pick up the blue cube'


def test_two_runs_in_one_folder_are_refused_with_a_sentence(capsys):
    first = RunFolder(Path('r'))
    assert main(['run', TASK, '--out', 'r']) == 2
    assert 'r: cannot be written: another run is writing there' in capsys.readouterr().err
    assert first.path.is_dir() and not Path('r/earlier-1').exists()


def test_a_changed_setting_is_printed_and_what_was_proved_is_not_tried_again(capsys):
    assert main([*FAR, '--out', 'r']) == 1
    capsys.readouterr()
    assert main(['run', '--resume', 'r', '--max-replans', '1', '--out', 's']) == 1
    printed = capsys.readouterr()
    _, *changes = printed.err.splitlines()
    assert changes == ['agent.max_replans: 0 → 1']
    assert 'proved unreachable' in printed.out and result_in('s')['steps'] == []


HEAVY = """
name: one
objects: [{name: red_cube, shape: box, size: [0.04, 0.04, 0.04], position: [0.5, 0.0],
           colour: red, mass: MASS}]
"""


def test_what_was_too_heavy_in_one_scene_file_is_taken_in_another():
    for name, mass in (('heavy', '6.0'), ('light', '0.1')):
        Path(f'{name}.yaml').write_text(HEAVY.replace('MASS', mass))
    pick = ['run', 'pick up the red cube', '--scene', 'heavy.yaml', '--out', 'r']
    assert main(pick) == 1
    assert result_in('r')['attempts'][-1]['cause'] == 'too_heavy'
    assert main(['run', '--resume', 'r', '--scene', 'light.yaml', '--out', 's']) == 0


def test_other_tolerances_make_an_earlier_proof_void():
    assert main([*FAR, '--out', 'r']) == 1
    Path('my.yaml').write_text('ik: {pos_tol: 0.002}')
    assert main(['run', '--resume', 'r', '--config', 'my.yaml', '--out', 's']) == 1
    assert [step['skill'] for step in result_in('s')['steps']] == ['pick']


def test_a_model_plans_the_continued_run_and_is_told_what_failed(capsys):
    with scripted_model() as server:
        main([*FAR, '--planner', 'vlm', '--model', 'fake', '--base-url', server.base_url,
              '--out', 'r'])
        before = len(server.requests)
        main(['run', '--resume', 'r', '--hint', 'push it nearer', '--out', 's'])
        asked = json.dumps(server.requests[before]['messages'])
    assert 'Previously-failed steps' in asked and 'proved unreachable' in asked
    assert 'push it nearer' in asked and 'previous_plan' in asked
    assert result_in('s')['planner'] == 'vlm:fake'


def test_the_example_of_a_hint_in_the_help_reaches_the_planner(capsys):
    assert main([*FAR, '--out', 'r']) == 1
    joined = EXAMPLES.replace('\\\n', ' ')
    (example,) = (shlex.split(line) for line in joined.splitlines() if '--hint' in line)
    with scripted_model() as server:
        words = {'runs/TIME-SCENE': 'r', 'http://127.0.0.1:8765/v1': server.base_url}
        main([*(words.get(word, word) for word in example[1:]), '--out', 's'])
        asked = json.dumps(server.requests[0]['messages'])
    assert 'push it nearer first' in asked and 'is ignored' not in capsys.readouterr().out


def test_a_model_that_does_not_answer_is_named_and_no_other_planner_is_used(capsys):
    with scripted_model() as server:
        main([*FAR, '--planner', 'vlm', '--model', 'fake', '--base-url', server.base_url,
              '--out', 'r'])
    Path('quick.yaml').write_text('vlm: {max_retries: 0}')
    assert main(['run', '--resume', 'r', '--config', 'quick.yaml', '--out', 's']) == 1
    says = capsys.readouterr().err
    assert 'planned by vlm:fake, which does not answer now' in says and '--planner search' in says
    assert result_in('s')['final_reason'] == 'vlm_transport' and result_in('s')['steps'] == []


def test_a_run_that_could_not_be_recorded_exits_with_3_and_says_so(monkeypatch, capsys):
    finish = RunFolder.finish

    def on_a_full_disk(self, result):
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            finish(self, result)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    monkeypatch.setattr(RunFolder, 'finish', on_a_full_disk)
    assert main(['run', TASK, '--out', 'r']) == 3
    printed = capsys.readouterr()
    assert 'r: the run was NOT recorded' in printed.err and 'saved:' not in printed.out
    assert not list(Path('r').glob('result.json*'))


def test_a_scene_name_with_dots_and_slashes_stays_in_the_folder_of_runs(tmp_path):
    Path('evil.yaml').write_text('name: "../../../evil/.."\nobjects:\n  - {name: red_cube, '
                                 'shape: box, size: 0.04, position: [0.45, 0.1]}\n')
    assert main(['run', 'pick up the red cube', '--scene', 'evil.yaml']) == 0
    assert len(list((tmp_path / 'runs').glob('*/result.json'))) == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == ['evil.yaml', 'runs']


class Careful:
    """An approver of one's own."""

    def approve(self, request, ctx) -> Approval:
        return Approval(True, 'careful')

    def report_outcome(self, success: bool) -> None:
        """Nothing to learn."""


def test_what_adaptive_approval_learned_is_not_forgotten():
    assert main([*FAR, '--approver', 'adaptive', '--out', 'r']) == 1
    assert main(['run', '--resume', 'r', '--scene', 'tabletop', '--out', 's']) == 0
    thresholds = [result_in(run)['approvals'][0]['threshold'] for run in 'rs']
    assert thresholds == pytest.approx([0.5, 0.4])


def test_a_program_continues_a_result_and_never_more_leniently():
    config = load_config()
    config = replace(config, agent=replace(config.agent, max_replans=0))
    strict = Simulation('far_cube', config=config, approver=Careful())
    first = strict.run('pick up the red cube')
    with pytest.raises(ConfigError, match="'auto' is more lenient than 'Careful'"):
        Simulation('far_cube', config=config).run(first.task, resume=first.resume())
    second = strict.run(first.task, resume=first.resume('push it nearer'))
    assert second.steps == () and len(second.proofs) == 1  # nothing has moved: not even planned
    assert [plan.version for plan in second.plans] == [1]


def test_a_program_cannot_loosen_the_settings_of_approval():
    config = load_config()
    adaptive = replace(config, approver='adaptive', agent=replace(config.agent, max_replans=0))
    first = Simulation('far_cube', config=adaptive).run('pick up the red cube')
    looser = replace(adaptive, approval=replace(adaptive.approval, speed_risk=0.0))
    with pytest.raises(ConfigError, match='more lenient than those of the earlier run'):
        Simulation('far_cube', config=looser).run(first.task, resume=first.resume())


class Blind:
    """A perception of one's own."""

    name, uses_model = 'blind', False

    def observe(self, ctx):
        raise PerceptionError('dark')


def nothing(request, ctx):
    """A planner of one's own."""
    return []


@pytest.mark.parametrize(('own', 'replacement'), [
    ({'planner': nothing}, ['--planner', 'stub']),
    ({'perception': Blind()}, ['--perception', 'ground_truth'])])
def test_a_run_with_a_part_of_ones_own_needs_another_on_the_command_line(own, replacement, capsys):
    Simulation('tabletop', max_replans=0, **own).run(TASK, out='r')
    assert main(['run', '--resume', 'r']) == 2
    says = capsys.readouterr().err
    assert 'is not allowed; choose from: ' in says and replacement[0] in says
    assert main(['run', '--resume', 'r', *replacement]) == 0
