# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sensor noise: as much as the scene file says, and the same for the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraFrame
from replan_agent.robot.mujoco.camera import SensorNoise
from replan_agent.robot.mujoco.scene.scene_file import parse_scene
from replan_agent.robot.mujoco.scene.scene_spec import CameraNoise


def frame(depth=2.0):
    return CameraFrame(0.0, np.full((100, 100, 3), 200, np.uint8),
                       np.full((100, 100), depth, np.float32), np.eye(3), Pose((1.0, 2.0, 3.0)))


def noisy(seed=0, depth=2.0, **how):
    return SensorNoise(CameraNoise(**how), seed).applied(frame(depth))


def test_without_noise_a_frame_passes_untouched():
    clean = frame()
    assert SensorNoise(CameraNoise(), 0).applied(clean) is clean


def test_depth_noise_grows_with_the_square_of_the_distance():
    near, far = (noisy(depth=d, depth_sigma=0.002).depth.std() for d in (1.0, 2.0))
    assert near == pytest.approx(0.002, rel=0.1) and far == pytest.approx(0.008, rel=0.1)


def test_dropout_is_the_share_of_pixels_without_depth():
    assert np.mean(noisy(dropout=0.3).depth == 0) == pytest.approx(0.3, abs=0.02)


def test_noise_invents_no_depth_where_there_is_none():
    assert not noisy(depth=0.0, depth_sigma=0.01).depth.any()


def test_exposure_scales_the_picture_and_clips_it():
    assert np.all(noisy(exposure=0.5).rgb == 100) and np.all(noisy(exposure=2.0).rgb == 255)


def test_the_calibration_is_off_by_what_was_asked():
    pose = noisy(calibration_mm=3, calibration_deg=0.5).T_base_camera
    assert math.dist(pose.position, (1.0, 2.0, 3.0)) == pytest.approx(0.003)
    assert 2 * math.acos(abs(pose.quaternion[0])) == pytest.approx(math.radians(0.5))


def test_the_same_seed_gives_the_same_noise_and_another_seed_another():
    how = {'depth_sigma': 0.002, 'calibration_mm': 2}
    first, same, other = (noisy(seed, **how) for seed in (1, 1, 2))
    assert np.array_equal(first.depth, same.depth) and first.T_base_camera == same.T_base_camera
    assert not np.array_equal(first.depth, other.depth)


def test_the_scene_file_sets_the_noise():
    scene = parse_scene({'camera': {'noise': {'depth_sigma': 0.002, 'dropout': 0.1}}}, 'x.yaml')
    assert scene.camera.noise == CameraNoise(depth_sigma=0.002, dropout=0.1)


@pytest.mark.parametrize(('noise', 'words'), [
    ({'sigma': 1}, ['camera.noise', "unknown key 'sigma'", 'depth_sigma']),
    ({'depth_sigma': -1}, ['depth_sigma', '0 to 0.1']),
    ({'dropout': 1.0}, ['dropout', '0 to 0.95']),
    ({'exposure': 0}, ['exposure', '0.1 to 5']),
    ({'calibration_deg': 'much'}, ['calibration_deg', 'number']),
    (3, ['camera.noise', 'mapping']),
])
def test_wrong_noise_is_named_with_what_is_allowed(noise, words):
    with pytest.raises(ConfigError) as error:
        parse_scene({'camera': {'noise': noise}}, 'x.yaml')
    assert all(word in str(error.value) for word in words), str(error.value)
