# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The picture that goes with a question to a model."""

from __future__ import annotations

from replan_agent.agent.ports import Snapshot
from replan_agent.domain.context import Context
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene


def picture_of(snapshot: Snapshot | None, scene: Scene, ctx: Context, warnings: list[str]
               ) -> bytes | None:
    """What the camera sees now; None, with a warning, if there is no picture."""
    if snapshot is None:
        return None
    try:
        return snapshot(scene, ctx)
    except PerceptionError as error:
        warnings.append(f'planned without a picture: {error}')
        return None
