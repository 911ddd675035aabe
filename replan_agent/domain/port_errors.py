# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a port raises where it has no answer, or has a bug."""

from __future__ import annotations

from replan_agent.text.shown_text import clipped

MOST_CHARACTERS = 200


class PerceptionError(Exception):
    """No scene is available; the message says why."""


class PerceptionGone(PerceptionError):
    """Whoever should look is not there: to look again does not help."""


class NodeLost(Exception):
    """The node did not answer. The message names it and how long we waited."""


class RehearsalError(Exception):
    """A plan cannot be rehearsed in this scene; the message says why."""


class PartFailed(Exception):
    """A skill, a planner, a perception, a robot or a camera has a bug. The message names it."""

    @classmethod
    def by_return(cls, method: str, wanted: str, returned: object) -> PartFailed:
        """The error of a method that returned something else than `wanted`."""
        return cls(f'{method} must return {wanted}, not '
                   f'{clipped(repr(returned), MOST_CHARACTERS)}')
