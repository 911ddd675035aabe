# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What rclpy's action server leaves to us: early cancels, results in a time that jumps."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Time
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteTask
from rig import WAIT_S, finished, until
from rosgraph_msgs.msg import Clock

from replan_agent.ros.rclpy_tools import goal_server
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.goal_server import GoalCall, GoalServer
from replan_agent.ros.rclpy_tools.node_process import Spinning


class LateToKnow(GoalServer):
    """Hears of an acceptance only after the cancel, which rclpy allows."""

    def __init__(self, *args: Any) -> None:
        self.cancel_came = threading.Event()
        super().__init__(*args)

    def _on_accepted(self, handle: Any) -> None:
        assert self.cancel_came.wait(WAIT_S)
        super()._on_accepted(handle)

    def _on_cancel(self, handle: Any) -> Any:
        answer = super()._on_cancel(handle)
        self.cancel_came.set()
        return answer


def test_a_goal_that_is_cancelled_before_it_is_known_never_starts(ros: Any) -> None:
    caller, host, ran = ros.create_node('caller'), ros.create_node('host'), []
    server = LateToKnow(host, ExecuteTask, 'execute_task',
                        lambda call: (ran.append(call), (ExecuteTask.Result(), True))[1],
                        lambda call, why: ExecuteTask.Result(error_msg=why))
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        handle = finished(client.send_goal_async(ExecuteTask.Goal(task='anything')))
        finished(handle.cancel_goal_async())
        answer = finished(handle.get_result_async())
    assert answer.status == GoalStatus.STATUS_CANCELED and not ran and not server.running
    assert answer.result.error_msg


def test_a_goal_that_the_server_ends_itself_does_not_wait_for_a_cancel_of_its_caller(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goal_server, 'CANCEL_SEEN_S', 2 * WAIT_S)
    caller, host, runs = ros.create_node('caller'), ros.create_node('host'), threading.Event()

    def run(call: GoalCall) -> Any:
        runs.set()
        until(lambda: call.cancel.cancelled)
        return ExecuteTask.Result(), False

    server = GoalServer(host, ExecuteTask, 'execute_task', run,
                        lambda call, why: ExecuteTask.Result(error_msg=why))
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        handle = finished(client.send_goal_async(ExecuteTask.Goal(task='anything')))
        assert runs.wait(WAIT_S)
        assert server.end('deactivated', WAIT_S)
        answer = finished(handle.get_result_async())
    assert answer.status == GoalStatus.STATUS_ABORTED


@pytest.mark.parametrize(('late_s', 'ended'), [(1.0, True), (WAIT_S, False)])
def test_work_that_ends_late_on_a_busy_machine_is_waited_for_and_stuck_work_is_not(
        ros: Any, late_s: float, ended: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goal_server, 'LATE_S', 10.0 if ended else 0.5)
    caller, host, over = ros.create_node('caller'), ros.create_node('host'), threading.Event()

    def run(call: GoalCall) -> Any:
        until(lambda: call.cancel.cancelled)
        over.wait(late_s)  # it writes its record
        return ExecuteTask.Result(), False

    server = GoalServer(host, ExecuteTask, 'execute_task', run,
                        lambda call, why: ExecuteTask.Result(error_msg=why))
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        handle = finished(client.send_goal_async(ExecuteTask.Goal(task='anything')))
        until(lambda: server.running)
        assert server.close('the node ends', 0.1) is ended
        over.set()
        finished(handle.get_result_async())


def test_a_goal_that_waits_ends_when_the_server_closes(ros: Any) -> None:
    caller, host = ros.create_node('caller'), ros.create_node('host')

    def run(call: GoalCall) -> Any:
        until(lambda: call.cancel.cancelled)
        return ExecuteTask.Result(), False

    server = GoalServer(host, ExecuteTask, 'execute_task', run,
                        lambda call, why: ExecuteTask.Result(error_msg=why), max_waiting=1)
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        finished(client.send_goal_async(ExecuteTask.Goal(task='first')))
        until(lambda: server.running)
        waiting = finished(client.send_goal_async(ExecuteTask.Goal(task='second')))
        until(lambda: server._waiting)
        assert server.close('the node ends', WAIT_S)
        answer = finished(waiting.get_result_async())
    assert (answer.status, answer.result.error_msg) == (GoalStatus.STATUS_ABORTED,
                                                        'the node ends')


