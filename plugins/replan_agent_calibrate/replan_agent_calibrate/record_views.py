# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent record-views`: pictures and joints of a real arm, for `calibrate --from`."""

from __future__ import annotations

import argparse
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import CameraInfo, Image, JointState

from replan_agent.app.build.share import share_path
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED, WRONG_USE
from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.arm_names import NEWEST_ARM
from replan_agent.arms.known_arms import arm_named
from replan_agent.ros.messages.image_messages import intrinsics_from_msg, rgb_from_msg
from replan_agent.ros.messages.message_fields import MessageError
from replan_agent.ros.rclpy_tools.node_process import Spinning
from replan_agent.ros.rclpy_tools.qos import NEWEST
from replan_agent.text.yaml_text import read_yaml
from replan_agent_calibrate.calibration_views import Picture, Recording, save
from replan_agent_calibrate.charuco_board import Board, CalibrationError
from replan_agent_calibrate.hand_eye import Lens, unusable

STILL_RAD_S = 0.01
DISTORTIONS = ('plumb_bob', 'rational_polynomial', '')


class NoView(Exception):
    """No picture was taken; says why."""


@dataclass
class ViewRecorder:
    """Records a picture and the joints at each call of `take`, if the arm stands still."""

    node: Node
    arm: ArmModel
    board: Board
    topics: tuple[str, str, str] = ('camera/color/image_raw', 'camera/color/camera_info',
                                    'joint_states')
    timeout_s: float = 5.0
    eye_in_hand: bool = False
    pictures: list[Picture] = field(default_factory=list)
    lens: Lens | None = None

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._last: dict[str, tuple[float, Any]] = {}
        for topic, kind in zip(self.topics, (Image, CameraInfo, JointState)):
            self.node.create_subscription(kind, topic, self._keeper(topic), NEWEST)

    def take(self) -> int:
        """Add a view; returns how many corners of the board it shows. Raises NoView."""
        image, info, state = self._fresh()
        joints, speed = _arm_joints(state, self.arm.joint_names)
        if speed > STILL_RAD_S:
            raise NoView(f'the arm moves ({speed:.3f} rad/s)')
        try:
            rgb, self.lens = rgb_from_msg(image), _lens(info)
        except MessageError as error:
            raise NoView(str(error)) from error
        seen = self.board.find(rgb)
        why = unusable(seen, self.board)
        if why:
            raise NoView(why)
        self.pictures.append(Picture(f'{len(self.pictures):03d}.png', rgb, joints,
                                     self.arm.kinematics.forward(joints)))
        return len(seen.ids)

    def save(self, folder: Path) -> None:
        assert self.lens is not None
        save(Recording(self.board, self.lens, self.arm.name, tuple(self.pictures),
                       self.eye_in_hand), folder)

    def _keeper(self, topic: str) -> Callable[[object], None]:
        def keep(message: object) -> None:
            with self._changed:
                self._last[topic] = time.monotonic(), message
                self._changed.notify_all()

        return keep

    def _fresh(self) -> list[Any]:
        """The second message of each topic from now: the first may have been sent before."""
        with self._changed:
            self._await_all()
            self._await_all()
            return [self._last[topic][1] for topic in self.topics]

    def _await_all(self) -> None:
        since = time.monotonic()
        if not self._changed.wait_for(lambda: all(self._arrived(t) > since for t in self.topics),
                                      self.timeout_s):
            silent = [t for t in self.topics if self._arrived(t) <= since]
            raise NoView(f'nothing on {", ".join(silent)} within {self.timeout_s:g} s')

    def _arrived(self, topic: str) -> float:
        return self._last.get(topic, (-np.inf, None))[0]


def record_views(arguments: argparse.Namespace) -> int:
    """Take a view at each Enter, until `q`; returns 1 if none was taken."""
    try:
        board = Board.parse(arguments.board)
    except CalibrationError as error:
        print(f'replan-agent: --board: {error}', file=sys.stderr)
        return WRONG_USE
    arm = arm_named(arguments.model)
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('replan_agent_record_views', namespace=arguments.namespace)
    topics = (arguments.color_image, arguments.camera_info,
              arguments.joint_states or own_states(arm))
    recorder = ViewRecorder(node, arm, board, topics,
                            eye_in_hand=arguments.eye_in_hand)
    try:
        with Spinning([node]):
            _ask(recorder, arguments.folder)
    except OSError as error:
        print(f'replan-agent: {arguments.folder}: {error}', file=sys.stderr)
        return WRONG_USE
    finally:
        rclpy.try_shutdown()
    return SUCCESS if recorder.pictures else TASK_FAILED


def own_states(arm: ArmModel) -> str:
    """The topic of the joint states of the arm's own driver."""
    if not arm.name.startswith(NEWEST_ARM):
        return arm.ros.joint_states
    names = read_yaml(share_path('config', 'franka', 'names.yaml'))
    return str(names['/**']['ros__parameters']['joint_states'])


def _ask(recorder: ViewRecorder, folder: Path) -> None:
    what = 'arm' if recorder.eye_in_hand else 'board'
    print(f'Move the {what}, let go, press Enter; q ends. Take about fifteen views, all tilted.')
    for line in sys.stdin:
        if line.strip() == 'q':
            return
        try:
            corners = recorder.take()
        except NoView as why:
            print(f'not taken: {why}')
            continue
        recorder.save(folder)  # after each view, so that none is lost
        print(f'view {len(recorder.pictures)}: {corners} corners; saved in {folder}')


def _arm_joints(state: JointState, names: tuple[str, ...]) -> tuple[Any, float]:
    missing = set(names) - set(state.name)
    if missing:
        raise NoView(f'the joint states do not contain {", ".join(sorted(missing))}')
    index = [list(state.name).index(name) for name in names]
    speeds = [abs(state.velocity[i]) for i in index] if len(state.velocity) else [0.0]
    return np.array([state.position[i] for i in index]), max(speeds)


def _lens(info: CameraInfo) -> Lens:
    if info.distortion_model not in DISTORTIONS:
        raise MessageError(f'camera info: distortion model {info.distortion_model!r} is not one '
                           f'of: {", ".join(filter(None, DISTORTIONS))}')
    distortion = np.array(info.d, dtype=float) if len(info.d) else np.zeros(5)
    return Lens(intrinsics_from_msg(info), distortion)
