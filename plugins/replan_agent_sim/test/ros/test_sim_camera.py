# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures over ROS: what arrives is what the simulated camera sees, when it sees it."""

from __future__ import annotations

import math
import queue
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from arm_bench import ArmBench
from geometry_msgs.msg import PoseStamped
from rclpy.parameter import Parameter
from replan_agent_sim.sim_node import SimNode
from replan_agent_sim.sim_outputs import REST, CameraOutputs, Rhythm
from rig import WAIT_S, overrides, until
from tf2_msgs.msg import TFMessage

from replan_agent.domain.context import Context
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.scene.scene_spec import CameraNoise, CameraSpec, SceneSpec
from replan_agent.ros.arm.arm_interfaces import CameraInterfaces
from replan_agent.ros.camera.ros_camera import RosCamera
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import LATCHED


@pytest.fixture(scope='module')
def bench(ros: Any) -> Iterator[ArmBench]:
    bench = ArmBench(ros)
    yield bench
    bench.close()


@pytest.fixture(scope='module')
def viewer(ros: Any, bench: ArmBench) -> Iterator[Any]:
    node = ros.create_node('viewer', parameter_overrides=[Parameter('use_sim_time', value=True)])
    with Spinning([node]):
        yield node


@pytest.fixture(scope='module')
def camera(viewer: Any) -> RosCamera:
    return RosCamera(viewer, CameraInterfaces(camera_timeout=60.0))


class Listened:
    """A publisher with so many listeners."""

    def __init__(self, listeners: int) -> None:
        self._listeners = listeners

    def get_subscription_count(self) -> int:
        return self._listeners

    def publish(self, message: Any) -> None:
        """Nobody is there."""


class NotedRhythm(Rhythm):
    """Always due; notes how long it should rest."""

    def __init__(self) -> None:
        super().__init__(1.0)
        self.rests: list[float] = []

    def due(self) -> bool:
        return True

    def rest(self, pause_s: float) -> None:
        super().rest(pause_s)
        self.rests.append(pause_s)


@pytest.mark.parametrize(('depth_listeners', 'rests'), [(0, 1), (1, 0)])
def test_pictures_that_are_only_watched_leave_most_of_the_time_to_the_arm(
    depth_listeners: int, rests: int
) -> None:
    outputs, rhythm = object.__new__(CameraOutputs), NotedRhythm()
    outputs._blind, outputs._rhythm, outputs._messages = False, rhythm, None
    outputs._colour, outputs._depth = Listened(1), Listened(depth_listeners)
    outputs._drawn_at, outputs._camera = 0.0, bench_camera()
    outputs.tick()
    assert len(rhythm.rests) == rests and REST >= 4
    resting = Rhythm(1000.0)
    resting.rest(1e6)
    assert not resting.due()


def bench_camera() -> Any:
    """A camera whose world has not changed since the last picture."""
    return SimpleNamespace(world=SimpleNamespace(time=0.0))


def seen_directly(bench: ArmBench) -> CameraFrame:
    def look() -> CameraFrame:
        camera = MujocoCamera(bench.sim.world)
        try:
            return camera.capture(Context())
        finally:
            camera.close()

    return bench.sim.physics.do(look).result(WAIT_S)


@pytest.mark.gl
def test_a_picture_arrives_as_it_was_taken(bench: ArmBench, camera: RosCamera) -> None:
    frame, direct = camera.capture(Context()), seen_directly(bench)
    assert frame.rgb.shape == (120, 160, 3) and np.array_equal(frame.rgb, direct.rgb)
    assert np.array_equal(frame.depth, direct.depth)
    assert np.allclose(frame.intrinsics, direct.intrinsics)
    assert np.allclose(frame.T_base_camera.matrix(), direct.T_base_camera.matrix())


