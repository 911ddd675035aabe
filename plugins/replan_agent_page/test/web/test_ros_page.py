# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of an agent over ROS in real Chromium. A stand-in is the ROS client: no ROS here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from made_run import events
from replan_agent_page.serve.desk import Desk
from replan_agent_page.serve.ros_station import RosStation
from replan_agent_page.web.feed import Feed
from replan_agent_page.web.page_app import Page
from replan_agent_page.web.page_arm import Arm
from replan_agent_page.web.past_runs import Gallery
from replan_agent_page.web.ros_page_station import RosPageStation
from web_servers import HOST, served

from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills

expect = pytest.importorskip('playwright.sync_api', reason='no playwright: pip install '
                                                       'playwright').expect
Opens = Callable[..., Any]


class StandInCamera:
    """Grey pictures of a camera whose place is not known."""

    count = 0

    def listen(self) -> None:
        self.count = 1

    def newest(self) -> tuple[int, Any]:
        return self.count, np.full((48, 64, 3), 120, np.uint8)

    def projection(self) -> None:
        return None


class StandInClient:
    """What RemoteAgent is to the page: events come from the test, answers are kept."""

    def __init__(self) -> None:
        self.camera, self.task_id = StandInCamera(), ''
        self.answers: list[Any] = []
        self.decided = threading.Event()
        self.on_event: Callable[[Any], None] = lambda event: None

    def hear_questions(self, on_question: Callable[[Any], None]) -> None:
        """No question waits."""

    def observe(self, ctx: Context | None = None) -> Scene:
        return Scene('desk', 0.0, (SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04),
                                               Pose((0.5, 0.0, 0.02))),), 'stand-in')

    def viewpoint(self) -> str:
        return 'arm'

    def skills(self) -> Any:
        return standard_skills().specs()

    def run(self, task: str, steps: Any, approval: Any, folder: Path, on_progress: Any,
            ctx: Context, hints: Any = ()) -> dict[str, Any]:
        self.task_id = 'own'
        start = {**events()[0], 'task': task}
        for event in (start, *events()[1:3]):
            self.says('own', event)
        pending = {'event': 'approval_pending', 'plan_version': 1, 'plan': events()[2]['plan'],
                   'request': 1, 'risk': None, 'threshold': None, 'reasons': []}
        self.says('own', pending)
        while not self.decided.wait(0.05):
            ctx.check()
        self.says('own', {'event': 'task_finished', 'success': True, 'final_reason': 'done',
                          'final_detail': 'it is in the bowl'})
        return {'success': True, 'run_folder': ''}

    def decide(self, *answer: Any) -> str:
        self.answers.append(answer)
        self.decided.set()
        return ''

    def says(self, task_id: str, event: dict[str, Any]) -> None:
        data = {key: value for key, value in event.items() if key not in ('event', 'robot_s')}
        self.on_event(SimpleNamespace(task_id=task_id, kind=event['event'], stamp_s=1.7e9,
                                      data=data))

    def stop(self) -> str:
        return ''

    def reset_stop(self) -> tuple[bool, str]:
        return True, 'was not stopped'

    def close(self) -> None:
        """Nothing to do."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[tuple[StandInClient, str]]:
    """The client, and the address of its page."""
    client, feed = StandInClient(), Feed()
    agent: Any = client
    station = RosPageStation(RosStation(agent, None, command='web'), feed, 10)
    desk = Desk(station, tmp_path, 'web')
    desk.on_change = feed.wake
    with served(Page(tmp_path, Gallery(None), feed, Arm(desk, station))) as port:
        yield client, f'http://{HOST}:{port}/'
    desk.close()


def test_a_plan_over_ros_is_approved_at_the_page(client: tuple[StandInClient, str],
                                                 new_page: Opens) -> None:
    agent, url = client
    page = new_page(url)
    expect(page.locator('#world')).to_be_hidden()  # the nodes have one world
    expect(page.get_by_role('button', name='Allow motion again')).to_be_visible()
    expect(page.locator('.picture img')).to_have_js_property('naturalWidth', 64)
    page.get_by_label('Your name').fill('anna')
    page.get_by_role('textbox', name='Task').fill('pick up the cube')
    page.get_by_role('button', name='Start', exact=True).click()
    expect(page.locator('.ask')).to_contain_text('denied when its time is over')
    page.get_by_role('button', name='Approve').click()
    expect(page.get_by_text('Succeeded: it is in the bowl')).to_be_visible()
    expect(page.locator('.ask')).to_have_count(0)
    expect(page.get_by_label('Budgets')).to_contain_text(', 0 s of the arm')  # not the time of day
    ((task, version, request, approved, who, *_),) = agent.answers
    assert (task, version, request, approved) == ('own', 1, 1, True)
    assert who == 'anna (page, 127.0.0.1)'


def test_a_task_of_another_client_is_watched(client: tuple[StandInClient, str], new_page: Opens
                                             ) -> None:
    agent, url = client
    page = new_page(url)
    expect(page.locator('#connection')).to_have_text('ready')
    for event in ({**events()[0], 'task': 'tidy up'}, *events()[1:3]):
        agent.says('theirs', event)
    expect(page.locator('#connection')).to_have_text('running, given elsewhere: tidy up')
    expect(page.get_by_role('heading', name='tidy up')).to_be_visible()
    agent.says('theirs', {'event': 'human_asked', 'question': 'what now?'})
    expect(page.get_by_role('heading', name='A person is needed')).to_be_visible()
    page.get_by_role('button', name='End the task').click()
    expect(page.get_by_role('alert')).to_contain_text('this task was given elsewhere')
    agent.says('theirs', {'event': 'task_finished', 'success': False, 'final_reason': 'gave_up',
                          'final_detail': 'no'})
    expect(page.locator('#connection')).to_have_text('ready')
