# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The OBJ files of our things are what their generator writes."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_files_are_what_the_generator_writes() -> None:
    made = runpy.run_path(str(ROOT / 'tools' / 'make_things.py'))
    files = {path.stem: path.read_text() for path in made['SCENES'].glob('*/*.obj')}
    again = 'run tools/make_things.py'
    assert files == {name: made['obj_text'](name, make()) for name, make in (
        *made['THINGS'].items(), ('bottle', made['bottle']))}, again
