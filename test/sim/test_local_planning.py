# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Local planning on real physics: what blocks a step is moved out of the way, or put back."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from replan_agent_bench.outcome import Job
from replan_agent_bench.suites.blocked_suite import run_blocked

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.domain.approval_request import Approval
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.local_planning import Decision, LocalNode
from replan_agent.domain.plan import PlanCause, Step
from replan_agent.domain.scene import Shape
from replan_agent.domain.task_result import FinalReason
from replan_agent.geometry.judging import is_inside
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

PICK = 'pick up the red cube'
TIGHT_M = 0.012  # between two cubes: too little for a finger
SPARE_M = 0.035
SIDES = {'blue': 0, 'green': 1, 'yellow': 2, 'purple': 3}


def cube(colour: str, x: float, y: float, z: float | None = None, yaw: float = 0.0) -> ObjectSpec:
    return ObjectSpec(f'{colour}_cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named(colour),
                      (x, y, z), (0, 0, yaw))


def boxed(*gaps: float, yaw: float = 0.3) -> tuple[ObjectSpec, ...]:
    """A red cube and a neighbour at each side, in the order of SIDES."""
    around = []
    for (colour, k), gap in zip(SIDES.items(), gaps):
        angle = yaw + k * math.pi / 2
        around.append(cube(colour, 0.5 + (0.04 + gap) * math.cos(angle),
                           (0.04 + gap) * math.sin(angle), yaw=yaw))
    return (cube('red', 0.5, 0.0, yaw=yaw), *around)


def sim_of(*objects: ObjectSpec, planner=None, **agent) -> Simulation:
    config = load_config()
    config = replace(config, agent=replace(config.agent, **agent))
    return Simulation(SceneSpec('test', objects=objects), config=config, planner=planner)


def truth(sim: Simulation, name: str):
    return next(o for o in sim.world.true_objects() if o.name == name)


class Asked:
    """Approves until `deny_from`, and notes what it was asked; `then` runs at each question."""

    def __init__(self, deny_from: int = 99, then=lambda count: None) -> None:
        self.plans: list = []
        self.deny_from = deny_from
        self.then = then

    def approve(self, request, ctx) -> Approval:
        self.plans.append(request.plan)
        self.then(len(self.plans))
        return Approval(len(self.plans) < self.deny_from, 'test', 'no')

    def report_outcome(self, success: bool) -> None:
        pass


def test_a_boxed_in_cube_is_picked_after_one_neighbour_is_cleared_and_without_a_replan():
    sim = sim_of(*boxed(TIGHT_M, TIGHT_M, SPARE_M, TIGHT_M))
    result = sim.agent(MemoryRecorder()).run(PICK)
    assert result.success and result.replans == 0, result.final_detail
    (planning,) = result.local
    assert planning.solved and [n.option.name for n in planning.nodes] == ['clear blue_cube']
    assert truth(sim, 'red_cube').bottom_z > 0.08
    assert truth(sim, 'blue_cube').bottom_z == pytest.approx(0.0, abs=0.003)


class WantsItSlower(Asked):
    """Wants the first local action to be slower."""

    def approve(self, request, ctx) -> Approval:
        answer = super().approve(request, ctx)
        local = [plan for plan in self.plans if plan.cause is PlanCause.LOCAL]
        return Approval(False, 'test', edit='slower') if local == [request.plan] else answer


def test_a_local_action_that_is_wanted_slower_still_clears_the_way_and_the_rest_is_slower_too():
    sim = sim_of(*boxed(TIGHT_M, TIGHT_M, SPARE_M, TIGHT_M))
    agent = sim.agent(MemoryRecorder())
    agent.approver = WantsItSlower()
    result = agent.run(PICK)
    assert result.success and result.total_replans == 0, result.final_detail
    (planning,) = result.local
    assert planning.solved and len(result.plans) == 1
    assert {r.step.args['speed'] for r in result.steps[1:] if 'speed' in r.step.args} == {0.5}
    assert truth(sim, 'red_cube').bottom_z > 0.08


