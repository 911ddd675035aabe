# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stop latch of the server: a file, so that it lasts and a person can see it."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import check_replaceable, file_bytes, reason
from replan_agent.text.json_text import LONGEST_FILE
from replan_agent.text.shown_text import one_line

LONGEST_REASON = 300


class StopFile:
    """Stopped while the file exists. If it cannot be written, stopped while the process runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unwritten = ''  # the reason, if the file could not be written

    def engage(self, why: str) -> str:
        """Latch. Returns why the latch does not outlive this process, or ''."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            check_replaceable(self.path)
            self.path.write_text(one_line(why, LONGEST_REASON) + '\n', encoding='utf-8')
        except (OSError, ConfigError) as error:
            self._unwritten = why
            return f'{self.path} cannot be written: {reason(error)}'
        return ''

    def reason(self) -> str:
        """Why it is stopped; '' if it is not."""
        if self._unwritten:
            return self._unwritten
        if not self.path.exists():
            return ''
        try:
            said = file_bytes(self.path, LONGEST_FILE).decode(errors='replace')
        except ConfigError as error:
            return str(error)
        return one_line(said, LONGEST_REASON) or 'stopped'

    def release(self) -> str:
        """Allow motion again. Returns why it was stopped, or ''."""
        why, self._unwritten = self.reason(), ''
        self.path.unlink(missing_ok=True)
        return why
