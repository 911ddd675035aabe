"""Videos of simulated runs, made by the package replan_agent_export; and whether any can be."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from replan_agent.app.build.plugins import FILM, FILMS, offered
from replan_agent.record.picture import PictureError
from replan_agent.robot.mujoco.camera import MujocoCamera
from replan_agent.robot.mujoco.gl import GraphicsUnavailable
from replan_agent.robot.mujoco.world import World


class PicturesUnavailable(PictureError):
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


def filmed(world: World, path: Path | None) -> AbstractContextManager[Any]:
    """Films everything inside the block; nothing if `path` is None."""
    if path is None:
        return nullcontext()
    film: AbstractContextManager[Any] = offered(FILMS, FILM)(world, path)
    return film
