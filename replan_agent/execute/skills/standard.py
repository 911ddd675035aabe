"""The set of skills every agent starts with."""

from __future__ import annotations

from ..registry import Registry
from .gripper import OpenGripper
from .home import Home
from .look import Look
from .pick import Pick
from .place import PlaceAt, PlaceOn


def standard_skills() -> Registry:
    return Registry([Pick(), PlaceOn(), PlaceAt(), Home(), OpenGripper(), Look()])
