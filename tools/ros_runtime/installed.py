"""If ROS 2 is installed and sourced, it is used, and colcon builds the interfaces."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .interfaces import SOURCES
from .layout import CHECKOUT, cache_root, digest, locked
from .package import read_package
from .report import SetupError, check_call, say

NEEDED = ('control_msgs.action', 'tf2_ros', 'mujoco', 'scipy', 'cv2', 'transforms3d',
          'jsonschema', 'yaml', 'rich', 'pytest', 'xdist', 'hypothesis')  # fmt: skip


def is_sourced() -> bool:
    """Whether a ROS 2 installation is in the environment, and `python3` finds its rclpy."""
    return 'ROS_DISTRO' in os.environ and _imports('rclpy')


def build() -> Path:
    """The install folder with our interfaces. colcon builds them if their sources changed."""
    package = read_package(SOURCES[-1])
    key = digest(package.files(), os.environ.get('AMENT_PREFIX_PATH', ''))
    root = cache_root() / f'{os.environ["ROS_DISTRO"]}-{key}'
    install = root / 'install'
    with locked(root.with_suffix('.lock')):
        if not (root / 'complete').is_file():
            if not shutil.which('colcon'):
                raise SetupError('ROS 2 is sourced, but there is no colcon to build the '
                                 'interfaces: install python3-colcon-common-extensions')
            say(f'building {package.name} with colcon for ROS 2 {os.environ["ROS_DISTRO"]}')
            check_call(['colcon', '--log-base', root / 'log', 'build', '--base-paths',
                        CHECKOUT / 'interfaces', '--build-base', root / 'build',
                        '--install-base', install], 'colcon build')
            root.mkdir(exist_ok=True)
            (root / 'complete').touch()
    return install


def warn_of_missing() -> None:
    """Name the packages that the nodes and their tests will not find."""
    missing = [name for name in NEEDED if not _imports(name)]
    if missing:
        say(f'not installed here: {", ".join(missing)}. To have them:  '
            'tools/workspace ~/ws && cd ~/ws && rosdep install --from-paths src --ignore-src')


def command(words: list[str], install: Path) -> list[str]:
    """A command line that runs `words` with our interfaces sourced on top."""
    return ['bash', '-c', 'source "$0/setup.bash" && exec "$@"', str(install), *words]


def _imports(module: str) -> bool:
    return not subprocess.run(['python3', '-c', f'import {module}'], capture_output=True,
                              cwd='/').returncode
