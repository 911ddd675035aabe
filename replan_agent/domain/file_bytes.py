"""Reads a whole file. Whatever is wrong with it, or with its name, is one sentence."""

from __future__ import annotations

from pathlib import Path

from .setting import ConfigError
from .text import one_line


def file_bytes(path: Path, most: int) -> bytes:
    """The content of a file of at most `most` bytes. Raises ConfigError, which names the file."""
    try:
        with path.open('rb') as file:
            data = file.read(most + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
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


def reason(error: OSError | ValueError) -> str:
    """Why a file cannot be used, in words."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
