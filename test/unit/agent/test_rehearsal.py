# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""REHEARSE in the loop: after the plan is checked, before anyone is asked, and never fatal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import Context, DeadlineExceeded
from replan_agent.domain.event import RehearsalFinished, WarningRaised
from replan_agent.domain.failure import AttemptStage
from replan_agent.domain.plan import PlanProblem
from replan_agent.domain.port_errors import RehearsalError
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.task_view import RehearsalResult
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.stored_run import StoredRun

from .fakes import HOLDING, FakePlanner, Rig, slipped, step, steps, unreachable

LOOK, PICK = step('look', 1), step('pick', 2)
OK = RehearsalResult(True, 0.2)


class FakeRehearsal:
    """Answers, or raises, one item after the other; the last again and again."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.calls, self.known = 0, []

    def is_due(self, plan, scene) -> bool:
        return True

    def rehearse(self, plan, scene, ctx) -> RehearsalResult:
        answer = self.answers[min(self.calls, len(self.answers) - 1)]
        self.calls += 1
        self.known.append(plan.context['attempts'])
        if isinstance(answer, Exception):
            raise answer
        return answer


def rig_of(*answers, **more) -> Rig:
    planner = FakePlanner(steps(LOOK, PICK, goals=[HOLDING]))
    return Rig(planner, rehearsal=FakeRehearsal(*answers), **more)


def test_a_plan_that_failed_in_the_twin_goes_back_to_the_planner_and_nothing_moves() -> None:
    failed = RehearsalResult(False, 0.3, PICK, unreachable())
    rig = rig_of(failed, config=AgentConfig(max_replans=1))
    result = rig.run()
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert not rig.skills.executed and rig.approver.asked == 0
    attempt = rig.planner.requests[1].prior_attempts[0]
    assert (attempt.step_idx, attempt.skill, attempt.stage) == (1, 'pick', AttemptStage.PLAN)
    assert attempt.reason == 'unreachable' and attempt.ik is not None
    assert attempt.evidence['rehearsed'] is True and attempt.diagnosis is not None
    assert attempt.reason_detail.startswith('in rehearsal: ')


def test_the_plan_after_a_failed_rehearsal_runs_if_its_own_rehearsal_succeeds() -> None:
    rig = rig_of(RehearsalResult(False, 0.3, PICK, slipped()), OK)
    result = rig.run()
    assert result.success and result.replans == 1 and len(rig.skills.executed) == 2
    assert [e.ok for e in rig.recorder.events if isinstance(e, RehearsalFinished)] == [False, True]
    assert result.timings['rehearse'] == pytest.approx(0.5)


def test_it_is_told_how_often_something_failed_also_without_reflection() -> None:
    rig = rig_of(RehearsalResult(False, 0.3, PICK, slipped()), OK)
    assert rig.run().success and rig.agent.reflector is None
    assert rig.rehearsal.known == [0, 1]


def test_it_comes_between_the_check_of_the_plan_and_its_approval() -> None:
    rig = rig_of(OK)
    rig.run()
    kinds = rig.kinds()
    assert (kinds.index('plan_made') < kinds.index('rehearsal_finished')
            < kinds.index('approval_decided') < kinds.index('step_started'))


def test_a_refused_plan_is_not_rehearsed() -> None:
    problem = PlanProblem(Reason.BAD_ARGUMENTS, 'no such thing')
    rig = rig_of(OK, check=lambda plan, scene, skills: [problem],
                 config=AgentConfig(max_replans=0))
    rig.run()
    assert rig.rehearsal.calls == 0


@pytest.mark.parametrize(('trouble', 'words'), [
    (RehearsalError('the twin holds nothing'), 'the twin holds nothing'),
    (DeadlineExceeded(), 'replan_timeout=300s'),
])
def test_a_plan_that_cannot_be_rehearsed_goes_on_with_a_warning(trouble, words) -> None:
    rig = rig_of(trouble)
    assert rig.run(ctx=Context()).success
    warning, = [e.message for e in rig.recorder.events if isinstance(e, WarningRaised)]
    assert 'plan 1 was not rehearsed' in warning and words in warning


@pytest.mark.parametrize(('cause', 'proofs'), [(None, 1), (Cause.TOO_HEAVY, 0)])
def test_what_the_twin_proves_is_a_proof_unless_it_is_about_a_weight(tmp_path, cause, proofs):
    proved = replace(unreachable(), cause=cause)
    rig = rig_of(RehearsalResult(False, 0.3, PICK, proved), config=AgentConfig(max_replans=0),
                 recorder=RunFolder(tmp_path))
    assert len(rig.run().proofs) == proofs
    (tmp_path / 'result.json').unlink()
    assert len(StoredRun.load(tmp_path).resume().proofs) == proofs


@pytest.mark.parametrize(('cancelled', 'stopped', 'reason'), [
    (False, True, FinalReason.STOPPED), (True, False, FinalReason.CANCELLED),
    (True, True, FinalReason.CANCELLED)])
def test_a_stop_elsewhere_ends_a_rehearsal_as_a_cancel_does(
        cancelled: bool, stopped: bool, reason: FinalReason) -> None:
    ctx = Context()

    class Ends(FakeRehearsal):
        def rehearse(self, plan, scene, inner) -> RehearsalResult:
            if cancelled:
                ctx.cancel.cancel('enough')
            if stopped:
                ctx.stopped.cancel('the stop was called')
            inner.check()
            raise AssertionError('it goes on')

    rig = Rig(FakePlanner(steps(LOOK, PICK, goals=[HOLDING])), rehearsal=Ends(OK))
    result = rig.run(ctx=ctx)
    assert result.final_reason is reason and not rig.skills.executed and not rig.approver.asked
    assert result.final_detail == ('enough' if cancelled else 'the stop was called')
