# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A video of a simulated run."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replan_agent.domain.task_result import TaskResult
from replan_agent.record.picture import PictureError
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.world import World
from replan_agent.text.file_bytes import check_writable

from .reach_film import missed_target, reach_frames
from .video_file import VideoFile

FPS = 20.0
WIDTH, HEIGHT = 640, 480

log = logging.getLogger(__name__)


class Film:
    """A video of a run that is being made."""

    def __init__(self, world: World, video: VideoFile) -> None:
        self._world, self._video = world, video
        self._camera = MujocoCamera(world)  # without shadows: a tenth of the time
        self._has_end = False

    def shoot(self) -> None:
        self._video.add(self._camera.render_rgb(WIDTH, HEIGHT))

    def end_with(self, result: TaskResult) -> None:
        """Add what explains the result: the reach and the target, if that was the problem."""
        ik = missed_target(result)
        for frame in reach_frames(self._world, ik, WIDTH, HEIGHT) if ik else ():
            self._video.add(frame)
            self._has_end = True

    def close(self) -> None:
        try:
            if not self._has_end:
                self.shoot()
            self._video.close()
        finally:
            self._camera.close()


@contextmanager
def film(world: World, path: Path) -> Iterator[Film]:
    """Films everything inside the block."""
    video = VideoFile(path, FPS)
    check_writable(path)
    made = Film(world, video)
    try:
        made.shoot()
    except GraphicsUnavailable as error:
        raise PictureError(str(error)) from error
    end = world.on_step(made.shoot, 1 / FPS)
    try:
        yield made
    except BaseException:
        end()
        try:
            made.close()
        except PictureError as error:  # what ended the block says more
            log.warning(str(error))
        raise
    end()
    made.close()
