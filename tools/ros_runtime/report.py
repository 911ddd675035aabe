"""Progress messages, and the error that ends the set-up."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_started = time.monotonic()


class SetupError(Exception):
    """The runtime cannot be made here; the message says why and what would help."""


def say(message: str) -> None:
    """Print one line of progress with the seconds since the start."""
    print(f'ros [{time.monotonic() - _started:4.0f} s] {message}', file=sys.stderr, flush=True)


def check_call(command: Sequence[str | Path], doing: str, cwd: Path | None = None,
               env: dict[str, str] | None = None) -> str:
    """Run a command and return its output. Raises SetupError with its last lines if it fails."""
    arguments = [str(word) for word in command]
    try:
        done = subprocess.run(arguments, cwd=cwd, env=env, text=True, errors='replace',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise SetupError(f'{doing}: cannot start {arguments[0]}: {error.strerror}') from error
    if done.returncode:
        tail = '\n'.join(done.stdout.strip().splitlines()[-15:])
        raise SetupError(f'{doing} failed ({arguments[0]} answered {done.returncode}):\n{tail}')
    return done.stdout
