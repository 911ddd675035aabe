# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent send`: what it prints, and its exit status."""

from __future__ import annotations

import argparse
import io
import signal
import subprocess
import sys
from typing import Any

import pytest
import rclpy
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_interfaces.msg import Question
from rich.console import Console
from rig import WAIT_S, Caller, overrides, spun, until
from stand_ins import EndlessPlanner, StandInPerception, StandInSkills

from replan_agent.app.terminal.exits import INTERRUPTED, TASK_FAILED, WRONG_USE
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.skill import Reason, failed
from replan_agent.ros.commands.ros_commands import add_arguments
from replan_agent.ros.commands.send import Client, goal_from
from replan_agent.ros.commands.send import send as send_command
from replan_agent.ros.nodes.agent_node import AgentNode
from replan_agent.ros.nodes.planner_node import PlannerNode
from replan_agent.ros.rclpy_tools.action_port import ActionPort

PICK = 'pick up the red cube'


def send(caller: Caller, *words: str, token: CancelToken | None = None) -> tuple[int, str]:
    """Exit status and output of  replan-agent send WORDS."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    page = io.StringIO()
    client = Client(caller, Console(file=page, width=200), wait_s=5.0)
    status = client.carry_out(goal_from(parser.parse_args(words)), token or CancelToken())
    return status, page.getvalue()


def test_a_failed_task_is_shown_as_it_runs_and_with_its_verdict(ros: Any) -> None:
    blocked = failed(Reason.IN_COLLISION, 'link5 would touch the wall')
    with spun(AgentNode(parameter_overrides=overrides()), PlannerNode(), StandInPerception(),
              StandInSkills(lambda call: blocked)) as caller:
        status, page = send(caller, PICK, '--max-replans', '0')
    assert status == TASK_FAILED
    assert 'plan 1: pick(object=red_cube)' in page
    assert 'failed: in collision — link5 would touch the wall' in page
    assert 'final reason: replan_exhausted' in page


@pytest.mark.parametrize(('words', 'reason'), [
    (('',), 'task must not be empty'),
    ((PICK, '--timeout', '1e9'), 'task_timeout'),
])
def test_a_task_that_is_refused_is_wrong_use(
    ros: Any, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], reason: str
) -> None:
    with spun(AgentNode(parameter_overrides=overrides())) as caller:
        status, _ = send(caller, *words)
    assert status == WRONG_USE
    assert reason in capsys.readouterr().err


def test_without_an_agent_it_says_how_to_start_one(
    ros: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with spun() as caller:
        status, _ = send(caller, PICK)
    assert status == WRONG_USE
    error = capsys.readouterr().err
    assert 'agent_node is not there' in error
    assert 'with the same ROS_DOMAIN_ID and --namespace' in error
    assert 'ros2 launch replan_agent sim.launch.py' in error


def test_progress_in_an_unknown_state_is_shown_as_it_came(ros: Any) -> None:
    page = io.StringIO()
    with spun() as caller:
        client = Client(caller, Console(file=page, width=200))
        client._show(ExecuteTask.Feedback(state=99, message='polishing'))
        client._show(ExecuteTask.Feedback(state=ExecuteTask.Feedback.STATE_PLANNING,
                                          message='thinking'))
    first, second = page.getvalue().splitlines()
    assert first.split()[:3] == ['state', '99', 'polishing']
    assert second.split() == ['planning', 'thinking']


def test_a_question_names_the_namespace_of_its_answer(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('shutil.which', lambda name: None)
    page = io.StringIO()
    for namespace in ('', 'left'):
        with spun(namespace=namespace) as caller:
            Client(caller, Console(file=page, width=200))._show_question(
                Question(kind=Question.KIND_APPROVAL, question='may it?'))
    assert page.getvalue() == ('asks a person: may it?; answer with: replan-agent answer\n'
                               'asks a person: may it?; answer with: replan-agent answer '
                               '--namespace /left\n')


def test_a_cancel_of_a_task_that_waits_is_no_wrong_use(
        ros: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    token, show = CancelToken(), Client._show

    def then_cancel(client: Client, feedback: ExecuteTask.Feedback) -> None:
        show(client, feedback)
        token.cancel('enough')

    monkeypatch.setattr(Client, '_show', then_cancel)
    with spun(AgentNode(parameter_overrides=overrides(tasks__max_queued=1)),
              PlannerNode(EndlessPlanner()), StandInPerception(), StandInSkills()) as caller:
        first = caller.send(PICK)
        first.reaches(lambda progress: bool(progress.message))
        status, page = send(caller, PICK, token=token)
        first.cancel()
        first.end()
    assert 'waits: 1 task before it' in page
    assert status == TASK_FAILED
    assert capsys.readouterr().err == 'replan-agent: cancelled while it waited\n'


def test_a_namespace_that_is_none_is_wrong_use(
        ros: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rclpy, 'init', lambda **_: None)  # it is initialised already
    monkeypatch.setattr(rclpy, 'try_shutdown', lambda: None)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert send_command(parser.parse_args([PICK, '--namespace', '/a b'])) == WRONG_USE
    assert "'/a b'" in capsys.readouterr().err


def test_ctrl_c_cancels_the_task(ros: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with spun(AgentNode(parameter_overrides=overrides()), PlannerNode(EndlessPlanner()),
              StandInPerception(), StandInSkills()):
        client = subprocess.Popen(
            [sys.executable, '-X', 'faulthandler', '-m', 'replan_agent.ros.commands', 'send',
             PICK],
            stdout=subprocess.PIPE, text=True)
        assert client.stdout is not None
        heard = client.stdout.readline()
        until(lambda: 'thinking' in capsys.readouterr().out)  # the planner, in this process
        client.send_signal(signal.SIGINT)
        try:
            rest, _ = client.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            client.send_signal(signal.SIGABRT)  # it then prints where each thread is
            raise
    assert heard.startswith('task')
    assert 'final reason: cancelled' in rest
    assert client.returncode == TASK_FAILED


def test_ctrl_c_before_the_agent_has_the_task_sends_nothing(
    ros: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(port: ActionPort, ctx: Context) -> None:
        signal.raise_signal(signal.SIGINT)
        ctx.check()

    monkeypatch.setattr(ActionPort, 'await_server', interrupted)
    monkeypatch.setattr(rclpy, 'init', lambda **_: None)  # it is initialised already
    monkeypatch.setattr(rclpy, 'try_shutdown', lambda: None)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert send_command(parser.parse_args([PICK])) == INTERRUPTED
    assert 'the agent did not get the task' in capsys.readouterr().err
