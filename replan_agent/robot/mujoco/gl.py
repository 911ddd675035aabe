# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo, imported with a graphics backend that exists on this machine.

`import mujoco` fails if MUJOCO_GL names a backend whose library is missing, so the library is
probed first. Every module of this package imports `mujoco` from here.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from replan_agent.domain.robot_state import CameraError

LIBRARIES = {
    'egl': ('libEGL.so.1', 'libEGL.so'),
    'osmesa': ('libOSMesa.so.8', 'libOSMesa.so.6', 'libOSMesa.so'),
}
CONTEXT_PX = 640, 480  # pictures of any size are drawn outside of it
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
    # Without any, a desktop's own OpenGL may still work; if not, the renderer says so.
    return next(filter(can_load, LIBRARIES), ''), ''


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


@contextmanager
def drawing() -> Iterator[None]:
    """Makes the graphics context of this process that of this thread, until the block ends.

    The block only draws. Raises GraphicsUnavailable, which names the package to install.
    """
    if PROBLEM:
        raise GraphicsUnavailable(f'cannot render a camera image: {PROBLEM}')
    if _shared.parent_draws:
        raise GraphicsUnavailable('cannot render a camera image: this process was forked from one '
                                  'that draws; start it another way (for multiprocessing: spawn)')
    with _shared.lock:
        try:
            if _shared.context is None:
                _shared.context = _new_context()
            _shared.context.make_current()
            yield
        except Exception as error:  # each backend raises its own type
            used = os.environ.get('MUJOCO_GL') or 'no backend'
            raise GraphicsUnavailable(
                f'cannot render a camera image with {used} ({type(error).__name__}: {error}). '
                f'{_advice()}') from error
        finally:
            release_context()


class _Shared:
    """The graphics context, made for the first picture, and who draws with it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.context: Any = None
        self.parent_draws = False  # its threads that draw are not here: we would wait for ever

    def after_fork(self) -> None:
        self.lock = threading.RLock()
        self.parent_draws = self.context is not None


_shared = _Shared()
os.register_at_fork(after_in_child=_shared.after_fork)


def _new_context() -> Any:
    """A graphics context. A mujoco that was imported before us may want a window; without a
    display we choose a backend for it. To draw without a context would end the process.
    """
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of a missing display: we say that ourselves
        made = mujoco.GLContext(*CONTEXT_PX)
    if getattr(made, '_context', made):
        return made
    backend = '' if os.environ.get('MUJOCO_GL') else choose('', loads)[0]
    if not backend:
        raise RuntimeError('there is no display to open a window on')
    made = import_module(f'mujoco.{backend}').GLContext(*CONTEXT_PX)
    os.environ['MUJOCO_GL'] = backend
    return made


def _advice() -> str:
    """What helps if the renderer does not start."""
    able = next(filter(loads, LIBRARIES), None)
    if able is not None and os.environ.get('MUJOCO_GL') not in LIBRARIES:
        return f'Set MUJOCO_GL={able} before Python starts'
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


__all__ = ['GraphicsUnavailable', 'PROBLEM', 'choose', 'drawing', 'loads', 'mujoco',
           'release_context']
