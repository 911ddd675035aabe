# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A camera in the hand over ROS: its pose comes from TF, and looking moves the arm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from arm_bench import ArmBench
from rclpy.parameter import Parameter
from replan_agent_interfaces.action import ExecuteTask
from replan_agent_sim.all_in_one import all_nodes
from rig import Caller, overrides, spun

from replan_agent.arms.franka import PANDA
from replan_agent.arms.franka_kinematics import FrankaKinematics
from replan_agent.domain.context import Context
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces, HandCameraInterfaces
from replan_agent.ros.camera.ros_camera import RosCamera
from replan_agent.ros.rclpy_tools.node_process import Spinning

Result = ExecuteTask.Result

pytestmark = pytest.mark.gl


@pytest.fixture
def bench(ros: Any) -> Iterator[ArmBench]:
    bench = ArmBench(ros, robot__eye_in_hand=True)
    yield bench
    bench.close()


@pytest.fixture
def viewer(ros: Any, bench: ArmBench) -> Iterator[Any]:
    node = ros.create_node('viewer', parameter_overrides=[Parameter('use_sim_time', value=True)])
    with Spinning([node]):
        yield node


def test_a_picture_of_the_hand_has_the_pose_of_its_moment(bench: ArmBench, viewer: Any) -> None:
    names = HandCameraInterfaces().as_camera(CameraInterfaces(camera_timeout=60.0))
    camera = RosCamera(viewer, names, not_before=lambda: bench.robot.state().stamp)
    before = camera.capture(Context())
    assert bench.robot.execute(bench.turn(0.5), Context()).success
    after = camera.capture(Context())
    tcp = FrankaKinematics().forward(bench.robot.state().joints)
    assert np.allclose(after.T_base_camera.matrix(), PANDA.T_base_camera(tcp).matrix(), atol=2e-3)
    assert after.T_base_camera.distance_to(before.T_base_camera) > 0.1


@pytest.fixture
def caller(ros: Any) -> Iterator[Caller]:
    """The whole graph with no camera but the one in the hand."""
    parameters = overrides(use_sim_time=True, perception='camera', robot__eye_in_hand=True,
                           color_image='', camera_timeout=60.0, timeouts__observe_timeout=120.0,
                           image_rate=1.0)
    with spun(*all_nodes(parameter_overrides=parameters)) as caller:
        yield caller


@pytest.mark.release
def test_the_hand_looks_around_before_it_picks(caller: Caller) -> None:
    result = caller.send('pick up the red cube').end(within_s=540.0).result
    assert result.final_reason == Result.FINAL_PLAN_COMPLETE, result.final_detail
    assert [step.step.skill for step in result.steps][:2] == ['look', 'pick']
    assert not list(result.attempts), 'nothing went wrong on the way'
