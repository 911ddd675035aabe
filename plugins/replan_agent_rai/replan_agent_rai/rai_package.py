# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""RAI's own scenarios, tasks and scorers, imported from its packages without its robot stack.

Its benchmark imports ROS 2, launch files, LangChain and a detector beside the scorers. None of
these takes part in a score, and not all are on PyPI. So the modules that tasks, scenes and scores
are made of are imported as they are, and every other name that they import is a placeholder.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType
from typing import Any

from replan_agent.app.build.plugins import FOREIGN_ERRORS
from replan_agent.domain.config import ConfigError

PACKAGES = ('rai', 'rai_bench', 'rai_sim')
OWN = ('rai.types', 'rai_sim.simulation_bridge', 'rai_bench.manipulation_o3de')  # as they are
BARE = ('rai', 'rai_bench', 'rai_bench.manipulation_o3de',
        'rai_bench.manipulation_o3de.predefined', 'rai_sim')  # folders: their __init__ is not run
NOT_NEEDED = ('rclpy', 'langchain', 'langchain_core', 'langgraph', 'launch', 'launch_ros',
              'rai_open_set_vision', *PACKAGES)
VERSION = '0.1.2'  # of rai-bench
HOW_TO_GET = (f'pip install --no-deps --target DIR rai-bench=={VERSION} rai-sim==0.0.2 '
              'rai-core==2.12.1')


def scenarios(folder: Path | None) -> tuple[Any, ...]:
    """RAI's predefined scenarios, in its order. Raises ConfigError if they are not there."""
    return _imported(folder)[0]


@cache
def _imported(folder: Path | None) -> tuple[tuple[Any, ...], Any]:
    """The scenarios, and the class of entities in the same import."""
    root = _root(folder)
    try:
        with _importing(root):
            found = importlib.import_module('rai_bench.manipulation_o3de.predefined.scenarios')
            entity = sys.modules['rai_sim.simulation_bridge'].SpawnedEntity
        found.CONFIGS_DIR = f'{Path(str(found.__file__)).parent / "configs"}/'
        return tuple(found.get_scenarios()), entity
    except FOREIGN_ERRORS as error:
        raise ConfigError(f'RAI cannot be used: {type(error).__name__}: {error}; to get it: '
                          f'{HOW_TO_GET}') from error


def entity_type(folder: Path | None) -> Any:
    """RAI's class of a thing in a world, the one that its scorers use."""
    return _imported(folder)[1]


def check_version(folder: Path | None) -> None:
    """Raises ConfigError if it is another version: the rows of the suite are those of this one."""
    for found in distributions(path=_root(folder)):
        name = (found.metadata or {}).get('Name') or ''  # a damaged one has none
        if name.replace('_', '-').lower() == 'rai-bench':
            if found.version != VERSION:
                raise ConfigError(f'the suite rai has the scenarios of rai-bench {VERSION}, and '
                                  f'{found.version} is there; to get it: {HOW_TO_GET}')
            return
    raise ConfigError(f'the version of rai-bench is not known; to get it: {HOW_TO_GET}')


def _root(folder: Path | None) -> list[str]:
    """Where the packages are: in the folder, or installed."""
    path = sys.path if folder is None else [str(folder)]
    missing = [name for name in PACKAGES if PathFinder.find_spec(name, path) is None]
    if missing:
        where = 'not installed' if folder is None else f'not in {folder}'
        raise ConfigError(f'the suite rai needs {", ".join(missing)}, which is {where}; to get '
                          f'it: {HOW_TO_GET}, then --problems DIR')
    return path


class _Placeholder:
    """Stands for a class of the robot stack: its name is needed, nothing of it is used."""

    def __class_getitem__(cls, item: object) -> type[_Placeholder]:
        return cls


class _Finder(MetaPathFinder, Loader):
    """Finds RAI's modules under `path`, and placeholders for what they import beside."""

    def __init__(self, path: Sequence[str]) -> None:
        self.path = path

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
                  ) -> ModuleSpec | None:
        if name.partition('.')[0] not in NOT_NEEDED:
            return None
        if name in BARE:
            found = PathFinder.find_spec(name, path or self.path)
            bare = ModuleSpec(name, None, is_package=True)
            bare.submodule_search_locations = found and found.submodule_search_locations
            return bare
        if name.startswith(OWN):
            return PathFinder.find_spec(name, path)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _PlaceholderModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


class _PlaceholderModule(ModuleType):
    def __getattr__(self, name: str) -> type[_Placeholder]:
        if name.startswith('__'):
            raise AttributeError(name)
        return type(name, (_Placeholder,), {})


@contextmanager
def _importing(path: Sequence[str]) -> Iterator[None]:
    """While it lasts, RAI is imported from the path; then the placeholders are gone again."""
    finder = _Finder(path)
    before = {n: m for n, m in sys.modules.items() if n.partition('.')[0] in NOT_NEEDED}
    for name in before:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name, module in list(sys.modules.items()):
            if isinstance(module, _PlaceholderModule):
                del sys.modules[name]
        sys.modules.update(before)
