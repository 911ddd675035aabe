# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent plans`: what a person reads of the versions of a plan."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from replan_agent.app.cli.main import main
from replan_agent.domain.event import (
    PlanAdapted,
    PlanMade,
    ScenePerceived,
    StepFinished,
    StepStarted,
)
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Adaptation, Plan, PlanCause, Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import succeeded
from replan_agent.record.run_folder import RunFolder

HOLDING = (Goal(Predicate.HOLDING, 'red_cube'),)


def plan(version: int, *steps: Step, **more) -> Plan:
    parent = version - 1 or None
    cause = PlanCause.ERROR if parent else PlanCause.INITIAL
    return Plan(version, 'pick up the red cube', steps, HOLDING, cause, parent, 's', 'stub',
                **more)


@pytest.fixture
def run(tmp_path) -> str:
    folder = RunFolder(tmp_path / 'r')
    folder.record(PlanMade(plan(1, Step(1, 'pick', {'object': 'red_cube'})), 0.1))
    folder.record(PlanMade(plan(
        2, Step(1, 'push', {'object': 'red_cube'}), Step(2, 'pick', {'object': 'red_cube'}),
        reason='pick failed: unreachable — too far', context={'hints': ['push it']}), 0.1))
    folder.record(PlanMade(plan(3, Step(1, 'pick', {'object': 'blue_cube'})), 0.1))
    return str(tmp_path / 'r')


def test_every_version_is_shown_with_its_cause_reason_and_steps(run, capsys):
    assert main(['plans', run]) == 0
    shown = capsys.readouterr().out
    assert 'plan 1  (initial, by stub)' in shown
    assert 'plan 2  (error, by stub, after plan 1)' in shown
    assert 'reason: pick failed: unreachable — too far' in shown
    assert '2. pick(object=red_cube)' in shown and 'goals:  holding(red_cube)' in shown


def test_what_the_agent_changed_is_shown_inside_its_version_and_the_goals_stay(tmp_path, capsys):
    folder = RunFolder(tmp_path)
    firmer = Step(1, 'pick', {'object': 'red_cube', 'force': 60})
    first = plan(1, Step(1, 'pick', {'object': 'red_cube'}))
    folder.record(PlanMade(first, 0.1))
    adapted = replace(first, adaptations=(
        Adaptation(0, (firmer,), PlanCause.LOCAL, 'pick red_cube with 60 N'),))
    folder.record(PlanAdapted(adapted, (firmer,)))
    folder.record(PlanMade(plan(2, Step(1, 'pick', {'object': 'red_cube'})), 0.1))
    assert main(['plans', str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert 'step 1 adapted (local): pick(object=red_cube, force=60)  — pick' in shown
    assert main(['plans', str(tmp_path), '--diff', '1', '2']) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ['the same steps and goals']


def test_the_difference_shows_what_was_added(run, capsys):
    assert main(['plans', run, '--diff', '1', '2']) == 0
    assert capsys.readouterr().out.splitlines() == [
        'plan 1 → plan 2', '+ push(object=red_cube)']


def test_the_difference_shows_changed_arguments(run, capsys):
    assert main(['plans', run, '--diff', '1', '3']) == 0
    assert "~ pick: object: 'red_cube' → 'blue_cube'" in capsys.readouterr().out


def test_both_are_available_as_json(run, capsys):
    assert main(['plans', run, '--json']) == 0
    assert [p['version'] for p in json.loads(capsys.readouterr().out)] == [1, 2, 3]
    assert main(['plans', run, '--diff', '2', '1', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['steps_removed'][0]['skill'] == 'push'


@pytest.mark.parametrize(('arguments', 'says'), [
    (['plans', 'nowhere'], 'nowhere: there is no such run'),
    (['plans', 'RUN', '--diff', '1', '9'], 'no plan 9; versions: 1, 2, 3'),
])
def test_a_wrong_path_or_version_exits_with_2_and_is_named(run, arguments, says, capsys):
    assert main([run if word == 'RUN' else word for word in arguments]) == 2
    assert says in capsys.readouterr().err


def test_what_was_done_of_a_plan_is_not_shown_as_changed(tmp_path, capsys):
    folder = RunFolder(tmp_path)
    red, yellow = (Step(1, 'pick', {'object': name}) for name in ('red_cube', 'yellow_bar'))
    folder.record(ScenePerceived(Scene('s', 0.0, (), 'camera'), 0.1))
    folder.record(PlanMade(plan(1, red, Step(2, '__replan__', {})), 0.1))
    for local_state in ('1.1', ''):  # the first is the agent's own
        folder.record(StepStarted(0, 1, red, local_state=local_state))
        folder.record(StepFinished(0, 1, red, succeeded(), 0.1))
    folder.record(PlanMade(plan(2, yellow), 0.1))
    assert main(['plans', str(tmp_path), '--diff', '1', '2']) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        '= done: pick(object=red_cube)', '+ pick(object=yellow_bar)']
