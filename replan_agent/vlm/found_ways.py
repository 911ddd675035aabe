# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What was found out about models: kept in this process, and for a month in a small file."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from replan_agent.domain.config import MODEL_WAYS, ConfigError, VLMConfig
from replan_agent.text.json_text import read_json

KEEP_S = 30 * 24 * 3600.0  # servers and models get better
MOST_MODELS = 100
AS_USUAL = ('tools', True)  # needs no note

_known: dict[str, tuple[str, bool]] = {}


def notes_file() -> Path:
    """The file in the user's cache folder; to delete it is to forget."""
    cache = os.environ.get('XDG_CACHE_HOME') or '~/.cache'
    return Path(cache).expanduser() / 'replan_agent' / 'models.json'


class FoundWays:
    """The notes about one model at one address.

    A recording must hold all questions, so whoever records or replays starts without notes.
    """

    def __init__(self, config: VLMConfig) -> None:
        address = config.base_url.partition('?')[0]  # what follows may be a key
        self._key = f'{address} {config.model}'
        self._is_used = not (config.record or config.replay)
        self._file = notes_file() if config.remember else None

    def read(self) -> tuple[str, bool] | None:
        """The way that works and whether it takes pictures; None if that is not known."""
        if not self._is_used:
            return None
        return _known.get(self._key) or _found(_entries(self._file).get(self._key))

    def write(self, way: str, pictures: bool) -> None:
        """Keep it. A file that cannot be written is no harm: it is found out again."""
        if not self._is_used:
            return
        _known[self._key] = (way, pictures)
        entries = _entries(self._file)
        entries.pop(self._key, None)
        if (way, pictures) != AS_USUAL:
            entries[self._key] = {'mode': way, 'images': pictures, 'found': time.time()}
        elif not entries:
            return
        if self._file is not None:
            _write(self._file, dict(list(entries.items())[-MOST_MODELS:]))


def _entries(file: Path | None) -> dict[str, Any]:
    if file is None or not file.is_file():
        return {}
    try:
        content = read_json(file)
    except ConfigError:
        return {}
    return content if isinstance(content, dict) else {}


def _found(entry: Any) -> tuple[str, bool] | None:
    """What an entry says, if it is complete and not too old."""
    if not isinstance(entry, dict):
        return None
    way, pictures, found = (entry.get(key) for key in ('mode', 'images', 'found'))
    if way not in MODEL_WAYS or not isinstance(pictures, bool):
        return None
    is_fresh = isinstance(found, (int, float)) and 0 <= time.time() - found < KEEP_S
    return (str(way), pictures) if is_fresh else None


def _write(file: Path, entries: Mapping[str, Any]) -> None:
    partial = file.with_name(f'{file.name}.{os.getpid()}.partial')
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(entries, indent=1) + '\n', encoding='utf-8')
        os.replace(partial, file)
    except OSError:
        with suppress(OSError):
            partial.unlink()
