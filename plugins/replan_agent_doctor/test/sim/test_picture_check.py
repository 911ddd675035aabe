# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The doctor really draws a picture, and says what does."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from replan_agent_doctor.findings import Verdict
from replan_agent_doctor.here_checks import picture

from replan_agent import Simulation

DOCTOR = 'import sys\nfrom replan_agent.app.cli.main import main\nsys.exit(main(["doctor"]))'


@pytest.mark.gl
def test_a_picture_is_drawn_and_its_library_and_renderer_are_named():
    finding = picture()
    assert finding.verdict is Verdict.OK
    assert finding.seen.startswith('drawn with egl, ') or 'osmesa, ' in finding.seen
    assert 'unknown' not in finding.seen


@pytest.mark.gl
def test_an_empty_picture_is_wrong(monkeypatch):
    monkeypatch.setattr(Simulation, 'image', lambda *_: np.zeros((120, 160, 3), np.uint8))
    finding = picture()
    assert finding.verdict is Verdict.WRONG and '1 colours' in finding.seen


def test_where_nothing_can_draw_it_says_what_to_install(tmp_path):
    done = subprocess.run([sys.executable, '-c', DOCTOR], cwd=tmp_path, capture_output=True,
                          text=True, check=False, env={**os.environ, 'MUJOCO_GL': 'disable'})
    assert done.returncode == 1, done.stderr
    assert 'wrong        picture' in done.stdout and 'apt-get install libegl1' in done.stdout
