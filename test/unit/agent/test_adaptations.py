# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Changed steps: when they are tried, and what they are in the record of the plan."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.config import AgentConfig
from replan_agent.domain.event import GuidanceGiven, WarningRaised
from replan_agent.domain.local_planning import Decision, LocalOption
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, failed, succeeded
from replan_agent.replan.monitor.rule_monitor import RuleMonitor
from replan_agent.replan.reflect.reflection import RuleReflector

from .fakes import HOLDING, FakePerception, FakePlanner, FakeSkills, Rig, cube, scene, step, steps
from .test_loop_edges import Options, push

SLIP = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
              closed_width=0.04, gripper_width=0.0)
LOST = failed(Reason.GRASP_SLIPPED, 'it slipped on the way', FailedStage.EXECUTION,
              gripper_width=0.0)
BLOCKED = failed(Reason.IN_COLLISION, 'none of 40 grasps is free', FailedStage.PLANNING)
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.5, -0.35, 0.03)))
HELD = scene(replace(cube(), pose=Pose((0.3, 0.0, 0.5))), BOWL, held='red_cube')
EMPTY = scene(cube(0.3), BOWL)
INTO = step('place_in', 2, target='bowl')


def rig(planner: FakePlanner, *results, looks=(), **agent) -> Rig:
    return Rig(planner, FakeSkills(*results), FakePerception(*(looks or (scene(),))),
               config=AgentConfig(**agent), ports={'reflector': RuleReflector()})


def forces(made: Rig) -> list[object]:
    return [s.args.get('force') for s in made.skills.executed if s.skill == 'pick']


# When they are tried.

@pytest.mark.parametrize('first', [[], [step('look')], [step('home'), step('look', 2)]],
                         ids=['at once', 'after a look', 'after home and a look'])
def test_a_plan_that_repeats_a_slipped_pick_is_firmer_whatever_looks_come_first(first):
    again = steps(*first, step('pick', len(first) + 1))
    made = rig(FakePlanner(steps(step()), again), SLIP, *[succeeded()] * 3, max_step_retries=0)
    made.run()
    assert forces(made) == [None, 60]


def test_a_pick_after_something_else_was_done_is_as_planned():
    again = steps(step('push', 1, object='blue_cube', direction='left'), step('pick', 2))
    made = rig(FakePlanner(steps(step()), again), SLIP, succeeded(), succeeded(),
               looks=(scene(cube(), cube(0.4, 'blue_cube')),), max_step_retries=0)
    made.run()
    assert forces(made) == [None, None]


def test_after_a_slip_on_the_way_the_hand_is_not_opened_again_and_each_pick_is_firmer():
    plan = FakePlanner(steps(step(), INTO))
    made = rig(plan, succeeded(), LOST, succeeded(), LOST, succeeded(), LOST,
               looks=(EMPTY, HELD, EMPTY, HELD, EMPTY, HELD, EMPTY), max_replans=2)
    made.run()
    assert [s.skill for s in made.skills.executed] == ['pick', 'place_in'] * 3
    assert forces(made) == [None, 60, 70]


def test_another_object_is_not_held_firmer_because_one_slipped():
    both = scene(cube(0.3), cube(0.4, 'blue_cube'), BOWL)
    held = replace(HELD, objects=(*HELD.objects, cube(0.4, 'blue_cube')))
    other = steps(step('pick', 1, object='blue_cube'))
    made = rig(FakePlanner(steps(step(), INTO), other), succeeded(), LOST, succeeded(),
               looks=(both, held, both), max_replans=1)
    made.run()
    assert forces(made) == [None, None]


def test_a_change_is_tried_although_a_later_step_is_about_what_is_not_seen_any_more():
    both = scene(cube(0.3), cube(0.4, 'blue_cube'))
    made = rig(FakePlanner(steps(step(), step('pick', 2, object='blue_cube'))), SLIP, succeeded(),
               looks=(both, scene(cube(0.3))))
    made.check = lambda plan, now, skills: [
        'not seen' for s in plan.steps if now.get(s.args.get('object', 'red_cube')) is None]
    made.run()
    assert forces(made)[:2] == [None, 60]


# What they are in the record.

def test_a_plan_of_the_planner_is_a_version_and_a_changed_step_belongs_to_it():
    made = rig(FakePlanner(steps(step('look'), step('pick', 2), goals=[HOLDING])),
               succeeded(), SLIP, SLIP, SLIP, succeeded(), SLIP, SLIP, SLIP, max_replans=1)
    result = made.run()
    assert [plan.version for plan in result.plans] == [1, 2] == [1, 1 + result.replans]
    assert [plan.goals for plan in result.plans] == [(HOLDING,)] * 2
    assert [[(own.step_idx, own.steps[0].args['force']) for own in plan.adaptations]
            for plan in result.plans] == [[(1, 60), (1, 70)], [(1, 70), (1, 70)]]


def test_local_actions_belong_to_the_plan_and_the_step_that_they_are_for():
    made = Rig(FakePlanner(steps(step('look'), step('pick', 2), goals=[HOLDING])),
               FakeSkills(succeeded(), BLOCKED, succeeded()),
               FakePerception(scene(), scene(), scene(), scene(held='red_cube')),
               ports={'local_planner': Options(Decision.SUCCESS, push(0.1))})
    result = made.run()
    assert result.success
    [plan] = result.plans
    assert [(own.step_idx, own.steps) for own in plan.adaptations] == [(1, push(0.1).steps)]
    assert [(s.plan_version, s.step_idx, s.local_state) for s in result.steps] == [
        (1, 0, ''), (1, 1, ''), (1, 1, '1.1'), (1, 1, '')]


def test_a_local_action_that_moves_something_else_is_said_as_a_warning():
    other = LocalOption('push it', 'push', (step('push', object='blue_cube', direction='left'),),
                        None, why='blue_cube is in the way')
    both = scene(cube(), cube(0.4, 'blue_cube'))
    made = Rig(FakePlanner(steps(step('pick'), goals=[HOLDING])),
               FakeSkills(BLOCKED, succeeded()), FakePerception(both),
               config=AgentConfig(max_replans=0),
               ports={'local_planner': Options(Decision.SUCCESS, other, push(0.1))})
    made.run()
    said = [e.message for e in made.recorder.events if isinstance(e, WarningRaised)]
    assert len(said) == 1 and other.why in said[0]


def test_a_failed_step_is_named_by_its_index_in_its_own_plan():
    planner = FakePlanner(steps(step('look'), step('pick', 2)))
    made = rig(planner, *[succeeded(), SLIP] * 3, max_step_retries=0, max_replans=2)
    result = made.run()
    assert [a.step_idx for a in result.attempts] == [1, 1, 1]
    assert [r.context['failed_at_step'] for r in planner.requests[1:]] == [1, 1]


# The monitor says it.

def test_a_step_that_is_done_again_is_said_even_if_the_planner_insists():
    there = scene(replace(cube(), pose=Pose((0.5, -0.35, 0.03))), BOWL)
    again = steps(step(), INTO)
    made = Rig(FakePlanner(steps(step(), INTO, step('__replan__', 3)), again, again),
               FakeSkills(succeeded()), FakePerception(EMPTY, HELD, there),
               ports={'monitor': RuleMonitor()})
    made.run()
    said = [e.guidance for e in made.recorder.events if isinstance(e, GuidanceGiven)]
    assert len(said) == 2 and 'continues anyway' in said[1]
    assert [s.skill for s in made.skills.executed] == ['pick', 'place_in'] * 2
