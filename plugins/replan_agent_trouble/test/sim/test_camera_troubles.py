# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the camera shows when it was knocked, or is off."""

from __future__ import annotations

import numpy as np
import pytest
from replan_agent_trouble import Episode, Trouble

from replan_agent import PerceptionError, Pose
from replan_agent.robot.mujoco.camera import optical_pose


def test_a_bumped_camera_shows_things_where_true_poses_are_told_then() -> None:
    """A thing is at the same pixel: as it is in the new picture, as it is told in the old one."""
    with Episode('tabletop', 'camera_bumped', 3, True) as episode:
        world, troubles = episode.stage.world, episode.stage.troubles
        _, drawn = world.drawn()
        (true,) = (o for o in world.true_objects() if o.name == episode.stage.case.thing)
        (told,) = (o for o in episode.cell.true_objects() if o.name == true.name)
        old, new = (optical_pose(data.camera(0))
                    for data in (world.data, drawn))
    rays = [(np.linalg.inv(view) @ np.r_[position, 1.0])[:3]
            for view, position in ((new, true.position), (old, told.position))]
    assert rays[0] == pytest.approx(rays[1], abs=1e-6)
    assert 0.01 < np.linalg.norm(np.subtract(true.position, told.position)) < 0.08
    assert troubles.told(Pose(true.position)).position == pytest.approx(told.position)


@pytest.mark.gl
def test_a_camera_that_is_off_gives_black_pictures_and_no_poses() -> None:
    env = Trouble('tabletop', 'camera_off', 3, True, picture=(32, 24))
    before, _ = env.reset()
    env.episode.stage.troubles.dark_until = 0.08
    dark, *_ = env.step(np.zeros(7))
    with pytest.raises(PerceptionError, match='no picture'):
        env.episode.cell.true_objects()
    after, *_ = env.step(np.zeros(7))
    env.close()
    assert before['image'].max() > 0 and after['depth'].max() > 0
    assert dark['image'].max() == 0 and dark['depth'].max() == 0
    assert dark['camera'] == pytest.approx(before['camera'])
