# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page on a real graph, over HTTP: watch, approve, deny, change, stop, hint, replay."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from replan_agent_page.serve.desk import Desk
from replan_agent_page.serve.remote_agent import RemoteAgent
from replan_agent_page.serve.ros_station import RosStation
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.gate import Tokens
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.page_arm import Arm
from replan_agent_page.web.past_runs import Gallery
from replan_agent_page.web.ros_page_station import RosPageStation
from replan_agent_sim.all_in_one import all_nodes
from replan_agent_sim.sim_node import SimNode
from rig import WAIT_S, Caller, overrides, spun, until
from stand_ins import StandInPerception, StandInSkills
from web_servers import Listener, asked, served

from replan_agent.domain.skill import Reason, SkillResult, failed
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.timeouts import Timeouts

PATIENT = Timeouts(appear_timeout=30.0, answer_timeout=30.0, silence_timeout=60.0,
                   observe_timeout=30.0)
STANDSTILL = 0.01  # rad/s
TASK = {'task': 'pick up the red cube', 'who': 'anna'}
ANNA = 'anna (page, 127.0.0.1)'


class WebOverRos:
    """A page at a graph: its port, the desk, the runs."""

    def __init__(self, caller: Caller, runs: Path) -> None:
        feed = Feed()
        station = RosStation(RemoteAgent(node=caller, timeouts=PATIENT), None, command='web')
        self.station, self.runs, self.caller = RosPageStation(station, feed, 10), runs, caller
        self.desk = Desk(self.station, runs, 'web')
        self.desk.on_change = feed.wake
        self.page = Page(runs, Gallery(None), feed, Arm(self.desk, self.station))
        self.port = 0

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        return asked(self.port, path, body)

    def result(self) -> dict[str, Any]:
        job = self.desk.job()
        assert job is not None and job.done.wait(WAIT_S)
        assert job.result is not None, job.problem
        return dict(job.result)


@pytest.fixture
def graph(ros: Any, request: pytest.FixtureRequest, tmp_path: Path
          ) -> Iterator[tuple[WebOverRos, SimNode]]:
    """A page at the whole graph, and its simulation; tests may give parameters."""
    runs = tmp_path / 'runs'
    given = {'scene': 'tabletop', 'perception': 'ground_truth', 'approver': 'remote',
             'tasks.runs': str(runs), **getattr(request, 'param', {})}
    nodes = all_nodes(parameter_overrides=overrides(use_sim_time=True, **given))
    with spun(*nodes) as caller:
        web = WebOverRos(caller, runs)
        with served(web.page) as web.port:
            yield web, nodes[0]
        web.desk.close()


def joints(sim: SimNode) -> Any:
    return np.round(sim.robot.state().joints, 4)


def test_a_task_is_approved_watched_and_replayed(graph: tuple[WebOverRos, SimNode]) -> None:
    web, _ = graph
    listener = Listener(web.port)
    assert web.post('/api/task', **TASK)[0] == 200
    question = listener.question()
    assert question['plan']['steps'][0]['skill'] == 'pick' and question['ends_at'] is None
    answer = {'question': question['number'], 'choice': 'yes', 'who': 'anna'}
    assert web.post('/api/answer', **answer)[0] == 200
    seen = [event['event'] for event in listener.until('task_finished')]
    assert {'step_started', 'phase_started', 'step_finished', 'approval_decided'} <= {*seen}
    listener.close()
    result = web.result()
    assert result['success'] and result['approvals'][0]['approver'] == ANNA
    assert web.post('/api/answer', **answer)[0] == 409
    (run,) = asked(web.port, '/api/runs')[1]['runs']  # one record, that of the agent
    assert run['task'] == TASK['task'] and run['success'] and run['complete']
    told = asked(web.port, f'/api/runs/{run["run"]}')[1]
    assert [one['did'] for one in told['people']] == ['task', 'approve: yes']
    assert told['events'][-1]['event'] == 'task_finished'


