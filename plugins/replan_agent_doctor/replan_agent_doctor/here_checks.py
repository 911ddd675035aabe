# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the embedded world needs of this machine: a picture that is drawn, a font, a folder."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from replan_agent import ConfigError
from replan_agent.app.terminal.exits import SUCCESS, TASK_FAILED

from .findings import Finding, as_lines, found, not_checked, summary
from .machine_checks import disk, versions

TRIED = (3, 10), (3, 13)  # Pythons, from and to
RUNS = 'runs'
COLOURS = 100  # that a picture of the table has at least
NO_ROS = ('it is skipped: there is no module {name}, so ROS 2 is not sourced here; only a real '
          'arm needs it')
LISTENS = 'it is skipped: ask for it with --ros, it listens for some seconds to an arm'


def doctor(arguments: argparse.Namespace) -> int:
    """Print what was found on this machine, then in the cell; returns the exit status."""
    findings = list(here())
    try:
        from .doctor import examine
        skipped = LISTENS if arguments.ros is None else ''
    except ModuleNotFoundError as error:
        skipped = NO_ROS.format(name=error.name)
    if skipped:
        findings.append(not_checked('the cell over ROS', skipped))
    print('\n'.join((*as_lines(findings), summary(findings))), flush=True)
    status = TASK_FAILED if any(one.do for one in findings) else SUCCESS
    return status if skipped else max(status, examine(arguments.ros))


def here() -> Iterator[Finding]:
    """All checks of this machine. Each takes at most some seconds, and changes nothing."""
    yield python(sys.version_info[:2])
    yield versions()
    yield picture()
    yield font()
    yield disk(RUNS)


def python(version: tuple[int, int]) -> Finding:
    seen = f'{version[0]}.{version[1]}, {sys.executable}'
    least, most = ('.'.join(map(str, one)) for one in TRIED)
    if version > TRIED[1]:
        return not_checked('Python', f'{seen}; it was tried with {least} to {most}')
    return found('Python', version >= TRIED[0], seen, f'{least} to {most} is needed: for example '
                 'make setup PYTHON=python3.12')


def picture() -> Finding:
    """Whether a picture is drawn, by really drawing one."""
    try:
        import numpy as np

        from replan_agent import Simulation
        from replan_agent.robot.mujoco.gl import GraphicsUnavailable
    except (ImportError, OSError) as error:
        return found('picture', False, f'MuJoCo cannot be used: {error}', 'see versions above')
    try:
        with Simulation('pick_cube') as simulation:
            drawn = simulation.image(160, 120)
        renderer = _renderer()
    except (ConfigError, GraphicsUnavailable) as error:
        return found('picture', False, str(error), 'sudo apt-get install libegl1; without it all '
                     'works but the camera, pictures and films')
    colours = len(np.unique(drawn.reshape(-1, 3), axis=0))
    return found('picture', colours >= COLOURS, f'drawn with {renderer}; it has {colours} colours',
                 'the picture is empty: try MUJOCO_GL=osmesa (sudo apt-get install '
                 'libosmesa6), or another graphics driver')


def _renderer() -> str:
    """The library that draws, and the graphics card or program behind it."""
    from OpenGL import GL

    from replan_agent.robot.mujoco.gl import drawing
    with drawing():
        name = GL.glGetString(GL.GL_RENDERER) or b'unknown'
    return f'{os.environ.get("MUJOCO_GL") or "the OpenGL of the desktop"}, {name.decode()}'


def font() -> Finding:
    """The font of the captions of films; all else draws with letters that OpenCV brings."""
    try:
        import matplotlib
        from PIL import ImageFont
    except ImportError as error:
        return not_checked('font', f'no module {error.name}: films have no captions without it '
                           "(pip install './plugins/replan_agent_export[film]')")
    file = Path(matplotlib.get_data_path()) / 'fonts' / 'ttf' / 'DejaVuSans.ttf'
    try:
        name, style = ImageFont.truetype(file, 14).getname()
    except OSError as error:
        return found('font', False, f'{file}: {error}', 'install matplotlib again')
    return found('font', True, f'{name} {style}, of matplotlib', '')