def test_the_second_of_two_clearings_succeeds_after_the_first_is_retained():
    sim = sim_of(*boxed(*[TIGHT_M] * 4))
    asked = Asked()
    agent = sim.agent(MemoryRecorder())
    agent.approver = asked
    result = agent.run(PICK)
    assert result.success and result.replans == 0, result.final_detail
    (planning,) = result.as_dict()['local_planning']
    assert [n['number'] for n in planning['nodes']] == ['0.1', '0.2']
    assert [n['decision'] for n in planning['nodes']] == ['RETAIN', 'SUCCESS']
    first, second = planning['nodes']
    assert 0 < first['goal_score_before'] < first['goal_score_after'] < 10
    assert second['goal_score_after'] == 10 and second['progress'] > 0
    states = [s['local_state'] for s in result.as_dict()['steps']]
    assert states == ['', '0.1', '0.1', '0.2', '0.2', '']
    initial, local = PlanCause.INITIAL, PlanCause.LOCAL
    assert [p.cause for p in asked.plans] == [initial, local, local, initial]  # and the retry


def test_an_occupied_target_is_cleared_first():
    steps = [Step(1, 'pick', {'object': 'red_cube'}), Step(2, 'place_at', {'x': 0.5, 'y': 0.15})]
    sim = sim_of(cube('red', 0.45, -0.2), cube('blue', 0.5, 0.15),
                 planner=lambda request, ctx: steps)
    result = sim.agent(MemoryRecorder()).run('place the red cube at (0.5, 0.15)')
    assert result.success and result.replans == 0, result.final_detail
    assert result.local[0].solved and len(result.local[0].nodes) == 1
    assert truth(sim, 'red_cube').position[:2] == pytest.approx((0.5, 0.15), abs=0.02)


def test_what_stands_on_the_target_is_taken_off_one_by_one():
    red, blue, green = cube('red', 0.5, 0.0), cube('blue', 0.5, 0.0, 0.061), cube(
        'green', 0.5, 0.0, 0.102)
    sim = sim_of(red, blue, green,
                 planner=lambda request, ctx: [Step(1, 'pick', {'object': 'red_cube'})])
    result = sim.agent(MemoryRecorder()).run(PICK)
    assert result.success and result.replans == 0, result.final_detail
    assert [(n.option.name, n.decision) for n in result.local[0].nodes] == [
        ('clear green_cube', Decision.RETAIN), ('clear blue_cube', Decision.SUCCESS)]
    assert truth(sim, 'red_cube').bottom_z > 0.08
    for name in ('blue_cube', 'green_cube'):
        assert truth(sim, name).bottom_z == pytest.approx(0.0, abs=0.003)


def test_a_stack_is_built_after_its_base_is_cleared():
    sim = sim_of(cube('red', 0.45, -0.2), cube('blue', 0.5, 0.15),
                 cube('green', 0.5, 0.15, 0.061))
    result = sim.agent(MemoryRecorder()).run('stack the red cube on the blue cube')
    assert result.success and result.replans == 0, result.final_detail
    red, blue = truth(sim, 'red_cube'), truth(sim, 'blue_cube')
    assert red.bottom_z == pytest.approx(0.04, abs=0.004)
    assert math.dist(red.position[:2], blue.position[:2]) < 0.015
    assert truth(sim, 'green_cube').bottom_z == pytest.approx(0.0, abs=0.003)


def test_a_bar_across_and_out_of_reach_is_pulled_closer_and_picked():
    bar = ObjectSpec('red_bar', Shape.BOX, (0.03, 0.11, 0.03), Colour.named('red'),
                     (0.82, 0.0, None), (0, 0, 0.05))
    sim = sim_of(bar)
    result = sim.agent(MemoryRecorder()).run('pick up the red bar')
    assert result.success and result.replans == 0, result.final_detail
    assert result.local[0].nodes[-1].option.kind == 'pull_closer'
    assert result.local[0].nodes[-1].option.undo is None
    assert truth(sim, 'red_bar').bottom_z > 0.08


class AlwaysReverts:
    """The real planner's options, each judged a dead end."""

    def __init__(self, planner) -> None:
        self.planner = planner

    def begin(self, *args):
        self.search = self.planner.begin(*args)
        self.goal, self.score = self.search.goal, self.search.score
        self.left = [True]
        return self

    def next_option(self, scene, ctx):
        return self.search.next_option(scene, ctx) if self.left and self.left.pop() else None

    def judge(self, number, option, before, after, succeeded, ctx) -> LocalNode:
        self.between = after
        return LocalNode(number, option, 5.0, 5.0, succeeded, Decision.REVERT)


