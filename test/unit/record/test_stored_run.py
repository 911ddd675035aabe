# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run on disk is read back as it was written."""

from __future__ import annotations

import json

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.event import PlanMade
from replan_agent.domain.failure import Attempt, AttemptStage, Category, Diagnosis, Kind, Severity
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.plan import CompletedStep, Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.skill import FailedStage
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.stored_run import RunUnreadable, StoredRun

IK = IKReport(False, 400, 0.4, 0.0, 0.001, 0.01, Pose((1.2, 0.0, 0.02), (0.0, 1.0, 0.0, 0.0)),
              'panda_link0', (0.1,) * 7, 'panda_joint4', Reachability.PROVED_UNREACHABLE, 0.397,
              'too far', 'numeric')
DIAGNOSIS = Diagnosis(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL,
                      FailedStage.PLANNING, Cause.BEYOND_REACH, True, 'bring it nearer')
ATTEMPT = Attempt(0, 'pick', {'object': 'red_cube'}, 'unreachable', 'too far',
                  AttemptStage.EXECUTE, 1, IK, DIAGNOSIS, {'width': 0.04}, FailedStage.PLANNING,
                  Cause.NO_POSTURE, ('blue_cube',))
LOOKED = CompletedStep(Step(1, 'look', {}, 'Look', 'seen'), 'red_cube')
GOALS = (Goal(Predicate.HOLDING, 'red_cube'), Goal(Predicate.AT, 'cup', None, (0.4, -0.2)))
FIRST = Plan(1, 'task', (Step(1, 'pick', {'object': 'red_cube'}, 'Pick', 'held'),), GOALS,
             PlanCause.INITIAL, None, 's1', 'stub')
SECOND = Plan(2, 'task', (), GOALS, PlanCause.ERROR, 1, 's2', 'stub', 'pick failed',
              {'failed_at_step': 0})


def finished(path, **changes) -> RunFolder:
    values = dict(task='task', success=False, final_reason=FinalReason.HUMAN_REQUIRED,
                  final_detail='x', replans=0, total_replans=0, steps=(), attempts=(ATTEMPT,),
                  plans=(FIRST, SECOND), goals=GOALS, goal_verified=None, planner='p',
                  perception='g', api_calls=0, recaptures=0, completed=(LOOKED,),
                  hints=('from the left',))
    folder = RunFolder(path)
    folder.finish(TaskResult(**{**values, **changes}))
    return folder


def test_the_plans_come_back_as_they_were(tmp_path):
    finished(tmp_path)
    assert StoredRun.load(tmp_path).plans() == (FIRST, SECOND)
    assert StoredRun.load(tmp_path / 'result.json').plans() == (FIRST, SECOND)


def test_every_version_is_on_disk_as_soon_as_it_is_made(tmp_path):
    folder = RunFolder(tmp_path)
    folder.record(PlanMade(FIRST, 0.1))
    assert StoredRun.load(tmp_path).plans() == (FIRST,)
    folder.record(PlanMade(SECOND, 0.1))
    assert StoredRun.load(tmp_path).plan(2) == SECOND


def test_a_folder_used_again_does_not_keep_the_plans_of_the_run_before(tmp_path):
    RunFolder(tmp_path).record(PlanMade(SECOND, 0.1))
    RunFolder(tmp_path).record(PlanMade(FIRST, 0.1))
    assert StoredRun.load(tmp_path).plans() == (FIRST,)


def test_a_run_is_resumed_with_its_attempts_diagnoses_goals_and_hints(tmp_path):
    finished(tmp_path)
    resume = StoredRun.load(tmp_path).resume('it is behind the bowl')
    assert resume.attempts == (ATTEMPT,)
    assert (resume.completed, resume.goals) == ((LOOKED,), GOALS)
    assert resume.hints == ('from the left', 'it is behind the bowl')


def test_a_run_that_did_not_even_start_cannot_be_resumed(tmp_path):
    RunFolder(tmp_path).record(PlanMade(FIRST, 0.1))
    with pytest.raises(RunUnreadable, match="no 'task': the run ended before"):
        assert StoredRun.load(tmp_path).task


def test_a_version_that_there_is_not_is_refused_with_those_there_are(tmp_path):
    finished(tmp_path)
    with pytest.raises(RunUnreadable, match='no plan 7; versions: 1, 2'):
        StoredRun.load(tmp_path).plan(7)


@pytest.mark.parametrize(('content', 'says'), [
    ('not json', 'not valid JSON'), ('[]', 'must be a JSON object'), ('{}', "no 'plans'"),
    (json.dumps({'plans': [{'version': 1}]}), 'not the format of this version'),
    (json.dumps({'plans': 3}), 'not the format of this version'),
])
def test_a_file_that_is_no_result_is_named(tmp_path, content, says):
    (tmp_path / 'result.json').write_text(content)
    with pytest.raises(RunUnreadable, match=says) as error:
        StoredRun.load(tmp_path).plans()
    assert str(tmp_path) in str(error.value)


def test_a_folder_without_a_run_is_named(tmp_path):
    with pytest.raises(RunUnreadable, match='not the folder of a run'):
        StoredRun.load(tmp_path)
    with pytest.raises(RunUnreadable, match='no such run'):
        StoredRun.load(tmp_path / 'nowhere')
