"""Settings from YAML files, laid over the defaults."""

from __future__ import annotations

from pathlib import Path

from replan_agent.domain.config import Config, ConfigError, build
from replan_agent.domain.text import shown
from replan_agent.domain.yaml_text import read_yaml

from .plugins import installed_names
from .share import share_path


def load_config(path: Path | None = None) -> Config:
    """The settings in `path`, by default those of the embedded simulation (config/sim.yaml)."""
    path = path or share_path('config', 'sim.yaml')
    values = read_yaml(path)
    return build(Config, {} if values is None else values, str(path), installed_names)


def memory_path(config: Config) -> Path | None:
    """The file of the failure memory, if the settings name one."""
    try:
        return Path(config.agent.memory).expanduser() if config.agent.memory else None
    except RuntimeError as error:
        raise ConfigError(f'agent.memory: {shown(config.agent.memory)}: {error}') from error
