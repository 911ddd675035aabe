# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A URDF or MJCF as text that MuJoCo compiles: what is wrong is said, what can be is repaired."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn
from xml.etree import ElementTree as ET
from xml.parsers import expat

from replan_agent.text.file_bytes import exists, file_bytes
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import one_line

from .mjcf_text import mjcf
from .model_parts import ModelText, check_finite
from .urdf_text import urdf

LONGEST_FILE = 20_000_000  # bytes
DEEPEST, INCLUDES = 100, 6  # elements, and files, in one another


def model_text(path: Path) -> ModelText:
    """The file as MuJoCo can read it. Raises ConfigError for what cannot be repaired."""
    text = ModelText(path)
    root = _parsed(path)
    if root.tag == 'robot':
        urdf(root, text)
    elif root.tag == 'mujoco':
        mjcf(_included(root, text), text)
    else:
        raise text.wrong(f'<{one_line(root.tag, 40)}>', 'is no model of an arm',
                         'give a URDF, whose first element is <robot>, or an MJCF, <mujoco>')
    check_finite(root, text)
    text.xml = ET.tostring(root, encoding='unicode')
    return text


def _parsed(path: Path) -> ET.Element:
    data = file_bytes(path, LONGEST_FILE)
    if path.suffix == '.xacro':
        raise _xacro(path)
    try:
        _check_markup(data, path)
        return ET.fromstring(data)
    except ConfigError:
        raise
    except (ET.ParseError, expat.ExpatError) as error:
        raise ConfigError(f'{path}: not valid XML: {one_line(error, 200)}; write it so that each '
                          'element that begins there also ends') from error
    except (LookupError, ValueError) as error:
        raise ConfigError(f'{path}: <?xml encoding="..."?> cannot be read: '
                          f'{one_line(error, 200)}; write encoding="utf-8"') from error


def _xacro(path: Path) -> ConfigError:
    made = f'{path.stem.removesuffix(".urdf")}.urdf'
    return ConfigError(f'{path}: it is a xacro file; make a URDF of it: xacro {path.name} > '
                       f'{made if made != path.name else f"made_{made}"}')


def _check_markup(data: bytes, path: Path) -> None:
    """Raise ConfigError for entities, whatever the encoding, for xacro and very deep nesting."""
    depth = 0

    def entity(*_: Any) -> NoReturn:
        raise ConfigError(f'{path}: <!ENTITY> is not read; write the texts in full')

    def start(tag: str, _: Any) -> None:
        nonlocal depth
        depth += 1
        if tag.startswith('xacro:'):
            raise _xacro(path)
        if depth > DEEPEST:
            raise ConfigError(f'{path}: <{one_line(tag, 40)}> is in {DEEPEST} other elements; '
                              'write a model that is nested less')

    def end(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.EntityDeclHandler, parser.StartElementHandler = entity, start
    parser.EndElementHandler = end
    parser.Parse(data, True)


def _included(root: ET.Element, text: ModelText, depth: int = 0) -> ET.Element:
    """The same with the contents of <include file="..."/> in place of it."""
    for parent in list(root.iter()):
        for place, child in reversed(list(enumerate(parent))):
            if child.tag != 'include':
                continue
            file = text.path.parent / child.get('file', '')
            called = f'{text.path}: <include file="{child.get("file")}">'
            if not exists(file):
                raise ConfigError(f"{called} does not exist; write its path from this file's "
                                  'folder')
            if depth >= INCLUDES:
                raise ConfigError(f'{called} is in {INCLUDES} other files, or in itself; write '
                                  'what they say into one file')
            text.files.append(file)
            parent.remove(child)
            parent[place:place] = list(_included(_parsed(file), text, depth + 1))
    return root
