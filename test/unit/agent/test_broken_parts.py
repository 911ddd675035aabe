# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A part that is broken, or a person who interrupts: the arm stops and the record says why."""

from __future__ import annotations

import json
import signal

import pytest

from replan_agent.domain.task_result import FinalReason
from replan_agent.record.run_folder import RunFolder

from .fakes import HOLDING, FakeApprover, FakePerception, FakePlanner, FakeSkills, Rig, step, steps

PLAN = steps(step(), goals=[HOLDING])


def divide(ctx):
    return 1 / 0  # the line that the messages name


def place_of_the_bug() -> str:
    return f'(test_broken_parts.py:{divide.__code__.co_firstlineno + 1})'


def test_a_bug_in_a_skill_names_the_skill_and_the_line_and_the_step_stays_on_record():
    skills = FakeSkills()
    skills.before_result = divide
    result = Rig(FakePlanner(PLAN), skills).run()
    assert result.final_reason is FinalReason.INTERNAL_ERROR and skills.stops == 1
    sentence = f"skill 'pick' failed with ZeroDivisionError: division by zero {place_of_the_bug()}"
    assert result.final_detail == sentence
    assert [record.result.reason_detail for record in result.steps] == [f'interrupted: {sentence}']


def test_a_bug_in_a_planner_names_the_planner_and_the_line():
    planner = FakePlanner(PLAN)
    planner.before_reply = divide
    says = Rig(planner).run().final_detail
    assert says.startswith("planner 'fake'") and 'ZeroDivisionError' in says
    assert says.endswith(place_of_the_bug())


class Blind(FakePerception):
    def observe(self, ctx):
        return divide(ctx)


def test_a_bug_in_a_perception_names_the_perception_and_the_line():
    says = Rig(FakePlanner(PLAN), perception=Blind()).run().final_detail
    assert says.startswith("perception 'fake'") and 'ZeroDivisionError' in says
    assert says.endswith(place_of_the_bug())


def test_a_perception_that_returns_no_scene_is_named():
    result = Rig(FakePlanner(PLAN), perception=FakePerception(None)).run()
    assert result.final_reason is FinalReason.INTERNAL_ERROR
    assert "'fake'" in result.final_detail and 'Scene' in result.final_detail


class Forgetful(FakeApprover):
    def report_outcome(self, success):
        raise OSError('the log is gone')


def test_an_approver_that_fails_after_the_task_does_not_change_how_it_ended():
    result = Rig(FakePlanner(PLAN), approver=Forgetful()).run()
    assert result.success and 'OSError: the log is gone' in result.final_detail


def test_an_approver_that_fails_after_a_cancelled_task_does_not_change_how_it_ended():
    skills = FakeSkills()
    skills.before_result = lambda ctx: (ctx.cancel.cancel(), ctx.check())
    result = Rig(FakePlanner(PLAN), skills, approver=Forgetful()).run()
    assert result.final_reason is FinalReason.CANCELLED and skills.stops == 1


def press_ctrl_c(ctx):
    signal.raise_signal(signal.SIGINT)


def leave(ctx):
    raise SystemExit(3)


@pytest.mark.parametrize(('interrupt', 'kind'), [
    (press_ctrl_c, KeyboardInterrupt), (leave, SystemExit)])
def test_an_interrupted_task_stops_the_arm_and_is_on_record(interrupt, kind, tmp_path):
    skills = FakeSkills()
    skills.before_result = interrupt
    with pytest.raises(kind):
        Rig(FakePlanner(PLAN), skills, recorder=RunFolder(tmp_path)).run()
    assert skills.stops == 1
    written = json.loads((tmp_path / 'result.json').read_text('utf-8'))
    assert written['final_reason'] == 'cancelled' and len(written['steps']) == 1
    assert written['final_detail'] == f'interrupted by {kind.__name__}'


class BrokenRecord(RunFolder):
    def record(self, event):
        if event.kind == 'step_finished':
            raise OSError(28, 'No space left on device')
        super().record(event)


def test_an_interrupt_is_raised_even_if_it_cannot_be_recorded(tmp_path):
    skills = FakeSkills()
    skills.before_result = press_ctrl_c
    with pytest.raises(KeyboardInterrupt):
        Rig(FakePlanner(PLAN), skills, recorder=BrokenRecord(tmp_path)).run()
    assert skills.stops == 1
