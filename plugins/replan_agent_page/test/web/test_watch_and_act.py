# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page in real Chromium: watch, approve, deny, edit, hint, stop."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from typing import Any

import pytest
from replan_agent_page.web.gate import Tokens
from web_servers import WAIT_S, asked

expect = pytest.importorskip('playwright.sync_api', reason='no playwright: pip install '
                                                       'playwright').expect
TASK = 'put the red cube in the bowl'
Opens = Callable[..., Any]


def give(page: Any, task: str = TASK, who: str = 'anna') -> None:
    page.get_by_label('Your name').fill(who)
    page.get_by_role('textbox', name='Task').fill(task)
    page.get_by_role('button', name='Start', exact=True).click()


def ended(arm: Any) -> Any:
    job = arm.desk.job()
    assert job.done.wait(WAIT_S)
    return job.result


@pytest.mark.gl
def test_a_task_is_watched_to_its_end(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of(approver='auto')
    page = new_page(arm.url)
    give(page)
    expect(page.get_by_text('Succeeded')).to_be_visible()
    expect(page.locator('.steps .done')).to_have_count(2)
    expect(page.locator('.stagebar .ticked').last).to_have_text('✓ VERIFY')
    expect(page.locator('.picture .name', has_text='red_cube')).to_be_visible()
    expect(page.locator('.map .name', has_text='bowl')).to_be_visible()
    expect(page.locator('.picture img')).to_have_js_property('naturalWidth', 640)
    expect(page.get_by_label('Budgets')).to_contain_text('steps 2 of 20')


def test_what_is_in_the_scene_is_listed_before_the_first_task(arm_of: Opens, new_page: Opens
                                                              ) -> None:
    page = new_page(arm_of().url)
    expect(page.locator('#nothing-yet')).to_contain_text('In this scene: red cube, ')
    expect(page.get_by_role('textbox', name='Task')).to_have_attribute(
        'placeholder', 'for example: pick up the red cube')


def test_the_page_suggests_tasks_and_offers_the_answers_to_a_question(
    arm_of: Opens, new_page: Opens
) -> None:
    arm = arm_of(approver='auto')
    page = new_page(arm.url)
    page.get_by_role('button', name='stack the red cube on the blue cube').click()
    expect(page.get_by_role('textbox', name='Task')).to_have_value(
        'stack the red cube on the blue cube')
    give(page, 'pick up the cube')
    talk = page.get_by_role('log', name='Conversation')
    expect(talk).to_contain_text("which one is 'the cube'?")
    page.get_by_role('button', name='the blue cube', exact=True).click()
    expect(page.get_by_text('Succeeded: the blue cube is in the gripper')).to_be_visible()
    expect(talk).to_contain_text('It is done')
    page.get_by_role('button', name='undo that').click()
    expect(talk.locator('.said')).to_have_text(['pick up the cube', 'the blue cube', 'undo that'])


def test_a_plan_is_approved_with_the_keyboard(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of()
    page = new_page(arm.url)
    give(page)
    expect(page.get_by_role('heading', name='Run plan 1?')).to_be_focused()
    expect(page.locator('[aria-current=step]')).to_contain_text('APPROVE')
    page.keyboard.press('Tab')
    page.keyboard.press('Enter')
    expect(page.get_by_text('Succeeded')).to_be_visible()
    assert ended(arm)['approvals'][0]['approver'] == 'anna (page, 127.0.0.1)'


def test_a_denied_plan_moves_nothing(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of()
    before, page = arm.joints(), new_page(arm.url)
    give(page)
    page.get_by_role('button', name='Deny').click()
    expect(page.get_by_text('It ended because: a plan was not approved')).to_be_visible()
    assert not ended(arm)['success'] and arm.joints() == before
    expect(page.locator('.stagebar .crossed')).to_have_text('✗ APPROVE')
    page.get_by_role('button', name='why did you stop?').click()
    expect(page.locator('#talk .reply').nth(1)).to_contain_text('denied by anna')


def test_a_plan_is_changed_and_the_change_is_shown(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of()
    page = new_page(arm.url)
    give(page)
    page.get_by_label('or say what to change').fill('slower')
    page.get_by_role('button', name='Approve').click()
    expect(page.get_by_role('alert')).to_contain_text('press "Change it"')
    page.get_by_role('button', name='Change it').click()
    expect(page.get_by_role('heading', name='Run plan 2?')).to_be_visible()
    expect(page.locator('.ask').get_by_label('What changed')).to_contain_text('~ pick: speed')
    page.get_by_role('button', name='Approve').click()
    expect(page.get_by_text('Succeeded')).to_be_visible()
    first, second = ended(arm)['approvals']
    assert first['edit'] == 'slower' and not first['approved'] and second['approved']


def test_a_stop_in_motion_ends_the_task_and_lasts(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of(approver='auto', pace=1.0)
    page = new_page(arm.url)
    give(page)
    expect(page.locator('[aria-current=step]', has_text='EXECUTE')).to_contain_text('pick: ')
    page.get_by_role('button', name='Stop the arm').dblclick()  # a second click releases nothing
    expect(page.locator('.verdict')).to_contain_text('anna (page, 127.0.0.1) pressed stop')
    assert not ended(arm)['success']
    expect(page.get_by_role('button', name='Start', exact=True)).to_be_disabled()
    expect(page.locator('#why-not')).to_contain_text('Allow motion again')
    expect(page.locator('.steps .stopped .how')).to_have_text('stopped')
    expect(page.locator('.people')).to_contain_text('pressed stop')
    assert asked(arm.port, '/api/task', {'task': TASK})[0] == 409
    page.get_by_role('button', name='Allow motion again').click()
    expect(page.get_by_role('button', name='Start', exact=True)).to_be_enabled()


def test_a_stop_gets_through_when_windows_use_all_connections(arm_of: Opens, new_page: Opens
                                                              ) -> None:
    arm = arm_of()
    page = new_page(arm.url)
    windows = [page, *(page.context.new_page() for _ in range(5))]  # as many as a browser has
    for window in windows:
        window.goto(arm.url)
        expect(window.locator('#connection')).to_have_text('ready')
    windows[3].get_by_role('button', name='Stop the arm').click()
    expect(windows[3].locator('#connection')).to_contain_text('pressed stop')
    assert 'pressed stop' in arm.desk.stopped


def test_a_person_is_told_what_went_wrong_with_a_stop(
    arm_of: Opens, new_page: Opens, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = arm_of()
    monkeypatch.setattr(arm.station, 'stop', lambda: 'the drives do not answer')
    page = new_page(arm.url)
    page.get_by_role('button', name='Stop the arm').click()
    expect(page.get_by_role('alert')).to_have_text('Stopped, but: the drives do not answer')
    page.context.set_offline(True)
    page.get_by_role('button', name='Stop the arm').click()
    expect(page.get_by_role('alert')).to_contain_text('The arm was not stopped')


def test_a_task_that_is_too_long_is_refused_and_not_cut(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of(approver='auto')
    page = new_page(arm.url)
    give(page, f'{TASK}, ' * 100)
    expect(page.get_by_role('alert')).to_contain_text('at most 2000 characters')
    assert arm.desk.job() is None


def test_the_keyboard_keeps_its_place_while_a_task_goes_on(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of()
    page = new_page(arm.url)
    give(page)
    page.locator('.plans summary').focus()
    number = arm.station.questions.open.number
    assert asked(arm.port, '/api/answer', {'question': number, 'choice': 'yes'})[0] == 200
    expect(page.locator('.steps .done')).to_have_count(2)
    expect(page.locator('.plans summary')).to_be_focused()


def test_a_failure_is_drawn_and_a_hint_is_given(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of(scene='far_cube', approver='auto', human_after=1)
    page = new_page(arm.url)
    give(page, 'pick up the red cube')
    expect(page.locator('.map .target-name')).to_contain_text('failed target, 0.')
    expect(page.locator('.map .nearest-name')).to_have_text('nearest reachable')
    expect(page.locator('.attempts')).to_contain_text('proved unreachable')
    expect(page.locator('.attempts')).to_contain_text('What would help')
    page.get_by_label('What should it know').fill('end the task, it is too far')
    page.get_by_role('button', name='Give this hint').click()
    expect(page.locator('.people')).to_contain_text('hint: end the task, it is too far')


def test_two_people_watch_and_the_first_answer_counts(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of()
    anna, bert = new_page(arm.url), new_page(arm.url)
    give(anna)
    expect(bert.get_by_role('button', name='Approve')).to_be_visible()
    bert.get_by_label('Your name').fill('bert')
    bert.get_by_role('button', name='Deny').click()
    expect(anna.get_by_text('denied by bert').first).to_be_visible()
    expect(anna.get_by_role('button', name='Approve')).to_have_count(0)
    assert ended(arm)['approvals'][0]['approver'] == 'bert (page, 127.0.0.1)'


def test_a_browser_that_is_killed_holds_up_nothing(arm_of: Opens, new_page: Opens, launch: Opens
                                                   ) -> None:
    arm = arm_of()
    other = launch()
    doomed = other.new_page()
    doomed.goto(arm.url)
    give(doomed, who='doomed')
    expect(doomed.get_by_role('button', name='Approve')).to_be_visible()
    found = other.new_browser_cdp_session().send('SystemInfo.getProcessInfo')['processInfo']
    (process,) = (one['id'] for one in found if one['type'] == 'browser')
    os.kill(process, signal.SIGKILL)
    page = new_page(arm.url)
    page.get_by_role('button', name='Approve').click()
    expect(page.get_by_text('Succeeded')).to_be_visible()
    assert ended(arm)['success']


def test_a_wrong_token_shows_nothing_and_the_watch_token_no_buttons(
    arm_of: Opens, new_page: Opens
) -> None:
    tokens = Tokens(watch='w' * 32, act='a' * 32)
    arm = arm_of(tokens=tokens)
    wrong = new_page(f'{arm.url}#token=guessed')
    expect(wrong.get_by_role('alert')).to_contain_text('needs its token')
    expect(wrong.locator('main > section:visible')).to_have_count(0)
    wrong.get_by_role('textbox', name='Token').fill(tokens.watch)
    wrong.get_by_role('button', name='Open the page').click()
    expect(wrong.locator('#connection')).to_have_text('ready')
    watcher = new_page(f'{arm.url}#token={tokens.watch}')
    expect(watcher.locator('#connection')).to_have_text('ready')
    assert 'token' not in watcher.url
    expect(watcher.get_by_role('button')).to_have_count(0)
    actor = new_page(f'{arm.url}#token={tokens.act}')
    give(actor)
    expect(watcher.get_by_role('heading', name=TASK)).to_be_visible()
    expect(watcher.get_by_role('button', name='Approve')).to_have_count(0)
    actor.get_by_role('button', name='Deny').click()
    expect(watcher.get_by_text('It ended because: a plan was not approved')).to_be_visible()


def test_another_world_is_chosen(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of()
    page = new_page(arm.url)
    page.get_by_text('World: tabletop').click()
    page.get_by_label('Scene').select_option('boxed_in')
    page.get_by_label('Seed').fill('3')
    page.get_by_label('Arm').select_option('fr3')
    page.get_by_role('button', name='Start this world').click()
    expect(page.locator('#world-now')).to_contain_text('boxed_in, seed 3')
    assert arm.station.choice.scene == 'boxed_in' and arm.station.choice.seed == 3
    assert arm.station.shown.world.arm.name == 'fr3'


@pytest.mark.parametrize('size', [{'width': 360, 'height': 640}, {'width': 800, 'height': 480}],
                         ids=['phone', 'small'])
def test_the_answers_to_a_plan_are_never_below_the_fold(arm_of: Opens, new_page: Opens, size: Any
                                                        ) -> None:
    page = new_page(arm_of().url, viewport=size)
    give(page)
    for name in ('Approve', 'Deny', 'Change it'):
        expect(page.get_by_role('button', name=name)).to_be_in_viewport(ratio=1)
    page.locator('.ask').evaluate('card => card.scrollTo(0, 10000)')
    expect(page.get_by_role('button', name='Approve')).to_be_in_viewport(ratio=1)


def test_another_world_has_no_names_of_the_one_before_it(arm_of: Opens, new_page: Opens) -> None:
    arm = arm_of(approver='auto')
    page = new_page(arm.url)
    give(page, 'go home')
    expect(page.get_by_text('Succeeded')).to_be_visible()
    expect(page.locator('.map .name', has_text='bowl')).to_be_visible()
    page.get_by_text('World: tabletop').click()
    page.get_by_role('button', name='Start this world').click()
    expect(page.get_by_text('No task yet.')).to_be_visible()
    expect(page.locator('.map .name')).to_have_count(0)


def test_a_task_that_runs_is_no_failed_one(arm_of: Opens, new_page: Opens) -> None:
    page = new_page(arm_of().url)
    give(page)
    page.get_by_role('button', name='Approve').wait_for()
    page.get_by_role('link', name='Past runs').click()
    expect(page.locator('.cards li')).to_contain_text('is running')
    page.get_by_label('only those that failed').check()
    expect(page.locator('.cards li')).to_have_count(0)


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_the_page_fits_a_phone_in_light_and_dark(arm_of: Opens, new_page: Opens, scheme: str
                                                 ) -> None:
    arm = arm_of(scene='far_cube', approver='auto')
    page = new_page(arm.url, viewport={'width': 360, 'height': 740}, color_scheme=scheme)
    give(page, 'pick up the red cube')
    expect(page.get_by_text(re.compile('^Failed: '))).to_be_visible()
    assert page.evaluate('document.documentElement.scrollWidth') <= 360
    page.get_by_role('button', name='Stop the arm').click()
    expect(page.get_by_role('button', name='Allow motion again')).to_be_visible()
    assert page.locator('header').bounding_box()['height'] < 740 / 5
    lightness = page.evaluate(
        'getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]')
    assert (int(lightness) < 128) == (scheme == 'dark')
