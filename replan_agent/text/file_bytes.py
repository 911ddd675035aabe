# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes whole files. Whatever is wrong with one, or its name, is one sentence."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .setting import ConfigError
from .shown_text import one_line

_STREAMS = {'stdout': 1, 'stderr': 2}
_OPEN = re.compile(r'(?:/dev/fd/|/proc/self/fd/|/dev/(?=std))(stdout|stderr|\d+)')


class NotWritten(OSError):
    """A file is not on the disk as it should be: which one, and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f'{one_line(path, 300)}: cannot be written: {why}')
        self.path = path
        self.why = why


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong inside is NotWritten: this file or folder is not as it should be."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise NotWritten(path, reason(error)) from error


def write_whole(path: Path, content: bytes | str, sync: bool = False) -> None:
    """Write the file, or leave what was there. Raises NotWritten.

    Written beside its place and then moved: nobody meets half a file. With `sync` it is on the
    disk when this returns, also if the power fails. A link stays a link: its target is written. A
    device or a pipe gets the content, and so does /dev/stdout wherever it leads. A file that is
    replaced keeps its permissions.
    """
    data = content if isinstance(content, bytes) else content.encode('utf-8', 'backslashreplace')
    partial = path.with_name(f'{path.name}.partial')
    try:
        if (number := _open_already(path)) is not None:
            sys.stdout.flush()
            with open(number, 'wb', closefd=False) as stream:
                stream.write(data)
            return
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        target = path.resolve()
        partial = target.with_name(f'{target.name}.partial')
        with open(partial, 'wb') as stream:
            if target.exists():
                shutil.copymode(target, partial)
            stream.write(data)
            stream.flush()
            if sync:
                os.fsync(stream.fileno())
        os.replace(partial, target)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            partial.unlink()
        raise NotWritten(path, reason(error)) from error


def _open_already(path: Path) -> int | None:
    """The number of the open file that the name stands for, as /dev/stdout does; else None."""
    found = _OPEN.fullmatch(str(path.absolute()))
    return _STREAMS.get(found[1]) or int(found[1]) if found else None


def opened(path: Path) -> BinaryIO:
    """The file, to read. Raises ConfigError, which names it; a pipe or a device is no file."""
    try:
        # A pipe would wait here for somebody who writes to it.
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise ConfigError(f'{one_line(path, 300)}: cannot be read: {reason(error)}') from error
    kind = os.fstat(number).st_mode
    if not stat.S_ISREG(kind):
        os.close(number)
        raise ConfigError(f'{one_line(path, 300)}: cannot be read: it is not a file, but a '
                          f'{"folder" if stat.S_ISDIR(kind) else "device or a pipe"}')
    return os.fdopen(number, 'rb')


def file_bytes(path: Path, most: int) -> bytes:
    """The content of a file of at most `most` bytes. Raises ConfigError, which names the file."""
    with opened(path) as file:
        try:
            data = file.read(most + 1)
        except OSError as error:
            raise ConfigError(f'{one_line(path, 300)}: cannot be read: {reason(error)}') from error
    if len(data) > most:
        raise ConfigError(f'{path}: longer than {most / 1e6:g} MB')
    return data


def exists(path: Path) -> bool:
    """Whether there is such a file or folder. A name that cannot exist does not."""
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or a NUL in it
        return False


def check_replaceable(path: Path) -> None:
    """Raise ConfigError unless a new file may take this name.

    A folder cannot be replaced. A device could be, by an administrator, and must not.
    """
    if path.is_dir():
        raise ConfigError(f'{path}: is a folder; name a file')
    if path.exists() and not path.is_file():
        raise ConfigError(f'{path}: is a device or a pipe; name a file')


def check_writable(path: Path) -> None:
    """Raise ConfigError if no file can be written there. Makes its folder."""
    try:
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists()
        path.open('ab').close()
        if not existed:
            path.unlink()
    except ConfigError:
        raise
    except (OSError, ValueError) as error:
        raise ConfigError(f'{one_line(path, 300)}: cannot be written: {reason(error)}') from error


def reason(error: OSError | ValueError) -> str:
    """Why a file cannot be used, in words."""
    if isinstance(error, NotWritten):
        return error.why
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
