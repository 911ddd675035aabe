"""Checks that a file can be written, before the work for it starts."""

from __future__ import annotations

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
