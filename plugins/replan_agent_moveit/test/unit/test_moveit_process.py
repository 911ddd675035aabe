# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt's process, with workers that are slow, crash, or do not start. There is no MoveIt."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from moveit_workers import CrashingWorker, SlowWorker, no_worker
from replan_agent_moveit import moveit_process
from replan_agent_moveit.moveit_paths import MoveItPaths
from replan_agent_moveit.moveit_process import MoveItFailed, MoveItProcess, StartWorker
from replan_agent_moveit.moveit_question import MoveItAnswer, Question

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Cancelled, CancelToken, Context
from replan_agent.domain.port_errors import NodeLost
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.motion.motion_protocols import MotionRequest

REQUEST = MotionRequest(Scene('s', 0.0, (), 'test'))
ASKED = Question(np.zeros(7), REQUEST, 'ompl', '', 1.0, np.ones(7))

@pytest.fixture
def slow(tmp_path: Path) -> Iterator[MoveItProcess]:
    os.mkfifo(tmp_path / 'go')
    process = MoveItProcess(lambda ctx: partial(SlowWorker, tmp_path))
    yield process
    process.close()


def begun(folder: Path) -> None:
    until = time.monotonic() + 60
    while not (folder / 'begun').exists():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_other_threads_go_on_while_moveit_plans(slow: MoveItProcess, tmp_path: Path) -> None:
    found: list[MoveItAnswer] = []
    asking = threading.Thread(target=lambda: found.append(slow.plan(ASKED, Context())))
    asking.start()
    begun(tmp_path)
    (tmp_path / 'go').write_text('x')  # only a thread that runs can let it go on
    asking.join()
    assert [answer.code for answer in found] == [1]


def test_a_cancelled_plan_ends_at_once_and_its_late_answer_is_dropped(
        slow: MoveItProcess, tmp_path: Path) -> None:
    token = CancelToken()

    def cancel() -> None:
        begun(tmp_path)
        token.cancel('for a test')

    threading.Thread(target=cancel).start()
    with pytest.raises(Cancelled):
        slow.plan(ASKED, Context(token))
    (tmp_path / 'go').write_text('x')
    other = Question(np.full(7, 0.5), REQUEST, 'ompl', '', 1.0, np.ones(7))
    assert slow.plan(other, Context()).waypoints == pytest.approx(np.full((1, 7), 0.5))


@pytest.mark.parametrize(('start', 'words'), [
    (lambda ctx: CrashingWorker, 'the process of MoveIt ended'),
    (lambda ctx: no_worker, 'no such plugin')], ids=['crash', 'no start'])
def test_a_moveit_that_ends_is_a_failure_and_not_the_end_of_the_node(
        start: Callable[[Context], StartWorker], words: str) -> None:
    process = MoveItProcess(start)
    with pytest.raises(MoveItFailed, match=words):
        process.plan(ASKED, Context())
    found = MoveItPaths(process, PANDA).around(np.zeros(7), np.ones(7), REQUEST, 0.0, 1.0,
                                                 Context())
    assert found.reason is Reason.CONTROLLER_ABORTED and words in found.detail


def test_a_moveit_that_died_between_two_questions_is_started_again(
        slow: MoveItProcess, tmp_path: Path) -> None:
    for _ in range(2):
        asking = threading.Thread(target=lambda: (tmp_path / 'go').write_text('x'))
        asking.start()
        assert slow.plan(ASKED, Context()).code == 1
        asking.join()
        slow._process.kill()
        slow._process.join()


def test_a_planner_that_is_closed_ends_the_process_and_who_waits_for_it(
        slow: MoveItProcess, tmp_path: Path) -> None:
    def close() -> None:
        begun(tmp_path)
        slow.close()

    closing = threading.Thread(target=close)
    closing.start()
    with pytest.raises(MoveItFailed):
        slow.plan(ASKED, Context())
    closing.join()
    assert not multiprocessing.active_children()
    with pytest.raises(MoveItFailed, match='closed'):
        slow.plan(ASKED, Context())


def test_a_move_group_that_is_not_there_is_waited_for_once_and_not_for_every_path() -> None:
    asked: list[Context] = []

    def prepare(ctx: Context) -> StartWorker:
        asked.append(ctx)
        raise NodeLost('move_group is not there; waited 10 s')

    paths = MoveItPaths(MoveItProcess(prepare), PANDA)
    for _ in range(3):
        found = paths.around(np.zeros(7), np.ones(7), REQUEST, 0.0, 1.0, Context())
        assert found.reason is Reason.CONTROLLER_ABORTED and 'is not there' in found.detail
    assert len(asked) == 1


def test_a_start_that_failed_is_tried_again_after_20_s(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    clock = SimpleNamespace(now=100.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(moveit_process, 'time', clock)

    def prepare(ctx: Context) -> StartWorker:
        asked.append(clock.now)
        raise NodeLost('move_group is not there')

    process = MoveItProcess(prepare)
    for clock.now in (100.0, 119.0, 121.0):
        with pytest.raises((MoveItFailed, NodeLost), match='is not there'):
            process.plan(ASKED, Context())
    assert asked == [100.0, 121.0]


def test_close_does_not_wait_for_who_reads_the_configuration() -> None:
    reading, go_on = threading.Event(), threading.Event()

    def prepare(ctx: Context) -> StartWorker:
        reading.set()
        go_on.wait(30.0)
        return CrashingWorker

    process, told = MoveItProcess(prepare), list[str]()

    def ask() -> None:
        with pytest.raises(MoveItFailed) as failed:
            process.plan(ASKED, Context())
        told.append(str(failed.value))

    asking = threading.Thread(target=ask)
    asking.start()
    assert reading.wait(30.0)
    begun_at = time.monotonic()
    process.close()
    waited_s = time.monotonic() - begun_at
    go_on.set()
    asking.join()
    assert waited_s < 10.0, 'it reads for 30 s'
    assert told == ['MoveIt was closed'] and not multiprocessing.active_children()


def test_who_is_closed_reads_no_configuration_any_more() -> None:
    asked: list[Context] = []

    def prepare(ctx: Context) -> StartWorker:
        asked.append(ctx)
        return CrashingWorker

    process = MoveItProcess(prepare)
    process.close()
    with pytest.raises(MoveItFailed, match='closed'):
        process.plan(ASKED, Context())
    assert not asked
