# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What somebody does to the scene or the gripper while the arm works, on real physics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np
import pytest
from replan_agent_bench.worlds.nudge import WorldPush

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.arms.franka import PANDA
from replan_agent.domain import event as events
from replan_agent.domain.failure import Kind, Severity
from replan_agent.domain.scene import Shape
from replan_agent.domain.task_result import FinalReason, TaskResult
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec
from replan_agent.robot.mujoco.world import World

STIFF = 1e6  # damping of a jammed finger, N·s/m
GREASY = 0.004  # friction
OFF_THE_TABLE = (3.0, 3.0, 0.1)


def cube(name: str, x: float, y: float, side: float = 0.04, z: float | None = None) -> ObjectSpec:
    return ObjectSpec(name, Shape.BOX, (side,) * 3, Colour.named(name.split('_')[0]), (x, y, z))


RED = cube('red_cube', 0.5, 0.1)
BLUE = cube('blue_cube', 0.5, 0.25)
BOWL = ObjectSpec('bowl', Shape.BOWL, (0.18, 0.18, 0.055), Colour.named('white'),
                  (0.5, -0.28, None), mass=0.6)
INTO_THE_BOWL = 'put the red cube in the bowl'


@dataclass
class Bench(MemoryRecorder):
    """A simulation in which something happens once, when a skill begins a phase."""

    sim: Simulation
    skill: str = ''
    phase: str = ''
    then: Callable[[Simulation], None] = lambda sim: None
    done: bool = False
    events: list[events.Event] = field(default_factory=list)

    def record(self, event: events.Event) -> None:
        self.events.append(event)
        if (isinstance(event, events.PhaseStarted) and not self.done
                and (event.skill, event.phase) == (self.skill, self.phase)):
            self.done = True
            self.then(self.sim)


def run(task: str, *objects: ObjectSpec, during: tuple[str, str] = ('', ''),
        then: Callable[[Simulation], None] = lambda sim: None, push: WorldPush | None = None,
        ) -> TaskResult:
    config = load_config()
    sim = Simulation(SceneSpec('test', objects=objects), config=replace(config, planner='stub'))
    if push:
        push.begin(sim.world)
    return sim.agent(Bench(sim, *during, then)).run(task)


def put(name: str, x: float, y: float, z: float) -> Callable[[Simulation], None]:
    def act(sim: Simulation) -> None:
        joint = sim.world.data.joint(name)
        joint.qpos[:] = (x, y, z, 1, 0, 0, 0)
        joint.qvel[:] = 0
        mujoco.mj_forward(sim.world.model, sim.world.data)
    return act


def jam(sim: Simulation) -> None:
    model = sim.world.model
    for finger in (1, 2):
        joint = model.joint(sim.world.arm.frame(f'finger_joint{finger}'))
        model.dof_damping[int(joint.dofadr[0])] = STIFF


def grease(sim: Simulation) -> None:
    """The red cube slips out of any ordinary grip."""
    sim.world.model.geom('red_cube').friction[0] = GREASY


def causes(result: TaskResult) -> list[str]:
    return [a.diagnosis.cause.value for a in result.attempts if a.diagnosis and a.diagnosis.cause]


def picks(result: TaskResult) -> list[dict]:
    return [dict(s.step.args) for s in result.steps if s.step.skill == 'pick']


def test_a_bowl_that_is_moved_during_the_carry_is_found_where_it_is():
    result = run(INTO_THE_BOWL, RED, BOWL, during=('place_on', 'approach'),
                 then=put('bowl', 0.35, -0.45, 0.03))
    assert result.success and causes(result) == ['target_moved']
    assert result.attempts[0].evidence['changes']['moved']['bowl'] == pytest.approx(0.227, abs=.01)


def test_a_bowl_that_is_nudged_under_the_hand_is_approached_again_without_a_new_plan():
    result = run(INTO_THE_BOWL, RED, BOWL, during=('place_on', 'approach'),
                 then=put('bowl', 0.5, -0.37, 0.03))
    assert result.success and causes(result) == ['target_moved'] and result.replans == 0


