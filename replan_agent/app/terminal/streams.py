"""What is printed must not end a run: a terminal that cannot show it, a reader that has left."""

from __future__ import annotations

import io
import sys
from typing import Any


def forgiving_streams() -> None:
    """Replace what the terminal has no character for, and drop what nobody reads any more."""
    for name, errors in (('stdout', 'replace'), ('stderr', 'backslashreplace')):
        stream = getattr(sys, name)
        if stream is getattr(sys, f'__{name}__') and isinstance(stream, io.TextIOWrapper):
            setattr(sys, name, _forgiving(stream, errors))


def _forgiving(stream: io.TextIOWrapper, errors: str) -> io.TextIOWrapper:
    stream.flush()
    outlet = io.BufferedWriter(_Outlet(stream.fileno(), 'w', closefd=False))
    return io.TextIOWrapper(outlet, stream.encoding, errors,
                            line_buffering=stream.line_buffering or stream.write_through)


class _Outlet(io.FileIO):
    """A file that takes everything once the other end of the pipe is closed."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)
