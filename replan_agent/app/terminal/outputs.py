"""Checks that a file can be written, before the work for it starts."""

from __future__ import annotations

from pathlib import Path

from .exits import WrongUse


def check_writable(path: Path) -> None:
    """Raise WrongUse if no file can be written there. Makes its folder."""
    try:
        if path.is_dir():
            raise WrongUse(f'{path}: is a folder; name a file')
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists()
        path.open('ab').close()
        if not existed:
            path.unlink()
    except OSError as error:
        raise WrongUse(f'{path}: cannot be written: {error.strerror}') from error