def test_who_waits_is_told_how_many_are_before_it_at_once_and_when_that_changes(ros: Any) -> None:
    caller, host = ros.create_node('caller'), ros.create_node('host')
    go_on = {name: threading.Event() for name in 'abcd'}
    told: dict[str, list[int]] = {name: [] for name in 'abcd'}

    def run(call: GoalCall) -> Any:
        until(lambda: go_on[call.request.task].is_set() or call.cancel.cancelled)
        return ExecuteTask.Result(), not call.cancel.cancelled

    GoalServer(host, ExecuteTask, 'execute_task', run,
               lambda call, why: ExecuteTask.Result(error_msg=why), max_waiting=3,
               on_wait=lambda call, ahead: call.publish(ExecuteTask.Feedback(step_idx=ahead)))
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        handles = {}
        for place, name in enumerate(told):
            handles[name] = finished(client.send_goal_async(
                ExecuteTask.Goal(task=name), feedback_callback=lambda heard, name=name:
                told[name].append(heard.feedback.step_idx)))
            until(lambda name=name, place=place: told[name] == [place][:place])
        finished(handles['b'].cancel_goal_async())
        until(lambda: told == {'a': [], 'b': [1], 'c': [2, 1], 'd': [3, 2]})
        go_on['a'].set()
        until(lambda: told['d'] == [3, 2, 1])
        go_on['c'].set(), go_on['d'].set()
        assert finished(handles['d'].get_result_async()).status == GoalStatus.STATUS_SUCCEEDED
    assert told == {'a': [], 'b': [1], 'c': [2, 1], 'd': [3, 2, 1]}, 'who runs does not wait'


def test_a_result_is_kept_while_the_time_of_the_node_jumps(ros: Any) -> None:
    caller = ros.create_node('caller')
    host = ros.create_node('host', parameter_overrides=[Parameter('use_sim_time', value=True)])
    GoalServer(host, ExecuteTask, 'execute_task',
               lambda call: (ExecuteTask.Result(task=call.request.task), True),
               lambda call, why: ExecuteTask.Result(error_msg=why))
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    clock = caller.create_publisher(Clock, '/clock', 10)

    def jump(seconds: int) -> None:
        clock.publish(Clock(clock=Time(sec=seconds)))

    def run(task: str) -> Any:
        """A goal that has ended; its result is not asked for."""
        handle = finished(client.send_goal_async(ExecuteTask.Goal(task=task)))
        until(lambda: handle.status == GoalStatus.STATUS_SUCCEEDED)
        return handle

    with Spinning([caller, host]):
        assert client.wait_for_server(WAIT_S)
        first = run('first')
        until(lambda: (jump(10_000), host.get_clock().now().nanoseconds > 0)[1])
        run('second')  # the server is awake after the jump
        answer = finished(first.get_result_async())
    assert (answer.status, answer.result.task) == (GoalStatus.STATUS_SUCCEEDED, 'first')


def test_signs_of_life_that_end_with_each_goal_leave_the_executor_alive(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(goal_server, 'PULSE_S', 0.002)  # due at nearly every end of a goal
    caller, host = ros.create_node('caller'), ros.create_node('host')
    GoalServer(host, ExecuteTask, 'execute_task', lambda call: (ExecuteTask.Result(), True),
               lambda call, why: ExecuteTask.Result(error_msg=why),
               sign_of_life=lambda call: ExecuteTask.Feedback())
    client = SteadyActionClient(caller, ExecuteTask, 'execute_task')
    with Spinning([caller, host]) as spinning:
        assert client.wait_for_server(WAIT_S)
        for _ in range(60):
            sent = client.send_goal_async(ExecuteTask.Goal(task='anything'))
            until(lambda sent=sent: sent.done() or spinning.error)
            answer = sent.result().get_result_async() if sent.done() else sent
            until(lambda answer=answer: answer.done() or spinning.error)
            assert spinning.error is None
