# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The conversation with an agent over ROS; the agent is a stand-in, no ROS is needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hand_scenes import BIN, BOWL, cube, scene
from imagined_arm import ImaginedArm
from replan_agent_page.serve.ros_station import RosStation
from replan_agent_page.serve.station import Order

from replan_agent.domain.approval_request import Approval
from replan_agent.domain.context import Context


class Remote(ImaginedArm):
    """Answers as RemoteAgent does."""

    seen_by, approvals = 'arm', ()

    def observe(self, ctx: Context | None = None) -> Any:
        return super().observe(ctx or Context())

    def viewpoint(self) -> str:
        return self.seen_by

    def skills(self) -> Any:
        return self.specs()

    def run(self, task: str, *given: Any) -> Any:
        if not given or given[0] is None:  # of the loop itself
            return super().run(task)
        self.approvals = (*self.approvals, given[1])
        result = super().run(task).as_dict()
        return json.loads(json.dumps({**result, 'run_folder': '/somewhere'}))


def test_an_answer_is_sent_to_the_agent_as_a_whole_sentence(tmp_path: Path) -> None:
    remote = Remote(scene(cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06), BOWL, BIN))
    station = RosStation(remote, None)  # type: ignore[arg-type]

    def say(words: str) -> Any:
        return station.run(Order(words), tmp_path / 'run', lambda progress: None, Context())

    question = say('put the cube in the bowl')
    assert question['asks'] and 'success' not in question
    done = say('the left one')
    assert done['success'] and done['run_folder'] and remote.tasks == [
        'put the red cube in the bowl']
    assert 'the red cube' in say('what is in the bowl?')['said']
    assert say('undo that')['success']


def test_left_is_as_the_agent_reads_it(tmp_path: Path) -> None:
    remote = Remote(scene(cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06), BOWL, BIN))
    remote.seen_by = 'person'
    station = RosStation(remote, None)  # type: ignore[arg-type]
    for words in ('put the cube in the bowl', 'the left one'):
        station.run(Order(words), tmp_path / 'run', lambda progress: None, Context())
    assert remote.tasks == ['put the blue cube in the bowl']


class SaysNo:
    """A person who wants the other one, once."""

    def __init__(self) -> None:
        self.answers = [Approval(False, 'person', edit='no, the blue one')]

    def approve(self, request: Any, ctx: Context) -> Approval:
        return self.answers.pop() if self.answers else Approval(True, 'person')

    def report_outcome(self, success: bool) -> None:
        """It learns nothing."""


@pytest.mark.parametrize(('asked', 'then'), [(None, 'remote'), ('adaptive', 'remote')])
def test_after_a_no_a_person_is_asked_about_what_is_meant(tmp_path: Path, asked: str | None,
                                                          then: str) -> None:
    remote = Remote(scene(cube('red_cube', 0.46, 0.10), cube('blue_cube', 0.56, -0.06), BOWL, BIN),
                    approver=SaysNo())
    station = RosStation(remote, asked)  # type: ignore[arg-type]
    station.run(Order('put the red cube in the bowl'), tmp_path / 'run', lambda progress: None,
                Context())
    assert remote.tasks[1:] == ['put the blue cube in the bowl']
    assert remote.approvals == (asked, then)
