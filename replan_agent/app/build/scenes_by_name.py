"""Scenes by name: those that come with the package, and files."""

from __future__ import annotations

from replan_agent.robot.mujoco.scene.scene_file import load_scene
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec

from .share import share_path


def scene_named(name_or_file: str) -> SceneSpec:
    """A scene by its name or file; a wrong one tells what there is."""
    return load_scene(name_or_file, share_path('config', 'scenes'))
