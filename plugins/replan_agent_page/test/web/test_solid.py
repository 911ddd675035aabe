# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page in three dimensions, in Chromium with WebGL in software: few tests, small windows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_run import made_run
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.gate import Tokens
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.past_runs import Gallery
from web_servers import HOST, Listener, asked, served

from replan_agent import Simulation

expect = pytest.importorskip('playwright.sync_api', reason='no playwright: pip install '
                                                       'playwright').expect
Opens = Callable[..., Any]


def drawn(page: Any) -> int:
    """How many colours the view in three dimensions has: 1 if nothing is drawn."""
    return int(page.evaluate("""() => new Promise((done) => {
        const view = document.querySelector('.space canvas');
        view.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft' }));
        requestAnimationFrame(() => { // the picture is there until the browser has shown it
          const copy = document.createElement('canvas');
          copy.width = copy.height = 64;
          const pen = copy.getContext('2d');
          pen.drawImage(view, 0, 0, 64, 64);
          done(new Set(new Uint32Array(pen.getImageData(0, 0, 64, 64).data.buffer)).size);
        });
    })"""))


def test_the_arm_is_seen_in_three_dimensions_and_turned_with_the_keyboard(
    arm_of: Opens, new_solid_page: Opens
) -> None:
    arm = arm_of(approver='auto')
    page = new_solid_page(arm.url)
    expect(page.locator('.space canvas')).to_be_visible()
    page.get_by_role('textbox', name='Task').fill('pick up the red cube')
    page.get_by_role('button', name='Start', exact=True).click()
    expect(page.get_by_text('Succeeded')).to_be_visible()
    name = page.locator('.space .name', has_text='blue_cube')
    expect(name).to_be_visible()
    before = name.get_attribute('x')
    page.locator('.space canvas').press('ArrowLeft')
    expect(name).not_to_have_attribute('x', before)
    assert drawn(page) > 20
    page.get_by_label('Camera', exact=True).check()
    expect(page.locator('.space')).to_be_hidden()
    page.reload()
    expect(page.get_by_label('Camera', exact=True)).to_be_checked()


def test_a_past_run_moves_as_it_did_and_a_link_leads_to_a_moment_of_the_motion(
    tmp_path: Path, new_solid_page: Opens
) -> None:
    with Simulation('tabletop') as sim:
        sim.run('pick up the red cube', out=tmp_path / '1-near')
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_solid_page(f'http://{HOST}:{port}/#run=1-near')
        expect(page.locator('.space canvas')).to_be_visible()
        expect(page.locator('.band.done')).to_have_text('pick')
        slider = page.get_by_label('moment of 1-near')
        slider.press('Home')
        page.get_by_label('speed', exact=True).select_option('8')
        page.get_by_role('button', name='Play').click()
        expect(page.get_by_role('button', name='Play')).to_be_visible()
        expect(page.locator('.moment')).to_contain_text('the task succeeded')
        slider.fill('40')
        moment = page.locator('.moment').inner_text()
        assert '-' in page.url.partition('at=')[2], 'between two events'
        again = new_solid_page(page.url)
        expect(again.locator('.moment')).to_have_text(moment)
        expect(again.get_by_label('moment of 1-near')).to_have_value('40')
        assert drawn(again) > 20
        again.get_by_text('Joints, torques and gripper').click()
        for plot in ('gripper: opening', 'motor torques', 'gripper force'):
            expect(again.get_by_label(plot)).to_be_visible()


def test_two_runs_go_on_together_in_one_view(tmp_path: Path, new_solid_page: Opens) -> None:
    for name, task in (('1-cube', 'pick up the red cube'), ('2-home', 'go home')):
        with Simulation('tabletop') as sim:
            sim.run(task, out=tmp_path / name)
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        page = new_solid_page(f'http://{HOST}:{port}/#run=1-cube&other=2-home')
        expect(page.locator('.shared canvas')).to_be_visible()
        expect(page.locator('.player canvas:visible')).to_have_count(0)
        page.get_by_label('moment of 1-cube').press('Home')
        expect(page.get_by_label('moment of 2-home')).not_to_have_value('1')
        page.get_by_label('moment of 1-cube').press('End')
        expect(page.locator('.moment').nth(1)).to_contain_text('the task succeeded')
        page.get_by_label('both in one view').uncheck()
        expect(page.locator('.player canvas:visible')).to_have_count(2)


def test_who_may_only_watch_sees_all_and_touches_nothing(arm_of: Opens, new_solid_page: Opens
                                                         ) -> None:
    arm = arm_of(tokens=Tokens(watch='w' * 32, act='a' * 32))
    page = new_solid_page(f'{arm.url}#token={"w" * 32}')
    expect(page.locator('.space canvas')).to_be_visible()
    expect(page.locator('.touch')).to_have_count(0)
    expect(page.get_by_role('button')).to_have_count(0)
    before = arm.station.shown.world.data.qpos.tobytes()
    page.locator('.space canvas').drag_to(page.locator('.space canvas'),
                                          source_position={'x': 150, 'y': 120},
                                          target_position={'x': 90, 'y': 90})
    assert arm.station.shown.world.data.qpos.tobytes() == before


