# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`run --resume`: in which scene and with which settings an earlier run goes on."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from replan_agent.app.build.config_file import load_config
from replan_agent.app.cli.main import main
from replan_agent.app.cli.resuming import EarlierRun, earlier_run
from replan_agent.app.terminal.exits import WrongUse
from replan_agent.domain.cause import Cause
from replan_agent.domain.config import Config
from replan_agent.domain.plan import Proof, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason, failed
from replan_agent.text.plain_values import plain

TASK = 'pick up the red cube'
RESULT = {'task': TASK, 'scene': 'mine', 'seed': 3, 'attempts': [], 'completed': [], 'goals': [],
          'hints': [], 'planner': 'stub'}
ASKED = Namespace(planner=None, perception=None, config=None, model=None, replay_model=None)


def stored(folder: Path, **facts: object) -> Path:
    (folder / 'result.json').write_text(json.dumps({**RESULT, **facts}))
    return folder


def resumed(folder: Path, scene: str | None = None, **facts: object) -> Namespace:
    arguments = Namespace(resume=stored(folder, **facts), task=None, scene=scene, seed=None)
    earlier_run(arguments)
    return arguments


def run_with(folder: Path, config: Config, **facts: object) -> EarlierRun:
    return EarlierRun(stored(folder, settings=asdict(config), planner=config.planner, **facts))


def test_task_scene_and_seed_are_those_of_the_earlier_run(tmp_path):
    found = resumed(tmp_path)
    assert (found.task, found.scene, found.seed) == (TASK, 'mine', 3)


