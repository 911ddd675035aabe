"""Checks that a file or a folder can be written, before the work for it starts."""

from __future__ import annotations

import os
from pathlib import Path

from replan_agent.domain.config import ConfigError
from replan_agent.text.file_bytes import check_replaceable, reason
from replan_agent.text.shown_text import one_line

from .exits import WrongUse


def check_writable(path: Path) -> None:
    """Raise WrongUse if no file can be written there. Makes its folder."""
    try:
        check_replaceable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        existed = path.exists()
        path.open('ab').close()
        if not existed:
            path.unlink()
    except ConfigError as error:
        raise WrongUse(str(error)) from error
    except (OSError, ValueError) as error:
        raise WrongUse(f'{one_line(path, 300)}: cannot be written: {reason(error)}') from error


def check_folder(folder: Path, option: str) -> None:
    """Raise WrongUse if nothing can be recorded there: servers may be started anywhere."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise WrongUse(f'{option} {folder}: it is a file, not a folder; name a folder') from error
    except OSError as error:
        raise WrongUse(f'{option} {folder}: {error.strerror}; name a folder that can be written'
                       ) from error
    if not os.access(folder, os.W_OK):
        raise WrongUse(f'{option} {folder}: it cannot be written; name another folder')
