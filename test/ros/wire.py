"""A message as another process receives it."""

from __future__ import annotations

from typing import Any

from rclpy.serialization import deserialize_message, serialize_message


def over_the_wire(message: Any) -> Any:
    """What comes out of the bytes that this message becomes."""
    return deserialize_message(serialize_message(message), type(message))
