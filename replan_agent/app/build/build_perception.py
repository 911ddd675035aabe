# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Builds the perception that the settings name: ours, or from an installed package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from replan_agent.agent.ports import ChatModel, Perception
from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.config import PERCEPTIONS, Config
from replan_agent.domain.scene import SceneObject
from replan_agent.geometry.out_of_sight import Sight
from replan_agent.perceive.scene_memory import SceneMemory
from replan_agent.robot.robot_protocols import Camera, SeenRobot

from .plugins import part_named

if TYPE_CHECKING:
    from replan_agent.perceive.looks.colour_depth import ColourDepthPerception

PerceptionWrapper = Callable[[Perception], Perception]
TrueObjects = Callable[[], tuple[SceneObject, ...]]


@dataclass(frozen=True)
class PerceptionParts:
    """What a perception may use. Cameras, `truth` and `model` are functions that make them.

    They raise ConfigError if the robot has none. There may be only a camera in the hand.
    """

    config: Config
    robot: SeenRobot
    arm: ArmModel
    camera: Callable[[], Camera | None]
    truth: Callable[[], TrueObjects]
    model: Callable[[], ChatModel]
    hand_camera: Callable[[], Camera]


def build_perception(parts: PerceptionParts, own: Perception | None = None,
                     wrap_perception: PerceptionWrapper | None = None) -> Perception:
    """The perception of the settings, or `own`, with a memory of what it saw.

    `wrap_perception` puts something between the perception and its memory. Raises ConfigError,
    which lists the available names, and TypeError if `own` is no perception.
    """
    seen: Perception
    if own is None:
        seen = part_named(PERCEPTIONS, parts.config.perception, BUILT_IN, _checked)(parts)
    else:
        seen = _checked(own)
    memory = parts.config.scene_memory
    if seen.uses_model:
        memory = replace(memory, look_timeout=memory.look_timeout + parts.config.vlm.timeout)
    wrapped = seen if wrap_perception is None else wrap_perception(seen)
    offered = {f.name: getattr(seen, f.name) for f in fields(Sight) if hasattr(seen, f.name)}
    return SceneMemory(wrapped, memory, Sight(**offered) if offered else None,
                       lambda: parts.robot.state().stamp, parts.arm.hand)


def _checked(seen: Any) -> Perception:
    if isinstance(seen, type):
        raise TypeError(f'a perception is an object, not the class {seen!r}')
    missing = [word for word in ('name', 'uses_model', 'observe') if not hasattr(seen, word)]
    if missing:
        raise TypeError(f'{seen!r} is not a perception: it has no {" and no ".join(missing)}')
    perception: Perception = seen
    return perception


# Each imports only what it needs, so that a node starts fast.

def _ground_truth(parts: PerceptionParts) -> Perception:
    from replan_agent.perceive.ground_truth import GroundTruthPerception

    return GroundTruthPerception(parts.truth(), parts.robot, parts.arm)


def camera(parts: PerceptionParts) -> ColourDepthPerception:
    """What the cameras see, by colour and depth."""
    from replan_agent.perceive.camera.naming import KnownName
    from replan_agent.perceive.looks.colour_depth import ColourDepthPerception

    hand = parts.hand_camera() if parts.config.robot.eye_in_hand else None
    return ColourDepthPerception(
        parts.camera(), parts.robot, parts.arm, hand,
        names=[KnownName.read(text) for text in parts.config.perception_names])


BUILT_IN: Mapping[str, Callable[[PerceptionParts], Perception]] = {
    'ground_truth': _ground_truth, 'camera': camera}
