# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values of a sidecar: what is wrong with one is said with a line that would be right."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

from replan_agent.robot.mujoco.scene.scene_values import is_number, wrong
from replan_agent.text.setting import ConfigError, Read, build, setting

Names = tuple[str, ...]


def line(example: str, meaning: str, read: Read, default: Any = MISSING) -> Any:
    """A setting whose errors end with a line that would be right."""
    def checked(value: Any, where: str) -> Any:
        try:
            return read(value, where)
        except ConfigError as error:
            raise ConfigError(f'{error}; for example: {example}') from error

    return setting(default, f'{meaning}; for example: {example}', read=checked)


def text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise wrong(where, 'a text', value)
    return value


def texts(value: Any, where: str) -> Names:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise wrong(where, 'a list of names', value)
    if len(set(value)) < len(value):
        raise wrong(where, 'a list of names, each of them once', value)
    return tuple(value)


def number(low: float, high: float) -> Read:
    def read(value: Any, where: str) -> float:
        if not is_number(value, low, high):
            raise wrong(where, f'a number from {low:g} to {high:g}', value)
        return float(value)

    return read


def section(cls: type[Any]) -> Read:
    return lambda value, where: build(cls, value, where)
