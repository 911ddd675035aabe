# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whole tasks on real physics: the loop, the skills and the arm together."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import FinalReason
from replan_agent.record.recorders import MemoryRecorder
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec


def block(name, x, y, size=(0.04, 0.04, 0.04), yaw=0.0, shape=Shape.BOX, **more):
    colour = Colour.named(name.split('_')[0])
    return ObjectSpec(name, shape, size, colour, (x, y, None), (0, 0, yaw), **more)


RED = block('red_cube', 0.45, 0.15, yaw=0.4)
BLUE = block('blue_cube', 0.5, -0.1, (0.05, 0.05, 0.05), yaw=-0.3)
BOWL = ObjectSpec('bowl', Shape.BOWL, (0.16, 0.16, 0.055), Colour.named('white'),
                  (0.55, -0.25, None), mass=0.25)


def sim_of(*objects, **agent):
    config = load_config()
    config = replace(config, agent=replace(config.agent, **agent))
    return Simulation(SceneSpec('test', objects=objects), config=config)


def run(sim, task, ctx=None):
    return sim.agent(MemoryRecorder()).run(task, ctx)


def truth(sim, name):
    return next(o for o in sim.world.true_objects() if o.name == name)


@pytest.mark.parametrize('item', [
    block('red_cube', 0.45, 0.15, (0.024, 0.024, 0.024), yaw=0.7, mass=0.02),
    block('red_cube', 0.35, -0.3, (0.056, 0.056, 0.056), yaw=-1.1, mass=0.15),
    block('red_bar', 0.5, 0.2, (0.024, 0.11, 0.024), yaw=1.2),
    block('red_can', 0.55, 0.0, (0.05, 0.05, 0.08), shape=Shape.CYLINDER),
    block('red_ball', 0.5, -0.2, (0.045, 0.045, 0.045), shape=Shape.SPHERE),
], ids=['cube24', 'cube56', 'bar', 'cylinder', 'ball'])
def test_an_object_is_picked_and_really_hangs_in_the_air(item):
    sim = sim_of(item)
    result = run(sim, f'pick up the {item.name}')
    assert result.success, result.final_detail
    sim.world.step(round(1.0 / sim.world.timestep))  # still there a second later
    assert truth(sim, item.name).bottom_z > 0.08


def test_a_cube_ends_up_in_the_bowl():
    sim = sim_of(RED, BOWL)
    result = run(sim, 'put the red cube in the bowl')
    assert result.success and result.goal_verified is True
    cube, bowl = truth(sim, 'red_cube'), truth(sim, 'bowl')
    assert math.dist(cube.position[:2], bowl.position[:2]) < 0.04 and cube.bottom_z < 0.03
    assert bowl.position[:2] == pytest.approx((0.55, -0.25), abs=0.01)


def test_a_cube_is_stacked_on_another():
    sim = sim_of(RED, BLUE)
    result = run(sim, 'stack the red cube on the blue cube')
    assert result.success, result.final_detail
    assert truth(sim, 'red_cube').bottom_z == pytest.approx(0.05, abs=0.004)


def test_a_cube_is_placed_at_a_point_and_the_arm_goes_home():
    sim = sim_of(RED)
    result = run(sim, 'place the red cube at (0.4, -0.2) then go home')
    assert result.success, result.final_detail
    assert truth(sim, 'red_cube').position[:2] == pytest.approx((0.4, -0.2), abs=0.01)
    assert sim.robot.state().joints == pytest.approx(sim.robot.home, abs=0.02)


def test_two_cubes_share_one_bowl():
    sim = sim_of(RED, BLUE, BOWL)
    result = run(sim, 'put the red cube in the bowl then put the blue cube in the bowl')
    assert result.success and len(result.goals) == 2, result.final_detail


def test_a_cube_out_of_reach_ends_with_the_proof_and_the_arm_never_moved():
    sim = sim_of(block('red_cube', 1.2, 0.0), max_replans=2)
    result = run(sim, 'pick up the red cube')
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED and result.replans == 1
    assert result.final_detail.startswith('pick failed: unreachable — ')
    assert result.final_detail.endswith('no other plan was found')
    first = result.attempts[0]
    assert 'IK did not converge in 400 iters (pos_err=' in first.reason_detail
    assert first.ik.out_of_reach_m > 0.2 and 'proved unreachable' in first.reason_detail
    assert sim.world.time == 0.0


@pytest.mark.parametrize('task', ['put the red cube on the blue cube',
                                  'place the red cube at (0.9, 0.1)'])
def test_a_target_out_of_reach_is_reported_before_the_object_is_taken(task: str):
    sim = sim_of(RED, block('blue_cube', 1.1, 0.0))
    result = run(sim, task)
    assert result.final_reason is FinalReason.REPLAN_EXHAUSTED and result.replans == 1
    assert 'proved unreachable' in result.final_detail and sim.world.time == 0.0


def test_a_slippery_object_is_reported_as_lost_and_never_as_held():
    sim = sim_of(block('red_cube', 0.5, 0.0, friction=0.002), max_replans=0, max_step_retries=1)
    result = run(sim, 'pick up the red cube')
    assert not result.success
    assert {a.reason for a in result.attempts} <= {Reason.GRASP_SLIPPED.value,
                                                   Reason.GRASP_MISSED.value}
    assert truth(sim, 'red_cube').bottom_z < 0.01


def test_an_object_too_wide_for_the_gripper_is_refused_before_the_arm_moves():
    sim = sim_of(block('red_box', 0.5, 0.0, (0.1, 0.1, 0.1)), max_replans=0)
    result = run(sim, 'pick up the red_box')
    assert '100 mm' in result.final_detail and sim.world.time == 0.0


def test_without_an_approver_nothing_moves():
    config = replace(load_config(), approver='none')
    sim = Simulation(SceneSpec('test', objects=(RED,)), config=config)
    result = run(sim, 'pick up the red cube')
    assert result.final_reason is FinalReason.APPROVAL_DENIED and sim.world.time == 0.0


def test_cancel_in_the_middle_of_a_motion_ends_cancelled_at_standstill():
    sim = sim_of(RED)
    token = CancelToken()
    sim.world.on_step(lambda: token.cancel('enough'), 0.6)
    result = run(sim, 'pick up the red cube', Context(cancel=token))
    assert result.final_reason is FinalReason.CANCELLED and result.final_detail == 'enough'
    assert sim.world.time < 1.2
    assert abs(sim.robot.state().velocities).max() < 0.01


def test_the_same_seed_gives_the_same_run():
    first, second = (sim_of(RED, BLUE) for _ in range(2))
    for sim in (first, second):
        assert run(sim, 'stack the red cube on the blue cube').success
    assert truth(first, 'red_cube').pose == truth(second, 'red_cube').pose
    assert first.world.time == second.world.time


def test_the_fr3_works_as_the_panda_does():
    config = load_config()
    config = replace(config, robot=replace(config.robot, model='fr3'))
    sim = Simulation(SceneSpec('test', objects=(RED, BOWL)), config=config)
    result = run(sim, 'put the red cube in the bowl')
    assert result.success, result.final_detail


def test_an_ambiguous_task_names_the_candidates_and_moves_nothing():
    sim = sim_of(RED, BLUE, max_replans=1)
    result = run(sim, 'pick up the cube')
    assert 'ambiguous_object' in result.final_detail
    assert 'red_cube' in result.final_detail and 'blue_cube' in result.final_detail
    assert sim.world.time == 0.0
