# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is told of a plan is read wherever a person, or an assistant, looks."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from replan_agent_chance.sampled_twin import Ran, Trial
from rich.console import Console

from replan_agent import Simulation, load_config
from replan_agent.agent.task_progress import Progress, ProgressRecorder
from replan_agent.app.cli.main import main
from replan_agent.app.terminal.console import print_verdict
from replan_agent.approve.console_approver import ConsoleApprover
from replan_agent.approve.terminal import Terminal
from replan_agent.domain.approval_request import Approval, ApprovalRequest
from replan_agent.domain.context import Context
from replan_agent.domain.event import ApprovalPending, RehearsalFinished
from replan_agent.domain.task_result import TaskResult
from replan_agent.record.narrator import Narrator
from replan_agent.record.recorders import FanOut, MemoryRecorder
from replan_agent.record.run_folder import RunFolder

SAID = 'works in 15 of 100 tries'


class Person:
    """Is asked, and says no."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        self.asked.append(request)
        request.on_pending(request.assessment)
        return Approval(False, 'a person', 'no')

    def report_outcome(self, success: bool) -> None:
        """Nothing ran."""


class RanOnce:
    """A run of one task whose plan is told to work in 15 of 100 tries. Nothing moves."""

    def __init__(self, folder: Path) -> None:
        config = load_config()
        config = replace(config, agent=replace(config.agent, chance='auto'))
        self.person, self.events, self.folder = Person(), MemoryRecorder(), folder
        self.progress: list[Progress] = []
        with Simulation('pick_cube', config=config, approver=self.person) as sim:
            recorder = FanOut(RunFolder(folder), self.events, ProgressRecorder(
                self.progress.append))
            self.result: TaskResult = sim.agent(recorder).run('pick up the red cube')

    @property
    def request(self) -> ApprovalRequest:
        request, = self.person.asked
        return request


@pytest.fixture(scope='module')
def ran(tmp_path_factory: pytest.TempPathFactory) -> RanOnce:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: (
            Ran(1, '', {}) if number in (3, 8) else Ran(0, 'grasp_slipped', {})))
        return RanOnce(tmp_path_factory.mktemp('run') / 'run')


def test_the_console_asks_with_it(ran: RanOnce) -> None:
    out = io.StringIO()
    request = replace(ran.request, on_pending=lambda _: None)
    ConsoleApprover(1.0, Terminal(io.StringIO(), out)).approve(request, Context())
    assert SAID in out.getvalue() and 'grasp slipped in 14 of 16' in out.getvalue()


def test_the_question_that_the_page_and_ros_show_has_it(ran: RanOnce) -> None:
    asked, = (e for e in ran.events.events if isinstance(e, ApprovalPending))
    assert any(SAID in reason for reason in asked.reasons)
    assert any(SAID in step.message for step in ran.progress)  # ROS feedback, MCP task_status


def test_the_event_and_result_json_have_it(ran: RanOnce) -> None:
    told, = (e for e in ran.events.events if isinstance(e, RehearsalFinished))
    assert told.chance['worked'] == 2 and told.chance['twins'] == 16
    stored = json.loads((ran.folder / 'result.json').read_text('utf-8'))
    assert stored['chances']['1']['said'] == told.chance['said']
    assert stored['chances']['1']['failures'][0]['times'] == 14


def test_who_watches_reads_it_where_the_plan_is_tried(ran: RanOnce) -> None:
    narrator = Narrator()
    told, = (said for line in (ran.folder / 'events.jsonl').read_text('utf-8').splitlines()
             for said in narrator.said(json.loads(line)) if said.head == 'REHEARSE')
    assert f'plan 1 tried ahead: {SAID}' in told.line and 'ok' not in told.line


def test_the_verdict_has_it(ran: RanOnce) -> None:
    out = io.StringIO()
    print_verdict(Console(file=out, width=300), ran.result)
    assert f'chance:      plan 1 {SAID}' in out.getvalue()


class Slower(Person):
    """Wants the first plan slower."""

    def approve(self, request: ApprovalRequest, ctx: Context) -> Approval:
        answer = super().approve(request, ctx)
        return replace(answer, edit='slower') if len(self.asked) == 1 else answer


def test_a_plan_that_a_person_wants_slower_is_asked_about_with_its_own_chance(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda trial, number, ctx: (
        Ran(1, '', {}) if trial.plan.steps[0].args.get('speed') else Ran(0, 'grasp_slipped', {})))
    config, person = load_config(), Slower()
    config = replace(config, agent=replace(config.agent, chance='auto'))
    with Simulation('pick_cube', config=config, approver=person) as sim:
        result = sim.run('pick up the red cube')
    assert [request.chance['worked'] for request in person.asked] == [0, 16]
    assert [told['worked'] for told in result.extra['chances'].values()] == [0, 16]


class Screen(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_it_is_and_the_answer_stays_clean(
        capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    monkeypatch.setattr('sys.stderr', screen := Screen())
    assert main(['chance', 'pick up the red cube', '--scene', 'pick_cube', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['twins'] == 16
    assert 'the plan' in screen.getvalue() and '16/16' in screen.getvalue()


def told_without_a_twin(capsys: pytest.CaptureFixture, status: int, *arguments: str) -> dict:
    """What `chance --json` prints where no twin may run."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr('replan_agent_chance.twins.run_twin', lambda *_: pytest.fail('a twin'))
        assert main(['chance', '--json', *arguments]) == status
    told = json.loads(capsys.readouterr().out)
    assert told['plan'] == [] and told['value'] is told['low'] is told['high'] is None
    return told


