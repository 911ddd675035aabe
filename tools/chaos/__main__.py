"""Tasks over separate processes, each with a fault; writes what came of them as a table.

    tools/ros run python3 -m tools.chaos --tasks 200 --seed 1 --table table.md

Ctrl-C ends it with the table so far. Exits with status 1 if a task did not end, moved on after a
fault that must stop the arm, claimed what physics does not show, or left a graph that does no
further task.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rclpy
from replan_agent_interfaces.action import ExecuteTask

from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.waiting import finished

from .faults import AGENT_KILLED, DISK, Fault, drawn
from .graph import Caller, Graph, of_a_real_arm

CLEAR, HOME = 'put the red cube on the table', 'go home'
TASK, THING, LIFTED_M = 'pick up the red cube', 'red_cube', 0.05
DONE = {'plan_complete', 'already_done'}
MOVING = 0.02  # rad/s
START_S, END_S, READY_S = 120.0, 180.0, 300.0  # robot time, as everything here
STOP_S = 1.0  # robot time
LOST_S = 5.0  # for an answer of a killed agent, which may not come
SETTLED_S = 2.0  # without motion
TRIES = 3  # a machine that stalls may end the task before the fault
LATEST_S = 2.0  # after the motion has begun: when a fault comes at the latest


@dataclass(frozen=True)
class Outcome:
    fault: str
    end: str  # final_reason, or what was seen instead
    stop_s: float | None  # robot time from the fault to standstill, if it must stop the arm
    problems: tuple[str, ...]
    hands: bool  # reset_stop was needed


def one(graph: Graph, fault: Fault, rng: random.Random) -> Outcome:
    """A task, a fault in it, and other tasks afterwards."""
    for _ in range(TRIES):
        unfinished = graph.unfinished()
        answer = graph.caller.send(TASK, START_S * graph.slow, **dict(fault.goal))
        if answer is None:
            return Outcome(fault.name, '', None, ('the task was not accepted',), False)
        if fault.at_once or in_motion(graph, answer, rng):
            return judged(graph, fault, answer, unfinished)
        ready(graph, must_move=False)
    end = answer.result().result.final_reason
    return Outcome(fault.name, end, None, ('the task ended before the fault',), False)


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
    caller, problems, wait_s = graph.caller, list[str](), END_S * graph.slow
    began = caller.stamp
    fault.cause(graph)
    ended = finished(answer, LOST_S * graph.slow if fault.name == AGENT_KILLED else wait_s)
    end = answer.result().result.final_reason if ended else 'no answer'
    if not ended and fault.name != AGENT_KILLED:
        problems.append('no end')
    _until(lambda: caller.stamp - caller.moved_at > SETTLED_S, wait_s)
    stop_s = max(0.0, caller.moved_at - began) if fault.stops else None
    if stop_s is not None and stop_s > STOP_S:
        problems.append(f'moved for {stop_s:.1f} s')
    if ended and answer.result().result.success and caller.heights.get(THING, 0.0) < LIFTED_M:
        problems.append('claimed a success that physics does not show')
    if ended and fault.name != DISK:
        problems += told_otherwise(answer.result().result)
    graph.repair()
    hands, unready = ready(graph, not fault.at_once)
    if graph.unfinished() - unfinished and fault.name != DISK:
        problems.append('a run has no result.json')
    return Outcome(fault.name, end, stop_s, (*problems, *unready), hands)


def told_otherwise(result: ExecuteTask.Result) -> list[str]:
    """What result.json says other than the answer did."""
    try:
        kept = json.loads((Path(result.run_folder) / 'result.json').read_text('utf-8'))
    except (OSError, ValueError) as error:
        return [f'result.json: {error}']
    same = (kept['success'], kept['final_reason']) == (result.success, result.final_reason)
    return [] if same else [f'result.json says {kept["final_reason"]}']


def ready(graph: Graph, must_move: bool) -> tuple[bool, tuple[str, ...]]:
    """Whether a person has to release the stop, and what is wrong with the next tasks.

    With `must_move` the arm has to move in them: a task that is done already shows little.
    """
    caller, hands = graph.caller, False
    until = time.monotonic() + READY_S * graph.slow
    while time.monotonic() < until:
        before = caller.moved_at
        ends = [_end_of(graph, task) for task in (CLEAR, HOME)]
        if set(ends) <= DONE and (caller.moved_at > before or not must_move):
            return hands, ()
        released = caller.trigger('reset_stop')
        hands = hands or (released is not None and 'it was stopped' in released.message)
    return hands, (f'not ready for the next tasks: {", ".join(ends)}',)


def _end_of(graph: Graph, task: str) -> str:
    answer = graph.caller.send(task, START_S * graph.slow)
    if answer is None:
        return 'not accepted'
    ended = finished(answer, END_S * graph.slow)
    return str(answer.result().result.final_reason) if ended else 'no end'


def _until(condition: object, limit_s: float) -> None:
    assert callable(condition)
    until = time.monotonic() + limit_s
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)


def table(outcomes: list[Outcome]) -> str:
    """The outcomes by fault, as Markdown."""
    lines = ['| fault | tried | survived | ends | to standstill, s (median, worst) | needed '
             'reset_stop |', '|---|---|---|---|---|---|']
    for name in sorted({outcome.fault for outcome in outcomes}):
        of_it = [outcome for outcome in outcomes if outcome.fault == name]
        stops = [outcome.stop_s for outcome in of_it if outcome.stop_s is not None]
        to_stop = f'{statistics.median(stops):.2f}, {max(stops):.2f}' if stops else ''
        ends = ', '.join(sorted({outcome.end for outcome in of_it}))
        lines.append(f'| {name} | {len(of_it)} | {sum(not o.problems for o in of_it)} | {ends} | '
                     f'{to_stop} | {sum(o.hands for o in of_it)} |')
    return '\n'.join(lines)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument('--tasks', type=int, default=200)
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('--only', default='', help='faults whose name contains this')
    options.add_argument('--slow', type=float, default=1.0, help='robot time goes this many times '
                         'slower, and timeouts are as much longer: for a slow machine')
    options.add_argument('--speed', type=float, default=0.0, help='share of the velocity and '
                         'acceleration limits (default: as in config/robot.yaml)')
    options.add_argument('--table', type=Path, help='file for the table')
    given = options.parse_args()
    faults = [f for f in drawn(given.tasks, given.seed) if given.only in f.name]
    rng, outcomes = random.Random(given.seed), []
    rclpy.init()
    caller = Caller()
    with tempfile.TemporaryDirectory() as folder, Spinning([caller]), \
            Graph(caller, Path(folder), of_a_real_arm(given.slow, given.speed),
                  given.slow) as graph, suppress(KeyboardInterrupt):
        ready(graph, must_move=False)  # all nodes have started
        for number, fault in enumerate(faults, 1):
            outcomes.append(one(graph, fault, rng))
            print(number, outcomes[-1], flush=True)
    rclpy.try_shutdown()
    print(table(outcomes))
    if given.table:
        given.table.write_text(table(outcomes) + '\n', 'utf-8')
    return 1 if any(outcome.problems for outcome in outcomes) else 0


if __name__ == '__main__':
    sys.exit(main())
