# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C cancels, whatever the process does when it comes."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from replan_agent.app.terminal.signals import cancelled_by_signal


class Busy:
    """A stream in the middle of a write, as the signal finds it."""

    def write(self, text: str) -> int:
        raise RuntimeError('reentrant call')

    def flush(self) -> None:
        pass


def test_ctrl_c_in_the_middle_of_a_write_cancels_without_an_error(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'stderr', Busy())
    with cancelled_by_signal() as token:
        os.kill(os.getpid(), signal.SIGINT)
        assert token.cancelled