@pytest.mark.gl
def test_the_cube_is_where_intrinsics_and_pose_say(bench: ArmBench, camera: RosCamera) -> None:
    frame, cube = camera.capture(Context()), bench.cube()
    T_camera_base = np.linalg.inv(frame.T_base_camera.matrix())
    centre = T_camera_base @ [*cube.position, 1.0]
    column, row, _ = (frame.intrinsics @ centre[:3] / centre[2]).round().astype(int)
    red, green, blue = frame.rgb[row, column].astype(int)
    assert red > 1.5 * green and red > 1.5 * blue
    assert frame.depth[row, column] == pytest.approx(centre[2], abs=0.04)


@pytest.mark.gl
def test_a_picture_after_a_motion_shows_its_end(bench: ArmBench, viewer: Any,
                                                camera: RosCamera) -> None:
    before = camera.capture(Context())
    assert bench.robot.execute(bench.turn(0.6), Context()).success
    camera = RosCamera(viewer, not_before=lambda: bench.robot.state().stamp)
    after = camera.capture(Context())
    assert after.stamp >= bench.robot.state().stamp > before.stamp
    assert not np.array_equal(after.rgb, before.rgb)
    assert np.array_equal(after.rgb, seen_directly(bench).rgb)


@pytest.mark.gl
@pytest.mark.parametrize('steps', [1, 2, 3, 5, 7, 11, 31, 32])
def test_a_picture_of_this_very_moment_is_new_enough(bench: ArmBench, viewer: Any,
                                                     camera: RosCamera, steps: int) -> None:
    """Time stands still: a picture of now never gets newer, so rounding must not reject it."""
    bench.sim.physics.do(lambda: bench.sim.world.step(steps)).result(WAIT_S)
    bench.sim.physics.do(bench.sim._arm.publish_all).result(WAIT_S)
    now = bench.sim.world.time
    until(lambda: viewer.get_clock().now().nanoseconds == round(now * 1e9),
          lambda: 'the clock does not arrive')
    assert camera.capture(Context()).stamp == pytest.approx(now, abs=1e-9)


@pytest.mark.gl
def test_the_pose_may_come_from_tf(bench: ArmBench, viewer: Any, camera: RosCamera) -> None:
    from_tf = RosCamera(viewer, CameraInterfaces(camera_pose='')).capture(Context())
    from_topic = camera.capture(Context())
    assert np.allclose(from_tf.T_base_camera.matrix(), from_topic.T_base_camera.matrix())


def test_the_camera_is_on_tf_static(bench: ArmBench, viewer: Any) -> None:
    heard: queue.SimpleQueue[TFMessage] = queue.SimpleQueue()
    viewer.create_subscription(TFMessage, '/tf_static', heard.put, LATCHED)
    (transform,) = heard.get(timeout=WAIT_S).transforms
    assert transform.header.frame_id == 'panda_link0'
    assert transform.child_frame_id == 'camera_color_optical_frame'


def test_a_wrongly_calibrated_camera_is_told_where_it_seems_to_be(ros: Any, viewer: Any) -> None:
    scene = SceneSpec('off', camera=CameraSpec(noise=CameraNoise(calibration_mm=22.0)))
    sim = SimNode(scene, namespace='off', parameter_overrides=overrides())
    told: queue.SimpleQueue[PoseStamped] = queue.SimpleQueue()
    viewer.create_subscription(PoseStamped, '/off/camera/pose', told.put, LATCHED)
    seems, truly = told.get(timeout=WAIT_S).pose.position, MujocoCamera(sim.world).pose()
    sim.close()
    sim.destroy_node()
    assert math.dist((seems.x, seems.y, seems.z), truly.position) == pytest.approx(0.022)


def test_a_camera_that_is_not_there_is_named(viewer: Any) -> None:
    elsewhere = CameraInterfaces(color_image='nowhere/image', camera_timeout=0.3)
    with pytest.raises(CameraError, match='nothing on nowhere/image.* waited 0.3 s'):
        RosCamera(viewer, elsewhere).capture(Context())
