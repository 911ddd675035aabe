# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The records of earlier tasks, for clients to read. A name never leads out of the folder."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from replan_agent.domain.config import ConfigError
from replan_agent.record.run_folder import EVENTS, PLANS, RESULT
from replan_agent.record.run_json import RunUnreadable
from replan_agent.record.stored_run import StoredRun
from replan_agent.text.file_bytes import file_bytes
from replan_agent.text.json_text import LONGEST_FILE
from replan_agent.text.shown_text import shown

MOST_RUNS = 100  # in a list
LONGEST_TEXT = 1_000_000  # characters of a file that is sent
LONGEST_NAME = 255  # bytes, as most file systems allow
_TIME = re.compile(r'\d{8}-\d{6}')  # at the start of a name that we gave
_FORM = '%Y%m%d-%H%M%S'


class NoSuchRun(Exception):
    """There is no such record. The message says what there is."""


class RunStore:
    """The run folders directly below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self) -> list[str]:
        """The runs, the newest first."""
        if not self.root.is_dir():
            return []
        found = [path for path in self.root.iterdir() if _is_name(path.name)
                 and self._is_run(path)]
        return [path.name for path in sorted(found, key=started, reverse=True)]

    def run(self, name: str) -> StoredRun:
        """A run by its name; '' is the newest. Raises NoSuchRun."""
        names = self.names()
        name = name or (names[0] if names else '')
        try:
            return StoredRun.load(self.folder(name))
        except RunUnreadable as error:
            raise NoSuchRun(str(error)) from error

    def text(self, name: str, *parts: str) -> str:
        """A file of a run; of a long one only the end, from a whole line on. Raises NoSuchRun."""
        try:
            text = file_bytes(self.file(name, *parts), LONGEST_FILE).decode(errors='replace')
        except ConfigError as error:
            raise NoSuchRun(f'{"/".join(parts)} of run {name}: {error}') from error
        if len(text) <= LONGEST_TEXT:
            return text
        return text[-LONGEST_TEXT:].partition('\n')[2]

    def file(self, name: str, *parts: str) -> Path:
        """Where a file of a run is, or would be; never outside. Raises NoSuchRun."""
        folder = self.folder(name)
        path = folder.joinpath(*parts)
        if not (all(map(_is_name, parts)) and _real(path).is_relative_to(_real(folder))):
            raise NoSuchRun(f'no file {shown("/".join(parts))} in run {name}')
        return path

    def index(self) -> list[dict[str, Any]]:
        """Each run with its files, the newest first, not more than MOST_RUNS."""
        return [{'run': name, 'files': [part for part in (RESULT, EVENTS)
                                        if (self.root / name / part).is_file()],
                 'plans': sorted(p.stem for p in (self.root / name / PLANS).glob('*.json'))}
                for name in self.names()[:MOST_RUNS]]

    def folder(self, name: str) -> Path:
        """The folder of a run. Raises NoSuchRun."""
        folder = self.root / name
        if not _is_name(name) or not self._is_run(folder):
            known = ', '.join(self.names()[:10]) or 'none'
            raise NoSuchRun(f'no run {shown(name)}; the newest runs: {known}')
        return folder

    def _is_run(self, path: Path) -> bool:
        """Whether it is the folder of a run, and it and its files are really below the root."""
        files = [path / part for part in (RESULT, EVENTS)]
        return (any(file.is_file() for file in files) and _is_below(path, self.root)
                and all(_is_below(file, path) for file in files))


def _is_below(path: Path, folder: Path) -> bool:
    """Whether it really is in the folder: a link may lead elsewhere. Thousands are asked about."""
    return not path.is_symlink() or _real(path).parent == _real(folder)


def _real(path: Path) -> Path:
    """Where it leads. Links in a circle lead to themselves."""
    return Path(os.path.realpath(path))


def _is_name(text: str) -> bool:
    """Whether a text is the name of one file or folder: no path, nothing hidden."""
    return (text.isprintable() and 0 < len(text.encode()) <= LONGEST_NAME and text[0] != '.'
            and '/' not in text and '\\' not in text)


def started(folder: Path) -> tuple[str, str]:
    """When a run was made, by its name or by its folder, and its name; they can be sorted."""
    stamp = _TIME.match(folder.name)
    try:
        at = stamp[0] if stamp else f'{datetime.fromtimestamp(folder.stat().st_mtime):{_FORM}}'
    except OSError:  # it was removed a moment ago
        at = ''
    return at, folder.name
