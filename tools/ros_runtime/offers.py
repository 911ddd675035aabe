"""What our packages offer (their entry points), where none of them is installed."""

from __future__ import annotations

import runpy
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from .layout import OURS, digest


def offers(folder: Path) -> Path:
    """A folder below this one with the metadata of our packages, as an installation has it."""
    setups = [package / 'setup.py' for package in OURS]
    found = folder / f'offers-{digest(setups)}'
    if found.is_dir():
        return found
    folder.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(dir=folder))
    for about in map(_arguments, setups):
        info = new / f'{about["name"]}-{about["version"]}.dist-info'
        info.mkdir()
        (info / 'METADATA').write_text(
            f'Metadata-Version: 2.1\nName: {about["name"]}\nVersion: {about["version"]}\n')
        (info / 'entry_points.txt').write_text('\n'.join(
            line for group, entries in about.get('entry_points', {}).items()
            for line in (f'[{group}]', *entries)) + '\n')
    with suppress(OSError):  # another process was faster
        new.rename(found)
    return found


def _arguments(setup: Path) -> dict[str, Any]:
    """What a setup.py gives to setuptools, without setuptools."""
    given: dict[str, Any] = {}
    real, sys.modules['setuptools'] = sys.modules.get('setuptools'), _Recorder(given)
    try:
        runpy.run_path(str(setup))
    finally:
        if real is None:
            del sys.modules['setuptools']
        else:
            sys.modules['setuptools'] = real
    return given


class _Recorder(ModuleType):
    """Stands in for setuptools."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__('setuptools')
        self.setup, self.find_packages = given.update, lambda **_: []
