# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands that move nothing start soon: they load none of the large packages."""

from __future__ import annotations

import subprocess
import sys

import pytest

LARGE = ('cv2', 'jsonschema', 'mujoco', 'openai', 'rich', 'scipy')
LOADED = """
import sys
from contextlib import suppress
from replan_agent.app.cli.main import main
with suppress(SystemExit):
    main(sys.argv[1:])
print('loaded:', *(name for name in sys.modules if '.' not in name))
"""


@pytest.mark.parametrize(('words', 'without', 'prints'), [
    (['--version'], (*LARGE, 'numpy'), 'replan-agent'),
    (['--help'], (*LARGE, 'numpy'), 'list the scenes'),
    (['run', '--help'], (*LARGE, 'numpy'), '--scene'),
    (['scenes'], (*LARGE, 'numpy'), 'tabletop'),
    (['read', 'put the red cube in the bowl'], LARGE, 'in(red_cube, bowl)'),
])
def test_a_command_that_moves_nothing_loads_no_large_package(words, without, prints):
    done = subprocess.run([sys.executable, '-c', LOADED, *words], capture_output=True, text=True,
                          check=True)
    said, _, loaded = done.stdout.rpartition('loaded: ')
    assert prints in said
    assert set(without) & set(loaded.split()) == set()