def test_the_planned_motion_is_scrubbed_before_a_yes_and_moves_nothing(
    arm_of: Opens, new_solid_page: Opens
) -> None:
    arm = arm_of()
    before, page = arm.joints(), new_solid_page(arm.url)
    page.get_by_role('textbox', name='Task').fill('put the red cube in the bowl')
    page.get_by_role('button', name='Start', exact=True).click()
    ghost = page.get_by_role('group', name='Planned motion')
    expect(ghost).to_contain_text('every step works')
    ghost.get_by_role('button', name='Step 2').click()
    expect(ghost.locator('.moment')).to_contain_text('place_on(target=bowl)')
    ghost.get_by_role('slider').press('Home')
    expect(ghost.locator('.moment')).to_have_text('0.0 s')
    assert page.get_by_role('button', name='Approve').evaluate(
        'button => button.getBoundingClientRect().bottom <= innerHeight'), 'below the fold'
    number = arm.station.questions.open.number
    page.get_by_role('button', name='Deny').click()
    expect(ghost).to_have_count(0)
    assert asked(arm.port, f'/api/planned/{number}')[0] == 204 and arm.joints() == before


def test_what_would_fail_is_said_before_a_yes(arm_of: Opens) -> None:
    arm = arm_of(scene='far_cube', repeat_guard=False)
    asked(arm.port, '/api/task', {'task': 'pick up the red cube'})
    listening = Listener(arm.port)
    number = listening.question()['number']
    listening.close()
    planned = asked(arm.port, f'/api/planned/{number}')[1]
    assert planned['said'].startswith('In a copy of what is seen step 1 fails: IK did not')
    assert asked(arm.port, f'/api/planned/{number + 1}')[0] == 204


def test_a_thing_is_dragged_to_another_place(arm_of: Opens, new_solid_page: Opens) -> None:
    arm = arm_of(approver='auto')
    page = new_solid_page(arm.url, viewport={'width': 900, 'height': 900})
    page.get_by_role('textbox', name='Task').fill('go home')
    page.get_by_role('button', name='Start', exact=True).click()
    expect(page.get_by_text('Succeeded')).to_be_visible()
    page.get_by_text('Touch the world').click()
    page.get_by_label('drag things').check()
    cube = page.locator('.space .box').first.bounding_box()
    x, y = cube['x'] + cube['width'] / 2, cube['y'] + cube['height'] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y + 30, steps=3)
    page.mouse.up()
    expect(page.locator('.touch [role=status]')).to_contain_text('red_cube was moved to x=')
    said = page.locator('.touch [role=status]').inner_text()
    at = arm.station.shown.world.data.joint('red_cube').qpos
    told = [float(number) for number in re.findall(r'=(-?[0-9.]+)', said)]
    assert list(at[:2]) == pytest.approx(told, abs=2e-3) and told[1] < 0.05  # it was at 0.1
    page.get_by_label('thing', exact=True).select_option('blue_cube')
    page.get_by_role('button', name='move right').click()
    expect(page.locator('.touch [role=status]')).to_contain_text('blue_cube was moved to x=0.56')
    page.get_by_label('thing to add').select_option('purple_ball')
    page.get_by_role('button', name='Add', exact=True).click()
    expect(page.locator('.touch [role=status]')).to_contain_text('purple_ball was added')
    expect(page.get_by_label('thing', exact=True)).to_contain_text('purple ball')
    assert 'purple_ball' in asked(arm.port, '/api/solids')[1]['things']


def test_where_all_is_needs_the_token_and_changes_nothing(arm_of: Opens) -> None:
    arm = arm_of(tokens=Tokens(watch='w' * 32, act='a' * 32))
    watch = {'Authorization': f'Bearer {"w" * 32}'}
    before = arm.station.shown.world.data.qpos.tobytes()
    for path in ('/api/solids', '/api/motion'):
        assert asked(arm.port, path)[0] == 401
        assert asked(arm.port, path, Host='elsewhere', **watch)[0] == 421
        assert asked(arm.port, path, Origin='http://elsewhere', **watch)[0] == 403
    solids = asked(arm.port, '/api/solids', **watch)[1]
    state = asked(arm.port, '/api/motion', **watch)[1]
    assert state['world'] == solids['world'] and len(state['poses']) == len(solids['moving'])
    assert 'red_cube' in solids['things']
    assert arm.station.shown.world.data.qpos.tobytes() == before


def test_a_run_whose_world_is_gone_shows_the_arm(tmp_path: Path) -> None:
    folder = tmp_path / '1-gone'
    with Simulation('tabletop') as sim:
        sim.run('go home', out=folder)
    lines = [json.loads(line) for line in (folder / 'events.jsonl').read_text().splitlines()]
    lines[0]['facts']['scene'] = 'gone'
    (folder / 'events.jsonl').write_text(''.join(json.dumps(line) + '\n' for line in lines))
    made_run(tmp_path / '2-other')  # its world has no thing of that name
    with served(Page(tmp_path, Gallery(None), Feed())) as port:
        gone = asked(port, '/api/runs/1-gone/motion')[1]
        other = asked(port, '/api/runs/2-other/motion')[1]
    assert gone['solids']['is_true'] is False and gone['solids']['things'] == []
    assert gone['samples'][0]['moved'] and other['solids']['is_true'] is False
