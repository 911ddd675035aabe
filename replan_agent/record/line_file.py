# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A file that grows line by line. Every line in it is whole, also on a full disk."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from replan_agent.text.file_bytes import NotWritten, reason, writing

BLOCK = 8192  # bytes that wait in memory at most


class LineFile:
    """Lines wait in memory until `flush`, `sync` or `close`, or until they fill a block.

    All of these raise NotWritten if the disk takes no more. What it took of the last line is
    removed again, and the lines that wait are tried again with the next ones.
    """

    def __init__(self, path: Path, append: bool = False) -> None:
        self.path = path
        with writing(path):
            self._file = open(path, 'a+b' if append else 'wb', buffering=0)  # noqa: SIM115
        self._size = os.fstat(self._file.fileno()).st_size
        self._waiting = b'\n' if append and self._is_torn() else b''

    def _is_torn(self) -> bool:
        """Whether the last line has no end, as after a power failure."""
        if not self._size:
            return False
        self._file.seek(-1, os.SEEK_END)
        return self._file.read(1) != b'\n'

    @property
    def closed(self) -> bool:
        return self._file.closed

    def add(self, line: str) -> None:
        self._waiting += line.encode('utf-8', 'backslashreplace') + b'\n'
        if len(self._waiting) >= BLOCK:
            self.flush()

    def flush(self) -> None:
        """Hand the waiting lines to the system."""
        data, done = self._waiting, 0
        try:
            while done < len(data):
                done += self._file.write(data[done:]) or 0
        except OSError as error:
            self._cut_after(data.rfind(b'\n', 0, done) + 1)
            raise NotWritten(self.path, reason(error)) from error
        except BaseException:
            self._cut_after(0)  # an interrupt: nobody knows what was written
            raise
        self._size += len(data)
        self._waiting = b''

    def _cut_after(self, whole: int) -> None:
        """Keep this many bytes of the lines that waited; the others go on waiting."""
        self._size += whole
        self._waiting = self._waiting[whole:]
        with suppress(OSError):  # a device cannot be cut
            os.ftruncate(self._file.fileno(), self._size)
            self._file.seek(self._size)

    def sync(self) -> None:
        """Get the waiting lines to the disk: they survive a power failure."""
        self.flush()
        with writing(self.path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Get the waiting lines to the disk and close the file. It is closed in any case."""
        if self.closed:
            return
        try:
            self.sync()
        finally:
            with writing(self.path):
                self._file.close()
