# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Writing MuJoCo XML: one function that makes an element from typed values."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as ET

Value = str | bool | float | Iterable[float]

VISUAL_GROUP = 2
COLLISION_GROUP = 3  # MuJoCo draws groups 0 to 2 only
_ESCAPED = str.maketrans({mark: f'&#{ord(mark)};' for mark in '&<>"\r\n\t'})


def node(parent: ET.Element, tag: str, **attributes: Value) -> ET.Element:
    """A child of `parent`; numbers keep full precision, sequences become 'x y z'.

    A trailing underscore is dropped, so that Python keywords can be attributes (`class_`).
    """
    written = {key.rstrip('_'): text(value) for key, value in attributes.items()}
    return ET.SubElement(parent, tag, written)


def text(value: Value) -> str:
    """`value` as MJCF writes it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return 'true' if value else 'false'
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(float(value))
    return ' '.join([repr(float(v)) for v in value])


def to_xml(root: ET.Element, more: str = '') -> str:
    """The elements and attributes as text: all that MJCF has. ElementTree takes twice as long.

    `more` is text that comes after the children of `root`.
    """
    own = ''.join([f' {key}="{value.translate(_ESCAPED)}"' for key, value in root.items()])
    return f'<{root.tag}{own}>{sections(root)}{more}</{root.tag}>\n'


def sections(root: ET.Element) -> str:
    """The children of `root` as text."""
    return ''.join(map(to_xml, root))
