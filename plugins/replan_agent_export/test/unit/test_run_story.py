# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run is understood a day later: from `show`, and from report.html alone."""

from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from replan_agent_export.report_page import MOST_PICTURES, report_page, write_report
from replan_agent_export.run_story import Moment, RunStory, story_of, told
from replan_agent_export.what_helped import what_helped

from replan_agent.app.cli.main import main
from replan_agent.domain.event import (
    AttemptRecorded,
    PlanMade,
    PlanRequested,
    PolicyDecided,
    ScenePerceived,
    StepFinished,
    TaskFinished,
    TaskStarted,
)
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, failed, succeeded
from replan_agent.record.run_folder import REPORT, RunFolder

PICK = Step(1, 'pick', {'object': 'cup'})
LOOK = Step(1, 'look', {})
MOVED = 'cup moved 8.6 cm after it was seen'


def scene(x: float) -> Scene:
    cup = SceneObject('cup', Shape.BOX, (0.04, 0.04, 0.04), Pose((x, 0.0, 0.02)), 'red')
    return Scene('s', 0.0, (cup,), 'camera')


def plan(version: int, *steps: Step) -> Plan:
    return Plan(version, 'take <the> cup', steps, (), PlanCause.INITIAL, None, 's', 'search')


EVENTS = (
    TaskStarted('take <the> cup', 'search', 'camera', {}, {'scene': 'tabletop', 'seed': 0}),
    ScenePerceived(scene(0.5), 0.1), PlanMade(plan(1, PICK), 0.1),
    StepFinished(0, 1, PICK, failed(Reason.GRASP_MISSED, 'it closed to 0 mm'), 0.1),
    AttemptRecorded(Attempt(0, 'pick', PICK.args, 'grasp_missed', 'it closed to 0 mm')),
    PolicyDecided(0, 'replan', 'object_moved', MOVED), ScenePerceived(scene(0.586), 0.1),
    PlanMade(plan(2, LOOK, PICK), 0.1), StepFinished(1, 2, PICK, succeeded(), 0.1),
    TaskFinished(False, 'stopped', 'the button', 'a person pressed the stop', 'release it'))


@pytest.fixture
def run(tmp_path):
    folder = RunFolder(tmp_path / 'r')
    for event in EVENTS:
        folder.record(event)
    return tmp_path / 'r'


def test_show_tells_what_was_asked_seen_planned_failed_why_and_how_it_ended(run, capsys):
    assert main(['show', str(run)]) == 0
    shown = capsys.readouterr().out
    for words in ('TASK: take <the> cup', 'cup (red box) at (0.50, 0.00) m', 'pick(object=cup)',
                  'grasp missed — it closed', f'because {MOVED}', 'cup moved 9 cm', '+ look()',
                  'pick cup worked after: a new plan', 'would help:   release it'):
        assert words in shown, words
    assert shown.index('why:  ') < shown.index('detail:  ')


def test_times_are_times_of_day(run):
    story = story_of(run)
    assert story.started is not None and story.started.tzinfo is not None
    assert story.when(61.0) == f'{story.started + timedelta(seconds=61):%H:%M:%S}'


def test_the_report_is_one_file_with_its_pictures_and_nothing_of_others_is_markup(run):
    (run / 'pictures').mkdir()
    (run / 'pictures' / '0001.jpg').write_bytes(b'a picture')
    lines = (run / 'events.jsonl').read_text().splitlines()
    lines[1] = lines[1].replace('{', '{"picture": "pictures/0001.jpg", ', 1)
    lines[2] = lines[2].replace('{', '{"picture": "../secret.jpg", ', 1)
    (run / 'events.jsonl').write_text('\n'.join(lines) + '\n')
    (run.parent / 'secret.jpg').write_bytes(b'secret')
    write_report(run)
    page = (run / REPORT).read_text()
    assert 'take &lt;the&gt; cup' in page and '<the>' not in page
    assert base64.b64encode(b'a picture').decode() in page
    assert base64.b64encode(b'secret').decode() not in page and 'http' not in page


