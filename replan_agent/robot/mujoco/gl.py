"""MuJoCo, imported with a graphics backend that exists on this machine.

`import mujoco` fails if MUJOCO_GL names a backend whose library is missing, so the library is
probed first. Every module of this package imports `mujoco` from here.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Callable

from replan_agent.domain.robot_state import CameraError

LIBRARIES = {
    'egl': ('libEGL.so.1', 'libEGL.so'),
    'osmesa': ('libOSMesa.so.8', 'libOSMesa.so.6', 'libOSMesa.so'),
}
PACKAGES = {'egl': 'libegl1', 'osmesa': 'libosmesa6'}


class GraphicsUnavailable(CameraError, RuntimeError):
    """No picture can be rendered on this machine. The message names what to install."""


def loads(backend: str) -> bool:
    """Whether a library of `backend` (a key of LIBRARIES) can be loaded."""
    for library in LIBRARIES[backend]:
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return True
    return False


def choose(wanted: str, can_load: Callable[[str], bool]) -> tuple[str, str]:
    """The MUJOCO_GL value to import with, and why no picture is possible ('' if it may be)."""
    wanted = wanted.lower().strip()
    if wanted in LIBRARIES:
        if can_load(wanted):
            return wanted, ''
        return 'disable', (f'MUJOCO_GL={wanted} is set, but its library '
                           f'{LIBRARIES[wanted][0]} is not installed. Install it with: '
                           f'apt-get install {PACKAGES[wanted]}')
    if wanted or platform.system() != 'Linux':
        return wanted, ''
    for backend in LIBRARIES:
        if can_load(backend):
            return backend, ''
    return '', ''  # a desktop's own OpenGL may still work; if not, the renderer says so


def _import_mujoco() -> str:
    """Import mujoco with the chosen backend. Returns why there are no pictures, or ''."""
    asked = os.environ.get('MUJOCO_GL')
    if IMPORTED_BEFORE:
        return ''  # it has read MUJOCO_GL already
    backend, problem = choose(asked or '', loads)
    if backend:
        os.environ['MUJOCO_GL'] = backend
    import mujoco  # noqa: F401
    if problem and asked is not None:
        os.environ['MUJOCO_GL'] = asked  # child processes get the user's choice, not ours
    return problem


IMPORTED_BEFORE = 'mujoco' in sys.modules
PROBLEM = _import_mujoco()

import mujoco  # noqa: E402


def renderer(model: mujoco.MjModel, width: int, height: int) -> mujoco.Renderer:
    """A renderer of `model`. Raises GraphicsUnavailable, which names the package to install."""
    if PROBLEM:
        raise GraphicsUnavailable(f'cannot render a camera image: {PROBLEM}')
    model.vis.global_.offwidth = max(width, 1)
    model.vis.global_.offheight = max(height, 1)
    try:
        return mujoco.Renderer(model, height=height, width=width)
    except Exception as error:  # each backend raises its own type
        used = os.environ.get('MUJOCO_GL') or 'no backend'
        raise GraphicsUnavailable(
            f'cannot render a camera image with {used} ({type(error).__name__}: {error}). '
            f'{_advice()}') from error


def _advice() -> str:
    """What helps if the renderer does not start."""
    able = next((backend for backend in LIBRARIES if loads(backend)), None)
    if IMPORTED_BEFORE and able is not None:
        return ('mujoco was imported before replan_agent, so no backend was chosen for it. Import '
                f'replan_agent first, or set MUJOCO_GL={able} before Python starts')
    return f'Install a headless OpenGL with: apt-get install {PACKAGES["egl"]}'


def release_context() -> None:
    """Let other threads draw with the graphics context that this thread has used.

    EGL refuses a context that is still current in another thread.
    """
    if PROBLEM or os.environ.get('MUJOCO_GL') != 'egl':
        return
    from mujoco.egl import EGL  # exists only with this backend

    display = EGL.eglGetCurrentDisplay()
    if display:
        EGL.eglMakeCurrent(display, EGL.EGL_NO_SURFACE, EGL.EGL_NO_SURFACE, EGL.EGL_NO_CONTEXT)


__all__ = ['GraphicsUnavailable', 'PROBLEM', 'choose', 'loads', 'mujoco', 'release_context',
           'renderer']
