"""Pictures and videos of a simulated run, drawn only when someone asked for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from replan_agent.record.video import VideoFile, write_picture
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.world import World

FPS = 20.0
WIDTH, HEIGHT = 640, 480


@contextmanager
def filmed(world: World, path: Path | None) -> Iterator[None]:
    """Films everything that happens inside; nothing when `path` is None."""
    if path is None:
        yield
        return
    camera = MujocoCamera(world, pretty=True)
    video = VideoFile(path, FPS)

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


def snapshot(world: World, path: Path) -> None:
    """One picture of the world as it is."""
    write_picture(path, MujocoCamera(world, pretty=True).render_rgb(2 * WIDTH, 2 * HEIGHT))
