# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The edge of the terminal: only printable text gets out, and no error of printing ends a run."""

from __future__ import annotations

import io
import sys
from typing import Any, TextIO

from replan_agent.text.shown_text import printable

from .exits import TASK_FAILED


def guard_printing() -> None:
    """Print only printable text from now on, and go on if nothing can be printed.

    Characters that the terminal lacks are replaced. Output after the reader is closed is dropped.
    """
    for name, errors in (('stdout', 'replace'), ('stderr', 'backslashreplace')):
        stream = getattr(sys, name)
        if stream is getattr(sys, f'__{name}__') and isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _guarded(stream, errors))


def status_with_output(status: int) -> int:
    """The exit status of a command; not 0 if something that it printed is lost, and it says so."""
    if not isinstance(sys.stdout, Screen):
        return status
    sys.stdout.flush()
    if not sys.stdout.file.error:
        return status
    print(f'replan-agent: the output cannot be written: {sys.stdout.file.error}', file=sys.stderr)
    return status or TASK_FAILED


def unfiltered(stream: TextIO) -> TextIO:
    """Where to write text that is printable already, with styles in it."""
    return _Styled(stream) if isinstance(stream, Screen) else stream  # type: ignore[return-value]


class Screen(io.TextIOWrapper):
    """A text stream that prints control characters and direction marks as U+FFFD."""

    def __init__(self, file: _TolerantFile, encoding: str, errors: str, by_line: bool) -> None:
        super().__init__(io.BufferedWriter(file), encoding, errors, line_buffering=by_line)
        self.file = file

    def write(self, text: str, /) -> int:
        return super().write(printable(text))

    def write_styled(self, text: str) -> int:
        return super().write(text)


class _Styled:
    """The same stream for a caller that makes its text printable itself."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.write = screen.write_styled

    def __getattr__(self, name: str) -> Any:
        return getattr(self._screen, name)


def _guarded(stream: io.TextIOWrapper, errors: str) -> Screen:
    stream.flush()
    return Screen(_TolerantFile(stream.fileno()), stream.encoding, errors,
                  stream.line_buffering or stream.write_through)


class _TolerantFile(io.FileIO):
    """A file that accepts everything, also if it is full or the other end is closed."""

    def __init__(self, fd: int) -> None:
        super().__init__(fd, 'w', closefd=False)
        self.error = ''  # why something was lost; a reader that left wants no more

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)
        except OSError as error:
            self.error = self.error or error.strerror or str(error)
            return len(data)
