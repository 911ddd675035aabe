# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drawn episode of the tabletop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from replan_agent_bench.worlds.judges import Judge
from replan_agent_bench.worlds.lasting import Lasts
from replan_agent_bench.worlds.physics_log import PhysicsLog

from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec


@dataclass(frozen=True)
class Case:
    """A scene, a sentence, and what goes wrong. `objects` start with the thing it is about.

    `own` are the other things that the arm has to touch. `causes`: words of CAUSES that are true.
    `rule` says what must not have happened and did.
    """

    objects: tuple[ObjectSpec, ...]
    task: str
    judge: Judge
    causes: frozenset[str]
    lasting: tuple[Lasts, ...] = ()
    own: tuple[str, ...] = ()
    furniture: Mapping[str, Any] = field(default_factory=dict)  # as a scene file has it
    rule: Callable[[PhysicsLog], str] = lambda log: ''

    @property
    def thing(self) -> str:
        """The name of what it is about."""
        return self.objects[0].name if self.objects else str(
            self.furniture['furniture'][0]['name'])
