# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a program gives wrongly is refused where it is given, with what is allowed."""

from __future__ import annotations

import logging
from dataclasses import replace
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import pytest

from replan_agent import Agent, Config, ConfigError, Effect, Goal, PlanReply, Simulation
from replan_agent.app.build import plugins
from replan_agent.app.build.build_planner import build_check
from replan_agent.domain.config import PLANNERS
from replan_agent.domain.goal import Predicate
from replan_agent.domain.plan import Plan, PlanCause, ReplyKind, Step
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.execute.skills.standard import standard_skills


@pytest.fixture(scope='module')
def sim():
    with Simulation('tabletop', approver='none') as made:
        yield made


@pytest.mark.parametrize(('given', 'words'), [
    ({'planner': 'sutb'}, 'stub, vlm'), ({'perception': 'x'}, 'ground_truth, camera'),
    ({'approver': 'x'}, 'none, auto'), ({'max_replans': '2'}, 'whole number from 0 to 100'),
    ({'max_replans': -1}, '0 to 100'), ({'max_replans': True}, 'whole number'),
    ({'config': {'planner': 'stub'}}, 'must be a Config')])
def test_a_wrong_setting_is_found_when_the_agent_is_made(sim, given, words):
    with pytest.raises(ConfigError, match=words):
        Agent(sim.cell, **given)


def test_the_replans_that_a_program_asks_for_are_not_cut_by_another_limit(sim):
    config = Agent(sim.cell, max_replans=10).config.agent
    assert (config.max_replans, config.max_total_replans, config.human_after) == (10, 10, 12)


def test_a_plan_for_many_things_may_be_longer_than_the_steps_between_two_goals(sim):
    steps = [Step(number, 'look') for number in range(1, 41)]
    plan = Plan(1, 'a task', tuple(steps), (), PlanCause.INITIAL, None, 's', 'test')
    check = build_check(Config())
    assert not check(plan, sim.scene, standard_skills().specs())
    assert check(replace(plan, steps=tuple(replace(steps[0], step_number=n)
                                           for n in range(1, 202))), sim.scene,
                 standard_skills().specs())


def test_a_mapping_is_not_a_configuration():
    with pytest.raises(ConfigError, match='a Config or the path'):
        Simulation(config={'planner': 'stub'})


@pytest.mark.parametrize('task', [None, '', '  ', 5])
def test_a_task_is_a_text(sim, task):
    with pytest.raises(ConfigError, match='pick up the red cube'):
        sim.run(task)


@pytest.mark.parametrize('size', [(10_000, 10_000), (0, 5), (640, '480'), (640.0, 480)])
def test_a_picture_of_an_impossible_size_says_what_is_possible(sim, size):
    with pytest.raises(ValueError, match='1 to 4096 pixels'):
        sim.image(*size)


def test_two_agents_do_not_use_one_robot_at_the_same_time(sim):
    refused: list[str] = []
    other = Agent(sim.cell, approver='none')

    def start_another(event):
        if not refused:
            with pytest.raises(RuntimeError, match='a task is running on this robot') as error:
                other.run('pick up the red cube')
            refused.append(str(error.value))

    sim.run('pick up the red cube', on_event=start_another)
    assert len(refused) == 1
    assert other.run('pick up the red cube').final_reason  # one after the other is fine


def test_texts_stand_for_members_of_an_enum():
    assert Goal('in', 'a', 'b').predicate is Predicate.IN
    assert PlanReply('steps').kind is ReplyKind.STEPS
    assert Effect('take', object='object').kind is EffectKind.TAKE


@pytest.mark.parametrize(('make', 'words'), [
    (lambda: Goal('inn'), 'on, in, holding'), (lambda: PlanReply('step'), 'steps, done'),
    (lambda: PlanReply('failed', reason='odd'), 'object_not_found'),
    (lambda: Effect('grab'), 'take, put_on')])
def test_a_wrong_text_names_the_right_ones(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_plug_in_with_the_name_of_a_part_of_ours_is_not_used_and_says_so(monkeypatch, caplog):
    entry = EntryPoint('stub', 'mine:Planner', PLANNERS)
    monkeypatch.setattr(plugins, 'installed', lambda group: (entry,))
    with caplog.at_level(logging.WARNING):
        assert plugins.part_named(PLANNERS, 'stub', {'stub': Config}) is Config
    assert "planner 'stub' of mine:Planner is not used" in caplog.text


def test_a_close_that_fails_keeps_no_other_from_closing(monkeypatch):
    sim, closed = Simulation('tabletop'), []

    def fails():
        closed.append('cameras')
        raise OSError('the camera is gone')

    monkeypatch.setattr(sim, '_close_cameras', fails)
    for part in ('motion', 'cell'):
        closes = SimpleNamespace(close=lambda part=part: closed.append(part))
        monkeypatch.setattr(sim, part, closes)
    with pytest.raises(OSError, match='the camera is gone'):
        sim.close()
    assert closed == ['cameras', 'motion', 'cell']
