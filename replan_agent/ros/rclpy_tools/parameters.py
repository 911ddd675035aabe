# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node's parameters from the configuration dataclasses: names, meanings, ranges, defaults."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from rcl_interfaces import msg as ros
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from replan_agent.app.build.plugins import installed_names, known_names
from replan_agent.domain.config import ConfigError, build
from replan_agent.text.plain_values import flat

T = TypeVar('T')
WHILE_MOVING = 'a limit: it changes only while the arm stands; a task is running'
SIM_TIME = 'use_sim_time'  # a node's time does not jump while it works
OK = ros.SetParametersResult(successful=True)


def declared(node: Node, cls: type[T], prefix: str = '') -> T:
    """Declare the fields of `cls` as parameters of the node; returns `cls` with their values.

    A dataclass inside is a group (`agent.max_replans`), or a part of one: its metadata may have
    `only`, which gets the values so far and returns the names that the node needs (None: all).
    Parameters are read once, so they are read-only. Raises ConfigError with the parameter and what
    is allowed.
    """
    return LiveSettings(node, cls, (), prefix=prefix).now


class LiveSettings(Generic[T]):
    """Settings of a node, some of which may change while it runs (`ros2 param set`).

    `live` are the names of these. Those in `capped` are limits: they never rise above the value
    at the start, and change only while `moving` is false. Those in `floored` never fall below the
    value at the start. `now` holds the settings, and `on_change` gets the new ones.
    """

    def __init__(self, node: Node, cls: type[T], live: Collection[str],
                 capped: Collection[str] = (), floored: Collection[str] = (),
                 prefix: str = '') -> None:
        self._node, self._cls, self._live = node, cls, {*live, *capped, *floored}
        self._values = _values(node, cls, prefix, self._live)
        self._own = flat(self._values, prefix)  # by their full names
        self._most = {name: self._own[name] for name in capped}
        self._least = {name: self._own[name] for name in floored}
        self.moving: Callable[[], bool] = lambda: False
        self.on_change: Callable[[T], None] = lambda settings: None
        self.now = self._built(self._values)
        node.add_on_set_parameters_callback(self._check)
        # Humble has no callback for after the change.
        self._has_after = hasattr(node, 'add_post_set_parameters_callback')
        if self._live and self._has_after:
            node.add_post_set_parameters_callback(self._take)

    def _built(self, values: dict[str, Any]) -> T:
        return build(self._cls, values, f'parameters of {self._node.get_name()}', known_names)

    def _check(self, parameters: Sequence[Parameter]) -> ros.SetParametersResult:
        own = [p for p in parameters if p.name in self._own]
        why = next(filter(None, map(self._refusal, own)), '')
        if SIM_TIME in (p.name for p in parameters):
            why = f'{SIM_TIME} is read-only: the node reads it once, at its start'
        if not why and own:
            try:
                self._built(self._with(own))
            except ConfigError as error:
                why = str(error)
        if not why and not self._has_after:
            self._take(parameters)
        return ros.SetParametersResult(successful=False, reason=why) if why else OK

    def _refusal(self, parameter: Parameter) -> str:
        name, most = parameter.name, self._most.get(parameter.name)
        least = self._least.get(name)
        if least is not None and isinstance(parameter.value, (int, float)) and (
                parameter.value < least):
            return f'{name} is caution: {parameter.value} is below {least:g}, as configured'
        if most is None:
            return ''
        if self.moving():
            return f'{name} is {WHILE_MOVING}'
        if not isinstance(parameter.value, (int, float)) or parameter.value > most:
            return f'{name} is a limit: {parameter.value} is above {most:g}, as configured'
        return ''

    def _with(self, parameters: Sequence[Parameter]) -> dict[str, Any]:
        """All values with these changed."""
        values = deepcopy(self._values)
        for parameter in parameters:
            *path, last = parameter.name.split('.')
            group = reduce(dict.__getitem__, path, values)
            listed, value = isinstance(group[last], tuple), parameter.value
            group[last] = tuple(value or ()) if listed else value
        return values

    def _take(self, parameters: Sequence[Parameter]) -> None:
        own = [p for p in parameters if p.name in self._own]
        if own:
            self._values = self._with(own)
            self.now = self._built(self._values)
            self.on_change(self.now)


def _values(node: Node, cls: type, prefix: str, live: Collection[str],
            only: Collection[str] | None = None) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for spec in fields(cls):
        if only is not None and spec.name not in only:
            continue
        name, section = f'{prefix}{spec.name}', spec.default_factory
        if section is not MISSING and is_dataclass(section):
            needed = spec.metadata.get('only', lambda so_far: None)(values)
            values[spec.name] = _values(node, section, f'{name}.', live, needed)
        else:
            values[spec.name] = _value(node, name, spec, name in live)
    return values


def _value(node: Node, name: str, spec: Field[Any], is_live: bool) -> Any:
    default: Any = spec.default
    listed = isinstance(default, tuple)
    default = list(default) if listed else default
    descriptor = _descriptor(spec)
    # An empty list has no element type, and a float may be given as a whole number.
    descriptor.dynamic_typing = listed or isinstance(default, float)
    descriptor.read_only = not is_live
    try:
        value = node.declare_parameter(name, default, descriptor).value
    except ParameterException as error:
        raise ConfigError(str(error)) from error
    return tuple(value or ()) if listed else value  # `[]` in a file reads as None


def _descriptor(spec: Field[Any]) -> ros.ParameterDescriptor:
    low: Any = spec.metadata.get('low')
    high: Any = spec.metadata.get('high')
    choices, group = spec.metadata.get('choices'), spec.metadata.get('plug_ins')
    choices = (*choices, *installed_names(group)) if choices and group else choices
    descriptor = ros.ParameterDescriptor(
        description=spec.metadata.get('help', ''),
        additional_constraints=f'one of: {", ".join(choices)}' if choices else '')
    if low is not None and isinstance(spec.default, float):
        descriptor.floating_point_range = [
            ros.FloatingPointRange(from_value=float(low), to_value=float(high))]
    elif low is not None:
        descriptor.integer_range = [ros.IntegerRange(from_value=int(low), to_value=int(high))]
    return descriptor
