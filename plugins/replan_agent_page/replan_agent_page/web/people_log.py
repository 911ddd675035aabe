# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who did what at the page, a line of JSON each: in the folder of the run, or beside the runs."""

from __future__ import annotations

import sys
import threading
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from replan_agent.record.line_file import LineFile
from replan_agent.record.run_folder import as_json
from replan_agent.text.file_bytes import reason
from replan_agent.text.shown_text import one_line

PEOPLE = 'people.jsonl'
LONGEST_TEXT = 2000


class PeopleLog:
    """Appends lines. A disk that is full does not keep anybody from pressing stop."""

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._lock = threading.Lock()

    def note(self, who: str, did: str, what: str = '', run: str = '') -> None:
        """Write that somebody did something, about a run or about none."""
        line = {'at': datetime.now(timezone.utc).isoformat(timespec='milliseconds'), 'who': who,
                'did': did, 'what': one_line(what, LONGEST_TEXT)}
        folder = self._runs / run
        try:
            with self._lock:
                folder.mkdir(parents=True, exist_ok=True)
                with closing(LineFile(folder / PEOPLE, append=True)) as file:
                    file.add(as_json(line))
        except OSError as error:
            print(f'{folder / PEOPLE}: cannot be written: {reason(error)}', file=sys.stderr)
