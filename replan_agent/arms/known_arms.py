"""The arms by their names."""

from __future__ import annotations

from typing import cast

from .arm_model import ArmModel
from .arm_names import reader_of
from .franka import FR3, PANDA

ARMS = {arm.name: arm for arm in (PANDA, FR3)}


def arm_named(name: str) -> ArmModel:
    """The arm with that name, or of that file. Raises ConfigError, which lists the names."""
    reader = reader_of(name)
    return ARMS[name] if reader is None else cast(ArmModel, reader.load()(name))


def arm_of_frame(frame: str) -> ArmModel | None:
    """The arm whose base is this frame, whatever is put before its name; None if none is."""
    return next((arm for arm in ARMS.values() if frame.endswith(arm.base_frame)), None)
