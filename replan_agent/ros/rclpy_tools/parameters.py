"""A node's parameters from the configuration dataclasses: names, meanings, ranges, defaults."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.node import Node

from replan_agent.app.build.plugins import installed_names
from replan_agent.domain.config import build

T = TypeVar('T')


def declared(node: Node, cls: type[T], prefix: str = '') -> T:
    """Declare the fields of `cls` as parameters of the node; returns `cls` with their values.

    A dataclass inside is a group (`agent.max_replans`). Parameters are read once, so a running
    node refuses to change them. Raises ConfigError with the parameter and what is allowed.
    """
    return build(cls, _values(node, cls, prefix), f'parameters of {node.get_name()}',
                 installed_names)


def _values(node: Node, cls: type, prefix: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for spec in fields(cls):
        name, section = f'{prefix}{spec.name}', spec.default_factory
        if section is not MISSING and is_dataclass(section):
            values[spec.name] = _values(node, section, f'{name}.')
        else:
            values[spec.name] = _value(node, name, spec)
    return values


def _value(node: Node, name: str, spec: Field[Any]) -> Any:
    default: Any = spec.default
    listed = isinstance(default, tuple)
    default = list(default) if listed else default
    descriptor = _descriptor(spec)
    # An empty list has no element type, and a float may be given as a whole number.
    descriptor.dynamic_typing = listed or isinstance(default, float)
    value = node.declare_parameter(name, default, descriptor).value
    return tuple(value or ()) if listed else value  # `[]` in a file reads as None


def _descriptor(spec: Field[Any]) -> ParameterDescriptor:
    low: Any = spec.metadata.get('low')
    high: Any = spec.metadata.get('high')
    choices, group = spec.metadata.get('choices'), spec.metadata.get('plug_ins')
    choices = (*choices, *installed_names(group)) if choices and group else choices
    descriptor = ParameterDescriptor(
        description=spec.metadata.get('help', ''), read_only=True,
        additional_constraints=f'one of: {", ".join(choices)}' if choices else '')
    if low is not None and isinstance(spec.default, float):
        descriptor.floating_point_range = [
            FloatingPointRange(from_value=float(low), to_value=float(high))]
    elif low is not None:
        descriptor.integer_range = [IntegerRange(from_value=int(low), to_value=int(high))]
    return descriptor
