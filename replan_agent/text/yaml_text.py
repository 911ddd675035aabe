# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""YAML as plain values. Text that cannot be read raises ConfigError: one short sentence."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from .file_bytes import file_bytes
from .setting import ConfigError
from .shown_text import has_controls, one_line, shown

LONGEST_FILE = 5_000_000  # bytes
REMEMBERED = 50_000  # bytes; larger files are parsed each time
UNCLOSED = ('while parsing a flow', 'while scanning a quoted')  # the words of PyYAML
DEEPEST = 50  # levels; no setting and no scene has more than six
_EXPONENT = re.compile(r'[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+')


def read_yaml(path: Path) -> Any:
    """The values in a YAML file. Raises ConfigError, which names the file."""
    return yaml_values(file_bytes(path, LONGEST_FILE), str(path))


def yaml_values(data: bytes, where: str) -> Any:
    """The values in the bytes of a YAML file. Errors call the file `where`."""
    try:
        return copy.deepcopy(_parsed(data)) if len(data) <= REMEMBERED else _parse(data)
    except UnicodeDecodeError as error:
        raise ConfigError(f'{where}: not UTF-8 text: {error}') from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        if error.context and error.context.startswith(UNCLOSED):  # known only further down
            mark = error.context_mark
        line = f'line {mark.line + 1}: ' if mark else ''
        said = one_line(', '.join(filter(None, (error.context, error.problem))), 200)
        raise ConfigError(f'{where}: not valid YAML: {line}{said}') from error
    except RecursionError as error:
        raise ConfigError(f'{where}: not valid YAML: nested too deep') from error
    # PyYAML lets these out for an impossible date, number or escape, or a wrong tag.
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, TypeError,
            AttributeError) as error:
        raise ConfigError(f'{where}: not valid YAML: {one_line(error, 200)}') from error


def _parse(data: bytes) -> Any:
    loader = _Loader(data.decode('utf-8'))
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


_parsed = functools.lru_cache(maxsize=32)(_parse)  # many runs read the same settings and scene


class _Loader(yaml.SafeLoader):
    """Refuses keys that are there twice, control characters, and deep nesting."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._depth += 1
        if self._depth > DEEPEST:
            raise yaml.MarkedYAMLError(problem=f'nested more than {DEEPEST} levels deep',
                                       problem_mark=self.peek_event().start_mark)
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
            raise yaml.MarkedYAMLError(
                problem=f'{shown(node.value)} is not a {node.tag.rpartition(":")[2]}',
                problem_mark=node.start_mark) from error

    def construct_scalar(self, node: Any) -> Any:
        if isinstance(node.value, str) and has_controls(node.value):
            raise yaml.MarkedYAMLError(problem=f'a control character in {shown(node.value)}',
                                       problem_mark=node.start_mark)
        return super().construct_scalar(node)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        first: dict[str, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode):
                continue
            line = key.start_mark.line + 1
            if key.value in first:
                raise yaml.MarkedYAMLError(
                    problem=f'{shown(key.value)} is there twice, first in line '
                            f'{first[key.value]}', problem_mark=key.start_mark)
            first[key.value] = line
        return super().construct_mapping(node, deep)


# YAML 1.1 reads 1e-3 as a text. People mean a number, as in YAML 1.2.
_Loader.add_implicit_resolver('tag:yaml.org,2002:float', re.compile(f'^(?:{_EXPONENT.pattern})$'),
                              list('-+.0123456789'))
