"""Settings from YAML files, laid over the defaults."""

from __future__ import annotations

from pathlib import Path

import yaml

from replan_agent.domain.config import Config, ConfigError, build

from .plugins import installed_names
from .share import share_path


def load_config(path: Path | None = None) -> Config:
    """The settings in `path`; without one those of the embedded simulation."""
    path = path or share_path('config', 'sim.yaml')
    try:
        text = path.read_text(encoding='utf-8')
    except OSError as error:
        raise ConfigError(f'{path}: cannot be read: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise ConfigError(f'{path}: not UTF-8 text: {error}') from error
    try:
        values = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date that is none
        raise ConfigError(f'{path}: not valid YAML: {error}') from error
    return build(Config, {} if values is None else values, str(path), installed_names)