def test_of_many_pictures_the_failure_the_start_and_the_end_are_shown_and_the_others_counted():
    looks = [Moment(float(n), 'PERCEIVE: changed', picture=f'{n}.jpg') for n in range(100)]
    looks[61] = Moment(61.0, 'pick(cup): failed', tone='bad', picture='61.jpg')
    story = RunStory('go', None, {}, tuple(looks), False, ())
    page = report_page(story, lambda name: f'picture {name}'.encode())
    shown = page.count('<img')
    assert 30 <= shown <= MOST_PICTURES
    for number in (0, 61, 99):
        assert base64.b64encode(f'picture {number}.jpg'.encode()).decode() in page
    assert f'{100 - shown} more pictures are in the folder' in page


def test_an_event_of_another_version_is_left_out_and_the_rest_is_told():
    events = [{'event': 'task_started', 'wall_s': 0.0, 'task': 'go'},
              {'event': 'plan_made', 'wall_s': 1.0, 'plan': {'steps': 'none'}},
              {'event': 'warning_raised', 'wall_s': 2.0, 'message': 'dark'}]
    story = told(events)
    assert [one.title for one in story.moments] == ['TASK: go', 'WARNING: dark']
    assert story.success is None and 'interrupted' in story.verdict[0][1]
    assert story.when(2.0) == '+2.0 s'


def test_what_was_changed_is_part_of_what_helped():
    def finished(result):
        return {'event': 'step_finished', **StepFinished(0, 1, PICK, result, 0.1).as_dict()}

    events = [finished(failed(Reason.GRASP_SLIPPED, 'x')),
              {'event': 'policy_decided', 'response': 'retry'},
              {'event': 'step_adapted', 'fix': {'message': 'pick cup with 60 N'}},
              finished(succeeded())]
    assert what_helped(events) == [
        'pick cup worked after: the same step again, then pick cup with 60 N']


HEAVY = '70 N do not hold it. They carried 1.42 kg, and that did not lift it'


def story_without_another_plan(tmp_path, final_reason='replan_exhausted'):
    folder = RunFolder(tmp_path)
    for event in (
            EVENTS[0], PlanRequested('take <the> cup', 0, 0), PlanMade(plan(1, PICK), 0.1),
            StepFinished(0, 1, PICK, failed(Reason.GRASP_SLIPPED, HEAVY), 0.1),
            PolicyDecided(0, 'replan', 'too_heavy', HEAVY), PlanRequested('take <the> cup', 1, 1),
            TaskFinished(False, final_reason, f'pick failed: grasp_slipped — {HEAVY}; no other '
                         'plan was found', HEAVY, 'a person who lifts it')):
        folder.record(event)
    return story_of(tmp_path)


def test_a_plan_that_was_asked_for_and_never_made_is_not_told_as_one(tmp_path):
    *before, planned, ended = story_without_another_plan(tmp_path).moments
    assert '→ another plan is looked for' in [line for one in before for line in one.lines]
    assert planned.lines == ('no other plan: nothing more is tried',)
    assert ended.title == 'END: the task failed'


def test_a_task_that_was_cancelled_while_it_planned_is_not_told_to_have_no_plan(tmp_path):
    assert not story_without_another_plan(tmp_path, 'cancelled').moments[-2].lines


def test_why_a_step_failed_is_said_once_in_the_story_and_once_in_the_verdict(tmp_path):
    story = story_without_another_plan(tmp_path)
    assert sum(HEAVY in line for moment in story.moments for line in moment.lines) == 1
    assert [name for name, value in story.verdict if HEAVY in value] == ['why']
    assert dict(story.verdict)['detail'] == 'pick failed: grasp_slipped; no other plan was found'


def test_a_way_around_that_was_not_found_gets_no_credit_and_its_steps_are_no_success():
    def step(result, local_state=''):
        place = Step(1, 'place_at', {'x': 0.4, 'y': 0.1})
        return [{'event': 'step_started', 'local_state': local_state},
                {'event': 'step_finished', **StepFinished(0, 1, place, result, 0.1).as_dict()}]

    blocked = failed(Reason.IN_COLLISION, 'x')
    events = [*step(blocked), {'event': 'policy_decided', 'response': 'local'},
              *step(succeeded(), '1.1'),
              {'event': 'local_planning_finished', 'record': {'solved': False}},
              {'event': 'policy_decided', 'response': 'replan'}, *step(succeeded())]
    assert what_helped(events) == ['place_at worked after: a new plan']