def test_a_page_that_starts_late_shows_the_question_that_waits(
    graph: tuple[WebOverRos, SimNode], tmp_path: Path
) -> None:
    web, _ = graph
    sent = web.caller.send('pick up the red cube')
    until(lambda: web.station.questions.open)
    late = WebOverRos(web.caller, tmp_path / 'late')
    question = until(lambda: late.station.questions.open)
    assert question.details['plan']['steps'][0]['skill'] == 'pick'
    assert late.station.elsewhere == 'pick up the red cube'
    with served(late.page) as late.port:
        no = late.post('/api/answer', question=question.number, choice='no', who='anna')
    assert no[0] == 200
    assert sent.end().result.final_reason == 'approval_denied'
    until(lambda: late.station.questions.open is None)
    late.desk.close()


def test_a_denied_plan_moves_nothing_and_a_change_makes_another(
    graph: tuple[WebOverRos, SimNode]
) -> None:
    web, sim = graph
    before, listener = joints(sim), Listener(web.port)
    web.post('/api/task', **TASK)
    first = listener.question()
    assert web.post('/api/answer', question=first['number'], choice='edit', text='slower',
                    who='anna')[0] == 200
    second = listener.question()
    while second['number'] == first['number']:
        second = listener.question()
    assert second['plan']['version'] == first['plan']['version'] + 1
    web.post('/api/answer', question=second['number'], choice='no', who='bert')
    listener.close()
    result = web.result()
    assert result['final_reason'] == 'approval_denied' and (joints(sim) == before).all()
    assert [one['edit'] for one in result['approvals']] == ['slower', '']
    assert 'denied by bert' in result['final_detail']


@pytest.mark.parametrize('graph', [{'approver': 'auto', 'realtime_factor': 1.0}], indirect=True)
def test_a_stop_in_motion_lasts_until_it_is_released_at_the_page(
    graph: tuple[WebOverRos, SimNode]
) -> None:
    web, sim = graph
    listener = Listener(web.port)
    web.post('/api/task', **TASK)
    listener.until('phase_started')
    status, said = web.post('/api/stop', reason='a hand', who='anna')
    assert status == 200 and said['problem'] == ''
    listener.close()
    assert web.result()['final_reason'] in ('stopped', 'cancelled')
    assert np.abs(sim.robot.state().velocities).max() < STANDSTILL
    status, said = web.post('/api/task', **TASK)
    assert status == 409 and 'anna (page, 127.0.0.1) pressed stop: a hand' in said['error']
    status, said = web.post('/api/reset', who='anna')
    assert status == 200 and 'released' in said['message']
    assert web.post('/api/task', task='go home')[0] == 200
    assert web.result()['success']


@pytest.mark.parametrize('graph', [{'approval.timeout': 1.0}], indirect=True)
def test_a_plan_of_another_client_is_watched_and_no_answer_is_a_denial(
    graph: tuple[WebOverRos, SimNode]
) -> None:
    web, sim = graph
    before, listener = joints(sim), Listener(web.port)
    sent = web.caller.send('pick up the red cube')
    question = listener.question()
    assert web.station.elsewhere == 'pick up the red cube'
    ended = listener.until('task_finished')[-1]
    listener.close()
    assert ended['final_reason'] == 'approval_denied' and not sent.end().result.success
    assert web.post('/api/answer', question=question['number'], choice='yes')[0] == 409
    assert web.station.elsewhere == '' and (joints(sim) == before).all()


@pytest.mark.release  # slow; test/web has a killed browser in every run
def test_a_browser_that_does_not_read_holds_up_no_task(graph: tuple[WebOverRos, SimNode]) -> None:
    web, _ = graph
    hung = [Listener(web.port) for _ in range(3)]
    for choice in ('no', 'yes'):
        listener = Listener(web.port)
        web.post('/api/task', **TASK)
        number = listener.question()['number']
        web.post('/api/answer', question=number, choice=choice)
        listener.close()
        assert web.result()['success'] == (choice == 'yes')
    for one in hung:
        one.close()


