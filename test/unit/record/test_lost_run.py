# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run whose process died gets the result that it could not write."""

from __future__ import annotations

import json

from replan_agent.domain import event as events
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import SkillResult
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.lost_run import close_lost_runs
from replan_agent.record.run_folder import RunFolder
from replan_agent.record.stored_run import StoredRun

LOOK = Step(1, 'look', {}, 'Look', '')
PICK = Step(2, 'pick', {'object': 'red_cube'}, 'Pick', 'held')
PLAN = Plan(1, 'take it', (LOOK, PICK), (Goal(Predicate.HOLDING, 'red_cube'),),
            PlanCause.INITIAL, None, 's1', 'search')
AGENT = '/left/agent_node'


def die(path, agent=AGENT, at=99):
    """Write the first events of a run, as a process does that is killed then."""
    folder = RunFolder(path)
    for event in (events.TaskStarted('take it', 'search', 'camera', {},
                                     {'agent': agent, 'task_id': '0a'}),
                  events.ScenePerceived(Scene('s1', 0.0, (), 'camera'), 0.1),
                  events.PlanMade(PLAN, 0.1), events.GoalsSet(PLAN.goals, True),
                  events.ApprovalDecided(1, True, 'anna', 'fine', 0.2, 0.5, ('new',)),
                  events.StepStarted(0, 1, LOOK),
                  events.StepFinished(0, 1, LOOK, SkillResult(True), 1.5),
                  events.StepStarted(1, 1, PICK))[:at]:
        folder.record(event)


def no_problem(sentence):
    raise AssertionError(sentence)


def test_the_result_says_that_the_agent_is_lost_and_how_far_it_got(tmp_path):
    die(tmp_path / 'run')
    (run,) = close_lost_runs(tmp_path, AGENT, no_problem)
    written = json.loads((tmp_path / 'run' / 'result.json').read_text())
    assert written['final_reason'] == FinalReason.AGENT_LOST.value and not written['success']
    assert 'step 1 (pick(object=red_cube)) was running' in written['final_detail']
    assert [step['skill'] for step in written['steps']] == ['look']
    assert written['approvals'][0]['approver'] == 'anna' and written['goals_named_by'] == 'task'
    assert (run.task_id, written['task_id'], written['perception']) == ('0a', '0a', 'camera')


def test_what_was_done_can_be_continued(tmp_path):
    die(tmp_path / 'run')
    close_lost_runs(tmp_path, AGENT, no_problem)
    resume = StoredRun.load(tmp_path / 'run').resume()
    assert [done.step.skill for done in resume.completed] == ['look']
    assert resume.plans == (PLAN,) and resume.goals == PLAN.goals


def test_a_run_is_lost_only_once(tmp_path):
    die(tmp_path / 'run')
    assert close_lost_runs(tmp_path, AGENT, no_problem)
    assert not close_lost_runs(tmp_path, AGENT, no_problem)


def test_runs_of_others_and_runs_that_go_on_are_left_alone(tmp_path):
    die(tmp_path / 'other', agent='/right/agent_node')
    alive = RunFolder(tmp_path / 'alive')
    alive.record(events.TaskStarted('take it', 'search', 'camera', {}, {'agent': AGENT}))
    assert not close_lost_runs(tmp_path, AGENT, no_problem)
    assert not list(tmp_path.glob('*/result.json'))


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_closed(tmp_path):
    for name in ('a', 'b', 'c'):
        die(tmp_path / name)
    file = tmp_path / 'b' / 'events.jsonl'
    lines = file.read_text().splitlines()
    file.write_text('\n'.join([lines[0], '{"event": "plan_made"}', *lines[1:]]) + '\n')
    problems = []
    runs = close_lost_runs(tmp_path, AGENT, problems.append)
    assert [run.folder.name for run in runs] == ['a', 'c']
    assert len(problems) == 1 and str(tmp_path / 'b') in problems[0]


def test_without_a_folder_of_runs_nothing_is_lost(tmp_path):
    assert not close_lost_runs(tmp_path / 'nothing', AGENT, no_problem)
