# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of an arm that take seconds to compute, in the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from replan_agent import arms
from replan_agent.robot.mujoco import mjcf
from replan_agent.robot.mujoco.gl import mujoco
from replan_agent.text.file_bytes import NotWritten, write_whole
from replan_agent.text.json_text import read_json
from replan_agent.text.setting import ConfigError

from .model_parts import ModelText

SOURCES = tuple(Path(folder) for package in (arms, mjcf) for folder in package.__path__) + (
    Path(__file__).parent,)


def cache_folder() -> Path:
    """To delete it is to compute again."""
    cache = os.environ.get('XDG_CACHE_HOME') or '~/.cache'
    return Path(cache).expanduser() / 'replan_agent' / 'arms'


class Kept:
    """What was computed from the same files by the same program; else it is computed."""

    def __init__(self, sidecar: Path, texts: Iterable[ModelText]) -> None:
        where = hashlib.sha256(str(sidecar.resolve()).encode()).hexdigest()[:8]
        self.path = cache_folder() / f'{sidecar.stem}-{where}.json'
        self._made_from = _digest(sidecar, texts)
        self._values = self._read()
        self._is_new = False

    def get(self, name: str, compute: Callable[[], Any]) -> Any:
        """The value of that name, made of lists and numbers: as it was kept, or computed now."""
        if name not in self._values:
            self._values[name], self._is_new = compute(), True
        return self._values[name]

    def write(self) -> None:
        """Keep what was computed. A file that cannot be written is no harm."""
        if self._is_new:
            with suppress(NotWritten, OSError):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.path, json.dumps({
                    'made_from': self._made_from, 'values': self._values,
                    'sum': _sum(self._values)}))

    def _read(self) -> dict[str, Any]:
        """What the file holds; nothing if it is damaged or made from other files."""
        try:
            found = read_json(self.path)
        except (ConfigError, OSError):
            return {}
        if not isinstance(found, dict) or found.get('made_from') != self._made_from:
            return {}
        values = found.get('values')
        return values if isinstance(values, dict) and found.get('sum') == _sum(values) else {}


def _sum(values: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _digest(sidecar: Path, texts: Iterable[ModelText]) -> str:
    """Of the sidecar, the models with their meshes, and the program: ours, and what it uses."""
    found = hashlib.sha256(mujoco.__version__.encode())
    for source in (file for folder in SOURCES for file in sorted(folder.glob('*.py'))):
        found.update(source.read_bytes())
    found.update(sidecar.read_bytes())
    for text in texts:
        found.update(text.xml.encode())
        for path in text.files:
            found.update(path.read_bytes())
    return found.hexdigest()
