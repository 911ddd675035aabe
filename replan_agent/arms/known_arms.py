# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The arms by their names."""

from __future__ import annotations

from contextlib import suppress
from typing import cast

from replan_agent.text.setting import ConfigError

from .arm_model import ArmModel
from .arm_names import reader_of
from .franka import FR3, FR3V2, FR3V2_1, PANDA

ARMS = {arm.name: arm for arm in (PANDA, FR3, FR3V2, FR3V2_1)}


def arm_named(name: str) -> ArmModel:
    """The arm with that name, or of that file. Raises ConfigError, which lists the names."""
    reader = reader_of(name)
    return ARMS[name] if reader is None else cast(ArmModel, reader.load()(name))


def told_arm(name: str, frame: str) -> ArmModel | None:
    """The arm that a message names, or whose base is this frame; None if it is not known here."""
    if not name:
        return next((arm for arm in ARMS.values() if frame.endswith(arm.base_frame)), None)
    with suppress(ConfigError):
        return arm_named(name) if name.isidentifier() else None  # no file: it came from outside
    return None
