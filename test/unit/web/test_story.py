"""What the page adds to the events of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from replan_agent.domain import franka
from replan_agent.domain.local_planning import DECISION_WORDS
from replan_agent.domain.task_result import FINAL_WORDS, FinalReason
from replan_agent.motion.franka_kinematics import FrankaKinematics
from replan_agent.perceive.camera.naming import CLASSES
from replan_agent.record.what_helped import IN_WORDS
from replan_agent.robot.mujoco.scene.scene_spec import COLOURS
from replan_agent.web import story as page_story
from replan_agent.web.story import Story


def plan(version: int, *skills: str) -> dict[str, object]:
    return {'version': version, 'task': 't', 'goals': [], 'cause': 'initial', 'parent': None,
            'scene_id': 's', 'planner': 'test', 'reason': '', 'context': {}, 'adaptations': [],
            'steps': [{'step_number': n, 'skill': skill, 'args': {}, 'description': '',
                       'expected_change': ''} for n, skill in enumerate(skills, 1)]}


def test_the_page_says_what_follows_a_failure_in_the_words_of_a_report() -> None:
    script = Path(page_story.__file__).with_name('assets') / 'story.js'
    table = re.search(r'const THEN = {(.*?)};', script.read_text('utf-8'), re.DOTALL)
    assert table and dict(re.findall(r"(\w+): '([^']+)'", table[1])) == IN_WORDS


@pytest.mark.parametrize(('table', 'words'), [
    ('ENDS', {reason.value: words for reason, words in FINAL_WORDS.items()}),
    ('DECISIONS', {one.value: words for one, words in DECISION_WORDS.items()})])
def test_the_page_says_how_it_ended_and_what_was_decided_in_the_same_words(
        table: str, words: dict[str, str]) -> None:
    script = Path(page_story.__file__).with_name('assets') / 'story.js'
    found = re.search(rf'const {table} = {{(.*?)}};', script.read_text('utf-8'), re.DOTALL)
    assert found and dict(re.findall(r"(\w+): '([^']+)'", found[1])) == words


def test_every_ending_has_words() -> None:
    assert set(FINAL_WORDS) == set(FinalReason)


def test_every_colour_that_perception_names_is_drawn() -> None:
    css = (Path(page_story.__file__).with_name('assets') / 'page.css').read_text('utf-8')
    drawn = set(re.findall(r'\.thing\.(\w+) ', css))
    assert {*CLASSES, *COLOURS} <= drawn


def test_goals_come_in_words() -> None:
    goal = {'predicate': 'on', 'object': 'eraser', 'target': 'big_box'}
    told = Story().told({'event': 'goals_set', 'goals': [goal]})
    assert told['in_words'] == ['the eraser is on the big box']


def test_a_later_plan_says_what_changed() -> None:
    story = Story()
    assert story.told({'event': 'plan_made', 'plan': plan(1, 'pick', 'home')})['changed'] is None
    changed = story.told({'event': 'plan_made', 'plan': plan(2, 'push', 'home')})['changed']
    assert [step['skill'] for step in changed['steps_removed']] == ['pick']
    assert [step['skill'] for step in changed['steps_added']] == ['push']


def test_a_step_that_is_done_is_not_told_as_removed() -> None:
    story = Story()
    story.told({'event': 'plan_made', 'plan': plan(1, 'pick', 'home')})
    story.told({'event': 'step_started'})
    story.told({'event': 'step_finished', 'step_idx': 0, 'result': {'success': True}})
    changed = story.told({'event': 'plan_made', 'plan': plan(2, 'home')})['changed']
    assert not changed['steps_removed'] and not changed['steps_added']


def test_a_failed_target_comes_with_the_nearest_point_that_was_found() -> None:
    joints = list(franka.HOME)
    ik = {'converged': False, 'joints': joints, 'target': {'position': [1.2, 0.0, 0.1]}}
    told = Story().told({'event': 'attempt_recorded', 'attempt': {'ik': ik}})
    here = FrankaKinematics().forward(franka.HOME)[:3, 3]
    assert told['marks'] == {'target': [1.2, 0.0, 0.1], 'nearest': pytest.approx(list(here))}


def test_settings_are_not_shown() -> None:
    told = Story().told({'event': 'task_started', 'facts': {'scene': 's', 'settings': {'vlm': 1}}})
    assert told['facts'] == {'scene': 's'}


@pytest.mark.parametrize('event', [
    {'event': 'plan_made'}, {'event': 'plan_made', 'plan': {'version': 'x'}}, {},
    {'event': 'attempt_recorded', 'attempt': None}, {'event': 'task_started', 'facts': []},
    {'event': 'attempt_recorded', 'attempt': {'ik': {'converged': False, 'joints': [1]}}}])
def test_an_event_of_another_version_is_shown_as_it_is(event: dict[str, object]) -> None:
    assert Story().told(event) == event
