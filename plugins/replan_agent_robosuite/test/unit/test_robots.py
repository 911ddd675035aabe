# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's robots behind our ports. Needs robosuite, so it is not part of `make test`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('robosuite', reason='robosuite is not installed: make robosuite')

from replan_agent_bench.all_suites import find_suite  # noqa: E402
from replan_agent_bench.outcome import Job  # noqa: E402
from replan_agent_robosuite.furniture import furniture_of, scene_of  # noqa: E402
from replan_agent_robosuite.robot_world import pose_of  # noqa: E402
from replan_agent_robosuite.robots import ROBOTS  # noqa: E402
from replan_agent_robosuite.suite import CAMERA, TRUTH, run_task, settings  # noqa: E402
from replan_agent_robosuite.tasks import PICK_PLACE, TASKS  # noqa: E402

from replan_agent import Agent, Context, RobotParts, load_config  # noqa: E402
from replan_agent.app.build.robot_cell import build_cell  # noqa: E402
from replan_agent.arms.known_arms import arm_named  # noqa: E402
from replan_agent.domain.config import ConfigError  # noqa: E402
from replan_agent.domain.context import Cancelled, CancelToken  # noqa: E402
from replan_agent.domain.hand import OPEN_M  # noqa: E402
from replan_agent.motion.timing import time_joint_move  # noqa: E402
from replan_agent.perceive.camera.view import View  # noqa: E402
from replan_agent.robot.mujoco.gl import PROBLEM  # noqa: E402


def settings_for(env, arm='panda'):
    config = load_config()
    config = replace(config, robot=replace(config.robot, model=arm))
    return replace(settings(config, TASKS[env], TRUTH), robot_source='robosuite')


@pytest.fixture
def lift():
    cell = build_cell(RobotParts(settings_for('Lift'), 'Lift', 3))
    yield cell
    cell.close()


@pytest.fixture
def milk():
    cell = build_cell(RobotParts(settings_for('PickPlaceMilk'), 'PickPlaceMilk', 3))
    yield cell
    cell.close()


@pytest.mark.parametrize('arm', ROBOTS)
def test_our_kinematics_and_robosuites_model_agree_on_where_the_pads_are(arm):
    cell = build_cell(RobotParts(settings_for('Lift', arm), 'Lift', 3))
    world = cell.world
    tcp = arm_named(arm).kinematics.forward(cell.robot.state().joints)
    pads = world.gripper.important_geoms
    sides = [np.mean([world.in_base(pose_of(world.data.geom(name)))[:3, 3] for name in pads[side]],
                     axis=0) for side in ('left_fingerpad', 'right_fingerpad')]
    between = np.mean(sides, axis=0) - tcp[:3, 3]
    along, across = between @ tcp[:3, 2], between @ tcp[:3, 1]
    cell.close()
    assert abs(across) < 0.004 and abs(along) < 0.05  # long and open pads are farther back
    assert abs((sides[0] - sides[1]) @ tcp[:3, 1]) > 0.9 * np.linalg.norm(sides[0] - sides[1])


def test_a_trajectory_is_followed_and_ends_at_its_goal(lift):
    robot = lift.robot
    start = robot.state().joints
    goal = start + np.array([0.3, -0.2, 0.1, 0.2, -0.1, 0.2, 0.3])
    result = robot.execute(time_joint_move(start, goal, robot.limits, 0.5, 0.5), Context())
    assert result.success, result.detail
    assert np.abs(robot.state().joints - goal).max() < 0.01
    assert np.abs(robot.state().external_torque).max() < 2.0  # it touches nothing


def test_a_motion_that_the_motors_cannot_do_is_followed_more_slowly(lift):
    robot = lift.robot
    start = robot.state().joints
    goal = start + np.array([0.4, 0, 0.4, 0, -0.4, 0, -0.4])  # the hand spins
    trajectory = time_joint_move(start, goal, robot.limits, 0.8, 0.6)
    before = lift.world.time
    result = robot.execute(trajectory, Context())
    assert result.success, result.detail
    assert lift.world.time - before > 1.3 * trajectory.duration


class CancelledAfter(Context):
    """Cancels itself after that many checks."""

    def __init__(self, checks):
        self.token, self.left = CancelToken(), checks
        super().__init__(cancel=self.token)

    def check(self):
        self.left -= 1
        if self.left < 0:
            self.token.cancel('enough')
        super().check()


def test_a_motion_cancelled_on_its_way_brakes_and_stands_still_before_it_raises(lift):
    robot = lift.robot
    start = robot.state().joints
    with pytest.raises(Cancelled):
        robot.execute(time_joint_move(start, start + 0.4, robot.limits, 0.5, 0.3),
                      CancelledAfter(15))
    assert np.abs(robot.state().velocities).max() < 0.01
    gone = np.abs(robot.state().joints - start)
    assert 0.02 < gone.max() < 0.35  # it was on its way


def test_a_hand_that_presses_on_the_table_feels_it(lift):
    world = lift.world
    free = np.abs(world.felt).max()
    target = world.joints.copy()
    for _ in range(300):
        target[1] += 0.004  # the shoulder leans forward, and the hand goes down
        world.aim(target)
        world.advance()
        if abs(world.felt[1]) > 5:
            break
    assert free < 1.0 < 5.0 < np.abs(world.felt).max()


def test_the_bins_of_the_scene_file_are_where_robosuite_has_them(milk):
    world, scene = milk.world, scene_of(PICK_PLACE)
    base = world.T_world_base[:3, 3]
    bins = {o.name: o for o in furniture_of(scene)}
    for name, k in world.env.object_to_id.items():
        there = world.env.target_bin_placements[k][:2] - base[:2]
        assert np.abs(there - bins[f'{name}_bin'].position[:2]).max() < 0.006, name


