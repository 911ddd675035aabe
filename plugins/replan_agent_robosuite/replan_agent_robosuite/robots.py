# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's robots: which arm each of them is."""

from __future__ import annotations

from pathlib import Path

from replan_agent_arms.arm_by_name import arm_by_name

from replan_agent import ConfigError
from replan_agent.arms.arm_model import ArmModel

SIDECARS = Path(__file__).parent / 'arms'
# By the names of our arms; some robots are not as the arms that they are called after.
ROBOTS = {'robosuite_panda': 'Panda', 'ur5e': 'UR5e', 'iiwa': 'IIWA', 'kinova3': 'Kinova3',
          'robosuite_sawyer': 'Sawyer', 'robosuite_jaco': 'Jaco'}
WIPER = '_wiper'  # ends the names of arms whose hand is robosuite's wiping tool
MEANT = {'panda': 'robosuite_panda', 'sawyer': 'robosuite_sawyer'}  # in the benchmark


def own_arm(name: str) -> ArmModel:
    """The entry point: an arm of a sidecar in this package."""
    return arm_by_name(str(SIDECARS / f'{name}.yaml'))


def robot_of(arm: str) -> str:
    """robosuite's name of the robot that has this arm. Raises ConfigError, which lists them."""
    name = arm.removesuffix(WIPER)
    if name not in ROBOTS:
        raise ConfigError(f'robosuite has no robot with the arm {arm!r}: set robot.model to one '
                          f'of: {", ".join(ROBOTS)}')
    return ROBOTS[name]
