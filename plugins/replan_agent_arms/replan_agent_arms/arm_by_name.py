# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms by the name of a sidecar in config/arms, or by its path."""

from __future__ import annotations

from pathlib import Path

from replan_agent.app.build.share import share_path
from replan_agent.arms.arm_model import ArmModel
from replan_agent.text.choices import meant
from replan_agent.text.file_bytes import exists
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import shown

from .arm_file import LoadedArm, load_arm

SUFFIXES = ('.yaml', '.yml')
_known: dict[Path, tuple[tuple[int, ...], LoadedArm]] = {}


def arm_by_name(name_or_file: str) -> ArmModel:
    """The arm of a sidecar. Raises ConfigError: one sentence."""
    return loaded(sidecar_path(name_or_file)).arm


def sidecar_path(name_or_file: str) -> Path:
    """The file of that name in config/arms, or at that path. Raises ConfigError."""
    folder = share_path('config', 'arms')
    path = Path(name_or_file)
    if path.suffix not in SUFFIXES:
        path = folder / f'{name_or_file}.yaml'
    if not exists(path) and Path(name_or_file).is_file():
        raise ConfigError(f'{shown(name_or_file)} is a file whose name ends in neither .yaml nor '
                          '.yml; give it such a name')
    if not exists(path):
        known = sorted(file.stem for file in folder.glob('*.yaml'))
        raise ConfigError(f'no arm {shown(name_or_file)}; {meant(name_or_file, known)}sidecars in '
                          f'{folder}: {", ".join(known)}; or give the path of a .yaml file')
    return path.resolve()


def loaded(path: Path) -> LoadedArm:
    """The arm of a file, always the same one; it is read again when one of its files changes."""
    known = _known.get(path)
    if known is None or known[0] != _changed(known[1]):
        found = load_arm(path)
        known = _known[path] = _changed(found), found
    return known[1]


def _changed(arm: LoadedArm) -> tuple[int, ...]:
    """When its files were written last; 0 for one that is gone."""
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in arm.files)
