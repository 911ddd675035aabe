# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A video is whole, or not there."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_export.video_file import VideoFile

from replan_agent.record.picture import PictureError

NOISE = np.random.default_rng(0).integers(0, 255, (120, 160, 3), np.uint8)


@pytest.mark.parametrize('name', ['v.mp4', 'v.gif'])
def test_a_video_that_is_cut_off_is_an_error_and_leaves_no_file(name, tmp_path, files_of_at_most):
    def film(path):
        video = VideoFile(path, 20.0)
        for k in range(12):
            video.add(np.roll(NOISE, k, axis=1))
        video.close()

    film(tmp_path / name)
    whole = (tmp_path / name).stat().st_size
    (tmp_path / name).unlink()
    with files_of_at_most(whole - 100), pytest.raises(PictureError, match='written to its end'):
        film(tmp_path / name)
    assert not list(tmp_path.iterdir())
