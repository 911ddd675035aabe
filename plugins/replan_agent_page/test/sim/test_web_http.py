# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page's server with a simulated arm: real HTTP, real physics, no browser."""

from __future__ import annotations

import json
import math
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from replan_agent_bench.scripted.scripted_model import scripted_model
from replan_agent_bench.scripted.scripted_server import MODEL
from web_servers import WAIT_S, Listener, WebArm, asked, web_arm

from replan_agent import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.record.motion_file import MOTION

TASK = 'put the red cube in the bowl'
ANNA = {'who': 'anna'}


@pytest.fixture(scope='module')
def arm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebArm]:
    """Every plan is asked about. Tests start the world again where they need it."""
    with web_arm(tmp_path_factory.mktemp('web') / 'runs') as arm:
        yield arm


@pytest.fixture
def fresh(arm: WebArm) -> WebArm:
    world = {'scene': 'tabletop', 'seed': 0, 'planner': 'search', 'perception': 'ground_truth'}
    assert asked(arm.port, '/api/world', world)[0] == 200
    return arm


def started(arm: WebArm, task: str = TASK) -> Any:
    status, answer = asked(arm.port, '/api/task', {'task': task, **ANNA})
    assert status == 200, answer
    return arm.desk.job(answer['run'])


@contextmanager
def approved(arm: WebArm) -> Iterator[None]:
    """Every plan that is asked about is approved."""
    listener = Listener(arm.port)

    def approve() -> None:
        question = listener.question()
        asked(arm.port, '/api/answer', {'question': question['number'], 'choice': 'yes'})

    answering = threading.Thread(target=approve)
    answering.start()
    yield
    answering.join()
    listener.close()


def people(job: Any) -> list[dict[str, str]]:
    return [json.loads(line) for line in (job.folder / 'people.jsonl').read_text().splitlines()]


def test_an_approved_plan_runs_and_the_record_says_who(fresh: WebArm) -> None:
    job, listener = started(fresh), Listener(fresh.port)
    question = listener.question()
    assert [step['skill'] for step in question['plan']['steps']] == ['pick', 'place_on']
    answer = {'question': question['number'], 'choice': 'yes', **ANNA}
    assert asked(fresh.port, '/api/answer', answer)[0] == 200
    assert listener.until('task_finished')[-1]['success']
    assert job.done.wait(WAIT_S)
    assert job.result['approvals'][0]['approver'] == 'anna (page, 127.0.0.1)'
    assert job.result['approver'] == 'console'  # so a resumed run asks a person too
    assert [(one['who'], one['did']) for one in people(job)] == [
        ('anna (page, 127.0.0.1)', 'task'), ('anna (page, 127.0.0.1)', 'approve: yes')]
    assert asked(fresh.port, '/api/answer', answer)[0] == 409  # it is not open any more


def test_a_denied_plan_moves_nothing(fresh: WebArm) -> None:
    before, job, listener = fresh.joints(), started(fresh), Listener(fresh.port)
    answer = {'question': listener.question()['number'], 'choice': 'no', **ANNA}
    assert asked(fresh.port, '/api/answer', answer)[0] == 200
    assert job.done.wait(WAIT_S)
    assert job.result['final_reason'] == 'approval_denied' and 'anna' in job.result['final_detail']
    assert fresh.joints() == before


def test_a_stop_while_it_asks_moves_nothing_and_lasts(fresh: WebArm) -> None:
    before, job, listener = fresh.joints(), started(fresh), Listener(fresh.port)
    number = listener.question()['number']
    assert asked(fresh.port, '/api/stop', ANNA)[0] == 200
    late = asked(fresh.port, '/api/answer', {'question': number, 'choice': 'yes'})
    assert late[0] == 409
    assert job.done.wait(WAIT_S) and fresh.joints() == pytest.approx(before, abs=1e-9)
    assert job.result['approvals'] == [] and job.result['steps'] == []
    status, answer = asked(fresh.port, '/api/task', {'task': TASK})
    assert status == 409 and 'anna (page, 127.0.0.1) pressed stop' in answer['error']
    assert asked(fresh.port, '/api/reset', ANNA)[0] == 200
    assert asked(fresh.port, '/api/world', {'scene': 'nowhere'})[0] == 400