def far(call: Any) -> SkillResult:
    return failed(Reason.UNREACHABLE, 'too far')


def test_a_hint_is_given_and_a_task_is_ended_instead(ros: Any, tmp_path: Path) -> None:
    settings = overrides(agent__human_after=1)
    with spun(AgentNode(parameter_overrides=settings), PlannerNode(), StandInPerception(),
              StandInSkills(far)) as caller:
        web = WebOverRos(caller, tmp_path)
        with served(web.page) as web.port:
            listener = Listener(web.port)
            web.post('/api/task', **TASK)
            question = listener.question()
            assert question['kind'] == 'hint'
            assert web.post('/api/answer', question=question['number'], choice='yes',
                            text='push it nearer', who='anna')[0] == 200
            hint = listener.until('human_answered')[-1]
            assert hint['hint'] == 'push it nearer'
            again = listener.question()
            while again['number'] == question['number']:
                again = listener.question()
            assert web.post('/api/answer', question=again['number'], choice='no')[0] == 200
            listener.close()
            assert web.result()['final_reason'] == 'cancelled'
        web.desk.close()
    assert json.loads((web.desk.job().folder / 'result.json').read_text())['hints']


def test_the_tokens_hold_over_ros_too(ros: Any, tmp_path: Path) -> None:
    tokens = Tokens(watch='w' * 32, act='a' * 32)
    with spun() as caller:
        web = WebOverRos(caller, tmp_path)
        with served(web.page, tokens) as port:
            for path, body in (('/api/task', TASK), ('/api/stop', {}), ('/api/reset', {})):
                assert asked(port, path, body)[0] == 401
                assert asked(port, path, body, Authorization=f'Bearer {tokens.watch}')[0] == 403
            hello = asked(port, '/api/hello', Authorization=f'Bearer {tokens.watch}')[1]
            assert hello['arm'] and not hello['may_act'] and hello['options'] == {}
            acting = {'Authorization': f'Bearer {tokens.act}'}
            world = {'scene': 'tabletop', 'planner': 'search', 'perception': 'camera'}
            assert asked(port, '/api/world', world, **acting)[0] == 409
        web.desk.close()


@pytest.mark.gl
def test_the_cameras_picture_is_shown_with_what_is_needed_to_draw_names(
    graph: tuple[WebOverRos, SimNode]
) -> None:
    web, _ = graph

    def shown() -> Any:
        status, picture = asked(web.port, '/api/picture')
        return picture if status == 200 else None

    web.station.camera  # noqa: B018 somebody opens the page
    picture = until(shown)
    assert picture.startswith(b'\xff\xd8')
    camera = until(lambda: asked(web.port, '/api/picture') and web.station.camera['projection'])
    scene = web.station.look().scene
    cube = scene.get('red_cube')
    u, v, depth = np.array(camera) @ (*cube.pose.position, 1.0)
    width, height = web.station.camera['size']
    assert 0 < u / depth < width and 0 < v / depth < height


@pytest.mark.release
def test_the_command_serves_until_ctrl_c_and_says_that_no_agent_is_there(tmp_path: Path) -> None:
    command = ('import sys; from replan_agent_page.web.web_command import ros_main; '
               'sys.exit(ros_main())')
    words = ['--port', '0', '--runs', str(tmp_path), '--ros-args', '-r', '__ns:=/nobody']
    with subprocess.Popen([sys.executable, '-c', command, *words], stderr=subprocess.PIPE,
                          text=True) as server:
        assert server.stderr is not None
        line = next(line for line in server.stderr if line.startswith('page: '))
        port = int(line.split('/')[2].rpartition(':')[2])
        assert asked(port, '/api/hello')[1]['arm']
        assert asked(port, '/api/task', TASK)[0] == 200
        listener = Listener(port)
        problem = next(data['problem'] for kind, data in listener.events()
                       if kind == 'status' and data['problem'])
        assert 'agent_node is not there' in problem
        listener.close()
        server.send_signal(signal.SIGINT)
        assert server.wait(WAIT_S) == 0
