# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The record of each task on the agent's machine: events, pictures of the camera, motion."""

from __future__ import annotations

from pathlib import Path

from rclpy.node import Node

from replan_agent.app.build.plugins import reports
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import RobotConfig
from replan_agent.record.run_folder import RunFolder, new_run_path
from replan_agent.ros.arm.arm_interfaces import ColourCamera, WatchedArm
from replan_agent.ros.arm.joint_trace import JointTrace
from replan_agent.ros.camera.seen_camera import SeenCamera
from replan_agent.ros.messages.message_fields import NANOSECONDS


class RunRecording:
    """Makes the folders of tasks below `runs`; without `runs` nothing is recorded.

    Camera and joints are topics that this node listens to from its start: no task waits for them.
    """

    def __init__(self, node: Node, runs: str, robot: RobotConfig, arm: WatchedArm,
                 camera: ColourCamera) -> None:
        self._runs, self._clock = runs, node.get_clock()
        self.facts = {'robot': 'ros', 'arm_model': robot.model, 'base_frame': robot.frame}
        self._camera = SeenCamera(node, camera, robot.frame)
        self._trace = JointTrace(node, arm_named(robot.model), arm)
        if runs:
            self._camera.listen()

    def folder(self) -> RunFolder | None:
        """A new folder; None if nothing is recorded. Raises OSError."""
        if not self._runs:
            return None
        path = new_run_path(Path(self._runs).expanduser(), 'task')
        return RunFolder(path, lambda: float(self._clock.now().nanoseconds / NANOSECONDS),
                         self._camera.frame, self._trace, reports())
