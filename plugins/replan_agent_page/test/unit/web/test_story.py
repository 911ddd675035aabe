# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the page adds to the events of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from replan_agent_page.web import story as page_story
from replan_agent_page.web.story import Story

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.scene import COLOURS
from replan_agent.perceive.camera.naming import CLASSES


def plan(version: int, *skills: str) -> dict[str, object]:
    return {'version': version, 'task': 't', 'goals': [], 'cause': 'initial', 'parent': None,
            'scene_id': 's', 'planner': 'test', 'reason': '', 'context': {}, 'adaptations': [],
            'steps': [{'step_number': n, 'skill': skill, 'args': {}, 'description': '',
                       'expected_change': ''} for n, skill in enumerate(skills, 1)]}


def made(plan: dict[str, object]) -> dict[str, object]:
    return {'event': 'plan_made', 'plan': plan, 'duration_s': 0.1}


def test_events_come_with_the_words_of_the_narrator() -> None:
    decided = {'event': 'policy_decided', 'response': 'local', 'why': 'x is near'}
    told = Story().told(decided)
    assert told['said'] == ['→ a way around it, because x is near'] == [told['label']]
    assert Story().told({'event': 'state_changed', 'state': 'pending_approval'})['label'] == (
        'waits for a person')
    end = {'event': 'task_finished', 'success': False, 'final_reason': 'gave_up'}
    assert Story().told(end)['ended'] == 'the planner gave up'


def test_a_failure_comes_with_what_failed_and_what_helps_in_words() -> None:
    attempt = {'stage': 'goal', 'diagnosis': {'kind': 'structural', 'proved': True}}
    told = Story().told({'event': 'attempt_recorded', 'attempt': attempt})
    assert told['about'] == 'the goal'
    assert told['diagnosed'] == 'cannot succeed in this scene, which is proved'


def test_a_live_event_that_the_page_cannot_show_is_said() -> None:
    broken = {'event': 'state_changed'}
    assert Story(is_live=True).told(broken)['label'].startswith('WARNING: state_changed cannot')
    assert Story().told(broken)['label'] == 'state changed'


def test_steps_come_as_people_read_them() -> None:
    step = {'skill': 'pick', 'args': {'object': 'cup'}}
    told = Story().told({'event': 'step_finished', 'step': step, 'result': {'success': True}})
    assert told['step']['call'] == 'pick(object=cup)' and told['outcome'] == 'done'
    node = {'decision': 'REVERT', 'option': {'steps': [step]}}
    judged = Story().told({'event': 'local_action_judged', 'node': node})['node']
    assert judged['decided'] == 'no gain'
    assert judged['option']['steps'][0]['call'] == 'pick(object=cup)'


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
    assert story.told(made(plan(1, 'pick', 'home')))['changed'] is None
    assert story.told(made(plan(2, 'push', 'home')))['changed'] == ['- pick()', '+ push()']


def test_a_step_that_is_done_is_not_told_as_removed() -> None:
    story = Story()
    story.told(made(plan(1, 'pick', 'home')))
    story.told({'event': 'step_started'})
    story.told({'event': 'step_finished', 'step_idx': 0, 'duration_s': 0.1,
                'result': {'success': True, 'reason_detail': ''}})
    assert story.told(made(plan(2, 'home')))['changed'] == [
        '= done: pick()', 'the same other steps and goals']


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
    assert {**Story().told(event), **event} == Story().told(event)
