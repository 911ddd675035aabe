# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The blocked steps: every decision has a scene of its own, and a seed decides the scene."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict

import pytest
from replan_agent_bench.running.kept import read
from replan_agent_bench.suites.blocked_suite import (
    BLOCKED,
    ROWS,
    BlockedOutcome,
    blocked_numbers,
    flaws,
)
from replan_agent_bench.worlds.blocked.direct_planner import direct_planner

from replan_agent.arms.franka import PANDA
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.local_planning import Decision, LocalNode, LocalOption, LocalRecord
from replan_agent.domain.plan import PlanRequest, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.robot.mujoco.scene.placement import place

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0, -0.02)), movable=False)


def cube(name: str, x: float, y: float, z: float = 0.02) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)))


def scene(*things: SceneObject) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0, 0.5)), 0.08, at_home=True)
    return Scene('s1', 1.0, (TABLE, *things), 'fake', arm, hand=PANDA.hand)


@pytest.mark.parametrize('row', ROWS, ids=lambda row: row.name)
def test_a_seed_decides_the_scene_and_its_things_can_be_placed(row):
    assert row.case(3) == row.case(3) and row.case(3).objects != row.case(4).objects
    assert len(place(row.scene(row.case(3)), 3)) == len(row.case(3).objects)


def test_each_decision_is_the_right_one_in_three_kinds_of_scenes():
    counts = Counter(row.case(0).decides for row in ROWS)
    assert all(counts[decision] >= 3 for decision in (*Decision,)), counts


def test_searches_without_options_and_decisions_are_in_the_table():
    def outcome(*nodes: LocalNode) -> BlockedOutcome:
        record = LocalRecord(0, Step(1, 'pick'), '', nodes, bool(nodes), '')
        return BlockedOutcome('four', 1, True, '', True, 'plan_complete', '', local=(record,))

    option = LocalOption('clear blue', 'clear_obstacle')
    kept = LocalNode('0.1', option, 5.0, 6.0, True, Decision.RETAIN)
    numbers = blocked_numbers([outcome(), outcome(kept, kept)])
    assert numbers.empty == 1 and numbers.decisions == {Decision.RETAIN: 2}
    assert json.loads(json.dumps(asdict(numbers)))['decisions'] == {'RETAIN': 2}  # for --json
    headings = [cell.heading for cell in BLOCKED.cells]
    assert {'none', 'S', 'C', 'Rt', 'E', 'Rv', 'fell', 'false'} <= set(headings)


def test_a_thing_that_fell_is_a_flaw_even_of_a_success():
    outcome = BlockedOutcome('four', 1, True, '', True, 'plan_complete', '', fallen=('blue',))
    assert flaws(outcome) == ['fell: blue']


def test_the_direct_plan_moves_nothing_out_of_the_way():
    goals = (Goal(Predicate.AT, 'red', position=(0.5, 0.2)), Goal(Predicate.HOLDING, 'blue'))
    seen = scene(cube('red', 0.5, 0.0), cube('blue', 0.5, 0.0, 0.06))
    plan = direct_planner(goals)(PlanRequest('', seen, standard_skills().specs()), Context())
    assert [(s.skill, s.args.get('object')) for s in plan] == [
        ('pick', 'red'), ('place_at', None), ('pick', 'blue')]


def test_a_kept_outcome_is_read_as_it_was(tmp_path):
    steps = (Step(1, 'push', {'object': 'a'}),)
    option = LocalOption('push a left by 0.06 m', 'push', steps, None)
    node = LocalNode('1.1', option, 2.0, 5.0, True, Decision.RETAIN, exploration_options=('b',))
    record = LocalRecord(0, Step(1, 'pick'), '', (node,), True, '')
    outcome = BlockedOutcome('row', 0, True, '', True, 'plan_complete', '', local=(record,))
    file = tmp_path / 'kept'
    file.write_text(json.dumps(asdict(outcome)) + '\n', 'utf-8')
    assert read(BLOCKED, file) == [outcome]
