# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The names of the arms, for the settings: ours, and those of other packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import PurePath
from typing import Any

from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import shown

ARM_NAMES = ('panda', 'fr3', 'fr3v2', 'fr3v2_1')
DEFAULT_ARM = 'panda'
NEWEST_ARM = 'fr3'  # that a new cell has, or Gazebo
OTHER_ARMS, FILE = 'replan_agent.arms', 'file'  # entry points: by their names, or any by its file
SUFFIXES = '.yaml', '.yml'


def base_frame(arm: str) -> str:
    """The frame that an arm's poses are in; an arm of a file has the file's name."""
    return f'{PurePath(arm).stem}_link0'


def reader_of(arm: str, where: str = '') -> EntryPoint | None:
    """The part that makes the arm of that name or file; None for ours. Raises ConfigError."""
    if arm in ARM_NAMES:
        return None
    others = {entry.name: entry for entry in entry_points(group=OTHER_ARMS)}
    found = others.get(FILE if PurePath(arm).suffix in SUFFIXES else arm)
    if found is None or arm == FILE:
        names = ', '.join((*ARM_NAMES, *sorted({*others} - {FILE})))
        more = 'give the path of a .yaml file' if others else (
            'for others, in a clone, pip install ./plugins/replan_agent_arms')
        raise ConfigError(f'{where}{shown(arm)} is not allowed; choose from: {names}; {more}')
    return found


def with_arm_beside(values: Any, folder: PurePath) -> Any:
    """What a file in the folder says: the path of an arm's file is from there."""
    robot = values.get('robot') if isinstance(values, dict) else None
    if not isinstance(robot, dict) or PurePath(str(robot.get('model'))).suffix not in SUFFIXES:
        return values
    return {**values, 'robot': {**robot, 'model': str(folder / str(robot['model']))}}


def checked_arm(arm: Any, where: str) -> str:
    """The setting, if there is such an arm; raises ConfigError."""
    reader_of(str(arm), f'{where}: ')
    return str(arm)
