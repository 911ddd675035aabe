# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which graphics backend is chosen, and what a machine without one can still do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from replan_agent.robot.mujoco import gl

ROOT = Path(__file__).resolve().parents[3]

# What a machine without graphics libraries would answer to the probe.
NO_LIBRARIES = """
import ctypes
class Missing(ctypes.CDLL):
    def __init__(self, name, *args, **kwargs):
        if name and ('EGL' in str(name) or 'OSMesa' in str(name) or 'libGL' in str(name)):
            raise OSError(f'{name}: cannot open shared object file')
        super().__init__(name, *args, **kwargs)
ctypes.CDLL = Missing
"""
# On a machine where libEGL could be loaded.
ANY_LIBRARY = """
from replan_agent.robot.mujoco import gl
gl.loads = lambda backend: backend == 'egl'
"""
MAKE_WORLD = """
from replan_agent.arms.franka import PANDA
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World
from replan_agent.robot.mujoco.camera import MujocoCamera
world = World(SceneSpec('empty'), PANDA)
world.step(10)
print('stepped to', world.time)
try:
    MujocoCamera(world).render_rgb(64, 48)
except GraphicsUnavailable as error:
    print('no picture:', error)
"""


@pytest.fixture(autouse=True)
def on_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gl.platform, 'system', lambda: 'Linux')


def test_egl_is_preferred() -> None:
    assert gl.choose('', lambda backend: True) == ('egl', '')


def test_osmesa_is_used_where_egl_is_missing() -> None:
    assert gl.choose('', lambda backend: backend == 'osmesa') == ('osmesa', '')


def test_nothing_is_chosen_where_nothing_loads() -> None:
    assert gl.choose('', lambda backend: False) == ('', '')


def test_the_choice_of_the_user_is_kept() -> None:
    assert gl.choose('osmesa', lambda backend: True) == ('osmesa', '')
    assert gl.choose('glfw', lambda backend: False) == ('glfw', '')


def test_a_chosen_backend_without_its_library_is_turned_off_and_explained() -> None:
    backend, problem = gl.choose('EGL', lambda backend: False)
    assert backend == 'disable' and 'apt-get install libegl1' in problem


def said_without_display(code: str, **environment: str) -> str:
    kept = {k: v for k, v in os.environ.items()
            if k not in ('DISPLAY', 'WAYLAND_DISPLAY', 'MUJOCO_GL')}
    done = subprocess.run([sys.executable, '-c', code], cwd=ROOT, text=True, timeout=120,
                          env={**kept, **environment}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_for_a_mujoco_that_was_imported_earlier_a_backend_is_chosen_where_no_display_is() -> None:
    assert 'no display' not in said_without_display(
        f'import mujoco\n{ANY_LIBRARY}{MAKE_WORLD}')


@pytest.mark.parametrize('first', ['', 'import mujoco'])
def test_a_window_without_a_display_is_said_and_does_not_end_the_process(first: str) -> None:
    said = said_without_display(f'{first}\n{ANY_LIBRARY}{MAKE_WORLD}', MUJOCO_GL='glfw')
    assert 'no picture' in said and 'there is no display' in said
    assert 'MUJOCO_GL=egl' in said and 'apt-get' not in said


@pytest.mark.parametrize('chosen', ['', 'egl', 'osmesa'])
def test_without_graphics_the_world_runs_and_a_picture_names_the_package(chosen: str) -> None:
    said = said_without_display(NO_LIBRARIES + MAKE_WORLD, MUJOCO_GL=chosen)
    assert 'stepped to 0.02' in said
    assert 'no picture' in said and 'apt-get install lib' in said
