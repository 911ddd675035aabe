# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Past runs in real Chromium: scrub, compare, link to a moment; names with script in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from made_run import CUBE, events, made_run
from replan_agent_page.serve.run_store import MOST_RUNS
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.past_runs import Gallery
from web_servers import HOST, served

from replan_agent import Simulation

expect = pytest.importorskip('playwright.sync_api', reason='no playwright: pip install '
                                                       'playwright').expect
SCRIPT = '<img src=x onerror=alert(1)><script>alert(2)</script>'
BOXED = '0-boxed #1 50%'
Opens = Callable[..., Any]


@pytest.fixture(scope='module')
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of four runs: one with local planning, one failed, one worked, one with script."""
    folder = tmp_path_factory.mktemp('past')
    runs = folder / 'runs'
    with Simulation('boxed_in') as sim:
        sim.run('pick up the red cube', out=runs / BOXED)
    with Simulation('far_cube') as sim:
        sim.run('pick up the red cube', out=runs / '1-far')
    with Simulation('tabletop') as sim:
        sim.run('pick up the red cube', out=runs / '2-near')
    text = (runs / '1-far' / 'events.jsonl').read_text()
    (runs / '3-script').mkdir()
    (runs / '3-script' / 'events.jsonl').write_text(
        text.replace('red_cube', json.dumps(SCRIPT)[1:-1]).replace('the red cube', SCRIPT))
    (folder / 'bench.json').write_text(json.dumps({'episodes': [
        {'row': SCRIPT, 'seed': 7, 'success': False, 'objection': 'it fell', 'claimed': True}]}))
    with served(Page(runs, Gallery(folder / 'bench.json'), Feed())) as port:
        yield f'http://{HOST}:{port}/'


def test_a_run_is_scrubbed_from_its_end_to_its_start(url: str, new_page: Opens) -> None:
    page = new_page(url)
    page.get_by_label('only those that failed').check()
    expect(page.locator('.cards li')).to_have_count(2)
    page.locator('.cards a[href="#run=1-far"]').click()
    expect(page.get_by_text('It ended because: no other plan is left')).to_be_visible()
    slider = page.get_by_label('moment of 1-far')
    slider.press('Home')
    expect(page.locator('.moment')).to_contain_text('1 of ')
    expect(page.locator('.attempts details')).to_have_count(0)
    expect(page.locator('.plans details')).to_have_count(0)
    slider.press('ArrowRight')
    expect(page.locator('[aria-current=step]')).to_contain_text('PERCEIVE')
    page.get_by_role('button', name='Next failure').click()
    expect(page.locator('.moment')).to_contain_text('failed: unreachable')
    expect(page.locator('.map .nearest-name')).to_be_visible()
    cross_m = page.locator('.map .target').evaluate('cross => cross.getBBox().width')
    assert cross_m == pytest.approx(0.044, abs=0.001)


def test_each_step_is_marked_where_it_belongs_also_after_local_planning(url: str, new_page: Opens
                                                                        ) -> None:
    page = new_page(f'{url}#run={quote(BOXED)}')
    plans = page.locator('.plans details')
    expect(plans).to_have_count(3)
    expect(plans.nth(0)).to_contain_text('is in the way')
    for plan in plans.all()[1:]:
        plan.locator('summary').click()
    expect(plans.locator('.steps .done')).to_have_count(5)
    expect(plans.locator('.steps .failed')).to_have_count(0)
    expect(plans.nth(2).locator('.done')).to_contain_text('pick(object=red_cube)')
    expect(page.locator('.tree li')).to_have_count(2)
    expect(page.locator('.tree li').nth(1)).to_contain_text('of 10')


@pytest.mark.gl
def test_the_pictures_of_a_run_with_any_name_are_shown(url: str, new_page: Opens) -> None:
    page = new_page(url)
    card = page.locator('.cards li', has_text=BOXED)
    expect(card.locator('img')).to_have_js_property('complete', True)
    card.get_by_role('link').click()
    expect(page.locator('.picture img')).to_have_js_property('naturalWidth', 640)


def test_a_link_leads_to_the_moment(url: str, new_page: Opens) -> None:
    page = new_page(url + '#run=1-far')
    page.get_by_role('button', name='Next failure').wait_for()
    page.get_by_label('moment of 1-far').press('Home')
    page.get_by_role('button', name='Next failure').click()
    moment = page.locator('.moment').inner_text()
    again = new_page(page.url)
    expect(again.locator('.moment')).to_have_text(moment)


def test_a_link_leads_to_the_moments_of_both_runs(url: str, new_page: Opens) -> None:
    page = new_page(url + '#run=1-far&other=2-near')
    page.get_by_label('moment of 1-far').press('Home')
    page.get_by_label('moment of 2-near').press('Home')
    page.get_by_label('moment of 2-near').press('ArrowRight')
    moments = page.locator('.moment').all_inner_texts()
    assert moments[1].startswith('2 of ')
    again = new_page(page.url)
    expect(again.locator('.moment')).to_have_text(moments)


def test_two_runs_are_compared_side_by_side(url: str, new_page: Opens) -> None:
    page = new_page(url + '#run=1-far')
    page.get_by_label('another run beside it').select_option('2-near')
    expect(page.locator('.player')).to_have_count(2)
    expect(page.locator('.player').nth(0)).to_contain_text('no other plan is left')
    expect(page.locator('.player').nth(1)).to_contain_text('Succeeded')
    page.get_by_role('button', name='Compare').click()
    expect(page.locator('.compare')).to_contain_text('the same steps and goals')


def test_a_run_with_one_plan_has_nothing_to_compare(url: str, new_page: Opens) -> None:
    page = new_page(url + '#run=1-far')
    expect(page.locator('.plans details')).to_have_count(1)
    expect(page.get_by_role('button', name='Compare')).to_have_count(0)


def test_script_in_a_name_is_shown_as_text(url: str, new_page: Opens) -> None:
    page = new_page(url + '#run=3-script')
    expect(page.locator('.map .name')).to_have_text(SCRIPT)
    expect(page.locator('.steps code')).to_contain_text(SCRIPT)
    page.goto(url + '#gallery')
    expect(page.locator('#gallery strong')).to_have_text(SCRIPT)
    page.goto(url + '#runs')
    expect(page.locator('.cards a').first).to_contain_text(SCRIPT)
    assert page.locator('img[src=x], main script').count() == 0  # and no dialog: see new_page


def test_a_page_without_an_arm_offers_no_tasks(url: str, new_page: Opens) -> None:
    page = new_page(url)
    expect(page.get_by_role('heading', name='4 past runs')).to_be_visible()
    expect(page.get_by_role('link', name='Watch')).to_have_count(0)
    expect(page.get_by_role('button', name='Stop the arm')).to_have_count(0)


def test_a_run_that_goes_on_is_read_again(tmp_path: Path, new_page: Opens) -> None:
    folder = made_run(tmp_path / '1-run')
    lines = (folder / 'events.jsonl').read_text().splitlines(keepends=True)
    (folder / 'events.jsonl').write_text(''.join(lines[:4]))
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_page(f'http://{HOST}:{port}/#run=1-run')
        expect(page.locator('.moment')).to_contain_text('4 of 4')
        (folder / 'events.jsonl').write_text(''.join(lines))
        page.goto(f'http://{HOST}:{port}/#runs')
        page.goto(f'http://{HOST}:{port}/#run=1-run')
        expect(page.locator('.moment')).to_contain_text(f'{len(lines)} of {len(lines)}')


def test_prompt_and_reply_of_a_model_are_shown_as_text(tmp_path: Path, new_page: Opens) -> None:
    folder = made_run(tmp_path / '1-run')
    called = {**events()[0], 'event': 'model_called', 'model': 'some-model', 'error': '',
              'messages': [{'role': 'user', 'content': [{'type': 'text', 'text': SCRIPT}]}],
              'reply': {'text': SCRIPT, 'tool_calls': []}}
    with open(folder / 'events.jsonl', 'a', encoding='utf-8') as file:
        file.write(json.dumps(called) + '\n')
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_page(f'http://{HOST}:{port}/#run=1-run')
        page.get_by_text('1. some-model').click()
        expect(page.locator('.models pre')).to_have_text([SCRIPT, re.compile('"text": .*alert')])
        assert page.locator('img[src=x], main script').count() == 0


def test_a_run_is_searched_by_words(url: str, new_page: Opens) -> None:
    page = new_page(url)
    page.get_by_role('searchbox').fill('failed far_cube')
    expect(page.get_by_role('heading', name='2 of the past runs')).to_be_visible()
    expect(page.locator('.cards li')).to_have_count(2)
    page.get_by_role('searchbox').fill('2-near')
    expect(page.locator('.cards a')).to_have_text(['pick up the red cube'])
    expect(page.locator('.cards')).to_contain_text('tabletop')


def test_older_runs_are_shown_when_asked_for(tmp_path: Path, new_page: Opens) -> None:
    for number in range(MOST_RUNS + 3):
        made_run(tmp_path / f'20260101-{number:06}-run')
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_page(f'http://{HOST}:{port}/')
        expect(page.locator('.cards li')).to_have_count(MOST_RUNS)
        page.get_by_role('button', name='Show older runs (3)').click()
        expect(page.locator('.cards li')).to_have_count(MOST_RUNS + 3)
        expect(page.get_by_role('button', name='Show older runs')).to_be_hidden()


ABSURD = {'at the same place': [{**CUBE, 'name': f'thing_{k}'} for k in range(3000)],
          'far away': [{**CUBE, 'pose': {**CUBE['pose'], 'position': [1e300, 0, 1e300]}}] * 3}


@pytest.mark.parametrize('objects', ABSURD.values(), ids=list(ABSURD))
def test_an_absurd_scene_does_not_hang_the_page(tmp_path: Path, new_page: Opens, objects: Any
                                                ) -> None:
    folder, told = made_run(tmp_path / '1-absurd'), events()
    told[1] = {**told[1], 'scene': {**told[1]['scene'], 'objects': objects}}
    told.append({**told[0], 'event': 'warning_raised', 'message': 'W' * 5_000_000})
    (folder / 'events.jsonl').write_text(''.join(json.dumps(event) + '\n' for event in told))
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_page(f'http://{HOST}:{port}/#run=1-absurd')
        expect(page.locator('.map svg')).to_be_visible()
        expect(page.get_by_text('more characters')).to_be_visible()
        page.get_by_role('button', name='Back').click()
        expect(page.locator('.moment')).to_contain_text('the task succeeded')


def test_a_broken_record_is_shown_as_far_as_it_is_whole(tmp_path: Path, new_page: Opens) -> None:
    folder = made_run(tmp_path / '1-broken')
    odd = {**events()[1], 'scene': {'objects': 5}, 'picture': 'pictures/1.jpg'}
    lines = [json.dumps(event) for event in [*events()[:3], odd]]
    (folder / 'events.jsonl').write_text('\n'.join([*lines, 'not JSON', lines[0], '']))
    (folder / 'people.jsonl').write_text('5\n')
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_page(f'http://{HOST}:{port}/#run=1-broken')
        expect(page.locator('.player > .warn')).to_contain_text('line 5: not valid JSON')
        expect(page.locator('.player > .warn')).to_contain_text('people.jsonl')
        expect(page.locator('.map .warn')).to_contain_text('cannot be read')
        expect(page.locator('.plans details')).to_have_count(1)
        expect(page.get_by_text('The picture of this moment is missing.')).to_be_visible()
        page.goto(f'http://{HOST}:{port}/#run=nobody')
        expect(page.get_by_role('alert')).to_contain_text("no run 'nobody'")
        expect(page.locator('.player')).to_have_count(0)
        page.goto(f'http://{HOST}:{port}/#watch')  # there is no arm to watch
        expect(page.get_by_role('heading', name='1 past run')).to_be_visible()
        expect(page.get_by_role('alert')).to_have_text('')