def test_the_true_carton_of_milk_has_its_roof(milk):
    carton = next(o for o in milk.true_objects() if o.name == 'milk')
    hull, = carton.pieces
    top = hull.corners[hull.corners[:, 2] > carton.size[2] / 2 - 0.002]
    assert min(np.ptp(top[:, :2], axis=0)) < 0.7 * carton.size[0]


@pytest.mark.skipif(bool(PROBLEM), reason=f'no graphics: {PROBLEM}')
def test_the_camera_shows_the_cube_where_it_is(lift):
    cube = next(o for o in lift.true_objects() if o.name == 'red_cube')
    view = View(lift.camera().capture(Context()))
    top = np.array(cube.position) + [0, 0, cube.size[2] / 2]
    (u, v, depth), = view.project(top[None])
    seen, = view.points(np.array([round(v)]), np.array([round(u)]))
    assert np.abs(seen - top).max() < 0.005


@pytest.mark.skipif(bool(PROBLEM), reason=f'no graphics: {PROBLEM}')
@pytest.mark.parametrize('seed', [3004, 3042])
def test_the_cereal_is_one_thing_seen_from_its_narrow_side(seed):
    config = settings(load_config(), TASKS['PickPlace'], CAMERA)
    cell = build_cell(RobotParts(replace(config, robot_source='robosuite'), 'PickPlace', seed))
    with Agent(cell, config=config, approver='auto') as agent:
        seen = agent.scene.get('cereal')
        true = next(o for o in cell.true_objects() if o.name == 'cereal')
    assert seen is not None and np.allclose(sorted(seen.size), (0.03, 0.10, 0.15), atol=0.004)
    assert np.allclose(seen.position, true.position, atol=0.005)


def test_the_hand_is_open_when_a_task_begins(lift):
    assert lift.robot.state().gripper_width > lift.robot.max_gripper_width - OPEN_M


def test_the_gripper_opens_closes_and_says_its_width(lift):
    robot = lift.robot
    assert robot.move_gripper(robot.max_gripper_width, Context()).success
    assert robot.state().gripper_width == pytest.approx(robot.max_gripper_width, abs=0.002)
    assert robot.move_gripper(0.03, Context()).success
    assert 0.028 <= robot.state().gripper_width < 0.041  # the next step that is wide enough
    assert robot.grasp(20.0, Context()).success
    assert robot.state().gripper_width < 0.002  # nothing is between the pads


def test_a_cube_is_lifted_and_robosuite_says_so(lift):
    assert not lift.world.judged()
    with Agent(lift, config=settings_for('Lift'), approver='auto') as agent:
        result = agent.run('lift the red cube')
        assert result.success, result.final_detail
        assert lift.world.judged()


@pytest.mark.skipif(bool(PROBLEM), reason=f'no graphics: {PROBLEM}')
def test_the_example_of_the_readme_runs(capsys):
    readme = (Path(__file__).parents[2] / 'README.md').read_text(encoding='utf-8')
    (example,) = re.findall(r'```python\n(.*?)```', readme, re.S)
    exec(example, {})  # noqa: S102 it is ours
    assert 'success=True' in capsys.readouterr().out


def test_the_same_seed_gives_the_same_start(lift):
    again = build_cell(RobotParts(settings_for('Lift'), 'Lift', 3))
    assert again.true_objects() == lift.true_objects()
    again.close()


def test_a_start_does_not_depend_on_what_was_done_before():
    def moved(seed):
        cell = build_cell(RobotParts(settings_for('Stack'), 'Stack', seed))
        world = cell.world
        for k in range(40):
            world.aim(world.joints + 0.01)
            world.advance(closing=float(k > 20))
        found = np.concatenate([world.data.qpos, world.data.qvel])
        cell.close()
        return found

    first, other, again = moved(3), moved(4), moved(3)
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)


@pytest.mark.skipif(bool(PROBLEM), reason=f'no graphics: {PROBLEM}')
def test_looking_does_not_change_what_comes_next(lift):
    def after_a_while(looks):
        cell = build_cell(RobotParts(settings_for('Lift'), 'Lift', 3))
        camera = cell.camera()
        for _ in range(20):
            if looks:
                camera.capture(Context())
            cell.world.aim(cell.world.joints + 0.01)
            cell.world.advance()
        cell.close()
        return cell.world.data.qpos.copy()

    assert np.array_equal(after_a_while(looks=True), after_a_while(looks=False))


@pytest.mark.parametrize('task', ['NutAssemblyRound', 'Door', 'Wipe'])
def test_a_task_in_contact_is_done_and_robosuite_says_so(task):
    outcome, = run_task(load_config(), Job('robosuite', task, 100, TRUTH))
    assert outcome.success and outcome.claimed, outcome


@pytest.mark.parametrize(('task', 'arm', 'right'), [
    ('Wipe', 'robosuite_panda', 'robosuite_panda_wiper'),
    ('Lift', 'robosuite_panda_wiper', 'robosuite_panda')])
def test_a_task_for_another_hand_names_the_arm_that_has_it(task, arm, right):
    config = replace(settings_for('Lift'), robot=replace(load_config().robot, model=arm))
    with pytest.raises(ConfigError, match=f"{task} needs another hand.*'{right}'"):
        build_cell(RobotParts(config, task, 0))


def test_an_unknown_task_is_answered_with_the_known_ones():
    with pytest.raises(ConfigError, match="'TwoArmLift'; choose from: Lift, Stack, PickPlaceMilk"):
        build_cell(RobotParts(settings_for('Lift'), 'TwoArmLift', 0))


def test_the_suite_is_found_by_its_entry_point():
    suite = find_suite('robosuite')
    assert [row.name for row in suite.rows] == list(TASKS)
