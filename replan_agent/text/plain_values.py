# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as plain JSON values, and back: one walk over their fields.

What is read comes from outside and is not trusted: WrongField names the field that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, ClassVar, TypeVar, cast, get_args, get_origin, get_type_hints

from .shown_text import clipped, shown

T = TypeVar('T')
R = TypeVar('R', bound='Recorded')
MOST_CHARACTERS = 200  # of a value that JSON cannot hold
NOT_FINITE = ('nan', 'inf', '-inf')  # as the record writes them, because JSON cannot


class WrongField(ValueError):
    """Values are not those of the class. The message names the field and what it must be."""


class Recorded:
    """Base of dataclasses that are written as JSON and read again, by their fields.

    `WRITTEN` names the fields and properties to write, in this order; without it, all fields are
    written in theirs. What else differs is said by the field (`on_disk`).
    """

    WRITTEN: ClassVar[str] = ''

    def as_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        found: dict[str, Any] = {}
        kind: Any = type(self)
        for name, how in _written(kind):
            value = getattr(self, name)
            if how.get('if_used') and not value and type(value) not in (int, float):
                continue
            simple = how['write'](value) if 'write' in how else plain(value)
            found.update(simple if how.get('flat') else {how.get('key', name): simple})
        return found

    @classmethod
    def from_dict(cls: type[R], data: Any, where: str = '') -> R:
        """What `as_dict` wrote, also by an earlier version. Raises WrongField.

        What is missing or null has its default, if there is one. Other keys do not count.
        """
        values, kind = typed(data, dict, where), cast(Any, cls)
        try:
            found = {spec.name: _field(spec, hint, values, where) for spec, hint in _read(kind)}
            return cls(**{name: value for name, value in found.items() if value is not MISSING})
        except WrongField:
            raise
        except ValueError as error:  # values that are wrong together
            raise WrongField(f'{where}: {error}' if where else str(error)) from error


def on_disk(**how: Any) -> Mapping[str, Any]:
    """The metadata of a field whose form on disk is not its own.

    `key`: its name there. `if_used`: left out if it is None, False or empty. `flat`: its entries
    stand beside the other fields. `write` makes it plain; `read` gets all values and where they
    stand, and gives it back.
    """
    return how


IF_USED = on_disk(if_used=True)


def plain(value: Any, inside: tuple[int, ...] = ()) -> Any:
    """A value that JSON can hold. Of others it gives the clipped repr, '...' for a circle."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if hasattr(value, 'as_dict'):
        return value.as_dict()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (Mapping, list, tuple)):
        if id(value) in inside:
            return '...'
        inside = (*inside, id(value))
        if isinstance(value, Mapping):
            return {str(k): plain(v, inside) for k, v in value.items()}
        return [plain(v, inside) for v in value]
    if isinstance(value, frozenset):
        return sorted(map(plain, value))
    if hasattr(value, 'tolist'):
        return value.tolist()
    return value if isinstance(value, (str, int, float)) else clipped(repr(value), MOST_CHARACTERS)


def flat(values: Mapping[str, Any], before: str = '') -> dict[str, Any]:
    """Groups of values as one level: `{'agent': {'max_steps': 5}}` is `{'agent.max_steps': 5}`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= (flat(value, f'{before}{name}.') if isinstance(value, Mapping)
                  else {f'{before}{name}': value})
    return found


def read(kind: Any, value: Any, where: str) -> Any:
    """The plain value as one of this type. Raises WrongField, which says where."""
    parts = get_args(kind)
    if kind is Any:
        return value
    if NoneType in parts:
        (inner,) = (part for part in parts if part is not NoneType)
        unknown = value == '' and isinstance(inner, type) and issubclass(inner, Enum)
        return None if value is None or unknown else read(inner, value, where)
    if get_origin(kind) is tuple:
        return _tuple(parts, value, where)
    if get_origin(kind) is frozenset:
        return frozenset(_tuple((*parts, Ellipsis), value, where))
    if parts:  # a mapping
        entries = typed(value, dict, where)
        return {key: read(parts[1], entry, f'{where}: {key}') for key, entry in entries.items()}
    if issubclass(kind, Recorded):
        return kind.from_dict(value, where)
    if hasattr(kind, 'from_dict'):  # it reads itself
        return _by_itself(kind, value, where)
    if issubclass(kind, Enum):
        return _member(kind, value, where)
    return _number(value, where) if kind is float else typed(value, kind, where)


def typed(value: Any, kind: type[T], where: str) -> T:
    """The value, which must be of exactly this type. Raises WrongField."""
    if type(value) is not kind:
        raise WrongField(f'{where or "value"}: {kind.__name__} expected, '
                         f'not {type(value).__name__}')
    return value


@cache
def hints(cls: Any) -> Mapping[str, Any]:
    """The types of its fields by name."""
    return get_type_hints(cls)


@cache
def _written(cls: Any) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    known = {spec.name: spec.metadata for spec in fields(cls)}
    return tuple((name, known.get(name, {})) for name in cls.WRITTEN.split() or known)


@cache
def _read(cls: Any) -> tuple[tuple[Field[Any], Any], ...]:
    names = {name for name, _ in _written(cls)}
    return tuple((spec, hints(cls)[spec.name]) for spec in fields(cls) if spec.name in names)


def _field(spec: Field[Any], hint: Any, values: Mapping[str, Any], where: str) -> Any:
    """The value of a field; MISSING if it has its default."""
    how, has_default = spec.metadata, not spec.default is spec.default_factory is MISSING
    key = how.get('key', spec.name)
    place = f'{where}: {key}' if where else key
    if 'read' in how:
        reading: Callable[..., Any] = how['read']
        return reading(values, place)
    if how.get('flat'):
        return read(hint, values, where)
    if values.get(key) is None and (has_default or NoneType not in get_args(hint)):
        if has_default:
            return MISSING
        raise WrongField(f'{place}: it is missing')
    return read(hint, values.get(key), place)


def _tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    items = list(value) if isinstance(value, tuple) else typed(value, list, where)
    kinds = parts[:1] * len(items) if Ellipsis in parts else parts
    if len(items) != len(kinds):
        raise WrongField(f'{where}: {len(kinds)} values expected, not {len(items)}')
    return tuple(read(kind, item, f'{where}[{index}]')
                 for index, (kind, item) in enumerate(zip(kinds, items)))


def _by_itself(kind: Any, value: Any, where: str) -> Any:
    try:
        return kind.from_dict(typed(value, dict, where))
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        said = str(error) if isinstance(error, WrongField) else f'{where}: {error}'
        raise WrongField(said) from error


def _member(kind: type[Enum], value: Any, where: str) -> Enum:
    try:
        return kind(value)
    except ValueError:
        allowed = ', '.join(str(member.value) for member in kind)
        raise WrongField(f'{where}: {shown(value)} is not one of: {allowed}') from None


def _number(value: Any, where: str) -> float:
    if type(value) not in (int, float) and value not in NOT_FINITE:
        raise WrongField(f'{where}: number expected, not {type(value).__name__}')
    return float(value)
