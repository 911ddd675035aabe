# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""ROS 2's own linters. They run where ROS 2 is installed, as in `tools/native_ros.sh`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECKED = [str(ROOT / name) for name in ('replan_agent', 'launch')]
# As `[flake8]` in setup.cfg, and D213: a first line follows the quotes.
NOT_OURS = ['D200', 'D205', 'D209', 'D210', 'D213', 'D400', 'D401', 'D402', 'D403', 'D415']


def linter(name: str) -> Any:
    return pytest.importorskip(f'{name}.main', reason=f'{name} is not installed')


def test_ament_flake8_finds_nothing() -> None:
    code, found = linter('ament_flake8').main_with_errors(
        argv=['--config', str(ROOT / 'setup.cfg'), *CHECKED])
    assert code == 0, '\n'.join(found)


def test_ament_pep257_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code = linter('ament_pep257').main(argv=[*CHECKED, '--add-ignore', *NOT_OURS])
    assert code == 0, capsys.readouterr().err


def test_ament_copyright_finds_a_holder_and_our_licence_in_every_file(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It knows long headers only; a package may tell it others, so here SPDX's line."""
    lint = linter('ament_copyright')
    from ament_copyright import parser
    from ament_copyright.licenses import LicenseEntryPoint
    spdx = LicenseEntryPoint('Apache License, Version 2.0', 'Apache-2.0',
                             ['SPDX-License-Identifier: Apache-2.0'], [], [])
    monkeypatch.setattr(parser, 'get_licenses', lambda: {'apache2_spdx': spdx})
    folders = ('replan_agent', 'launch', 'plugins', 'test', 'examples')
    code = lint.main(argv=[str(ROOT / folder) for folder in folders])
    assert code == 0, capsys.readouterr().err
