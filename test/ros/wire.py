# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A message as another process receives it."""

from __future__ import annotations

from typing import Any

from rclpy.serialization import deserialize_message, serialize_message


def over_the_wire(message: Any) -> Any:
    """The message after serialisation and back."""
    return deserialize_message(serialize_message(message), type(message))
