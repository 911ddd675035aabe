"""Graphs side by side: each in a process of its own, with its own ROS domain and folder."""

from __future__ import annotations

import multiprocessing
import os
import queue
import random
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import rclpy

from replan_agent.ros.rclpy_tools.node_process import Spinning

from .faults import FAULTS
from .graph import Caller, Graph, of_a_real_arm
from .judge import NOT_READY, one, ready
from .outcomes import Outcome

sys.path.append(str(Path(__file__).resolve().parents[1]))
from ros_runtime.environment import reserve_domain  # noqa: E402

POLL_S = 1.0
STAGGER_S = 2.0  # starts of graphs are heavy


@dataclass(frozen=True)
class Order:
    """What all workers need to know."""

    folder: Path
    seed: int
    slow: float
    speed: float
    until: float  # time.time() after which no task begins


def outcomes(order: Order, tasks: Sequence[tuple[int, str]], jobs: int) -> Iterator[Outcome]:
    """The outcomes of the tasks (number, name of the fault), as they come.

    Tasks that are left over when the time is up, or when all workers died, have none.
    """
    kind = multiprocessing.get_context('spawn')
    todo: Any = kind.Queue()
    todo.cancel_join_thread()  # what is left when the time is up is not needed
    done: Any = kind.Queue()
    for task in tasks:
        todo.put(task)
    for _ in range(jobs):
        todo.put(None)
    workers = [kind.Process(target=work, args=(number, order, todo, done))
               for number in range(min(jobs, len(tasks)))]
    for worker in workers:
        worker.start()
    try:
        while True:
            are_alive = any(worker.is_alive() for worker in workers)
            try:
                yield done.get(timeout=POLL_S)
            except queue.Empty:
                if not are_alive:
                    return
    finally:
        for worker in workers:
            worker.join()


def work(number: int, order: Order, todo: Any, done: Any) -> None:
    """Carry out tasks on one graph until there are none, or the time is up."""
    os.environ['ROS_DOMAIN_ID'] = reserve_domain()
    folder = order.folder / f'graph_{number:02}'
    folder.mkdir(parents=True, exist_ok=True)
    time.sleep(STAGGER_S * number)
    rclpy.init()
    caller = Caller()
    parent = multiprocessing.parent_process()
    with Spinning([caller]), Graphs(caller, folder, order) as graphs:
        while (time.time() < order.until and parent is not None and parent.is_alive()
               and (task := todo.get()) is not None):
            done.put(graphs.one(*task))
    rclpy.try_shutdown()
    done.close()
    done.join_thread()


class Graphs:
    """The graph of a worker; one that does not get ready is replaced."""

    def __init__(self, caller: Caller, folder: Path, order: Order) -> None:
        self._caller, self._folder, self._order = caller, folder, order
        self._stack, self._graph, self._count = ExitStack(), None, 0

    def __enter__(self) -> Graphs:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def one(self, number: int, name: str) -> Outcome:
        """The outcome of a task with that fault."""
        (fault,) = [fault for fault in FAULTS if fault.name == name]
        graph = self._ready_graph()
        graph.note(f'task {number}')
        outcome = one(graph, fault, random.Random(f'{self._order.seed} {number}'))
        graph.note(f'outcome: {outcome}')
        if NOT_READY in outcome.problems:
            self._stack.close()
            self._graph = None
        return replace(outcome, number=number)

    def _ready_graph(self) -> Graph:
        if self._graph is None:
            self._count += 1
            folder = self._folder / f'{time.strftime("%H%M%S")}_{self._count}'
            folder.mkdir()
            order = self._order
            self._graph = self._stack.enter_context(Graph(
                self._caller, folder, of_a_real_arm(order.slow, order.speed), order.slow))
            ready(self._graph, must_move=False)  # all nodes have started
        return self._graph
