# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Questions of an agent over ROS at the page: when they are open, and what an answer becomes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from replan_agent_page.serve.station import TaskRefused
from replan_agent_page.web.page_questions import Answer
from replan_agent_page.web.ros_page_station import _keep_one_record
from replan_agent_page.web.ros_questions import RosQuestions

from replan_agent.domain.port_errors import NodeLost

PENDING = {'plan_version': 2, 'plan': {'version': 2, 'steps': []}, 'request': 3, 'risk': 0.4,
           'threshold': 0.3, 'reasons': ['it is heavy']}


class StandInAgent:
    """Takes answers as the services do; `says` is their objection."""

    def __init__(self) -> None:
        self.taken: list[Any] = []
        self.says: str | NodeLost = ''

    def decide(self, *answer: Any) -> str:
        return self._take('decide', *answer)

    def give_hint(self, *answer: Any) -> str:
        return self._take('hint', *answer)

    def _take(self, *answer: Any) -> str:
        if isinstance(self.says, NodeLost):
            raise self.says
        self.taken.append(answer)
        return self.says


@pytest.fixture
def agent() -> StandInAgent:
    return StandInAgent()


def asking(agent: StandInAgent, ended: list[str] | None = None) -> RosQuestions:
    found = [] if ended is None else ended
    return RosQuestions(agent, lambda task, who: found.append(task))  # type: ignore[arg-type]


@pytest.mark.parametrize(('choice', 'text', 'approved', 'detail', 'edit'), [
    ('yes', '', True, '', ''),
    ('no', '', False, 'plan 2 was denied by anna', ''),
    ('edit', 'slower', False, 'anna wants plan 2 changed: slower', 'slower'),
])
def test_an_answer_names_the_question_and_who_gave_it(
    agent: StandInAgent, choice: str, text: str, approved: bool, detail: str, edit: str
) -> None:
    questions = asking(agent)
    questions.heard('t1', 'approval_pending', PENDING)
    question = questions.open
    assert question is not None and question.as_dict()['reasons'] == ['it is heavy']
    assert questions.give(question.number, Answer(choice, text, 'anna'))
    assert agent.taken == [('decide', 't1', 2, 3, approved, 'anna', detail, edit)]
    assert not questions.give(question.number, Answer('yes', '', 'bert'))  # the first one counts
    assert len(agent.taken) == 1


@pytest.mark.parametrize('event', ['approval_decided', 'task_finished', 'task_started'])
def test_a_question_that_is_over_takes_no_answer(agent: StandInAgent, event: str) -> None:
    questions = asking(agent)
    questions.heard('t1', 'approval_pending', PENDING)
    question = questions.open
    assert question is not None
    questions.heard('t1', event, {})
    assert questions.open is None
    assert not questions.give(question.number, Answer('yes', '', 'anna'))
    questions.heard('t1', 'approval_pending', PENDING)
    again = questions.open
    assert again is not None and again.number != question.number and agent.taken == []


def test_an_answer_that_did_not_arrive_can_be_given_again(agent: StandInAgent) -> None:
    questions = asking(agent)
    questions.heard('t1', 'approval_pending', PENDING)
    question = questions.open
    assert question is not None
    agent.says = NodeLost('agent_node does not answer')
    with pytest.raises(TaskRefused, match='does not answer'):
        questions.give(question.number, Answer('yes', '', 'anna'))
    agent.says = ''
    assert questions.give(question.number, Answer('yes', '', 'anna'))
    questions.heard('t1', 'approval_pending', PENDING)
    agent.says = 'another plan waits'
    assert questions.open is not None
    with pytest.raises(TaskRefused, match='another plan waits'):
        questions.give(questions.open.number, Answer('yes', '', 'anna'))
    agent.says = ''
    assert questions.give(questions.open.number, Answer('yes', '', 'anna'))


def test_a_page_that_starts_late_shows_what_waits_until_nothing_does(agent: StandInAgent) -> None:
    questions = asking(agent)
    questions.waits('t1', 'approval_pending', PENDING)
    question = questions.open
    assert question is not None and question.details['plan'] == PENDING['plan']
    questions.heard('t1', 'approval_pending', PENDING)  # the event is late
    assert questions.open is not None and questions.open.number == question.number
    questions.waits('', '', {})
    assert questions.open is None
    questions.waits('t1', 'approval_pending', PENDING)  # the topic is late
    assert questions.open is None, 'it is over'


def test_the_event_of_a_question_that_was_answered_meanwhile_does_not_ask_again(
    agent: StandInAgent
) -> None:
    questions = asking(agent)
    questions.waits('t1', 'approval_pending', PENDING)
    question = questions.open
    assert question is not None
    assert questions.give(question.number, Answer('edit', 'slower', 'anna'))
    questions.heard('t1', 'approval_pending', PENDING)  # the event is late
    assert questions.open is question
    questions.heard('t1', 'approval_decided', {})
    assert questions.open is None


def test_the_end_of_an_earlier_question_does_not_end_this_one(agent: StandInAgent) -> None:
    questions = asking(agent)
    questions.waits('t1', 'human_asked', {'question': 'what now?'})
    questions.heard('t1', 'approval_pending', PENDING)  # before the topic says that no hint waits
    questions.waits('', '', {})
    assert questions.open is not None and questions.open.kind == 'approve'


def test_a_hint_goes_to_its_task_and_a_no_ends_it(agent: StandInAgent) -> None:
    ended: list[str] = []
    questions = asking(agent, ended)
    for choice in ('yes', 'no'):
        questions.heard('t1', 'human_asked', {'question': 'what now?'})
        assert questions.open is not None
        assert questions.give(questions.open.number, Answer(choice, 'push it', 'anna'))
    assert agent.taken == [('hint', 't1', 'push it')] and ended == ['t1']


def test_an_event_of_another_version_opens_a_question_all_the_same(agent: StandInAgent) -> None:
    questions = asking(agent)
    questions.heard('t1', 'approval_pending', {'plan_version': 1})
    assert questions.open is not None
    assert questions.give(questions.open.number, Answer('no', '', 'anna'))
    assert agent.taken[0][:5] == ('decide', 't1', 1, 0, False)


def test_the_agents_own_record_takes_the_place_of_ours_only_if_it_is_beside_it(
    tmp_path: Path
) -> None:
    ours, theirs = tmp_path / 'runs' / 'web', tmp_path / 'runs' / 'task'
    for folder in (ours, theirs, tmp_path / 'other'):
        folder.mkdir(parents=True)
        (folder / 'events.jsonl').touch()
    (ours / 'people.jsonl').write_text('anna\n')
    for elsewhere in (tmp_path / 'other', tmp_path / 'runs' / 'none', ours, Path('.'),
                      tmp_path / 'runs'):
        _keep_one_record(ours, elsewhere)
        assert (ours / 'people.jsonl').is_file() and (ours / 'events.jsonl').is_file()
    _keep_one_record(ours, theirs)
    assert not ours.exists() and (theirs / 'people.jsonl').read_text() == 'anna\n'