def test_a_neighbour_that_is_pushed_beside_the_object_is_seen_and_the_pick_is_not_turned():
    result = run('pick up the red cube', RED, BLUE,
                 push=WorldPush('blue_cube', -math.pi / 2, 0.10, at_s=0.3))
    assert result.success and causes(result) == ['neighbour_arrived']
    assert picks(result) == [{'object': 'red_cube'}] * 2


def test_a_cube_that_is_put_beside_the_object_is_seen():
    result = run('pick up the red cube', RED, cube('blue_cube', 0.5, 0.8),
                 during=('pick', 'approach'), then=put('blue_cube', 0.5, 0.145, 0.0205))
    assert result.success and causes(result) == ['neighbour_arrived']
    diagnosis = result.attempts[0].diagnosis
    assert diagnosis and 'blue_cube' in diagnosis.remedy


@pytest.mark.parametrize('during', [('pick', 'descend'), ('place_on', 'approach')])
def test_what_is_taken_away_did_not_slip(during):
    result = run(INTO_THE_BOWL, RED, BOWL, during=during, then=put('red_cube', *OFF_THE_TABLE))
    assert not result.success and causes(result)[0] == 'taken_away'
    assert 'hand_empty' not in causes(result)


def test_a_bowl_that_a_big_cube_covers_is_told_as_that_and_nothing_is_dropped_on_it():
    result = run(INTO_THE_BOWL, RED, BOWL, cube('blue_cube', 0.5, -0.28, 0.11, 0.12))
    assert not result.success and causes(result) == ['target_occupied'] and not result.steps
    assert 'blue_cube covers bowl, and blue_cube is 110 mm across' in result.final_detail
    assert result.would_help == 'blue_cube somewhere else'


@pytest.mark.parametrize('phase', ['open', 'grasp'])
def test_a_jammed_gripper_is_tried_again_once_and_then_a_person_is_asked(phase):
    result = run('pick up the red cube', RED, during=('pick', phase), then=jam)
    assert result.final_reason is FinalReason.HUMAN_REQUIRED, result.final_detail
    assert len(result.steps) == 2 and causes(result)[-1] == 'gripper_broken'
    assert 'slipped_in_lift' not in causes(result)
    first, again = (attempt.diagnosis for attempt in result.attempts)
    assert first.kind is Kind.TRANSIENT  # the second try met the same fault
    assert (again.kind, again.severity) == (Kind.STRUCTURAL, Severity.CRITICAL)


def test_after_a_slip_on_the_way_the_next_pick_is_firmer_and_slower():
    result = run(INTO_THE_BOWL, RED, BOWL, during=('place_on', 'approach'), then=grease)
    assert causes(result)[0] == 'slipped_in_carry' and 'hand_empty' not in causes(result)
    assert picks(result)[1] == {'object': 'red_cube', 'force': 60, 'speed': 0.5}


def test_what_falls_out_of_the_hand_is_picked_again_and_put_where_it_belongs():
    result = run(INTO_THE_BOWL, RED, BOWL, during=('place_on', 'approach'),
                 then=put('red_cube', 0.5, 0.1, 0.0205))
    assert result.success and causes(result) == ['slipped_in_carry'] and result.replans == 1
    assert [s.step.skill for s in result.steps] == ['pick', 'place_on'] * 2
    assert [len(plan.adaptations) for plan in result.plans] == [0, 1]


def test_a_push_says_how_far_the_object_moved_until_it_came_to_rest():
    world = World(SceneSpec('test', objects=(RED,)), PANDA)

    def position():
        return np.array(next(o.position for o in world.true_objects() if o.name == 'red_cube'))

    before = position()
    pushed = WorldPush('red_cube', direction=2.0, at_s=0.1).begin(world)
    world.step(round(2.0 / world.timestep))
    moved = np.linalg.norm((position() - before)[:2])
    assert moved > 0.05 and abs(pushed.moved_m - moved) < 0.001
