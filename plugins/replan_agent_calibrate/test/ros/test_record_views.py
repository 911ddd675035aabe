# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent record-views`: what it keeps of a camera and an arm, and what it does not take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from replan_agent_calibrate.calibration_views import recorded
from replan_agent_calibrate.charuco_board import Board
from replan_agent_calibrate.record_views import NoView, ViewRecorder, own_states
from replan_agent_sim.sim_messages import camera_info_to_msg, rgb_to_msg
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Header

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka import FR3, PANDA
from replan_agent.ros.rclpy_tools.node_process import Spinning

K = np.array([[500.0, 0, 319.5], [0, 500.0, 239.5], [0, 0, 1]])
BOARD = Board()


def rgb(shown: bool) -> np.ndarray:
    picture = np.full((480, 640), 255, dtype=np.uint8)
    if shown:
        pattern = BOARD.picture(8)
        picture[60:60 + pattern.shape[0], 80:80 + pattern.shape[1]] = pattern
    return np.repeat(picture[..., None], 3, axis=2)


class Drivers:
    """A camera and an arm that publish what a test sets, ten times a second."""

    def __init__(self, node: Any) -> None:
        self.picture, self.speed, self.silent = rgb(True), 0.0, ''
        self.joints = np.array(franka.HOME)
        self.info = camera_info_to_msg(K, (640, 480), Header())
        self._publish: dict[str, Callable[[], None]] = {}
        for topic, kind, make in (
                ('camera/color/image_raw', Image, lambda: rgb_to_msg(self.picture, Header())),
                ('camera/color/camera_info', CameraInfo, lambda: self.info),
                ('joint_states', JointState, self._state)):
            publisher = node.create_publisher(kind, topic, 1)
            self._publish[topic] = lambda p=publisher, m=make: p.publish(m())
        node.create_timer(0.1, self._publish_all)

    def _state(self) -> JointState:
        return JointState(name=list(FR3.joint_names), position=self.joints.tolist(),
                          velocity=[0.0] * 6 + [self.speed])

    def _publish_all(self) -> None:
        for topic, publish in self._publish.items():
            if topic != self.silent:
                publish()


@pytest.fixture
def rig(ros: Any) -> tuple[ViewRecorder, Drivers, Spinning]:
    """Not yet spinning, so that drivers can misbehave from their first message on."""
    drivers, listener = ros.create_node('drivers'), ros.create_node('listener')
    arm = Drivers(drivers)
    recorder = ViewRecorder(listener, FR3, BOARD, timeout_s=10.0)
    return recorder, arm, Spinning([drivers, listener])


def test_a_view_is_the_picture_the_joints_and_the_lens(rig: Any, tmp_path: Path) -> None:
    recorder, arm, spinning = rig
    with spinning:
        assert recorder.take() == len(BOARD.corners())
        arm.joints = arm.joints + 0.1
        recorder.take()  # two pictures later
    recorder.save(tmp_path)
    kept = recorded(tmp_path)
    assert kept.model == 'fr3' and kept.board == BOARD and np.array_equal(kept.lens.K, K)
    first, second = kept.pictures
    assert np.array_equal(first.rgb, arm.picture)
    np.testing.assert_allclose(second.joints - first.joints, 0.1)
    assert len(kept.views()[1].seen.ids) == len(BOARD.corners())


def test_without_a_topic_the_states_are_those_of_the_arms_own_driver() -> None:
    assert own_states(FR3) == 'franka/joint_states'
    assert own_states(PANDA) == PANDA.ros.joint_states


@pytest.mark.parametrize(('change', 'why'), [
    (lambda arm: setattr(arm, 'speed', 0.2), 'the arm moves'),
    (lambda arm: setattr(arm, 'picture', rgb(False)), '0 corners of the board'),
    (lambda arm: setattr(arm, 'silent', 'joint_states'), 'nothing on joint_states'),
    (lambda arm: setattr(arm.info, 'distortion_model', 'equidistant'), 'distortion model'),
])
def test_a_useless_view_is_not_taken(rig: Any, change: Callable[[Drivers], None],
                                     why: str) -> None:
    recorder, arm, spinning = rig
    change(arm)
    with spinning, pytest.raises(NoView, match=why):
        recorder.take()
    assert not recorder.pictures
