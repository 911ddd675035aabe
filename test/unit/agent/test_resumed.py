# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A task that continues an earlier run knows what that run knew, also if it was killed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.plan import CompletedStep, PlanCause, PlanReply, ReplyKind
from replan_agent.domain.recovery import Fix, Reflection
from replan_agent.domain.resume import Resume
from replan_agent.domain.skill import FailedStage, Reason, failed
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.run_json import RunUnreadable
from replan_agent.record.stored_run import StoredRun
from replan_agent.replan.reflect.reflection import RuleReflector

from .fakes import (
    HOLDING,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    step,
    steps,
    succeeded,
    unreachable,
)

PLAN = steps(step('look'), step('pick', 2), goals=[HOLDING])
ONCE = AgentConfig(max_replans=0)


def failed_run(recorder=None, **more) -> Rig:
    """The pick is proved impossible; the look before it is done."""
    given = {'recorder': recorder} if recorder else {}
    return Rig(FakePlanner(PLAN), FakeSkills(succeeded(), unreachable()), FakePerception(scene()),
               config=ONCE, **given, **more)


def killed_run(path: Path) -> Path:
    """A copy of the folder in the middle of the second plan's pick: as after `kill -9`."""
    rig = failed_run(RunFolder(path / 'run'))
    rig.config = AgentConfig(max_replans=1)
    rig.skills.results = [succeeded(), unreachable(), succeeded(), succeeded()]
    rig.perception.scenes = [scene()] * 3 + [scene(cube(0.4), n=2)]

    def kill(ctx) -> None:
        if len(rig.skills.executed) == 4:
            shutil.copytree(path / 'run', path / 'killed')

    rig.skills.before_result = kill
    rig.run()
    return path / 'killed'


def test_plans_are_numbered_on_from_the_earlier_run():
    first = failed_run().run()
    rig = Rig(FakePlanner(PLAN))
    second = rig.run(resume=first.resume())
    assert [(p.version, p.parent) for p in second.plans] == [(1, None), (2, 1)]
    assert rig.planner.requests[0].previous == first.plans[-1]
    assert [a.plan_version for a in second.attempts] == [1]


def test_the_first_plan_is_told_what_failed_and_why():
    reflector = {'reflector': RuleReflector()}
    first = failed_run(ports=reflector).run()
    rig = Rig(FakePlanner(PLAN), ports=reflector)
    second = rig.run(resume=first.resume())
    request = rig.planner.requests[0]
    assert request.prior_attempts == first.attempts and request.prior_attempts
    assert request.context['error_analysis']['root_cause'] == first.reflections[-1].root_cause
    assert second.plans[1].cause is PlanCause.ERROR
    assert 'unreachable' in second.plans[1].reason


def test_what_was_proved_impossible_is_not_executed_again():
    first = failed_run().run()
    again = failed_run()
    again.skills.results = [succeeded()]
    result = again.run(resume=first.resume())
    assert [s.skill for s in again.skills.executed] == ['look']
    assert 'repeat_guard' in result.attempts[-1].reason_detail
    assert len(result.proofs) == 1


def test_a_proof_holds_only_while_nothing_has_moved():
    first = failed_run().run()
    again = Rig(FakePlanner(PLAN), perception=FakePerception(scene(cube(0.4))), config=ONCE)
    again.run(resume=first.resume())
    assert [s.skill for s in again.skills.executed] == ['look', 'pick']


def test_what_is_too_heavy_is_not_taken_again_with_another_force():
    heavy = failed(Reason.PRECONDITION_FAILED, 'it weighs 6 kg', cause=Cause.TOO_HEAVY,
                   proved_impossible=True)
    first = Rig(FakePlanner(steps(step(object='red_cube', force=70.0), goals=[HOLDING])),
                FakeSkills(heavy), FakePerception(scene()), config=ONCE).run()
    again = Rig(FakePlanner(PLAN), perception=FakePerception(scene(cube(0.4))), config=ONCE)
    again.run(resume=first.resume())
    assert [s.skill for s in again.skills.executed] == ['look']


class Firmer:
    """A reflector with one idea."""

    def reflect(self, case, remembered, deep, ctx):
        return Reflection('slip', 'too loose', fix=Fix('grip it firmly', {'force': 60.0}))


def test_a_change_that_failed_in_an_earlier_run_is_tried_again_after_a_slip():
    """The world may have changed since."""
    slip = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION)
    given = {'config': AgentConfig(max_replans=0), 'ports': {'reflector': Firmer()}}
    plan = steps(step(), goals=[HOLDING])
    first = Rig(FakePlanner(plan), FakeSkills(slip), FakePerception(scene()), **given).run()
    assert [a.args.get('force') for a in first.attempts][:2] == [None, 60.0]
    again = Rig(FakePlanner(plan), FakeSkills(slip, succeeded()),
                FakePerception(scene(), scene(), scene(held='red_cube')), **given)
    assert again.run(resume=first.resume()).success
    assert [s.args.get('force') for s in again.skills.executed] == [None, 60.0]


