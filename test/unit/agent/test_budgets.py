# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Budgets: each goal that is met renews them, and a task that gets nowhere still ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.agent.episode import Episode
from replan_agent.agent.looking import update_scene
from replan_agent.agent.state.budgets import REPLANS, STEPS
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import REPLAN_STEP, Reason, failed, succeeded
from replan_agent.domain.task_result import FinalReason
from replan_agent.domain.things import Quantity, Things
from replan_agent.english.dictionary import words
from replan_agent.geometry.judging import goals_met

from .fakes import FakePerception, FakePlanner, FakeSkills, Rig, cube, scene, steps

NAMES = [f'cube_{number}' for number in range(12)]
TABLE = SceneObject('table', Shape.TABLE, (3.0, 1.0, 0.1), Pose((0.5, 0.0, -0.05)), movable=False)
# Where each cube is to the side (y).
SIDE_M = {name: 0.06 * ((number + 6) % 12) - 0.36 for number, name in enumerate(NAMES)}
GOALS = [Goal(Predicate.AT, name, position=(1.0, SIDE_M[name])) for name in NAMES]


class Table(FakePerception):
    """Twelve cubes; the first `moved` are at x = 1 m."""

    def __init__(self) -> None:
        super().__init__()
        self.moved = 0

    def observe(self, ctx) -> Scene:
        if self.uses_model:
            ctx.spend_call('perception')
        self.calls += 1
        cubes = (cube(1.0 if number < self.moved else 0.5, name)
                 for number, name in enumerate(NAMES))
        return scene(TABLE, *(replace(o, pose=o.pose.moved(dy=SIDE_M[o.name])) for o in cubes),
                     n=self.calls)


class OneByOne:
    """Plans one cube at a time, then looks again."""

    name = 'fake'

    def __init__(self, table: Table, uses_model: bool = False) -> None:
        self.table, self.uses_model = table, uses_model

    def plan(self, request, ctx) -> PlanReply:
        if self.uses_model:
            ctx.spend_call('planning')
        name = NAMES[min(self.table.moved, 11)]
        last = [] if self.table.moved >= 11 else [Step(3, REPLAN_STEP)]
        return steps(Step(1, 'pick', {'object': name}),
                     Step(2, 'place_at', {'x': 1.0, 'y': SIDE_M[name]}), *last, goals=GOALS)


class Moves(FakeSkills):
    """Every placement succeeds, except that the cubes from `stuck_at` on stay where they are."""

    def __init__(self, table: Table, stuck_at: int = 12, slips: int = 0) -> None:
        super().__init__()
        self.table, self.stuck_at, self.slips = table, stuck_at, slips

    def execute(self, step, scene, ctx, on_phase):
        self.executed.append(step)
        if step.skill == 'pick':
            return succeeded()
        self.slips -= 1
        if self.slips >= 0 or self.table.moved >= self.stuck_at:
            return failed(Reason.TARGET_OCCUPIED, 'something is there')
        self.table.moved += 1
        return succeeded()


def rig(stuck_at: int = 12, uses_model: bool = False, **settings) -> Rig:
    table = Table()
    return Rig(OneByOne(table, uses_model), Moves(table, stuck_at), table,
               config=AgentConfig(**settings))


def test_a_task_of_twelve_things_ends_only_when_all_are_done():
    result = rig(uses_model=True, max_api_calls=5).run('bring the cubes to x = 1')
    assert result.success, result.final_detail
    assert (result.replans, result.total_replans, len(result.steps)) == (0, 11, 24)
    assert result.api_calls == 12


def test_the_last_thing_gets_no_more_tries_than_the_first():
    first, last = (rig(stuck_at=number).run() for number in (0, 11))
    assert first.final_reason is last.final_reason is FinalReason.REPLAN_EXHAUSTED
    assert first.replans == last.replans == AgentConfig().max_replans


@pytest.mark.parametrize(('settings', 'reason', 'said'), [
    ({'max_total_replans': 2, 'budget_ceiling': 2}, FinalReason.REPLAN_EXHAUSTED,
     'max_total_replans=2 times budget_ceiling=2 reached'),
    ({'max_steps': 4, 'budget_ceiling': 3}, FinalReason.MAX_STEPS,
     '12 steps were executed (max_steps=4 times budget_ceiling=3'),
])
def test_the_ceiling_says_that_it_ended_the_task(settings, reason, said):
    result = rig(**settings).run()
    assert result.final_reason is reason and said in result.final_detail


def test_model_calls_have_the_same_ceiling():
    result = rig(uses_model=True, max_api_calls=2, budget_ceiling=3).run()
    assert result.final_reason is FinalReason.BUDGET_EXHAUSTED and result.api_calls == 6
    assert 'max_api_calls=2 times budget_ceiling=3' in result.final_detail


def test_a_goal_that_is_undone_and_met_again_renews_nothing():
    away, there = scene(TABLE, cube(0.5, 'cube_0')), scene(TABLE, cube(1.0, 'cube_0'))
    agent = Rig(FakePlanner(), perception=FakePerception(there, away, there)).agent
    ep = Episode(agent, 'bring the cube to x = 1', Context(), 0.0)
    ep.goals.change(tuple(GOALS[:1]), True, away)
    since = []
    for _ in range(3):
        ep.budgets.spend(STEPS)
        update_scene(ep)
        since.append(ep.budgets.since(STEPS))
    assert since == [0, 1, 2]


def test_a_goal_about_several_things_counts_each_of_them():
    everything = Goal(Predicate.AT, position=(1.0, 0.0), things=Things(words=words('box')))
    seen = scene(TABLE, cube(1.0, 'a'), cube(0.5, 'b'), cube(1.0, 'c'))
    assert goals_met([everything], seen) == 2


def test_what_is_taken_away_from_a_thing_to_be_cleared_counts_too():
    clear, none = Goal(Predicate.CLEAR, 'bowl'), Goal(
        Predicate.IN, target='bowl', negated=True,
        things=Things(Quantity.AT_LEAST, 1, words('box')))
    bowl = SceneObject('bowl', Shape.BOWL, (0.3, 0.3, 0.1), Pose((0.5, 0.0, 0.05)))
    full = scene(TABLE, bowl, cube(0.5, 'a'), cube(0.55, 'b'))
    half = scene(TABLE, bowl, cube(0.5, 'a'), cube(1.0, 'b'))
    for goal in (clear, none):
        assert goals_met([goal], half) == goals_met([goal], full) + 1


def test_failed_plans_in_a_row_end_with_progress():
    seen = scene(TABLE, cube(1.0, 'cube_0'))
    ep = Episode(Rig(FakePlanner(), perception=FakePerception(seen)).agent, '', Context(), 0.0)
    ep.goals.change(tuple(GOALS[:1]), True, scene(TABLE, cube(0.5, 'cube_0')))
    ep.budgets.failed_in_row = 4
    ep.budgets.spend(REPLANS)
    update_scene(ep)
    assert ep.budgets.failed_in_row == 0
    assert ep.budgets.left(REPLANS) == AgentConfig().max_replans


def test_more_replans_are_not_cut_by_the_total():
    config = AgentConfig().allowing_replans(10)
    assert (config.max_replans, config.max_total_replans) == (10, 10)
    assert AgentConfig().allowing_replans(1).max_total_replans == 5
