# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent stop`, `reset_stop` and `answer`, as a person without `ros2` calls them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from replan_agent_doctor import terminal_calls
from replan_agent_doctor.terminal_commands import TRIGGERS, add_commands
from replan_agent_interfaces.msg import Plan, Question, Step
from rig import Caller, overrides, spun
from stand_ins import StandInPerception, StandInSkills
from std_srvs.srv import Trigger

from replan_agent.agent.task_progress import State
from replan_agent.domain.skill import Reason, failed
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED

PICK = 'pick up the red cube'


@pytest.fixture(autouse=True)
def _rclpy_runs_already(ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ('init', 'try_shutdown'):
        monkeypatch.setattr(f'replan_agent_doctor.terminal_calls.rclpy.{name}', lambda **_: None)


def said(*words: str) -> int:
    """The exit status of  replan-agent WORDS."""
    parser = argparse.ArgumentParser()
    add_commands(parser.add_subparsers())
    arguments = parser.parse_args(words)
    return int(arguments.command(arguments))


@pytest.mark.parametrize('service', TRIGGERS)
@pytest.mark.parametrize('works', [True, False])
def test_a_service_is_called_and_says_what_happened(
        ros: Any, service: str, works: bool, capsys: pytest.CaptureFixture[str]) -> None:
    node, asked = ros.create_node('skill_node'), []

    def serve(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        asked.append(request)
        response.success, response.message = works, 'it was said'
        return response

    node.create_service(Trigger, service, serve)
    with Spinning([node]):
        assert said(service) == (0 if works else 1)
    assert len(asked) == 1 and capsys.readouterr().out == 'it was said\n'


@pytest.mark.parametrize(('word', 'missing'), [('stop', 'skill_node'), ('answer', 'agent_node')])
def test_who_is_not_there_is_named(word: str, missing: str,
                                   capsys: pytest.CaptureFixture[str]) -> None:
    assert said(word, '--wait', '0.2', '--namespace', 'empty_cell') == 2
    waits, error = capsys.readouterr().err.splitlines()
    assert waits.startswith(f'waits for /empty_cell/{missing} (') and 'up to 0.2 s' in waits
    assert f'{missing} is not there' in error and 'ROS_DOMAIN_ID' in error


def test_what_it_waits_for_is_told_long_before_the_wait_is_over() -> None:
    process = subprocess.Popen(
        [sys.executable, '-m', 'replan_agent.ros.commands', 'stop', '--namespace', 'empty_cell',
         '--wait', '600'], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    process.kill()
    process.communicate(timeout=60)
    assert line == 'waits for /empty_cell/skill_node (stop), up to 600 s\n'


@pytest.fixture
def asking(ros: Any) -> Iterator[Caller]:
    agent = AgentNode(parameter_overrides=overrides(approver='remote'))
    with spun(agent, PlannerNode(), StandInPerception(), StandInSkills()) as caller:
        yield caller


def test_a_namespace_that_is_none_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert said('stop', '--namespace', '/a b') == 2
    assert "'/a b'" in capsys.readouterr().err


def pending(progress: Any) -> bool:
    return bool(progress.state is State.PENDING_APPROVAL)


def test_a_plan_is_shown_and_approved(asking: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    task = asking.send(PICK, max_replans=-1, approval='remote')
    task.reaches(pending)
    assert said('answer', 'yes') == 0
    assert task.end().result.steps[0].step.skill == 'pick'
    shown = capsys.readouterr().out
    assert f'task: {PICK}' in shown and '1. pick(object=red_cube)' in shown


def test_a_no_is_a_denial_with_its_words(asking: Caller) -> None:
    task = asking.send(PICK, max_replans=-1, approval='remote')
    task.reaches(pending)
    assert said('answer', 'no, that is mine') == 0
    result = task.end().result
    assert result.final_reason == result.FINAL_APPROVAL_DENIED
    assert result.approvals[-1].approver == 'terminal'
    assert 'that is mine' in result.approvals[-1].detail


def test_without_a_question_nothing_is_sent(asking: Caller,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    assert said('answer', 'yes') == 1
    assert 'nothing waits for a person' in capsys.readouterr().err


def test_an_unclear_word_is_no_answer_and_the_question_stays(
        asking: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    task = asking.send(PICK, max_replans=-1, approval='remote')
    task.reaches(pending)
    assert said('answer', 'perhaps') == 2
    assert 'neither yes nor no' in capsys.readouterr().err
    assert said('answer') == 2, 'the input is no terminal'
    assert said('answer', 'yes') == 0
    assert len(task.end().result.steps) == 1


QUESTION = Question(kind=Question.KIND_APPROVAL, plan=[Plan(version=3, request=7, steps=[
    Step(step_number=1, skill='home')])])


@pytest.mark.parametrize(('words', 'approved', 'edit'), [
    ('yes', True, ''), ('Y', True, ''), ('no', False, ''), ("please don't", False, ''),
    ('slower', False, 'slower'), ('without step 2', False, 'without step 2')])
def test_words_become_a_decision_on_the_plan_that_was_shown(
        words: str, approved: bool, edit: str) -> None:
    request = terminal_calls.decision(QUESTION, words)
    assert (request.plan_version, request.request) == (3, 7)
    assert (request.approved, request.edit) == (approved, edit)


def test_a_stuck_task_gets_a_hint(ros: Any) -> None:
    blocked = failed(Reason.IN_COLLISION, 'link5 would touch the wall')
    agent = AgentNode(parameter_overrides=overrides(agent__human_after=1,
                                                    agent__local_planning=False))
    with spun(agent, PlannerNode(), StandInPerception(), StandInSkills(lambda call: blocked),
              ) as caller:
        caller.create_subscription(Question, 'agent_node/question', lambda _: None, LATCHED)
        task = caller.send(PICK, max_steps=2)
        task.reaches(lambda progress: progress.state is State.HUMAN_REQUIRED)
        assert said('answer', 'push the cube first') == 0
        task.reaches(lambda progress: progress.plan_version == 2)
        task.cancel()
        assert list(task.end().result.hints) == ['push the cube first']


def test_the_command_line_has_them() -> None:
    ended = subprocess.run([sys.executable, '-m', 'replan_agent.ros.commands', 'stop', '--help'],
                           capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0 and 'reset_stop' in ended.stdout