def test_a_run_in_a_scene_file_goes_on_in_that_file(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('')
    assert resumed(tmp_path, scene_file=str(file)).scene == str(file)


def test_a_scene_file_that_is_gone_is_named(tmp_path):
    with pytest.raises(WrongUse, match=r'gone\.yaml is gone'):
        resumed(tmp_path, scene_file=str(tmp_path / 'gone.yaml'))


def test_the_scene_of_the_command_line_comes_first(tmp_path):
    assert resumed(tmp_path, 'tabletop', scene_file='gone.yaml').scene == 'tabletop'


def test_a_run_that_does_not_say_its_scene_needs_one(tmp_path):
    with pytest.raises(WrongUse, match='give one with --scene'):
        EarlierRun(stored(tmp_path, scene='')).scene()
    assert resumed(tmp_path, 'tabletop').scene == 'tabletop'


@pytest.mark.parametrize(('configured', 'earlier', 'kept'), [
    ('auto', 'console', 'console'), ('auto', 'adaptive', 'adaptive'), ('auto', 'none', 'none'),
    ('none', 'auto', 'none'), ('auto', 'auto', 'auto'), ('auto', '', 'auto'),
    ('console', 'remote', 'console'), ('auto', 'OnlyShortPlans', 'console')])
def test_a_continued_run_is_never_approved_more_leniently(configured, earlier, kept, tmp_path):
    run = EarlierRun(stored(tmp_path, approver=earlier))
    assert run.keep_approver(None, configured) == kept


def test_a_more_lenient_approver_on_the_command_line_is_refused(tmp_path):
    run = EarlierRun(stored(tmp_path, approver='console'))
    with pytest.raises(WrongUse, match='--approver auto is more lenient than console'):
        run.keep_approver('auto', 'none')
    assert EarlierRun(stored(tmp_path, approver='adaptive')
                      ).keep_approver('console', 'auto') == 'console'


def test_an_old_run_that_a_person_approved_is_not_approved_by_nobody(tmp_path):
    decided = [{'approver': 'auto'}, {'approver': 'Ada', 'threshold': 0.4}]
    run = EarlierRun(stored(tmp_path, approvals=decided))
    assert run.keep_approver(None, 'auto') == 'console'
    assert run.resume(load_config(), [], {}).threshold == 0.4


def test_the_settings_are_those_of_the_earlier_run(tmp_path):
    config = load_config()
    config = replace(config, planner='vlm', agent=replace(config.agent, max_replans=1),
                     vlm=replace(config.vlm, model='m', base_url='http://localhost:1/v1'),
                     approval=replace(config.approval, person_areas=('desk 0 0 0 1 1 1',)))
    run = run_with(tmp_path, config)
    assert run.config(ASKED) == config


def test_a_settings_file_changes_only_what_it_names(tmp_path):
    file = tmp_path / 'my.yaml'
    file.write_text('agent: {max_replans: 7}\nworkspace:\n')
    run = run_with(tmp_path, replace(load_config(), planner='vlm'))
    config = run.config(Namespace(**{**vars(ASKED), 'config': file}))
    assert (config.planner, config.agent.max_replans) == ('vlm', 7)


LOOSER = """
approval: {threshold: 0.9, threshold_min: 0.8, threshold_max: 1.0, relax: 0.5, tighten: 0.0,
           timeout: 900, margin: 0, person_areas: [], fragile: [], heavy: ['*anvil*'],
           person_risk: 0, keep_out_risk: 0, fragile_risk: 0, heavy_risk: 0, speed_limit: 1,
           speed_risk: 0, collision_risk: 0, failure_risk: 0}
workspace: {keep_out: [shelf 0 1 0 1 1 1]}
"""


def test_of_the_approval_of_both_files_the_strictest_holds(tmp_path):
    file = tmp_path / 'looser.yaml'
    file.write_text(LOOSER)
    config = load_config()
    before = replace(config.approval, person_areas=('desk 0 0 0 1 1 1',))
    workspace = replace(config.workspace, keep_out=('lamp 1 0 0 1 1 1',))
    run = run_with(tmp_path, replace(config, approval=before, workspace=workspace))
    now = run.config(Namespace(**{**vars(ASKED), 'config': file}))
    assert now.approval == replace(before, heavy=('*anvil*', *before.heavy))
    assert now.workspace.keep_out == ('lamp 1 0 0 1 1 1', 'shelf 0 1 0 1 1 1')


def test_a_stricter_file_is_used(tmp_path):
    file = tmp_path / 'stricter.yaml'
    file.write_text('approval: {threshold: 0.2, tighten: 0.3, speed_risk: 0.9}')
    now = run_with(tmp_path, load_config()).config(Namespace(**{**vars(ASKED), 'config': file}))
    assert (now.approval.threshold, now.approval.tighten, now.approval.speed_risk) == (
        0.2, 0.3, 0.9)


def test_a_recording_of_the_earlier_run_is_not_written_over(tmp_path):
    config = load_config()
    config = replace(config, vlm=replace(config.vlm, record='model.json'))
    assert run_with(tmp_path, config).config(ASKED).vlm.record == ''


def test_answers_from_a_recording_cannot_go_on(tmp_path):
    config = load_config()
    config = replace(config, planner='vlm', vlm=replace(config.vlm, replay='model.json'))
    with pytest.raises(WrongUse, match=r'model\.json.*--planner search'):
        run_with(tmp_path, config).config(ASKED)


def test_a_planner_that_is_not_here_is_named_with_the_choices(tmp_path):
    run = run_with(tmp_path, replace(load_config(), planner='mine'))
    with pytest.raises(WrongUse, match="'mine' is not allowed; choose from: search, stub, vlm"):
        run.config(ASKED)
    assert run.config(Namespace(**{**vars(ASKED), 'planner': 'stub'})).planner == 'stub'


def test_a_model_without_its_key_is_an_error_and_not_another_planner(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    monkeypatch.chdir(tmp_path)
    config = load_config()
    run_with(tmp_path, replace(config, planner='vlm', vlm=replace(config.vlm, model='m')),
             scene='tabletop')
    assert main(['run', '--resume', str(tmp_path)], []) == 2
    says = capsys.readouterr().err
    assert 'OPENAI_API_KEY is not set' in says and '--planner search' in says
    assert not (tmp_path / 'runs').exists()


def test_an_old_run_of_a_model_without_settings_asks_for_them(tmp_path):
    run = EarlierRun(stored(tmp_path, planner='vlm:gpt'))
    with pytest.raises(WrongUse, match='planned by vlm:gpt.*--planner vlm --model gpt'):
        run.config(ASKED)
    assert EarlierRun(stored(tmp_path)).config(ASKED) == replace(load_config(), planner='stub')


@pytest.mark.parametrize(('change', 'kept'), [
    ({}, 1), ({'seed': 4}, 0), ({'scene': 'other'}, 0), ({'scene_file': 'light.yaml'}, 0)])
def test_proofs_count_only_in_the_same_world(tmp_path, change, kept):
    proof = Proof(Step(1, 'pick', {'object': 'red_cube'}), Scene('s1', 0.0, (), 'fake'),
                  failed(Reason.PRECONDITION_FAILED, 'it weighs 6 kg', cause=Cause.TOO_HEAVY,
                         proved_impossible=True))
    config, world = load_config(), {'scene': 'mine', 'scene_file': 'heavy.yaml', 'seed': 3}
    run = run_with(tmp_path, config, proofs=[plain(proof)], **world)
    assert len(run.resume(config, [], {**world, **change}).proofs) == kept


@pytest.mark.parametrize('approved', [True, False])
def test_a_person_who_said_no_is_asked_again_about_every_plan(tmp_path, approved):
    answer = {'approver': 'Ada', 'approved': approved, 'threshold': 0.4}
    run = EarlierRun(stored(tmp_path, approvals=[answer]))
    assert run.resume(load_config(), [], {}).denied is not approved
