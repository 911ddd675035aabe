# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Perception around another one."""

from __future__ import annotations

from replan_agent.agent.ports import Perception


class WrappedPerception:
    """Has the name of the one inside, also if that one learns its name with a look."""

    def __init__(self, perception: Perception) -> None:
        self._perception = perception

    @property
    def name(self) -> str:
        return self._perception.name

    @property
    def uses_model(self) -> bool:
        return self._perception.uses_model
