# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The skills that every agent starts with."""

from __future__ import annotations

from replan_agent.execute.registry import Registry

from .home import Home
from .look import Look
from .look_around import LookAround
from .open_gripper import OpenGripper
from .pick import FORCE_N, Pick
from .place_at import PlaceAt
from .place_in import PlaceIn
from .place_on import PlaceOn
from .pull import Pull
from .push import Push
from .stack import Stack


def standard_skills(eye_in_hand: bool = False, force_n: tuple[float, float] = FORCE_N) -> Registry:
    """All of them. With a camera in the hand, looking moves the arm."""
    return Registry(checked=[
        Pick(force_n), PlaceOn(), PlaceIn(), PlaceAt(), Stack(), Push(), Pull(), Home(),
        OpenGripper(), LookAround() if eye_in_hand else Look()])
