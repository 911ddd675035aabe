# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A token that is cancelled in the middle of its own wait, as a signal handler does."""

from __future__ import annotations

import subprocess
import sys
import threading
from types import FrameType
from typing import Any

import pytest

from replan_agent.domain.context import CancelToken

ENDS_WITHIN_S = 10.0


@pytest.mark.parametrize('lines_before', range(25))
def test_a_signal_at_any_line_of_a_wait_ends_it(lines_before: int) -> None:
    token, waited = CancelToken(), threading.Event()

    def wait() -> None:
        left = lines_before

        def on_line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                token.cancel('by a signal')
            return on_line

        sys.settrace(on_line)
        token.wait(0.001)
        sys.settrace(None)
        waited.set()

    threading.Thread(target=wait, daemon=True).start()
    assert waited.wait(ENDS_WITHIN_S)


def test_all_who_wait_are_woken() -> None:
    token = CancelToken()
    woken = [threading.Event() for _ in range(3)]
    for event in woken:
        threading.Thread(target=lambda e=event: token.wait(1000.0) and e.set(),
                         daemon=True).start()
    token.cancel()
    assert all(event.wait(ENDS_WITHIN_S) for event in woken)


def test_a_token_without_an_end_is_cancelled_with_another_one() -> None:
    other = CancelToken()
    token = CancelToken(other)
    other.cancel('enough')
    assert token.wait(float('inf'))
    assert token.reason == 'enough'


SLOW_HANDLER = """
import os, signal, threading, time
from replan_agent.domain.context import CancelToken
signal.signal(signal.SIGUSR1, lambda *_: time.sleep(0.2))
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
print(CancelToken(CancelToken()).wait(0.1))
"""


def test_a_signal_handler_that_outlasts_the_wait_does_not_make_it_endless() -> None:
    ended = subprocess.run([sys.executable, '-c', SLOW_HANDLER], capture_output=True, text=True,
                           timeout=60, check=True)
    assert ended.stdout == 'False\n'
