# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Settings from YAML files, laid over the defaults."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from replan_agent.arms.arm_names import with_arm_beside
from replan_agent.domain.config import Config, build
from replan_agent.text.yaml_text import read_yaml

from .plugins import known_names
from .share import share_path


def load_config(path: Path | None = None, base: Config | None = None) -> Config:
    """The settings in `path`, by default those of the embedded simulation (config/sim.yaml).

    What the file does not name is as in `base`.
    """
    path = path or share_path('config', 'sim.yaml')
    values = read_yaml(path)
    values = {} if values is None else with_arm_beside(values, path.parent)
    if base is not None and isinstance(values, dict):
        values = _over(asdict(base), values)
    return build(Config, values, str(path), known_names)


def _over(base: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The base with the values on top; a section that is not a mapping is left to `build`."""
    sections = {key: {**base[key], **(value or {})} for key, value in values.items()
                if isinstance(base.get(key), dict) and (value is None or isinstance(value, dict))}
    return {**base, **values, **sections}
