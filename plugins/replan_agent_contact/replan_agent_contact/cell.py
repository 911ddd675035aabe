"""The robot cell that `robot_source: furnished` names: the embedded world with furniture."""

from __future__ import annotations

from dataclasses import replace

from replan_agent import ConfigError, RobotParts, SceneSpec
from replan_agent.app.build.plugins import arm_looks
from replan_agent.app.build.robot_cell import MujocoCell, mujoco_cell
from replan_agent.arms.known_arms import arm_named
from replan_agent.robot.mujoco.start_check import check_start

from .furnished_world import FurnishedWorld
from .furniture import load_furnished
from .opening import Close, Open


def furnished_cell(parts: RobotParts) -> MujocoCell:
    """The cell of a furnished scene, by its name or file. Raises ConfigError for a wrong one."""
    if isinstance(parts.scene, SceneSpec):
        raise ConfigError('a furnished world needs the name or the file of its scene')
    scene, parts_of_it = load_furnished(str(parts.scene))
    arm = arm_named(parts.config.robot.model)
    world = FurnishedWorld(scene, parts_of_it, arm, parts.seed, arm_looks(arm),
                           parts.config.robot.eye_in_hand)
    check_start(world)
    return replace(mujoco_cell(parts.config, world), skills=(Open(), Close()))
