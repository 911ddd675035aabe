"""Pictures and videos of a simulated run, rendered only on request."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replan_agent.domain.task_result import TaskResult
from replan_agent.record.video import VideoError, VideoFile, write_picture
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.world import World

from .outputs import check_writable
from .reach_film import missed_target, reach_frames

FPS = 20.0
WIDTH, HEIGHT = 640, 480

log = logging.getLogger(__name__)


class PicturesUnavailable(Exception):
    """Nothing can be rendered on this machine. The message names the package to install."""


def check_drawing(world: World) -> None:
    """Raise PicturesUnavailable if no picture can be rendered."""
    camera = MujocoCamera(world)
    try:
        camera.render_rgb(16, 16)
    except GraphicsUnavailable as error:
        raise PicturesUnavailable(str(error)) from error
    finally:
        camera.close()


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
def filmed(world: World, path: Path | None) -> Iterator[Film | None]:
    """Films everything inside the block; nothing if `path` is None."""
    if path is None:
        yield None
        return
    video = VideoFile(path, FPS)
    check_writable(path)
    check_drawing(world)
    film = Film(world, video)
    film.shoot()
    end = world.on_step(film.shoot, 1 / FPS)
    try:
        yield film
    except BaseException:
        end()
        try:
            film.close()
        except VideoError as error:  # what ended the block says more
            log.warning(str(error))
        raise
    end()
    film.close()


def snapshot(world: World, path: Path) -> None:
    """Write one picture of the current world."""
    camera = MujocoCamera(world, pretty=True)
    write_picture(path, camera.render_rgb(2 * WIDTH, 2 * HEIGHT))
    camera.close()
