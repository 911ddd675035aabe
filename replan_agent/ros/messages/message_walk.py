# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as messages, and back: one walk over the fields of both.

A field goes to the field of the message with its name, or with its name and `_json`. Its type and
that of the message say in which form. Incoming messages are checked: MessageError says where the
wrong field is and what is allowed. A value survives the way out and back, times to the nanosecond;
but lists and tuples in maps of any shape (`args`, `evidence`) come back as lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

from replan_agent.text.plain_values import hints, read

from .message_fields import FORMS, MessageError, Ways, as_it_is, map_from_msg, map_to_msg

T = TypeVar('T')


class Sent(NamedTuple):
    """How a class is sent: its message, its name in errors, what is not the same in both.

    `read` gives fields from the whole message; `write` gives fields of the message from the whole
    value. `check` says what is wrong with a message, or ''.
    """

    message: Any
    name: str = ''  # formatted with the message; '': as the message
    renamed: Mapping[str, str] = {}
    unsent: str = ''  # fields that the message has no place for
    write: Callable[[Any], dict[str, Any]] | None = None
    read: Mapping[str, Callable[[Any], Any]] = {}
    check: Callable[[Any], str] | None = None


NONE: Mapping[str, Any] = {  # how they say "none"
    'string': '', 'double': math.nan, 'int32': 0, 'uint8': 0}
WORD = re.compile(r'(?<=[a-z])(?=[A-Z])|(?=[A-Z][a-z])(?<!^)')  # where one begins in a name
SEQUENCE = re.compile(r'sequence<([^,]+)(, \d+)?>')


class Walker:
    """Converts values of the classes in `kinds`; `forms` are those of types that differ."""

    def __init__(self, kinds: Mapping[type, Sent], forms: Mapping[Any, Ways]) -> None:
        self.kinds, self._forms = kinds, forms
        self._of: Callable[[Any], Ways] = cache(self._of_class)

    def to_msg(self, value: Any, **more: Any) -> Any:
        """The message of a value, with more of its fields."""
        msg = self._of(type(value)).write(value)
        for place, said in more.items():
            setattr(msg, place, said)
        return msg

    def from_msg(self, cls: type[T], msg: Any) -> T:
        """The value in a message. Raises MessageError."""
        return self._of(cls).read(msg, '')

    def _of_class(self, given: Any) -> Ways:
        cls = next((base for base in given.__mro__ if base in self.kinds), None)
        if cls is None:
            raise TypeError(f'no message holds a {given.__name__}')
        kind, parts = self.kinds[cls], tuple(self._parts(cls))

        def write_fields(value: Any) -> Any:
            made = {place: write(getattr(value, name)) if write else getattr(value, name)
                    for name, place, write, _ in parts}
            return kind.message(**(made | kind.write(value) if kind.write else made))

        def read_fields(msg: Any, _: str) -> Any:
            try:
                if kind.check and (wrong := kind.check(msg)):
                    raise MessageError(wrong)
                found = {name: read(getattr(msg, place), place) if read else getattr(msg, place)
                         for name, place, _, read in parts}
                return cls(**found, **{name: own(msg) for name, own in kind.read.items()})
            except ValueError as error:
                name = kind.name.format(msg) or WORD.sub(' ', kind.message.__name__).lower()
                raise MessageError(f'{name}: {error}') from error

        return Ways(write_fields, read_fields)

    def _parts(self, cls: Any) -> Iterator[tuple[Any, ...]]:
        """The fields that are walked, with their places in the message."""
        kind = self.kinds[cls]
        places = kind.message.get_fields_and_field_types()
        for name in [spec.name for spec in fields(cls)]:
            if name in kind.read or name in kind.unsent.split():
                continue
            place = kind.renamed.get(name, name)
            place = place if place in places else f'{place}_json'
            if place not in places:
                raise TypeError(f'{cls.__name__}.{name} has no place in {kind.message.__name__}')
            form = self._form(hints(cls)[name], places[place])
            yield (name, place, *(None if how is as_it_is else how for how in form))

    def _form(self, hint: Any, place: str) -> Ways:
        """How a field of this type goes into a field of a message of that type."""
        parts, items = get_args(hint), SEQUENCE.fullmatch(place)
        if hint in self._forms:
            return self._forms[hint]
        if NoneType in parts:
            (inner,) = (part for part in parts if part is not NoneType)
            if items and get_origin(inner) is not tuple:
                return _at_most_one(self._form(inner, items[1]))
            return _or_none(self._form(inner, place), () if items else NONE[place])
        if items:
            return _several(hint, self._form(parts[0], items[1]))
        if hint in self.kinds:
            return self._of(hint)
        if get_origin(hint) is Mapping:
            return Ways(map_to_msg, lambda text, name: read(hint, map_from_msg(text, name), name))
        is_slug = place == 'string' and issubclass(hint, Enum)
        return _member(hint) if is_slug else FORMS[place]


def _at_most_one(form: Ways) -> Ways:
    return Ways(lambda value: [] if value is None else [form.write(value)],
                lambda found, name: form.read(found[0], name) if found else None)


def _or_none(form: Ways, none: Any) -> Ways:
    """A value, or what says "none" in its place; NaN is not equal to itself."""
    def read_it(found: Any, name: str) -> Any:
        absent = not len(found) if none == () else found == none or found != found
        return None if absent else form.read(found, name)

    return Ways(lambda value: none if value is None else form.write(value), read_it)


def _several(hint: Any, form: Ways) -> Ways:
    kind, parts = get_origin(hint), get_args(hint)
    count = len(parts) if kind is tuple and Ellipsis not in parts else None
    in_order = sorted if kind is frozenset else list

    def read_all(found: Any, name: str) -> Any:
        if count not in (None, len(found)):
            raise MessageError(f'{name}: {count} numbers or none, not {len(found)}')
        return kind(found if form.read is as_it_is else [form.read(item, name) for item in found])

    return Ways(lambda values: in_order(map(form.write, values)), read_all)


def _member(kind: type[Enum]) -> Ways:
    """Their values are the slugs that the constants of the interfaces repeat."""
    members = {member.value: member for member in kind}
    return Ways(attrgetter('value'),
                lambda value, name: members.get(value) or read(kind, value, name))
