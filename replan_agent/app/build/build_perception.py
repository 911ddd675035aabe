"""The perception that the settings name, in the embedded world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from replan_agent.agent.ports import ChatModel, Perception
from replan_agent.domain.config import Config
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.motion.planner import JointPlanner
from replan_agent.perceive.camera.colour_depth import ColourDepthPerception
from replan_agent.perceive.ground_truth import GroundTruthPerception
from replan_agent.perceive.scene_memory import SceneMemory
from replan_agent.perceive.pointing.pointed import PointedPerception
from replan_agent.perceive.pointing.pointer import VLMPointer
from replan_agent.plan.phrases import resolve
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot
from replan_agent.robot.mujoco.world import World

PerceptionWrapper = Callable[[Perception], Perception]


def build_perception(config: Config, world: World, robot: MujocoRobot, motion: JointPlanner,
                  model: Callable[[], ChatModel], wrap_perception: PerceptionWrapper | None = None) -> Perception:
    """Told or seen, and remembered; `model` is asked for only when it is to point.

    `wrap_perception` stands between what is told or seen and the memory of it.
    """
    memory, through = config.scene_memory, wrap_perception or (lambda perception: perception)
    if config.perception == 'ground_truth':
        told = GroundTruthPerception(world.visible_objects, robot, motion)
        return SceneMemory(through(told), memory)
    seen = ColourDepthPerception(MujocoCamera(world), robot, motion.kinematics)
    if config.perception == 'camera':
        return SceneMemory(through(seen), memory, seen.is_hidden)
    patient = replace(memory, look_timeout=memory.look_timeout + config.vlm.timeout)
    pointed = PointedPerception(seen, VLMPointer(model()), config.point_at, is_named)
    return SceneMemory(through(pointed), patient, seen.is_hidden)


def is_named(phrase: str, scene: Scene) -> bool:
    """Whether the phrase means something in the scene already; it may be ambiguous."""
    return resolve(phrase, scene).reason is not Reason.OBJECT_NOT_FOUND
