# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A skill that ignores its context: the arm is stopped, and the record says so."""

from __future__ import annotations

import threading

import pytest

from replan_agent.agent import broken_part as watched
from replan_agent.agent.broken_part import watchdog
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.skill import succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.recorders import MemoryRecorder

from .fakes import HOLDING, FakePlanner, FakeSkills, Rig, step, steps

PLAN = steps(step(), goals=[HOLDING])
LONG_S = 60.0


class Deaf(FakeSkills):
    """A skill that goes on until the arm is stopped."""

    def __init__(self, meanwhile) -> None:
        super().__init__()
        self.stopped = threading.Event()
        self.meanwhile = meanwhile

    def execute(self, step, scene, ctx, on_phase):
        self.executed.append(step)
        self.meanwhile()
        assert self.stopped.wait(LONG_S), 'nobody stopped the arm'
        return succeeded()

    def stop(self) -> None:
        super().stop()
        self.stopped.set()


@pytest.fixture(autouse=True)
def no_grace(monkeypatch):
    monkeypatch.setattr(watched, 'POLL_S', 0.01)
    monkeypatch.setattr(watchdog.__wrapped__, '__defaults__', (0.0,))


def warnings(rig: Rig) -> list[str]:
    return [e.message for e in rig.recorder.events if e.kind == 'warning_raised']


def test_a_cancel_that_a_skill_ignores_stops_the_arm_and_is_said():
    token = CancelToken()
    rig = Rig(FakePlanner(PLAN), Deaf(token.cancel))
    result = rig.run(ctx=Context(token))
    assert result.final_reason is FinalReason.CANCELLED
    (warning,) = warnings(rig)
    assert "'pick'" in warning and rig.skills.stops


def test_a_time_limit_that_a_skill_ignores_stops_the_arm_and_is_a_timeout():
    config = AgentConfig(skill_timeout=10.0, max_step_retries=0, max_replans=0)
    rig = Rig(FakePlanner(PLAN), config=config)
    rig.skills = Deaf(lambda: rig.clock.advance(11.0))
    result = rig.run()
    assert result.attempts[0].reason == 'timeout' and rig.skills.stops and warnings(rig)


def test_a_skill_that_ends_in_time_is_left_alone():
    rig = Rig(FakePlanner(PLAN))
    assert rig.run().success and rig.skills.stops == 0 and not warnings(rig)


def test_a_stop_that_fails_is_said_too():
    token, said, twice = CancelToken(), [], threading.Event()

    def stop() -> None:
        if len(said) > 1:  # its first failure is said
            twice.set()
        raise RuntimeError('no connection')

    token.cancel()
    with watchdog('skill', Context(token), stop, said.append, 0.0) as watch:
        assert twice.wait(LONG_S)
    assert watch.has_stopped and 'NOT confirmed: RuntimeError: no connection' in said[1]


class FullDisk(MemoryRecorder):
    def record(self, event) -> None:
        if event.kind == 'warning_raised':
            raise OSError('the disk is full')
        super().record(event)


def test_a_recorder_that_fails_does_not_keep_the_arm_from_being_stopped(caplog):
    token = CancelToken()
    rig = Rig(FakePlanner(PLAN), Deaf(token.cancel), recorder=FullDisk())
    result = rig.run(ctx=Context(token))
    assert result.final_reason is FinalReason.CANCELLED and rig.skills.stops
    assert "'pick'" in caplog.text and 'the disk is full' in caplog.text


def test_what_could_not_be_said_is_kept():
    token, stopped = CancelToken(), threading.Event()
    token.cancel()

    def say(text: str) -> None:
        assert stopped.is_set(), 'the arm is stopped first'
        raise OSError('the disk is full')

    with watchdog('skill', Context(token), stopped.set, say, 0.0) as watch:
        assert stopped.wait(LONG_S)
    (unsaid,) = watch.unsaid
    assert watch.has_stopped and 'OSError: the disk is full' in unsaid
