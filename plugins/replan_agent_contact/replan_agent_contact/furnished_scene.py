# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a furnished scene has beside things and furniture."""

from __future__ import annotations

from dataclasses import dataclass

from replan_agent import SceneSpec
from replan_agent.domain.config import setting

from .grains import GrainFields
from .stain import StainFields


@dataclass(frozen=True)
class PersonFields:
    """Somebody who takes what is presented to them, away from the robot."""

    pull: float = setting(12.0, 'N with which they pull', 0, 50)
    waits: float = setting(1.0, 's that a thing is presented before they pull', 0, 60)


@dataclass(frozen=True)
class FurnishedScene(SceneSpec):
    """A scene with a person, if there is one, dirt on its table, and grains."""

    person: PersonFields | None = None
    stains: tuple[StainFields, ...] = ()
    grains: tuple[GrainFields, ...] = ()
