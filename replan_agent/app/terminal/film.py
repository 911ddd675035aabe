# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Videos of simulated runs, made by the package replan_agent_export."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from replan_agent.app.build.plugins import FILM, FILMS, offered
from replan_agent.robot.mujoco.world import World


def filmed(world: World, path: Path | None) -> AbstractContextManager[Any]:
    """Films everything inside the block; nothing if `path` is None."""
    if path is None:
        return nullcontext()
    film: AbstractContextManager[Any] = offered(FILMS, FILM)(world, path)
    return film