def test_in_a_world_that_starts_again_completed_steps_are_told_but_not_done():
    first = failed_run().run()
    assert [done.text for done in first.completed] == ['look step 1']
    rig = Rig(FakePlanner(PLAN))
    rig.run(resume=first.resume().in_new_world())
    request = rig.planner.requests[0]
    assert request.completed == ()
    assert request.context['earlier_run']['completed'] == ['look step 1']


def test_a_finished_run_is_read_back_as_it_was(tmp_path):
    result = failed_run(RunFolder(tmp_path), ports={'reflector': RuleReflector()}).run()
    told = result.resume('from the left')
    read = StoredRun.load(tmp_path).resume('from the left')
    assert read.proofs[0].result == told.proofs[0].result
    assert replace(read, proofs=(), approver='') == replace(told, proofs=())


def test_the_events_alone_say_the_same_as_the_result(tmp_path):
    failed_run(RunFolder(tmp_path), ports={'reflector': RuleReflector()}).run()
    finished = StoredRun.load(tmp_path).resume()
    (tmp_path / 'result.json').unlink()
    assert StoredRun.load(tmp_path).resume() == finished


def test_a_killed_run_is_read_from_its_events(tmp_path):
    run = StoredRun.load(killed_run(tmp_path))
    resume = run.resume()
    assert run.task == 'pick up the red cube'
    assert [a.skill for a in resume.attempts] == ['pick'] and len(resume.proofs) == 1
    assert [done.text for done in resume.completed] == ['look step 1'] * 2
    assert [plan.version for plan in resume.plans] == [1, 2] and resume.goals == (HOLDING,)


def test_a_torn_last_line_is_left_out(tmp_path):
    file = killed_run(tmp_path) / 'events.jsonl'
    whole = StoredRun.load(file.parent).resume()
    file.write_bytes(file.read_bytes() + b'{"event": "attempt_recorded", "att')
    assert StoredRun.load(file.parent).resume() == whole


def test_a_line_torn_before_the_end_is_named(tmp_path):
    file = killed_run(tmp_path) / 'events.jsonl'
    file.write_bytes(b'{"event": "task_sta\n' + file.read_bytes())
    with pytest.raises(RunUnreadable, match='line 1: not valid JSON'):
        StoredRun.load(file.parent)


def test_a_resumed_run_that_is_killed_can_be_resumed_again(tmp_path):
    first = failed_run().run()
    Rig(FakePlanner(PLAN), recorder=RunFolder(tmp_path)).run(
        resume=first.resume('from the left').in_new_world())
    (tmp_path / 'result.json').unlink()
    resume = StoredRun.load(tmp_path).resume()
    assert resume.attempts == first.attempts and resume.hints == ('from the left',)
    assert [plan.version for plan in resume.plans] == [1, 2] and len(resume.proofs) == 1
    assert [done.text for done in resume.undone] == ['look step 1']


def test_a_result_that_could_not_be_recorded_says_so(tmp_path):
    folder = RunFolder(tmp_path)
    (tmp_path / 'result.json.partial').mkdir()  # no file can be written there
    result = Rig(FakePlanner(PLAN), recorder=folder).run()
    assert result.success and result.final_reason is FinalReason.PLAN_COMPLETE
    assert result.not_recorded == 'result.json: Is a directory'
    assert result.not_recorded in result.final_detail


def test_what_a_resumed_run_inherits_is_there_for_the_next_one(tmp_path):
    looked = CompletedStep(step('look'))
    resume = Resume(goals=(HOLDING,), undone=(looked,), threshold=0.2, goals_certain=True)
    rig = Rig(FakePlanner(PlanReply(ReplyKind.UNRECOGNIZED, detail='?')),
              recorder=RunFolder(tmp_path))
    told = rig.run(resume=resume).resume()
    read = StoredRun.load(tmp_path).resume()
    (tmp_path / 'result.json').unlink()
    for found in (told, read, StoredRun.load(tmp_path).resume()):
        assert (found.undone, found.threshold) == ((looked,), 0.2)
        assert (found.goals, found.goals_certain) == ((HOLDING,), True)


def test_a_killed_run_does_not_pass_on_goals_that_were_refused(tmp_path):
    ghost = replace(HOLDING, object='ghost')
    rig = Rig(FakePlanner(steps(step(), goals=[ghost]), PLAN), recorder=RunFolder(tmp_path))
    assert rig.run().goals == (HOLDING,)
    (tmp_path / 'result.json').unlink()
    assert StoredRun.load(tmp_path).resume().goals == (HOLDING,)


def test_goals_of_an_earlier_run_that_mean_nothing_here_are_dropped():
    rig = Rig(FakePlanner(PLAN))
    result = rig.run(resume=Resume(goals=(replace(HOLDING, object='ghost'),), goals_certain=True))
    assert result.success and result.goals == (HOLDING,)
    assert rig.planner.requests[0].goals == ()


def test_what_an_earlier_run_did_is_no_success_of_a_run_that_does_nothing():
    earlier = Resume(completed=(CompletedStep(step('look')),), goals_certain=True)
    result = Rig(FakePlanner(PlanReply(ReplyKind.DONE)), config=ONCE).run('look', resume=earlier)
    assert not result.success and not result.steps
