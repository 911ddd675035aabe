# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The source of the core and of our packages in plugins/, by path, for tests that read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / 'replan_agent'
SETUPS = tuple(sorted(ROOT.glob('plugins/*/setup.py')))  # those of foreign worlds have none
PACKAGES = tuple(setup.parent / setup.parent.name for setup in SETUPS)


def files() -> dict[str, Path]:
    """Each module: of the core by its path below the package, of others with their name before."""
    core = {path.relative_to(CORE).as_posix(): path for path in CORE.rglob('*.py')}
    others = {path.relative_to(package.parent).as_posix(): path
              for package in PACKAGES for path in package.rglob('*.py')}
    return dict(sorted({**core, **others}.items()))


def added_commands() -> list[Callable[[Any], None]]:
    """What each package adds to the command line, installed or not."""
    return [import_module(module).add_commands for setup in SETUPS
            for module in re.findall(r"([\w.]+):add_commands'", setup.read_text('utf-8'))]
