"""Printing never ends a run: not if the terminal lacks a character or the reader is closed."""

from __future__ import annotations

import io
import sys
from typing import Any


def tolerate_print_errors() -> None:
    """Replace characters that the terminal lacks, and drop output after the reader is closed."""
    for name, errors in (('stdout', 'replace'), ('stderr', 'backslashreplace')):
        stream = getattr(sys, name)
        if stream is getattr(sys, f'__{name}__') and isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _tolerant(stream, errors))


def _tolerant(stream: io.TextIOWrapper, errors: str) -> io.TextIOWrapper:
    stream.flush()
    outlet = io.BufferedWriter(_PipeTolerantFile(stream.fileno(), 'w', closefd=False))
    return io.TextIOWrapper(outlet, stream.encoding, errors,
                            line_buffering=stream.line_buffering or stream.write_through)


class _PipeTolerantFile(io.FileIO):
    """A file that accepts everything after the other end of the pipe is closed."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)
