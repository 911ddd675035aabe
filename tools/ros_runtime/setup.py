"""Makes the runtime, completely or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from . import emulation, interfaces, wheels
from .environment import environment
from .layout import THIS_PYTHON, Runtime, locked, needed_runtime
from .report import check_call, say

SMOKE_TEST = """
import cv2, mujoco, rclpy, scipy.optimize
rclpy.init()
rclpy.create_node('smoke_test')
rclpy.shutdown()
"""


def ready_runtime() -> Runtime:
    """The runtime for this machine; sets it up first if needed."""
    runtime = needed_runtime()
    if not _is_ready(runtime):
        with locked(runtime.root.with_suffix('.lock')):
            if not _is_ready(runtime):
                _make(runtime)
    return runtime


def _is_ready(runtime: Runtime) -> bool:
    """Whether it was made, and its Python still exists."""
    return runtime.complete.is_file() and runtime.interpreter.exists()


def _make(runtime: Runtime) -> None:
    say(f'setting up ROS 2 Jazzy in {runtime.root} (once; minutes, a quarter of an hour '
        'on a slow machine; about 1.3 GB)')
    shutil.rmtree(runtime.root, ignore_errors=True)  # leftovers of an earlier try
    runtime.packages.mkdir(parents=True)
    if runtime.emulated:
        emulation.install_python(runtime)
    else:
        check_call([sys.executable, '-m', 'venv', '--without-pip', runtime.prefix],
                   'making a virtual environment')
    wheels.install(runtime)
    if runtime.emulated:
        emulation.install_stubs(runtime)
    _compile_modules(runtime)
    say('trying it: imports, a node')
    check_call([runtime.interpreter, '-c', SMOKE_TEST], 'the first node',
               env={**os.environ, **environment(runtime, [])})
    runtime.complete.touch()
    interfaces.built_prefixes(runtime)
    say('ready')


def _compile_modules(runtime: Runtime) -> None:
    """Compile Python modules now if this Python can: it is slow later under emulation."""
    if runtime.python != THIS_PYTHON:
        return
    say('compiling Python modules')
    folders: list[Path] = [runtime.site_packages]
    if runtime.emulated:
        folders.append(runtime.root / 'root' / 'usr' / 'lib' / f'python{runtime.python}')
    check_call([sys.executable, '-c', 'import compileall, sys\n'
                'for folder in sys.argv[1:]: compileall.compile_dir(folder, quiet=2, workers=0)',
                *folders], 'compiling Python modules')
