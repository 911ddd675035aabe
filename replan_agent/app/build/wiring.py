# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds motion planning, perception and skills for an embedded robot cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from replan_agent.agent.ports import ChatModel, Perception
from replan_agent.app.calibration_file import read_calibration
from replan_agent.arms.arm_model import ArmModel
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import Config, ConfigError
from replan_agent.domain.context import Context
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CameraError, CameraFrame
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.registry import Registry
from replan_agent.motion.envelope import Envelope
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.planner import JointPlanner
from replan_agent.perceive.looks.eyes import CameraOnHand
from replan_agent.perceive.patient import PatientPerception, wall_pause
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.robot_protocols import Camera

from .bounded_robot import BoundedRobot
from .build_perception import PerceptionParts, PerceptionWrapper, TrueObjects, build_perception
from .build_planner import MotionParts, build_motion
from .build_skills import build_skills
from .plugins import FOREIGN_ERRORS
from .robot_cell import RobotCell

FRESH_S = 0.04  # a frame that is not older shows this moment
LONGEST_GLANCE_S = 1.0


@dataclass(frozen=True)
class Wired:
    """Motion planning, perception and skills of one robot."""

    motion: JointPlanner
    perception: Perception
    skills: SkillExecutor
    close_cameras: Callable[[], None]  # those that were opened
    frame: Callable[[], CameraFrame | None]  # for the record: what the fixed camera sees now


def wire(config: Config, cell: RobotCell, skills: Registry, model: Callable[[], ChatModel],
         seed: int = 0, own: Perception | None = None,
         wrap_perception: PerceptionWrapper | None = None,
         motion: JointPlanner | None = None) -> Wired:
    """Everything between the agent and the robot.

    `own` replaces the settings' perception, `motion` their motion planner.
    """
    arm, eye_in_hand = arm_named(config.robot.model), config.robot.eye_in_hand
    motion = motion or build_motion(MotionParts(
        config, MujocoCollisionChecker(arm, eye_in_hand), seed))
    cameras = ExitStack()
    glances = Glances(cell, lambda: cameras.enter_context(open_camera(cell)))
    named = replace(config, perception_names=(*config.perception_names, *cell.names))
    parts = PerceptionParts(named, cell.robot, arm,
                            glances.watched,
                            lambda: _true_objects(cell), model, lambda: CameraOnHand(
                                cameras.enter_context(open_camera(cell, on_hand=True)),
                                cell.robot, arm, _mounting(config, arm)))
    perception = PatientPerception(build_perception(parts, own, wrap_perception),
                                   config.scene_memory.lost_after,
                                   getattr(cell.robot, 'pass_time', wall_pause))
    robot = BoundedRobot(cell.robot, Envelope(arm, config.workspace, eye_in_hand))
    executor = build_skills(config, skills, robot, motion, cell.grasps or AnyGrasps(arm.hand),
                            perception)
    return Wired(motion, perception, executor, cameras.close, glances.frame)


class Glances:
    """The pictures for the record: the frame that perception has just taken, else a new one."""

    def __init__(self, cell: RobotCell, open_one: Callable[[], Camera]) -> None:
        self._cell, self._open = cell, open_one
        self._camera: Camera | None = None
        self._last: CameraFrame | None = None

    def watched(self) -> Camera:
        """A camera for perception, whose last frame is kept."""
        self._camera = self._open()
        return _WatchedCamera(self._camera, self._keep)

    def frame(self) -> CameraFrame | None:
        """What the fixed camera sees now; None without one. Raises CameraError."""
        if self._cell.camera is None:
            return None
        now = self._cell.robot.state().stamp
        if self._last is None or not 0 <= now - self._last.stamp < FRESH_S:
            try:
                self._last = self._taken()
            except CameraError:
                raise
            except FOREIGN_ERRORS as error:  # the camera of another package
                raise CameraError(f'{type(error).__name__}: {error}') from error
        return self._last

    def _taken(self) -> CameraFrame:
        self._camera = camera = self._camera or self._open()
        take = getattr(camera, 'glance', None)
        return take() if take else camera.capture(Context().within(LONGEST_GLANCE_S))

    def _keep(self, frame: CameraFrame) -> None:
        self._last = frame


@dataclass(frozen=True)
class _WatchedCamera:
    camera: Camera
    keep: Callable[[CameraFrame], None]

    def capture(self, ctx: Context) -> CameraFrame:
        frame = CameraFrame.checked(self.camera.capture(ctx))
        self.keep(frame)
        return frame


@contextmanager
def open_camera(cell: RobotCell, on_hand: bool = False) -> Iterator[Camera]:
    """A camera of the cell; it is closed afterwards. Raises ConfigError if it has none."""
    make = cell.hand_camera if on_hand else cell.camera
    if make is None:
        raise ConfigError(
            'this robot has no camera in its hand: set robot.eye_in_hand to false' if on_hand else
            'this robot has no camera: choose a perception that needs none, and set vlm.images to '
            'false')
    camera = make()
    try:
        yield camera
    finally:
        getattr(camera, 'close', lambda: None)()


def _mounting(config: Config, arm: ArmModel) -> Pose | None:
    """T_hand_camera of the calibration, if there is one. Raises ConfigError for another arm's."""
    if not config.hand_camera:
        return None
    mounting, frame = read_calibration(Path(config.hand_camera))
    hand = arm.frame('hand')
    if frame != hand:
        raise ConfigError(f'hand_camera: {config.hand_camera} has the camera in {frame}, not in '
                          f'{hand}: make it with calibrate --eye-in-hand')
    return mounting


def _true_objects(cell: RobotCell) -> TrueObjects:
    if cell.true_objects is None:
        raise ConfigError('this robot does not know the true poses of the objects: choose another '
                          'perception than ground_truth')
    return cell.true_objects
