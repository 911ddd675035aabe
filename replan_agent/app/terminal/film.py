"""Pictures and videos of a simulated run, rendered only on request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replan_agent.record.video import VideoFile, write_picture
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.world import World

from .outputs import check_writable

FPS = 20.0
WIDTH, HEIGHT = 640, 480


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


@contextmanager
def filmed(world: World, path: Path | None) -> Iterator[None]:
    """Films everything inside the block; nothing if `path` is None."""
    if path is None:
        yield
        return
    video = VideoFile(path, FPS)
    check_writable(path)
    check_drawing(world)
    camera = MujocoCamera(world)  # without shadows: a tenth of the time

    def shoot() -> None:
        video.add(camera.render_rgb(WIDTH, HEIGHT))

    shoot()
    end = world.on_step(shoot, 1 / FPS)
    try:
        yield
    finally:
        end()
        shoot()
        video.close()
        camera.close()


def snapshot(world: World, path: Path) -> None:
    """Write one picture of the current world."""
    camera = MujocoCamera(world, pretty=True)
    write_picture(path, camera.render_rgb(2 * WIDTH, 2 * HEIGHT))
    camera.close()
