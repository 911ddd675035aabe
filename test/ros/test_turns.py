# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A call between nodes costs few turns of their executors, and a long goal holds up no other."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.executors import Executor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from replan_agent_interfaces.action import ExecuteTask
from rig import WAIT_S, is_finished, until
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from replan_agent.domain.context import Context
from replan_agent.ros.rclpy_tools import action_port, node_executor, node_process
from replan_agent.ros.rclpy_tools.action_client import SteadyActionClient
from replan_agent.ros.rclpy_tools.action_port import ActionPort
from replan_agent.ros.rclpy_tools.goal_server import Answer, GoalCall, GoalServer
from replan_agent.ros.rclpy_tools.node_executor import EVENTS_S, EventHandler, NodeExecutor
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.service_port import ServicePort
from replan_agent.ros.rclpy_tools.timeouts import Timeouts
from replan_agent.ros.rclpy_tools.waiting import every

SHORT_S = 0.3
RELIABLE, BEST_EFFORT = ReliabilityPolicy.RELIABLE, ReliabilityPolicy.BEST_EFFORT


class Graph:
    """A server of tasks and of a service, and the ports of a caller."""

    def __init__(self, ros: Any, at_once: int = 1) -> None:
        self.caller, self.host = ros.create_node('caller'), ros.create_node('host')
        self.asked = 0  # how often the service was
        self.go_on = threading.Event()
        self.server = GoalServer(self.host, ExecuteTask, 'execute_task', self._run,
                                 lambda call, why: ExecuteTask.Result(error_msg=why),
                                 at_once=at_once)
        self.host.create_service(Trigger, 'count', self._count,
                                 callback_group=ReentrantCallbackGroup())
        self._tasks = ActionPort(self.caller, ExecuteTask, 'execute_task', 'host', Timeouts())
        self.count = ServicePort(self.caller, Trigger, 'count', 'host', Timeouts())

    def _run(self, call: GoalCall) -> Answer:
        if call.request.task == 'wait':
            assert self.go_on.wait(WAIT_S)
        return ExecuteTask.Result(task=call.request.task), True

    def _count(self, request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self.asked += 1
        return response

    def do(self, task: str) -> Any:
        return self._tasks.call(ExecuteTask.Goal(task=task), Context(), lambda feedback: None)


def test_no_goal_and_no_answer_waits_for_another_turn_of_an_executor(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, turns, create = Graph(ros), [], Executor.create_task

    def counted(self: Any, callback: Any, *args: Any, **kwargs: Any) -> Any:
        turns.append(callback)
        return create(self, callback, *args, **kwargs)

    with Spinning([graph.caller, graph.host]):
        graph.do('to meet')
        graph.count.call(Trigger.Request(), Context())
        monkeypatch.setattr(Executor, 'create_task', counted)
        assert graph.do('anything').result.task == 'anything'
        assert graph.count.call(Trigger.Request(), Context()) is not None
        assert turns == []
        monkeypatch.undo()


def test_a_result_that_was_asked_for_again_is_answered_without_a_warning(
        ros: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    asked, get, execute = [], SteadyActionClient._get_result_async, SteadyActionClient.execute

    answers: list[Any] = []

    async def slow(self: Any, taken: Any) -> None:
        answers.extend(taken.get('result', ())[:1])
        await execute(self, taken)
        time.sleep(0.05)

    monkeypatch.setattr(SteadyActionClient, 'execute', slow)
    monkeypatch.setattr(action_port, 'ASK_AGAIN_S', 0.1)
    monkeypatch.setattr(SteadyActionClient, '_get_result_async',
                        lambda self, handle: (asked.append(handle), get(self, handle))[1])
    graph = Graph(ros)
    graph._tasks.resend = True
    with Spinning([graph.caller, graph.host]):
        calling = threading.Thread(target=graph.do, args=('wait',))
        calling.start()
        until(lambda: len(asked) > 3)
        graph.go_on.set()
        calling.join(WAIT_S)
        until(lambda: len(answers) == len(asked))
        time.sleep(0.1)  # for the warning about the last one
    assert 'unexpected result' not in capfd.readouterr().err


def test_a_goal_that_is_cancelled_is_not_sent_again_but_its_late_answer_counts(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody spins the server until the first wait for its answer is over."""
    graph, ctx, sent, ended = Graph(ros), Context(), list[Any](), list[Any]()
    late, send = threading.Event(), SteadyActionClient.send_goal_async
    answered = ActionPort._answered
    graph._tasks.resend = True
    graph.go_on.set()

    def noted(self: Any, *args: Any) -> Any:
        sent.append(send(self, *args))
        ctx.cancel.cancel('enough')
        return sent[-1]

    def waited(self: Any, one: Any, timeout_s: float) -> bool:
        if timeout_s == action_port.LATE_S:
            late.set()
            timeout_s = WAIT_S
        return answered(self, one, timeout_s)

    monkeypatch.setattr(SteadyActionClient, 'send_goal_async', noted)
    monkeypatch.setattr(ActionPort, '_answered', waited)

    def ask() -> None:
        ended.append(graph._tasks.call(ExecuteTask.Goal(task='wait'), ctx, lambda feedback: None))

    with Spinning([graph.caller]):
        calling = threading.Thread(target=ask)
        calling.start()
        assert late.wait(20)
        with Spinning([graph.host]):
            calling.join(WAIT_S)
    assert [answer.result.task for answer in ended] == ['wait'] and len(sent) == 1


def test_running_goals_leave_the_threads_of_the_executor_free(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_process, 'THREADS', 2)
    graph = Graph(ros, at_once=3)
    with Spinning([graph.caller, graph.host]):
        calls = [threading.Thread(target=graph.do, args=('wait',)) for _ in range(3)]
        for call in calls:
            call.start()
        until(lambda: len(graph.server.running) == 3, lambda: f'{graph.server.running} run')
        graph.count.call(Trigger.Request(), Context())
        assert graph.asked == 1
        graph.go_on.set()
        for call in calls:
            call.join(WAIT_S)
    assert not graph.server.running


def test_each_node_of_a_process_has_an_executor_of_its_own(ros: Any) -> None:
    first, second = ros.create_node('first'), ros.create_node('second')
    with Spinning([first, second]):
        assert first.executor.get_nodes() == [first]
        assert second.executor.get_nodes() == [second]
        assert {first, second} <= set(node_process.nodes_here())
    assert not {first, second} & set(node_process.nodes_here())


def test_an_executor_that_fails_is_told_whichever_node_it_has(ros: Any) -> None:
    first, second = ros.create_node('first'), ros.create_node('second')
    with Spinning([first, second]) as spinning:
        second.executor.create_task(lambda: 1 / 0)
        until(lambda: (second.executor.create_task(lambda: None), spinning.ended.is_set())[1])
    assert isinstance(spinning.error, ZeroDivisionError)


def test_a_callback_that_waited_for_another_of_its_group_runs_when_that_ends(ros: Any) -> None:
    caller, host = ros.create_node('caller'), ros.create_node('host')
    group, begun, go_on = MutuallyExclusiveCallbackGroup(), threading.Event(), threading.Event()

    def slow(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        begun.set()
        assert go_on.wait(WAIT_S)
        return response

    host.create_service(Trigger, 'slow', slow, callback_group=group)
    host.create_service(Trigger, 'quick', lambda request, response: response,
                        callback_group=group)
    with Spinning([caller, host]):
        clients = [caller.create_client(Trigger, name) for name in ('slow', 'quick')]
        assert all(client.wait_for_service(WAIT_S) for client in clients)
        first = clients[0].call_async(Trigger.Request())
        assert begun.wait(WAIT_S)
        second = clients[1].call_async(Trigger.Request())
        assert not is_finished(second, SHORT_S), 'a group runs one callback at a time'
        go_on.set()
        assert is_finished(first, WAIT_S) and is_finished(second, WAIT_S)


def test_a_busy_node_looks_for_events_again_and_again(
        ros: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    node, calls, looks, may = ros.create_node('node'), [], set(), NodeExecutor.can_execute

    def can_execute(executor: NodeExecutor, entity: Any) -> bool:
        if may(executor, entity) and isinstance(entity, EventHandler):
            looks.add(len(calls))
        return may(executor, entity)

    monkeypatch.setattr(NodeExecutor, 'can_execute', can_execute)
    monkeypatch.setattr(node_executor, 'EVENTS_S', 0.1)
    node.create_subscription(Header, 'news', lambda message: None, 1)
    every(node, 0.02, lambda: calls.append(None))
    with Spinning([node]):
        until(lambda: len(calls) > 150)
    assert len(looks) > 20  # of thirty times 0.1 s or more


def test_an_idle_node_is_told_of_a_quality_of_service_that_does_not_fit(ros: Any) -> None:
    node, other, told = ros.create_node('node'), ros.create_node('other'), threading.Event()
    with Spinning([node]):
        node.create_subscription(
            Header, 'news', lambda message: None, QoSProfile(depth=1, reliability=RELIABLE),
            event_callbacks=SubscriptionEventCallbacks(
                incompatible_qos=lambda event: told.set()))
        time.sleep(2 * EVENTS_S)  # it has nothing to do
        other.create_publisher(Header, 'news', QoSProfile(depth=1, reliability=BEST_EFFORT))
        assert told.wait(WAIT_S)
    other.destroy_node()


def test_a_request_that_was_sent_early_is_not_sent_again(ros: Any) -> None:
    graph = Graph(ros)
    with Spinning([graph.caller, graph.host]):
        graph.count.call(Trigger.Request(), Context())
        asked = graph.count.ask(Trigger.Request())
        until(lambda: graph.asked == 2)
        assert graph.count.call(Trigger.Request(), Context(), asked=asked) is not None
        assert graph.asked == 2


def test_a_request_whose_early_answer_is_lost_is_sent_again(ros: Any) -> None:
    graph = Graph(ros)
    with Spinning([graph.caller, graph.host]):
        graph.count.call(Trigger.Request(), Context())
        lost = Future()
        assert graph.count.call(Trigger.Request(), Context(), asked=lost) is not None
        assert graph.asked == 2


def test_nothing_is_asked_of_a_server_that_is_not_there(ros: Any) -> None:
    caller = ros.create_node('caller')
    port = ServicePort(caller, Trigger, 'not_served', 'nobody', Timeouts())
    with Spinning([caller]):
        assert port.ask(Trigger.Request()) is None
