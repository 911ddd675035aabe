"""YAML as plain values. Text that cannot be read raises ConfigError."""

from __future__ import annotations

from typing import Any

import yaml

from .config import ConfigError


def yaml_values(data: bytes, where: str) -> Any:
    """The values in the bytes of a YAML file. Errors call the file `where`."""
    try:
        return yaml.safe_load(data.decode('utf-8'))
    except UnicodeDecodeError as error:
        raise ConfigError(f'{where}: not UTF-8 text: {error}') from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: an impossible date
        raise ConfigError(f'{where}: not valid YAML: {error}') from error
