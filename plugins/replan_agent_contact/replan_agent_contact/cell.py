# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot cell that `robot_source: furnished` names: the embedded world with furniture."""

from __future__ import annotations

from dataclasses import replace

from replan_agent import Config, ConfigError, RobotParts, SceneSpec
from replan_agent.app.build.plugins import arm_looks
from replan_agent.app.build.robot_cell import MujocoCell, mujoco_cell
from replan_agent.arms.known_arms import arm_named
from replan_agent.robot.mujoco.start_check import check_start

from .furnished_scene import FurnishedScene
from .furnished_world import FurnishedWorld
from .furniture import load_furnished
from .handing_over import HandOver
from .inserting import Insert
from .opening import Close, Open
from .part import Part
from .person import Person
from .pouring import Pour
from .pressing import Press
from .switching import SwitchOff, SwitchOn
from .turning import Turn
from .wiping import Wipe

SKILLS = Open(), Close(), Turn(), SwitchOn(), SwitchOff()  # for furniture, in any world


def furnished_cell(parts: RobotParts) -> MujocoCell:
    """The cell of a furnished scene, by its name or file. Raises ConfigError for a wrong one."""
    if isinstance(parts.scene, SceneSpec):
        raise ConfigError('a furnished world needs the name or the file of its scene')
    return furnished(parts.config, *load_furnished(str(parts.scene)), parts.seed)[1]


def furnished(config: Config, scene: SceneSpec, parts: tuple[Part, ...], seed: int = 0
              ) -> tuple[FurnishedWorld, MujocoCell]:
    """The world and the cell of a scene with these drawers and doors."""
    arm = arm_named(config.robot.model)
    world = FurnishedWorld(scene, parts, arm, seed, arm_looks(arm), config.robot.eye_in_hand)
    check_start(world)
    someone = scene.person if isinstance(scene, FurnishedScene) else None
    if someone is not None:
        for thing in (o for o in scene.objects if not o.fixed):
            Person(world, thing.name, (someone.pull, 0.0, 0.0), someone.waits)
    return world, replace(mujoco_cell(config, world), skills=(
        *SKILLS, Press(), Insert(), HandOver(), Wipe(), Pour()))
