"""The skills that every agent starts with."""

from __future__ import annotations

from replan_agent.execute.registry import Registry

from .home import Home
from .look import Look
from .open_gripper import OpenGripper
from .pick import Pick
from .place_at import PlaceAt
from .place_in import PlaceIn
from .place_on import PlaceOn
from .pull import Pull
from .push import Push
from .stack import Stack


def standard_skills() -> Registry:
    return Registry([Pick(), PlaceOn(), PlaceIn(), PlaceAt(), Stack(), Push(), Pull(),
                     Home(), OpenGripper(), Look()])
