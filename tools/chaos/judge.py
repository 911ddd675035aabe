"""A task with a fault in it: what comes of it, and of the tasks after it."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from replan_agent_interfaces.action import ExecuteTask

from replan_agent.ros.rclpy_tools.waiting import finished

from .faults import AGENT_KILLED, DISK, Fault
from .graph import DRIVER, Graph
from .outcomes import Outcome

CLEAR, HOME = 'put the red cube on the table', 'go home'
TASK, THING, LIFTED_M = 'pick up the red cube', 'red_cube', 0.05
DONE = {'plan_complete', 'already_done'}
UNCONFIRMED = 'standstill NOT confirmed'  # in a final_detail
MOVING = 0.02  # rad/s
START_S, END_S, READY_S = 300.0, 300.0, 600.0  # robot time, as everything here
LOST_S = 5.0  # for an answer of a killed agent, which may not come
SETTLED_S = 2.0  # without motion
LAG_S = 0.3  # a joint state may come this much later than an answer
TRIES = 3  # a machine that stalls may end the task before the fault
AGAIN_S = 1.0  # between two tries of the next tasks
LATEST_S = 2.0  # after the motion has begun: when a fault comes at the latest


def one(graph: Graph, fault: Fault, rng: random.Random) -> Outcome:
    """A task, a fault in it, and other tasks afterwards."""
    for _ in range(TRIES):
        unfinished = graph.unfinished()
        answer = graph.caller.send(TASK, START_S * graph.slow, **dict(fault.goal))
        if answer is None:
            return Outcome(fault.name, '', None, ('the task was not accepted',))
        if fault.at_once or in_motion(graph, answer, rng):
            return judged(graph, fault, answer, unfinished)
        ready(graph, must_move=False)
    end = answer.result().result.final_reason
    return Outcome(fault.name, end, None, ('the task ended before the fault',))


def in_motion(graph: Graph, answer: Any, rng: random.Random) -> bool:
    """True at a random moment of a motion of the task; False if it ends before."""
    caller = graph.caller

    def moves() -> bool:
        return caller.speed > MOVING or bool(answer.done())

    _until(moves, START_S * graph.slow)
    time.sleep(rng.uniform(0.0, LATEST_S) * graph.slow)
    _until(moves, START_S * graph.slow)  # also after a pause
    return not answer.done()


def judged(graph: Graph, fault: Fault, answer: Any, unfinished: set[Path]) -> Outcome:
    """What comes of the fault; `unfinished` are runs that had no result before."""
    caller, wait_s = graph.caller, END_S * graph.slow
    began, began_s = caller.stamp, time.monotonic()
    graph.note(f'fault: {fault.name}')
    fault.cause(graph)
    ended = finished(answer, LOST_S * graph.slow if fault.name == AGENT_KILLED else wait_s)
    answer_s, ended_at = time.monotonic() - began_s, caller.stamp
    result = answer.result().result if ended else ExecuteTask.Result(final_reason='no answer')
    graph.note(f'answer: {result.final_reason}: {result.final_detail}{result.error_msg}')
    _until(lambda: not graph.is_alive(DRIVER) or caller.stamp - caller.moved_at > SETTLED_S,
           wait_s)
    stop_s = max(0.0, caller.moved_at - began) if fault.limit_s else None
    problems = untrue(result, fault, caller.heights.get(THING, 0.0),
                      caller.moved_at - ended_at) if ended else []
    if not ended and fault.name != AGENT_KILLED:
        problems.append('no end')
    if stop_s is not None and stop_s > fault.limit_s:
        problems.append(f'moved for {stop_s:.1f} s')
    graph.repair()
    repaired = time.monotonic()
    _until(lambda: caller.heard > repaired, START_S * graph.slow)  # also a new driver
    hands, unready = ready(graph, not fault.at_once)
    if hands and not fault.latches:
        problems.append('needed reset_stop')
    lost = bool(graph.unfinished() - unfinished) and fault.name != DISK
    if lost:
        problems.append('a run has no result.json')
    return Outcome(fault.name, result.final_reason, stop_s, (*problems, *unready), hands, lost,
                   answer_s=answer_s if ended else None,
                   detail=result.final_detail or result.error_msg)


def untrue(result: ExecuteTask.Result, fault: Fault, height_m: float, moved_on_s: float
           ) -> list[str]:
    """What answer and result.json say other than physics, and than each other.

    `moved_on_s` is how long after the answer the arm moved, in robot time.
    """
    found = []
    if result.success and height_m < LIFTED_M:
        found.append('claimed a success that physics does not show')
    doubts = UNCONFIRMED in result.final_detail
    if moved_on_s > LAG_S and not doubts:
        found.append(f'claimed an arm at rest that moved on for {moved_on_s:.1f} s')
    if doubts and not fault.of_driver:
        found.append('doubted the standstill of an arm that could be seen')
    if not re.search(fault.named, result.final_detail):
        found.append(f'did not name what fell silent: {result.final_detail}')
    return found if fault.name == DISK else found + _told_otherwise(result)


def _told_otherwise(result: ExecuteTask.Result) -> list[str]:
    """What result.json says other than the answer did."""
    try:
        kept = json.loads((Path(result.run_folder) / 'result.json').read_text('utf-8'))
    except (OSError, ValueError) as error:
        return [f'result.json: {error}']
    names = ('success', 'final_reason', 'final_detail')
    return [f'result.json says {name}: {kept[name]}' for name in names
            if kept[name] != getattr(result, name)]


def ready(graph: Graph, must_move: bool) -> tuple[bool, tuple[str, ...]]:
    """Whether a person has to release the stop, and what is wrong with the next tasks.

    With `must_move` the arm has to move in them: a task that is done already shows little.
    """
    caller, hands, problems = graph.caller, False, list[str]()
    tasks = (CLEAR, HOME)
    until = time.monotonic() + READY_S * graph.slow
    while time.monotonic() < until:
        before = caller.moved_at
        ends = [_end_of(graph, task) for task in tasks]
        if set(ends) <= DONE:
            if caller.moved_at > before or not must_move:
                return hands, tuple(dict.fromkeys(problems))
            tasks = (TASK, CLEAR, HOME)
            continue
        released = caller.trigger('reset_stop')
        graph.note(f'next tasks: {ends}; reset_stop: {released and released.message}')
        if released is not None and 'it was stopped' in released.message:
            hands = True
        elif released is None or not released.message.startswith('still stopped'):
            problems.append(f'the next tasks failed: {", ".join(ends)}')
        time.sleep(AGAIN_S)  # an agent that is busy refuses at once
    return hands, (NOT_READY, *dict.fromkeys(problems))


NOT_READY = 'not ready for the next tasks'


def _end_of(graph: Graph, task: str) -> str:
    answer = graph.caller.send(task, START_S * graph.slow)
    if answer is None:
        return 'not accepted'
    ended = finished(answer, END_S * graph.slow)
    return str(answer.result().result.final_reason or 'refused') if ended else 'no end'


def _until(condition: Callable[[], bool], limit_s: float) -> None:
    until = time.monotonic() + limit_s
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
