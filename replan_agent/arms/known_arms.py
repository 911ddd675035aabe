"""The arms by their names."""

from __future__ import annotations

from .arm_model import ArmModel
from .arm_names import ARM_NAMES
from .franka import FR3, PANDA

ARMS = {arm.name: arm for arm in (PANDA, FR3)}


def arm_named(name: str) -> ArmModel:
    """The arm with that name. Raises ValueError, which lists the names."""
    if name not in ARMS:
        raise ValueError(f'no arm named {name!r}; choose from: {", ".join(ARM_NAMES)}')
    return ARMS[name]


def arm_of_frame(frame: str) -> ArmModel | None:
    """The arm whose base is this frame, whatever is put before its name; None if none is."""
    return next((arm for arm in ARMS.values() if frame.endswith(arm.base_frame)), None)
