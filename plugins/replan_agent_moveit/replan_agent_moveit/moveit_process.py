# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MoveIt in a process of its own, so that it can neither hold up nor end ours."""

from __future__ import annotations

import atexit
import math
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Protocol

from replan_agent.domain.config import ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import NodeLost

from .moveit_question import MoveItAnswer, Question

START_S = 60.0  # for MoveIt to start
PATIENCE_S = 10.0  # beyond the planning time; scenes and checks take time too
LAST_WORDS_S = 2.0  # for a process that ends, to be gone
AGAIN_S = 20.0  # after a start that failed: a skill asks for dozens of paths
LOOK_S = 0.05  # between two looks at the deadline
CLOSED = 'MoveIt was closed'


class Worker(Protocol):
    def plan(self, question: Question) -> MoveItAnswer: ...


StartWorker = Callable[[], Worker]


class MoveItFailed(Exception):
    """MoveIt did not start, ended, or refused a question. The text says why."""


class MoveItProcess:
    """Answers questions in another process, which starts with the first one and after a crash.

    `prepare` runs here and returns what starts MoveIt there; that must be picklable.
    """

    def __init__(self, prepare: Callable[[Context], StartWorker]) -> None:
        self._prepare = prepare
        self._lock = threading.Lock()
        self._closed = False
        self._failed_at, self._trouble = -math.inf, ''
        self._process: Any = None
        self._connection: Connection | None = None
        self._asked = 0
        atexit.register(self.close)  # rclcpp takes the signal that multiprocessing would send

    def plan(self, question: Question, ctx: Context) -> MoveItAnswer:
        """MoveIt's answer. Raises MoveItFailed, and what `ctx` raises, as soon as it is so."""
        with self._lock:
            if self._process is not None and not self._process.is_alive():
                self._end()  # it died since the last question
            connection = self._started(ctx)
            self._asked += 1
            try:
                connection.send((self._asked, question))
            except OSError as error:
                self._end()
                raise MoveItFailed(f'the process of MoveIt ended: {error}') from error
            answer = self._received(self._asked, question.time_s + PATIENCE_S, ctx)
        if isinstance(answer, str):
            raise MoveItFailed(answer)
        return answer

    def close(self) -> None:
        """End the process for good. Whoever waits for its answer gets MoveItFailed.

        Who still reads the configuration is not waited for, and starts nothing any more.
        """
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        if self._lock.acquire(timeout=LAST_WORDS_S):
            try:
                self._end()
            finally:
                self._lock.release()

    def _end(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _started(self, ctx: Context) -> Connection:
        if self._closed:
            raise MoveItFailed(CLOSED)
        if self._connection is not None:
            return self._connection
        if time.monotonic() < self._failed_at + AGAIN_S:
            raise MoveItFailed(self._trouble)
        try:
            return self._start(self._prepare(ctx), ctx)
        except (MoveItFailed, ConfigError, NodeLost) as error:
            self._failed_at, self._trouble = time.monotonic(), str(error)
            raise

    def _start(self, start: StartWorker, ctx: Context) -> Connection:
        if self._closed:
            raise MoveItFailed(CLOSED)
        spawn = multiprocessing.get_context('spawn')  # a fork would inherit our threads
        self._connection, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_serve, args=(theirs, start), daemon=True)
        self._process.start()
        theirs.close()
        self._asked = 0
        try:
            trouble = self._received(0, START_S, ctx)
        except BaseException:
            self._end()
            raise
        if trouble:
            self._end()
            raise MoveItFailed(trouble)
        return self._connection

    def _received(self, number: int, limit_s: float, ctx: Context) -> Any:
        """The answer of that number; those of questions that nobody waits for are dropped."""
        assert self._connection is not None
        until = time.monotonic() + limit_s
        while True:
            try:
                if self._connection.poll(LOOK_S):
                    found, answer = self._connection.recv()
                    if found == number:
                        return answer
            except (EOFError, OSError):
                self._process.join(LAST_WORDS_S)
                code = self._process.exitcode
                self._end()
                raise MoveItFailed(f'the process of MoveIt ended (exit status {code})') from None
            ctx.check()
            if self._closed:
                raise MoveItFailed(CLOSED)
            if time.monotonic() > until:
                self._end()
                raise MoveItFailed(f'MoveIt did not answer within {limit_s:g} s')


def _serve(connection: Connection, start: StartWorker) -> None:
    """Answer questions until the other side is gone."""
    os.setsid()  # Ctrl-C is for the node
    try:
        worker = start()
    except Exception as error:  # noqa: BLE001 the process's edge
        connection.send((0, f'{type(error).__name__}: {error}'))
        return
    connection.send((0, ''))
    while True:
        try:
            number, question = connection.recv()
        except (EOFError, OSError):
            os._exit(0)  # MoveIt's own end may crash
        try:
            answer: MoveItAnswer | str = worker.plan(question)
        except Exception as error:  # noqa: BLE001 the process's edge
            answer = f'{type(error).__name__}: {error}'
        try:
            connection.send((number, answer))
        except OSError:
            os._exit(0)
