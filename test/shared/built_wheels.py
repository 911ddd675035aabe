# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheels of the core and of every package in plugins/, as a release would have them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT, *sorted(file.parent for file in (ROOT / 'plugins').glob('*/pyproject.toml')),
           *sorted(file.parent for file in (ROOT / 'plugins').glob('*/setup.py'))]
PACKED = ('setup.py', 'setup.cfg', 'pyproject.toml', 'package.xml', 'config', 'launch', 'resource')
BUILD = """
import os, sys
from setuptools import build_meta
out = sys.argv[1]
for folder in sys.argv[2:]:
    os.chdir(folder)
    build_meta.build_wheel(out)
"""


def package_of(folder: Path) -> str:
    """The name of the package that a folder holds."""
    return 'replan_agent' if folder == ROOT else folder.name


def copy_sources(folder: Path, to: Path) -> Path:
    """What setuptools needs of a package, without what earlier builds left; returns `to`."""
    to.mkdir(parents=True)
    for name in (package_of(folder), *PACKED):
        if (folder / name).is_dir():
            shutil.copytree(folder / name, to / name,
                            ignore=shutil.ignore_patterns('__pycache__', '.*'))
        elif (folder / name).is_file():
            shutil.copy(folder / name, to)
    return to


def build_wheels(work: Path) -> dict[str, Path]:
    """The wheel of each package by its name; `work` is an empty folder for it."""
    out = work / 'wheels'
    out.mkdir()
    copies = [copy_sources(folder, work / 'sources' / package_of(folder)) for folder in FOLDERS]
    done = subprocess.run([sys.executable, '-c', BUILD, out, *copies], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {file.name.split('-')[0]: file for file in out.glob('*.whl')}