def test_a_revert_puts_the_cleared_neighbour_back_to_within_2_cm():
    objects = boxed(*[TIGHT_M] * 4)
    sim = sim_of(*objects, max_replans=0)
    agent = sim.agent(MemoryRecorder())
    agent.local_planner = reverting = AlwaysReverts(agent.local_planner)
    where = {o.name: o.position for o in sim.world.true_objects()}
    result = agent.run(PICK)
    (node,) = result.local[0].nodes
    assert node.reverted and not result.local[0].solved
    assert (node.number, node.reverted_to) == ('0.1', '0.2')  # a state of its own
    assert [r.local_state for r in result.steps] == ['', '0.1', '0.1', '0.2', '0.2']
    name = node.option.steps[0].args['object']
    away = math.dist(reverting.between.get(name).position, where[name])
    assert away > 0.08, 'it was really moved before'
    for thing in sim.world.true_objects():
        assert math.dist(thing.position, where[thing.name]) < 0.02, thing.name


def test_a_local_plan_that_is_denied_ends_the_task_with_nothing_moved():
    sim = sim_of(*boxed(*[TIGHT_M] * 4))
    agent = sim.agent(MemoryRecorder())
    agent.approver = Asked(deny_from=2)
    result = agent.run(PICK)
    assert result.final_reason is FinalReason.APPROVAL_DENIED
    assert sim.world.time == 0.0
    (planning,) = result.local
    assert not planning.solved


def test_a_cancel_during_local_planning_ends_the_task_at_standstill():
    sim, token = sim_of(*boxed(*[TIGHT_M] * 4)), CancelToken()
    agent = sim.agent(MemoryRecorder())
    agent.approver = Asked(then=lambda count: sim.world.on_step(token.cancel, 0.5)
                           if count == 2 else None)
    result = agent.run(PICK, Context(token))
    assert result.final_reason is FinalReason.CANCELLED
    assert abs(sim.robot.state().velocities).max() < 0.01
    assert 0 < sim.world.time < 3.0


def test_local_planning_stops_at_its_iterations_and_a_replan_goes_on_from_there():
    sim = sim_of(*boxed(*[TIGHT_M] * 4), local_max_iterations=1)
    result = sim.agent(MemoryRecorder()).run(PICK)
    assert result.success and result.replans >= 1
    assert not result.local[0].solved and 'local_max_iterations=1' in result.local[0].detail


def test_local_steps_count_against_the_steps_of_the_task():
    sim = sim_of(*boxed(*[TIGHT_M] * 4), max_steps=3)
    result = sim.agent(MemoryRecorder()).run(PICK)
    assert result.final_reason is FinalReason.MAX_STEPS and len(result.steps) == 3


def test_switched_off_it_is_the_planner_that_is_asked():
    sim = sim_of(*boxed(*[TIGHT_M] * 4), local_planning=False, max_replans=1)
    result = sim.agent(MemoryRecorder()).run(PICK)
    assert not result.success and not result.local and result.replans == 1


@pytest.mark.parametrize(('shape', 'size', 'at', 'rpy'), [
    (Shape.BOX, (0.032, 0.122, 0.034), (0.577, -0.113), (0, 0, math.pi / 2)),
    (Shape.CYLINDER, (0.03, 0.03, 0.12), (0.577, -0.113), (0, math.pi / 2, 0.15)),
    (Shape.BOX, (0.092, 0.032, 0.030), (0.478, -0.149), (0, 0, -0.17))],
    ids=['bar', 'rod', 'so close that the hand leans'])
def test_what_lies_beside_a_bin_so_that_the_hand_would_touch_that_is_slid_away_first(
        shape, size, at, rpy):
    bar = ObjectSpec('orange_bar', shape, size, Colour.named('orange'), (*at, None), rpy, mass=0.1)
    bin_ = ObjectSpec('bin', Shape.BIN, (0.30, 0.24, 0.10), Colour.named('grey'),
                      (0.47, -0.30, None), mass=0.8)
    sim = sim_of(bar, bin_)
    result = sim.agent(MemoryRecorder()).run('put the orange bar in the bin')
    assert result.success and result.local, result.final_detail
    assert is_inside(truth(sim, 'orange_bar'), truth(sim, 'bin'))
    assert math.dist(truth(sim, 'bin').position[:2], (0.47, -0.30)) < 0.02


@pytest.mark.parametrize(('row', 'kinds'), [
    ('grid3', {'push_row'}), ('wall', {'push_row'}),
    pytest.param('heavy4', {'push_obstacle', 'push_row'}, marks=pytest.mark.release)])
def test_what_cannot_be_taken_away_is_pushed_away_or_comes_out_with_its_row(row, kinds):
    (outcome,) = run_blocked(load_config(), Job('blocked', row, 1))
    assert outcome.success and outcome.claimed, outcome
    used = {node.option.kind for record in outcome.local for node in record.nodes
            if node.succeeded}
    assert used & kinds and not outcome.fallen
