"""The error of a skill, a planner, a perception, a robot or a camera that has a bug."""

from __future__ import annotations

from replan_agent.text.shown_text import clipped

MOST_CHARACTERS = 200


class PartFailed(Exception):
    """A skill, a planner, a perception, a robot or a camera has a bug. The message names it."""

    @classmethod
    def by_return(cls, method: str, wanted: str, returned: object) -> PartFailed:
        """The error of a method that returned something else than `wanted`."""
        return cls(f'{method} must return {wanted}, not '
                   f'{clipped(repr(returned), MOST_CHARACTERS)}')
