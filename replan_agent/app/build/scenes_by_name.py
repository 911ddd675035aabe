# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Finds scenes by name or file."""

from __future__ import annotations

from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec

from .share import share_path


def scene_named(name_or_file: str) -> SceneSpec:
    """The scene of that name or file. A wrong name raises ConfigError with the right ones."""
    return load_scene(name_or_file, share_path('config', 'scenes'))