def test_a_server_that_ends_stops_the_arm_before_it_waits_for_browsers(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto', pace=1.0) as arm:
        listener, job = Listener(arm.port), started(arm)  # an open connection
        listener.until('phase_started')
        arm.page.end()
        assert job.done.wait(WAIT_S) and job.result['final_detail'] == 'the server ends'


def test_a_task_that_runs_is_no_failed_one_in_the_list(fresh: WebArm) -> None:
    job, listener = started(fresh), Listener(fresh.port)
    number = listener.question()['number']
    assert asked(fresh.port, '/api/runs')[1]['running'] == job.name
    assert asked(fresh.port, '/api/answer', {'question': number, 'choice': 'no'})[0] == 200
    assert job.done.wait(WAIT_S)
    assert asked(fresh.port, '/api/runs')[1]['running'] == ''


def test_another_world_shows_nothing_of_the_one_before_it(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto') as arm:
        assert started(arm, 'go home').done.wait(WAIT_S)
        listener = Listener(arm.port)
        assert next(data['run'] for kind, data in listener.events() if kind == 'run')
        world = {'scene': 'far_cube', 'seed': 0, 'planner': 'search',
                 'perception': 'ground_truth'}
        assert asked(arm.port, '/api/world', world)[0] == 200
        assert next(data['run'] for kind, data in listener.events() if kind == 'run') == ''


def test_an_answer_that_does_not_come_is_a_denial(tmp_path: Path) -> None:
    with web_arm(tmp_path, timeout=0.05) as arm:
        before, job = arm.joints(), started(arm)
        assert job.done.wait(WAIT_S)
        assert job.result['final_reason'] == 'approval_denied'
        assert 'nobody approved' in job.result['final_detail'] and arm.joints() == before


def test_clients_that_hang_or_vanish_hold_up_nothing(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto') as arm:
        hung = []
        for _ in range(5):  # they ask for everything and never read
            one = socket.create_connection(('127.0.0.1', arm.port))
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            for path in ('/api/events', '/api/picture'):
                one.sendall(f'GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.encode())
            hung.append(one)
        vanished = Listener(arm.port)
        job = started(arm)
        vanished.close()
        assert job.done.wait(WAIT_S) and job.result['success']
        for one in hung:
            one.close()


@pytest.mark.gl
def test_watching_changes_neither_the_outcome_nor_the_robot_time(tmp_path: Path) -> None:
    with Simulation('tabletop') as alone:
        expected = alone.run(TASK)
        state = alone.world.data.qpos.copy()
        robot_s = alone.world.time
    with web_arm(tmp_path, approver='auto', pace=4.0) as arm:
        first = asked(arm.port, '/api/picture')[1]  # from now on pictures are drawn at once
        listener, job = Listener(arm.port), started(arm)
        while not job.done.is_set():  # a page that shows every picture it can get
            asked(arm.port, f'/api/picture?after={arm.station.live._number}')
        assert job.done.wait(WAIT_S) and listener.until('task_finished')[-1]['success']
        assert asked(arm.port, '/api/picture')[1] != first
        world = arm.station.shown.world
        assert (world.data.qpos == state).all() and world.time == robot_s
        assert len(job.result['steps']) == len(expected.steps)
        assert job.result['approver'] == expected.as_dict()['approver'] == 'auto'


def test_watching_in_three_dimensions_changes_no_byte_of_what_moved(tmp_path: Path) -> None:
    with Simulation('tabletop') as alone:
        alone.run(TASK, out=tmp_path / 'alone')
    with web_arm(tmp_path / 'runs', approver='auto', pace=4.0) as arm:
        job, shown, number = started(arm), 0, 0
        while not job.done.is_set():
            if asked(arm.port, f'/api/motion?after={number}')[0] == 200:
                shown, number = shown + 1, arm.station.motion._number
        assert shown > 10
        assert (job.folder / MOTION).read_bytes() == (tmp_path / 'alone' / MOTION).read_bytes()


def test_a_stop_gets_through_while_many_ask_for_all_that_moves(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto', pace=1.0) as arm:
        ended = threading.Event()

        def watch() -> None:
            while not ended.is_set():
                asked(arm.port, '/api/motion')
                asked(arm.port, '/api/solids')

        crowd = [threading.Thread(target=watch) for _ in range(12)]
        for one in crowd:
            one.start()
        listener, job = Listener(arm.port), started(arm)
        try:
            listener.until('phase_started')
            assert asked(arm.port, '/api/stop', ANNA)[0] == 200
            assert job.done.wait(WAIT_S)
        finally:
            ended.set()
            for one in crowd:
                one.join()
        assert 'pressed stop' in job.result['final_detail'] and not job.result['success']


def test_what_the_hand_holds_is_pressed_from_both_sides(fresh: WebArm) -> None:
    with approved(fresh):
        job = started(fresh, 'pick up the red cube')
        assert job.done.wait(WAIT_S) and job.result['success']
    forces = [touch[3:] for touch in asked(fresh.port, '/api/motion')[1]['touches']]
    strong = [math.hypot(*force) for force in forces]
    assert sum(strong) == pytest.approx(2 * 40, abs=8)  # N: each finger presses with 40
    total = [sum(axis) for axis in zip(*forces)]
    assert total == pytest.approx([0, 0, 0.08 * 9.81], abs=0.4), 'and both carry its weight'


def test_the_grasps_of_a_run_are_told_with_the_one_that_was_taken(fresh: WebArm) -> None:
    with approved(fresh):
        job = started(fresh, 'pick up the red cube')
        assert job.done.wait(WAIT_S) and job.result['success']
    events = len((job.folder / 'events.jsonl').read_text().splitlines())
    ways = asked(fresh.port, f'/api/runs/{job.name}/grasps/{events}')[1]['grasps']
    assert [way['taken'] for way in ways] == [True, *[False] * (len(ways) - 1)] and len(ways) > 5
    assert ways[0]['at'][:2] == pytest.approx([0.46, 0.1], abs=0.02)
    assert asked(fresh.port, f'/api/runs/{job.name}/grasps/1')[1]['grasps'] == []


def test_a_plan_is_asked_about_with_what_it_comes_close_to_and_its_grasps(tmp_path: Path) -> None:
    with web_arm(tmp_path, scene='boxed_in') as arm:
        job, listener = started(arm, 'pick up the yellow cube'), Listener(arm.port)
        question = listener.question()
        planned = asked(arm.port, f'/api/planned/{question["number"]}')[1]
        assert planned['near'] and planned['near'][0].endswith(' mm')
        assert 'yellow_cube' not in str(planned['near']), 'that is what it handles'
        assert sum(way['taken'] for way in planned['grasps']['1']) == 1
        answer = {'question': question['number'], 'choice': 'no'}
        assert asked(arm.port, '/api/answer', answer)[0] == 200 and job.done.wait(WAIT_S)


def test_what_is_chosen_is_offered_and_a_file_that_is_not_offered_is_refused(tmp_path: Path
                                                                             ) -> None:
    own, other = tmp_path / 'own.yaml', tmp_path / 'next.yaml'
    for file in (own, other):
        file.write_text('name: mine\nobjects:\n- {name: red_cube, shape: box, size: 0.04, '
                        'colour: red, position: [0.5, 0.0]}\n')
    with web_arm(tmp_path / 'runs', scene=str(own)) as arm:
        offered = asked(arm.port, '/api/hello')[1]['options']
        assert {str(own), str(other), 'tabletop'} <= set(offered['scenes'])
        assert {'panda', 'fr3'} <= set(offered['arms'])
        assert asked(arm.port, '/api/world', {'scene': str(other), 'arm': 'fr3'})[0] == 200
        assert arm.station.choice.arm == arm.station.shown.world.arm.name == 'fr3'
        assert arm.station.shown.world.scene.name == 'mine'
        for wrong in ({'scene': '/etc/passwd'}, {'arm': '/etc/passwd'}, {'arm': 7}):
            assert asked(arm.port, '/api/world', wrong)[0] == 400


@pytest.mark.gl
def test_nothing_is_drawn_while_nobody_watches(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto') as arm:
        assert started(arm).done.wait(WAIT_S)
        live = arm.station.live
        assert live._number == 0 and live._source._drawer._process is None
        status, picture = asked(arm.port, '/api/picture')
        assert status == 200 and picture[:2] == b'\xff\xd8'  # the newest state, as JPEG


def test_a_page_that_comes_back_gets_only_what_it_missed(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto') as arm:
        job, first = started(arm, 'pick up the red cube'), Listener(arm.port)
        whole = first.until('task_finished')
        again = Listener(arm.port, f'run={job.name}&seen={len(whole) - 2}')
        assert again.until('task_finished') == whole[-2:]


def test_the_events_of_the_page_are_those_of_the_record(tmp_path: Path) -> None:
    with web_arm(tmp_path, scene='far_cube', approver='auto') as arm:
        job, listener = started(arm, 'pick up the red cube'), Listener(arm.port)
        told = listener.until('task_finished')
        assert job.done.wait(WAIT_S)
        recorded = [json.loads(line)['event']
                    for line in (job.folder / 'events.jsonl').read_text().splitlines()]
        assert [event['event'] for event in told] == recorded
        _, replayed = asked(arm.port, f'/api/runs/{job.name}')
        (failed,) = [one for one in told if one['event'] == 'attempt_recorded']
        (again,) = [one for one in replayed['events'] if one['event'] == 'attempt_recorded']
        assert failed['marks'] == again['marks'] and failed['marks']['target'][0] > 1.1
        assert 0.5 < failed['marks']['nearest'][0] < 0.9


def test_a_correction_instead_of_an_approval_is_another_order(fresh: WebArm) -> None:
    job, listener = started(fresh, 'put the red cube in the bowl'), Listener(fresh.port)
    first = listener.question()
    no = {'question': first['number'], 'choice': 'edit', 'text': 'no, the blue one', **ANNA}
    assert asked(fresh.port, '/api/answer', no)[0] == 200
    second = listener.question(after=first['number'])
    assert second['plan']['steps'][0]['args']['object'] == 'blue_cube'
    deny = {'question': second['number'], 'choice': 'no', **ANNA}
    assert asked(fresh.port, '/api/answer', deny)[0] == 200 and job.done.wait(WAIT_S)
    assert job.result['final_reason'] == 'approval_denied' and job.result['steps'] == []
    assert 'put the blue cube in the bowl' in job.result['said']


def test_a_person_is_asked_for_a_hint_and_the_task_goes_on_with_it(tmp_path: Path) -> None:
    with web_arm(tmp_path, scene='far_cube', approver='auto', human_after=1) as arm:
        job, listener = started(arm, 'pick up the red cube'), Listener(arm.port)
        question = listener.question()
        assert question['kind'] == 'hint' and 'unreachable' in question['question']
        empty = {'question': question['number'], 'choice': 'yes', 'text': ' '}
        assert asked(arm.port, '/api/answer', empty)[0] == 400
        hint = {**empty, 'text': 'push it nearer first', **ANNA}
        assert asked(arm.port, '/api/answer', hint)[0] == 200
        for question in iter(lambda: _question_or_end(listener), None):
            answer = {'question': question['number'], 'choice': 'no', **ANNA}
            assert asked(arm.port, '/api/answer', answer)[0] in (200, 409)
        assert job.done.wait(WAIT_S) and job.result['hints'] == ['push it nearer first']
        assert ('hint: yes', 'push it nearer first') in [(p['did'], p['what'])
                                                         for p in people(job)]


def _question_or_end(listener: Listener) -> dict[str, Any] | None:
    for kind, data in listener.events():
        if kind == 'status' and data['question']:
            return dict(data['question'])
        if kind == 'happened' and data['event'] == 'task_finished':
            return None
    raise AssertionError('the stream ended')


def test_script_in_a_task_is_sent_as_data(tmp_path: Path) -> None:
    with web_arm(tmp_path, approver='auto') as arm:
        started(arm, 'pick up the <img src=x onerror=alert(1)>')
        told = Listener(arm.port).until('task_finished')
        assert told[0]['task'] == 'pick up the <img src=x onerror=alert(1)>'


def test_model_calls_are_shown_with_prompt_and_reply_and_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('KEY_OF_THE_TEST', 'sk-secret-0123456789')
    with scripted_model() as server:
        vlm = replace(load_config().vlm, model=MODEL, base_url=server.base_url, images=False,
                      api_key_env='KEY_OF_THE_TEST')
        with web_arm(tmp_path, approver='auto', planner='vlm', vlm=vlm) as arm:
            job, listener = started(arm, 'pick up the red cube'), Listener(arm.port)
            told = listener.until('task_finished')
            assert job.done.wait(WAIT_S) and job.result['success']
            _, replayed = asked(arm.port, f'/api/runs/{job.name}')
    calls = [event for event in told if event['event'] == 'model_called']
    assert calls and calls[0]['reply'] and 'red cube' in str(calls[0]['messages'])
    assert 'sk-secret' not in str(told) + str(replayed)
    assert [event for event in replayed['events'] if event['event'] == 'model_called']
