# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Videos of simulated runs, made by the package replan_agent_export."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.app.build.plugins import FILM, FILMS, offered

if TYPE_CHECKING:  # `run` does not wait for it
    from replan_agent.robot.mujoco.world import World


def filmed(world: World | None, path: Path | None) -> AbstractContextManager[Any]:
    """Films everything inside the block; nothing without a world or a path."""
    if world is None or path is None:
        return nullcontext()
    film: AbstractContextManager[Any] = offered(FILMS, FILM)(world, path)
    return film
