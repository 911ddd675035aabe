# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A stop that survives a restart of the node: its reason is in a file."""

from __future__ import annotations

from pathlib import Path


class StopMemory:
    """Keeps why motion is not allowed. A file that cannot be read counts as a stop."""

    def __init__(self, folder: str, node_name: str) -> None:
        """`node_name` is fully qualified: each of two arms has its own file."""
        name = node_name.strip('/').replace('/', '_') or 'node'
        self._file = Path(folder).expanduser() / f'{name}.stopped' if folder else None

    def recall(self) -> str:
        """The stored reason, or ''."""
        if self._file is None:
            return ''
        try:
            reason = self._file.read_text('utf-8').strip()
        except FileNotFoundError:
            return ''
        except (OSError, UnicodeDecodeError) as error:
            return f'{self._file} cannot be read: {error}'
        return reason or f'{self._file} contains no reason'

    def keep(self, reason: str) -> str:
        """Store the reason, or forget it (''); returns what went wrong, or ''."""
        try:
            if self._file and reason:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                self._file.write_text(f'{reason}\n', 'utf-8')
            elif self._file:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            return f'a restart will {"forget" if reason else "recall"} this stop: {error}'
        return ''
