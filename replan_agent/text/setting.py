# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a setting is: a field with its meaning and its range, read from a mapping and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from typing import Any, TypeVar

from .choices import meant
from .shown_text import one_line, shown

T = TypeVar('T')
Read = Callable[[Any, str], Any]  # a value and where it stands: what it means, or ConfigError
PlugInNames = Callable[[str], tuple[str, ...]]  # of an entry-point group


class ConfigError(ValueError):
    """A setting or a file is wrong; the message, one short line, says what and what is allowed."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def setting(default: Any, help: str, low: float | None = None, high: float | None = None,
            choices: tuple[str, ...] = (), plug_ins: str = '', read: Read | None = None) -> Any:
    """A field with its meaning and the range that `build` enforces.

    `plug_ins` is the entry-point group whose names are choices too. `read` checks a value in its
    own way. A `default` of MISSING makes the key required.
    """
    metadata = {'help': help, 'low': low, 'high': high, 'choices': choices,
                'plug_ins': plug_ins, 'read': read}
    return field(default=default, metadata=metadata)


def build(cls: type[T], values: Any, where: str, installed: PlugInNames = lambda group: ()) -> T:
    """A config dataclass from a mapping. Raises ConfigError with the key and what is allowed.

    `installed` gives the names that other packages add to the choices.
    """
    known = {f.name: f for f in fields(cls)}  # type: ignore[arg-type]
    if not isinstance(values, dict):
        raise ConfigError(f'{where}: must be a mapping, not {type(values).__name__}; its keys: '
                          f'{", ".join(known)}')
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        if key not in known:
            raise ConfigError(f'{where}: unknown key {shown(key)}; {meant(key, known)}allowed: '
                              f'{", ".join(known)}')
        section = known[key].default_factory
        if isinstance(section, type) and is_dataclass(section):
            # A section whose keys are all commented out reads as None: its defaults.
            arguments[key] = build(section, {} if value is None else value,
                                   key_path(where, key), installed)
        else:
            arguments[key] = _checked(known[key], value, key_path(where, key), installed)
    for key, spec in known.items():
        if key not in arguments and spec.default is spec.default_factory is MISSING:
            raise ConfigError(f'{key_path(where, key)}: it is missing; {spec.metadata["help"]}')
    try:
        return cls(**arguments)
    except ConfigError as error:  # values that are wrong together
        raise ConfigError(f'{where}: {error}') from error


def key_path(where: str, key: str) -> str:
    """`key` as an error names it: 'file.yaml: section.key'."""
    return f'{where}.{key}' if ': ' in where else f'{where}: {key}'


def checked_number(value: Any, where: str, low: float | None, high: float | None,
                   whole: bool = False) -> float:
    """The number, as a float unless a `whole` one is wanted; raises ConfigError."""
    if not (type(value) is int and abs(value) < 2**53 or type(value) is float and not whole):
        within = '' if low is None else f' from {low:g} to {high:g}'
        raise ConfigError(f'{where}: must be a {"whole " if whole else ""}number{within}, '
                          f'not {shown(value)}')
    if low is not None and high is not None and not low <= value <= high:
        raise ConfigError(f'{where}: {shown(value)} is outside the allowed range {low:g} to '
                          f'{high:g}')
    return int(value) if whole else float(value)


def checked_flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f'{where}: must be true or false, not {shown(value)}')
    return value


def _checked(spec: Any, value: Any, where: str, installed: PlugInNames) -> Any:
    kind = type(spec.default)
    low, high, read = (spec.metadata.get(k) for k in ('low', 'high', 'read'))
    if read is not None:
        return read(value, where)
    if kind is bool:
        return checked_flag(value, where)
    if kind in (int, float):
        return checked_number(value, where, low, high, whole=kind is int)
    if kind is tuple:
        if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
            raise ConfigError(f'{where}: must be a list of texts, not {shown(value)}')
        return tuple(value)
    if spec.metadata.get('choices'):
        _check_choice(spec.metadata, value, where, installed)
    if not isinstance(value, str):
        raise ConfigError(f'{where}: must be a text, not {shown(value)}')
    return value


def _check_choice(metadata: Mapping[str, Any], value: Any, where: str, installed: PlugInNames
                  ) -> None:
    """Raise ConfigError unless the value is a choice, here or of an installed package."""
    if value in metadata['choices']:
        return
    group = metadata.get('plug_ins')
    choices = tuple(dict.fromkeys((*metadata['choices'], *(installed(group) if group else ()))))
    if value not in choices:
        raise ConfigError(f'{where}: {shown(value)} is not allowed; {meant(value, choices)}choose '
                          f'from: {", ".join(choices)}')
