"""Settings from YAML files, laid over the defaults."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import Config, ConfigError, build
from replan_agent.domain.yaml_text import yaml_values

from .plugins import installed_names
from .share import share_path


def load_config(path: Path | None = None) -> Config:
    """The settings in `path`, by default those of the embedded simulation (config/sim.yaml)."""
    path = path or share_path('config', 'sim.yaml')
    try:
        values = yaml_values(path.read_bytes(), str(path))
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read: {error.strerror}') from error
    return build(Config, {} if values is None else values, str(path), installed_names)
