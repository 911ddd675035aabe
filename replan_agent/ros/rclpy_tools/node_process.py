# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process with nodes: an executor for each, and a clean end at Ctrl-C or SIGTERM."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NoReturn
from weakref import WeakSet

import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from replan_agent.app.terminal.exits import WRONG_USE
from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import CancelToken

from .node_executor import EVENTS_S, NodeExecutor

THREADS = 8  # of one node; services that wait hold some, the others must stay free
SETTLE_S = 0.1  # callbacks that wait for a thread must not find their node destroyed
UNENDED = 1  # exit status: work did not end, so the process ended without it
CLEAN_UP_S = 1.5  # for threads and nodes, after all work has ended

_here: WeakSet[Node] = WeakSet()  # the nodes that spin in this process


class Spinning:
    """Nodes that spin, each in its own executor and thread; use it with `with`.

    An executor lists all its entities again before each wait. With those of six nodes in one
    executor, that took most of the time of a call.
    """

    def __init__(self, nodes: Sequence[Node], context: Any = None) -> None:
        self.nodes = list(nodes)
        self._open = list(nodes)  # not closed yet
        self._executors = [NodeExecutor(THREADS, context=context) for _ in nodes]
        self._threads = []
        for node, executor in zip(self.nodes, self._executors):
            executor.add_node(node)
            self._threads.append(threading.Thread(
                target=self._spin, args=(executor,), name=f'executor of {node.get_name()}',
                daemon=True))
        self._threads.append(threading.Thread(target=self._wake, name='events', daemon=True))
        _here.update(self.nodes)
        self.ended, self._ending = threading.Event(), threading.Event()
        self.error: BaseException | None = None

    def __enter__(self) -> Spinning:
        for thread in self._threads:
            thread.start()
        return self

    def close_nodes(self) -> list[str]:
        """End the running work of all nodes; returns the names of those whose work goes on.

        They still spin. The node that drives the arm is first in a list, and ends last.
        """
        closes = [(node.get_name(), getattr(node, 'close', None)) for node in reversed(self._open)]
        self._open = []
        return [name for name, close in closes if close is not None and close() is False]

    def __exit__(self, *_: object) -> None:
        self.close_nodes()
        for node, executor in zip(self.nodes, self._executors):
            executor.remove_node(node)
        time.sleep(SETTLE_S)
        self._ending.set()
        for executor in self._executors:
            executor.create_task(lambda: None)  # only a task wakes it
        for thread in self._threads:
            thread.join(5)  # before the shutdown, which destroys what it spins on
        for executor in self._executors:
            executor.shutdown(timeout_sec=5)
        _here.difference_update(self.nodes)
        for node in self.nodes:
            destroy(node)

    def _wake(self) -> None:
        """Let idle executors look for events."""
        while not self._ending.wait(EVENTS_S):
            for executor in self._executors:
                executor.wake()

    def _spin(self, executor: NodeExecutor) -> None:
        try:
            while executor.context.ok() and not self._ending.is_set():
                executor.spin_once()
        except ExternalShutdownException:
            return
        except Exception as error:  # noqa: BLE001 the process's edge: kept, and raised by main
            self.error = error
        finally:
            self.ended.set()


def nodes_here() -> list[Node]:
    """The nodes that spin in this process."""
    return list(_here)


def destroy(node: Node) -> None:
    """Destroy a node with its actions, which would keep it alive."""
    for waitable in list(node.waitables):
        if isinstance(waitable, (ActionClient, ActionServer)):
            waitable.destroy()
    node.destroy_node()


def run_nodes(make: Callable[[], Sequence[Node]], args: Sequence[str] | None = None) -> int:
    """Run nodes until a signal comes, then end this process; returns WRONG_USE if none can run.

    rclpy's own signal handling would shut communication down before the nodes can stop the arm.
    When the work has ended and the nodes have said goodbye to the others, the process leaves: the
    end of an interpreter with many threads may take seconds.
    """
    rclpy.init(args=list(sys.argv if args is None else args),
               signal_handler_options=SignalHandlerOptions.NO)
    signalled = CancelToken()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: signalled.cancel())
    try:
        nodes = make()
    except ConfigError as error:
        print(error, file=sys.stderr)
        rclpy.try_shutdown()
        return WRONG_USE
    with Spinning(nodes) as spinning:
        while not signalled.wait(0.2) and not spinning.ended.is_set():
            pass
        _leave_if_stuck(spinning.close_nodes())
        if spinning.error is None:
            threading.Thread(target=_leave_after, args=(CLEAN_UP_S,), daemon=True).start()
    rclpy.try_shutdown()
    if spinning.error is not None:
        raise spinning.error
    _leave(0)


def program(make: Callable[[], Sequence[Node]]) -> Callable[[], NoReturn]:
    """The `main` of a program that runs these nodes."""
    return lambda: sys.exit(run_nodes(make))


def _leave(status: int) -> NoReturn:
    """End the process now, with what it has said."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _leave_after(seconds: float) -> None:
    time.sleep(seconds)
    _leave(0)


def _leave_if_stuck(names: Sequence[str]) -> None:
    """End the process now if work goes on: it would find its node destroyed."""
    if names:
        print(f'{", ".join(names)}: the running work did not end in time; it is left as it is',
              file=sys.stderr)
        _leave(UNENDED)
