"""Builds motion planning, perception and skills for an embedded robot cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from replan_agent.agent.ports import ChatModel, Perception
from replan_agent.domain.config import Config, ConfigError
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.registry import Registry
from replan_agent.motion.any_grasps import AnyGrasps
from replan_agent.motion.envelope import Envelope
from replan_agent.motion.planner import JointPlanner, franka_planner
from replan_agent.perceive.patient import PatientPerception, wall_pause
from replan_agent.robot.mujoco.collision import MujocoCollisionChecker
from replan_agent.robot.robot_protocols import Camera

from .bounded_robot import BoundedRobot
from .build_perception import PerceptionParts, PerceptionWrapper, TrueObjects, build_perception
from .build_skills import build_skills
from .robot_cell import RobotCell


@dataclass(frozen=True)
class Wired:
    """Motion planning, perception and skills of one robot."""

    motion: JointPlanner
    perception: Perception
    skills: SkillExecutor
    close_cameras: Callable[[], None]  # those that perception opened


def wire(config: Config, cell: RobotCell, skills: Registry, model: Callable[[], ChatModel],
         seed: int = 0, own: Perception | None = None,
         wrap_perception: PerceptionWrapper | None = None) -> Wired:
    """Everything between the agent and the robot; `own` replaces the settings' perception."""
    motion = franka_planner(config, MujocoCollisionChecker(config.robot.model), seed)
    cameras = ExitStack()
    parts = PerceptionParts(config, cell.robot, motion.kinematics,
                            lambda: cameras.enter_context(open_camera(cell)),
                            lambda: _true_objects(cell), model)
    perception = PatientPerception(build_perception(parts, own, wrap_perception),
                                   config.scene_memory.lost_after,
                                   getattr(cell.robot, 'pass_time', wall_pause))
    robot = BoundedRobot(cell.robot, Envelope(motion.kinematics, config.workspace))
    executor = build_skills(config, skills, robot, motion, AnyGrasps(), perception)
    return Wired(motion, perception, executor, cameras.close)


def make_camera(cell: RobotCell) -> Camera:
    """A camera of the cell. Raises ConfigError if it has none."""
    if cell.camera is None:
        raise ConfigError('this robot has no camera: choose a perception that needs none, and set '
                          'vlm.images to false')
    return cell.camera()


@contextmanager
def open_camera(cell: RobotCell) -> Iterator[Camera]:
    """A camera of the cell; it is closed afterwards."""
    camera = make_camera(cell)
    try:
        yield camera
    finally:
        getattr(camera, 'close', lambda: None)()


def _true_objects(cell: RobotCell) -> TrueObjects:
    if cell.true_objects is None:
        raise ConfigError('this robot does not know the true poses of the objects: choose another '
                          'perception than ground_truth')
    return cell.true_objects
