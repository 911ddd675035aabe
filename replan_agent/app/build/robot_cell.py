# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot cell: the arm and the camera of an embedded agent."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.config import ROBOTS, Config
from replan_agent.domain.motion_sample import Trace
from replan_agent.domain.scene import SceneObject
from replan_agent.execute.contract import Skill
from replan_agent.motion.motion_protocols import GraspPlanner
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.mjcf.arm_mjcf import HAND_CAMERA
from replan_agent.robot.mujoco.mujoco_robot import MujocoRobot, world_trace
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.start_check import check_start
from replan_agent.robot.mujoco.world import World
from replan_agent.robot.robot_protocols import Camera, Robot

from ..run_record import world_facts
from .plugins import arm_looks, instance_of, part_named
from .scenes_by_name import scene_named


@dataclass(frozen=True)
class RobotCell:
    """An arm and, if available, its camera and the true poses of the objects.

    `camera` makes a camera when one is needed. If it has `close`, it is closed after use. The
    same for `hand_camera`, which is on the hand; its pose comes from the encoders.
    `true_objects` is for ground-truth perception. `facts` go into every result. `close` frees
    what the cell holds. `trace` samples the motion while robot time passes, for the record.
    `grasps` is for a hand that takes things in another way than the arm's own. `names` are more
    `perception_names`. `skills` are for what only this cell has.
    """

    robot: Robot
    camera: Callable[[], Camera] | None = None
    true_objects: Callable[[], tuple[SceneObject, ...]] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    close: Callable[[], None] = lambda: None
    hand_camera: Callable[[], Camera] | None = None
    trace: Trace | None = None
    grasps: GraspPlanner | None = None
    names: tuple[str, ...] = ()
    skills: tuple[Skill, ...] = ()
    busy: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False,
                                 compare=False)  # held by the agent whose task is running


@dataclass(frozen=True)
class MujocoCell(RobotCell):
    """The embedded simulation."""

    world: World = field(kw_only=True)


@dataclass(frozen=True)
class RobotParts:
    """What a robot cell may use. A scene given as text may be a name that only the cell knows."""

    config: Config
    scene: SceneSpec | Path | str
    seed: int = 0


def build_cell(parts: RobotParts) -> RobotCell:
    """The cell that `robot_source` names. Raises ConfigError, which lists the available names."""
    source = parts.config.robot_source
    cell: RobotCell = part_named(ROBOTS, source, {'mujoco': _mujoco},
                                 partial(instance_of, RobotCell))(parts)
    return cell


def mujoco_cell(config: Config, world: World) -> MujocoCell:
    """The robot of a simulated world."""
    robot = MujocoRobot(world, config.robot.frame)
    facts = world_facts(world.scene, world.seed, config.robot)
    on_hand = (lambda: MujocoCamera(world, HAND_CAMERA)) if world.eye_in_hand else None
    names = tuple(f'{o.alias} {o.colour.name or "any"} {" ".join(map(str, o.size))}'
                  for o in world.scene.objects if o.alias)
    return MujocoCell(robot, lambda: MujocoCamera(world), world.visible_objects, facts,
                      hand_camera=on_hand, trace=world_trace(world), names=names, world=world)


def _mujoco(parts: RobotParts) -> RobotCell:
    scene = parts.scene
    spec = scene if isinstance(scene, SceneSpec) else scene_named(str(scene))
    arm = arm_named(parts.config.robot.model)
    world = World(spec, arm, parts.seed, looks=arm_looks(arm),
                  eye_in_hand=parts.config.robot.eye_in_hand)
    check_start(world)
    return mujoco_cell(parts.config, world)
