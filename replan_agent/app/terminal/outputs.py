"""Checks that a file can be written, before the work for it starts."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.file_bytes import reason
from replan_agent.domain.text import one_line

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
    except (OSError, ValueError) as error:
        raise WrongUse(f'{one_line(path, 300)}: cannot be written: {reason(error)}') from error