def test_a_task_that_is_done_already_is_told_so(capsys: pytest.CaptureFixture) -> None:
    told = told_without_a_twin(capsys, 0, 'put the red cube on the table')
    assert told['said'].startswith('it is done already')


@pytest.mark.parametrize(('scene', 'why'), [
    ('far_cube', '1.20 m from the base, 0.40 m more than the arm reaches'),
    ('wide.yaml', '100 mm across at its narrowest as it lies, too wide for a gripper')])
def test_what_is_proved_impossible_is_told_as_the_run_tells_it(
        scene: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture,
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path('wide.yaml').write_text('name: wide\nobjects:\n  - {name: red_cube, shape: box, size: '
                                 '[0.1, 0.1, 0.06], colour: red, position: [0.5, 0.1]}\n', 'utf-8')
    told = told_without_a_twin(capsys, 1, 'pick up the red cube', '--scene', scene)
    assert why in told['said']
    assert why in Simulation(scene).run('pick up the red cube').why


@pytest.mark.parametrize(('camera', 'arguments', 'twins'), [
    ('{}', [], 16), ('{noise: {calibration_mm: 22.0}}', [], 0), ('{fovy: 60}', [], 0),
    ('{noise: {calibration_mm: 22.0}}', ['--unsure', 'bad_camera'], 16)])
def test_a_camera_of_the_scenes_own_is_noticed(
        camera: str, arguments: list[str], twins: int, tmp_path: Path,
        capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'own.yaml').write_text(
        f'name: own\ncamera: {camera}\nobjects:\n  - {{name: red_cube, shape: box, size: [0.04, '
        '0.04, 0.04], colour: red, position: [0.5, 0.1]}\n', 'utf-8')
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    assert main(['chance', 'pick up the red cube', '--json', '--perception', 'camera', '--scene',
                 str(tmp_path / 'own.yaml'), *arguments]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['twins'] == twins and (told['value'] is None) is (twins == 0)
    assert ('nobody measured what the camera' in told['said']) is (twins == 0)


@pytest.mark.parametrize(('height', 'why'), [(0.03, ''), (0.09, 'red_cube is seen only in part')])
def test_a_thing_that_hides_behind_another_has_no_chance(
        height: float, why: str, tmp_path: Path, capsys: pytest.CaptureFixture,
        monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / 'hidden.yaml').write_text(
        'name: hidden\nobjects:\n  - {name: red_cube, shape: box, size: [0.05, 0.05, 0.05], '
        'colour: red, position: [0.45, 0.0]}\n  - {name: wall, shape: box, size: [0.03, 0.16, '
        f'{height}], colour: blue, position: [0.52, 0.03], yaw: 0.4}}\n', 'utf-8')
    monkeypatch.setattr('replan_agent_chance.twins.run_twin', lambda *_: Ran(1, '', {}))
    assert main(['chance', 'pick up the red cube', '--json', '--perception', 'camera', '--scene',
                 str(tmp_path / 'hidden.yaml')]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told['value'] is None) is bool(why) and why in told['said']


def test_an_empty_task_is_wrong_use(capsys: pytest.CaptureFixture) -> None:
    assert main(['chance', ' ']) == 2 and 'the task must be a text' in capsys.readouterr().err


@pytest.mark.parametrize('command', [['run', 'pick up the red cube'], ['chat'], ['mcp']])
@pytest.mark.parametrize(('settings', 'why'), [
    ('approver: auto\nplanner: likeliest', 'planner: likeliest compares chances'),
    ('approver: auto\nagent: {chance: nonsense}', "agent.chance: 'nonsense' is no file"),
    ('approver: auto\napproval: {ask_below: 0.9}', 'approver auto asks nobody'),
    ('approver: adaptive\napproval: {ask_below: 0.9}', 'agent.chance is off, so no chance'),
    ('approver: adaptive\nagent: {chance: auto}\napproval: {ask_below: 0.98}', 'needs 24 twins')])
def test_settings_that_cannot_work_are_refused_at_the_start(
        command: list[str], settings: str, why: str, tmp_path: Path,
        capsys: pytest.CaptureFixture) -> None:
    (tmp_path / 'settings.yaml').write_text(settings, 'utf-8')
    assert main([*command, '--config', str(tmp_path / 'settings.yaml')]) == 2
    assert why in capsys.readouterr().err


def test_what_is_said_to_be_unsure_holds_for_the_likeliest_way_too(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / 'own.yaml').write_text('own_m: 0.0123\nfriction: [0.5]\n', 'utf-8')
    (tmp_path / 'settings.yaml').write_text('planner: likeliest\n', 'utf-8')
    asked: dict[int, float] = {}

    def twin(trial: Trial, number: int, ctx: Context) -> Ran:
        asked[trial.seed] = trial.known.own_m
        return Ran(1, '', {})

    monkeypatch.setattr('replan_agent_chance.twins.run_twin', twin)
    assert main(['chance', 'pick up the red cube', '--scene', 'pick_cube', '--json', '--unsure',
                 str(tmp_path / 'own.yaml'), '--config', str(tmp_path / 'settings.yaml')]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(asked) == 2 and set(asked.values()) == {0.0123}  # the choice, then the chance
    assert told['seed'] == 0 and told['twins'] == 16
