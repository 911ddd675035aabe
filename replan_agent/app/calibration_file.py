# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The file with a camera's pose, as `replan-agent calibrate` of another package writes it."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import ConfigError
from replan_agent.domain.pose import Pose
from replan_agent.text.setting import checked_number
from replan_agent.text.yaml_text import read_yaml

OPTICAL_FRAME = 'camera_color_optical_frame'
HAND_OPTICAL_FRAME = 'hand_camera_color_optical_frame'
SECTION = 'camera_calibration'
FARTHEST_M = 100.0  # no camera is farther from the arm
NUMBERS = ('x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')


def read_calibration(path: Path) -> tuple[Pose, str]:
    """The camera's pose, and in which frame it is: that of the base or of the hand.

    Raises ConfigError if the file has none.
    """
    whole = read_yaml(path)
    try:
        section = whole['/**']['ros__parameters'][SECTION]
        x, y, z, qx, qy, qz, qw = (checked_number(section[key], key, -FARTHEST_M, FARTHEST_M)
                                   for key in NUMBERS)
        return Pose((x, y, z), (qw, qx, qy, qz)), str(section['frame_id'])
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f'{path}: not a calibration as replan-agent calibrate writes it '
                          f'({type(error).__name__}: {error})') from error
