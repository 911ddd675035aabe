# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera in the hand of the simulated arm: real pictures, real motions, real physics."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from replan_agent_calibrate.calibrate import difference
from replan_agent_calibrate.calibrate_command import add_commands
from replan_agent_calibrate.calibration_text import calibration_text

from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.config_file import load_config
from replan_agent.app.calibration_file import read_calibration
from replan_agent.app.cli.main import main
from replan_agent.arms.franka import PANDA
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import CancelToken, Context
from replan_agent.domain.event import PhaseStarted
from replan_agent.domain.scene import Shape
from replan_agent.domain.task_result import FinalReason
from replan_agent.motion.motion_protocols import MotionRequest
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.mjcf.arm_mjcf import HAND_CAMERA
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec, SceneSpec

pytestmark = pytest.mark.gl

CUBE = ObjectSpec('cube', Shape.BOX, (0.04, 0.04, 0.04), Colour.named('red'), (0.45, 0.05, None))
WALL = ObjectSpec('wall', Shape.WALL, (0.02, 0.24, 0.16), Colour.named('grey'),
                  (0.56, 0.10, None), fixed=True)


def settings(**changes) -> Config:
    config = load_config()
    return replace(config, perception='camera', robot=replace(config.robot, eye_in_hand=True),
                   **changes)


def simulation(*objects: ObjectSpec, **changes) -> Simulation:
    return Simulation(SceneSpec('test', objects=objects or (CUBE,)), config=settings(**changes))


def names(scene) -> set[str]:
    return {o.name for o in scene.objects if o.shape is not Shape.TABLE}


def test_every_posture_is_free_and_sees_the_table_from_another_side():
    with simulation() as sim:
        camera = MujocoCamera(sim.world, HAND_CAMERA)
        towards = []
        for _, joints in PANDA.look_postures:
            planned = sim.motion.to_joints(sim.robot.state().joints, np.array(joints),
                                           MotionRequest(sim.scene), Context())
            assert planned.trajectory is not None, planned.detail
            assert sim.robot.execute(planned.trajectory, Context()).success
            frame = camera.capture(Context())
            tcp = sim.motion.kinematics.forward(sim.robot.state().joints)
            away_mm, turned_deg = difference(PANDA.T_base_camera(tcp), frame.T_base_camera)
            assert away_mm < 1 and turned_deg < 0.1, 'the encoders say where the camera is'
            T = frame.T_base_camera.matrix()
            aim = T[:3, 3] - T[:3, 2] * T[2, 3] / T[2, 2]
            assert math.dist(aim[:2], (0.48, 0.0)) < 0.05
            towards.append(T[:2, 2] / np.linalg.norm(T[:2, 2]))
        camera.close()
    assert all(a @ b < 0.5 for i, a in enumerate(towards) for b in towards[:i])


def test_a_cube_behind_a_wall_is_found_and_picked():
    """The fixed camera does not see it."""
    fixed = replace(settings(), robot=load_config().robot)
    with Simulation(SceneSpec('test', objects=(CUBE, WALL)), config=fixed) as sim:
        assert 'red_cube' not in names(sim.scene)
    with simulation(CUBE, WALL) as sim:
        result = sim.run('pick up the red cube')
        assert result.success, result.final_detail
        assert [record.step.skill for record in result.steps] == ['look', 'pick']
        assert sim.world.true_objects()[1].position[2] > 0.05


def test_without_approval_the_arm_does_not_move_to_look():
    with simulation(approver='none') as sim:
        before = sim.robot.state().joints
        result = sim.run('pick up the red cube')
        assert result.final_reason is FinalReason.APPROVAL_DENIED and not result.steps
        assert np.array_equal(sim.robot.state().joints, before) and sim.world.time == 0


def test_a_cancel_while_it_looks_around_stops_the_arm():
    token = CancelToken()

    def cancel(event) -> None:
        if isinstance(event, PhaseStarted) and event.phase == 'look from front':
            token.cancel('enough')

    with simulation() as sim:
        result = sim.run('pick up the red cube', ctx=Context(token), on_event=cancel)
        assert result.final_reason is FinalReason.CANCELLED
        stopped = sim.robot.state()
        assert np.abs(stopped.velocities).max() < 0.01
        first = PANDA.look_postures[0][1]
        assert np.abs(stopped.joints - first).max() < 0.05  # the next one never began


def test_the_hand_does_not_see_itself_or_the_fixed_camera_the_one_on_it():
    with simulation() as sim:
        assert names(sim.scene) == {'red_cube'}
        assert sim.run('pick up the red cube').success
        assert names(sim.scene) == {'red_cube'} and sim.scene.held == 'red_cube'


def test_calibrate_finds_the_camera_in_the_hand_and_the_simulation_uses_it(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, folder = tmp_path / 'hand_camera.yaml', tmp_path / 'views'
    assert main(['calibrate', '--eye-in-hand', '--views', '8', '--out', str(out),
                 '--save', str(folder)], [add_commands]) == 0, capsys.readouterr().out
    found, frame = read_calibration(out)
    away_mm, turned_deg = difference(found, PANDA.camera.T_hand_camera)
    assert away_mm < 2 and turned_deg < 0.2 and frame == 'panda_hand'
    assert main(['calibrate', '--from', str(folder), '--out', str(out)], [add_commands]) == 0
    assert difference(read_calibration(out)[0], found)[0] < 0.01  # views.json says which camera
    with simulation(hand_camera=str(out)) as sim:
        assert names(sim.scene) == {'red_cube'}


def test_the_calibration_of_a_fixed_camera_is_not_taken_for_the_hand(tmp_path: Path) -> None:
    file = tmp_path / 'camera.yaml'
    file.write_text(calibration_text(PANDA.camera.T_hand_camera, 'panda_link0', 'camera'), 'utf-8')
    with pytest.raises(ConfigError, match='panda_link0, not in panda_hand'):
        simulation(hand_camera=str(file))
