# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""sdformat's own checker: `gz sdf --check`, or the same function of Debian's library."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

LIBRARIES = ('libsdformat12.so.12', 'libsdformat13.so.13', 'libsdformat14.so.14')
CALL = 'import ctypes, sys; sys.exit(-ctypes.CDLL(sys.argv[1]).cmdCheck(sys.argv[2].encode()))'


def library() -> str | None:
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name).cmdCheck  # noqa: B018
        except (OSError, AttributeError):
            continue
        return name
    return None


def command(path: Path) -> list[str] | None:
    """The command that checks a file, or None where there is no checker."""
    if shutil.which('gz'):
        return ['gz', 'sdf', '--check', str(path)]
    found = library()
    return [sys.executable, '-c', CALL, found, str(path)] if found else None


def complaints(path: Path) -> str:
    """What the checker says against the file; '' when it is valid."""
    asked = command(path)
    assert asked is not None
    done = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=False)
    said = done.stdout + done.stderr
    return '' if done.returncode == 0 and 'Valid' in said and 'Error' not in said else said
