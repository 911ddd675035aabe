# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files that cannot be used, and what commands say to them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from replan_agent.app.cli.main import PlugIn, main
from replan_agent.app.terminal.exits import WRONG_USE

JSON = {'deep': '[' * 100_000, 'nested': '{"plans": [' + '[' * 800 + ']' * 800 + ']}',
        'digits': '{"seed": ' + '9' * 400 + '}', 'nan': '{"plans": NaN}', 'empty': '',
        'list': '[]', 'bytes': b'\xff\xfe\x00', 'surrogate': '{"task": "\\ud800"}'}


def written(folder: Path, name: str, text: str | bytes) -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str,
            plug_ins: Iterable[PlugIn] = ()) -> str:
    """What a command says that ends with wrong use; one short line."""
    assert main(arguments, plug_ins=plug_ins) == WRONG_USE
    said = capsys.readouterr()
    assert said.out == '' and said.err.count('\n') == 1 and len(said.err) < 1100
    return said.err
