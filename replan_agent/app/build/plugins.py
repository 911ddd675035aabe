# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Finds parts by name: ours, and those of other installed packages.

A package offers a part as an entry point in one of the groups below.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any

from replan_agent.domain.config import MOTION_PLANNERS, PERCEPTIONS, ROBOTS, ConfigError

if TYPE_CHECKING:
    from replan_agent.arms.arm_model import ArmModel

SKILLS = 'replan_agent.skills'
COMMANDS = 'replan_agent.commands'
SUITES = 'replan_agent.suites'
REPORTS, ADVISERS = 'replan_agent.reports', 'replan_agent.advisers'
LOOKS, MODELS = 'replan_agent.looks', 'replan_agent.models'
FILMS, FILM = 'replan_agent.films', 'run'
MEMORY, FAILURES = 'replan_agent.memory', 'failures'
CHANCES, PLANS = 'replan_agent.chances', 'plans'
TRUTH, TOPIC = 'replan_agent.truth', 'topic'
VIEWS, PACES = 'replan_agent.views', 'replan_agent.paces'
GRIPPERS, SELF_STOPS = 'replan_agent.grippers', 'replan_agent.self_stops'
OURS = {  # what our packages beside the core offer, and which of them does
    COMMANDS: {name: f'replan_agent_{package}' for package, names in {
        'bench': 'bench demo fake-model local-model', 'page': 'web mcp', 'arms': 'arm',
        'talk': 'chat', 'chance': 'chance measure-chance', 'memory': 'memory',
        'export': 'export replay plans show', 'calibrate': 'look calibrate record-views',
        'doctor': 'doctor completion stop reset_stop recover_error home_gripper answer',
    }.items() for name in names.split()},
    MEMORY: {FAILURES: 'replan_agent_memory'}, CHANCES: {PLANS: 'replan_agent_chance'},
    TRUTH: {TOPIC: 'replan_agent_sim'}, PACES: {TOPIC: 'replan_agent_pace'},
    VIEWS: dict.fromkeys(('scene', 'task', 'grasps'), 'replan_agent_export'),
    ADVISERS: {'monitor': 'replan_agent_advice', 'reflection': 'replan_agent_advice'},
    FILMS: {FILM: 'replan_agent_export'},
    MODELS: {'recording': 'replan_agent_export', 'replayed': 'replan_agent_export'},
    PERCEPTIONS: {'camera_vlm': 'replan_agent_pointing'},
    GRIPPERS: {'franka': 'replan_agent_franka', 'parallel_gripper': 'replan_agent_arms'},
    SELF_STOPS: {'franka': 'replan_agent_franka', 'services': 'replan_agent_arms'},
    ROBOTS: {'furnished': 'replan_agent_contact'},
    MOTION_PLANNERS: {'moveit': 'replan_agent_moveit', 'vamp': 'replan_agent_vamp'},
}

Factory = Callable[[Any], Any]  # called with PlannerParts, PerceptionParts or RobotParts
FOREIGN_ERRORS = (Exception, SystemExit)  # code of another package may raise anything
log = logging.getLogger('replan_agent')


class PlugInError(ConfigError):
    """A part of another package cannot be used. The message names the part and the package."""


def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group: of our packages, then of others. Cached for each sys.path."""
    return _on_path(group, tuple(sys.path))


@lru_cache
def _on_path(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(sorted(_all_on(path).select(group=group), key=lambda found: (
        not _is_ours(found), found.name)))


_all_on = lru_cache(lambda path: entry_points())  # the slow part: it reads files of every package


def installed_names(group: str) -> tuple[str, ...]:
    """The names that installed packages offer in a group, in alphabetical order."""
    return tuple(dict.fromkeys(found.name for found in installed(group)))


def known_names(group: str) -> tuple[str, ...]:
    """The same, and those of our packages that are not installed: who asks is told so."""
    return tuple(dict.fromkeys((*installed_names(group), *OURS.get(group, ()))))


def part_named(group: str, name: str, built_in: Mapping[str, Factory],
               checked: Callable[[Any], Any] = lambda made: made) -> Factory:
    """The function that makes the part of that name. Our names come first.

    `checked` is called with what another package made; it returns the part or raises TypeError.
    Raises ConfigError, which lists the available names.
    """
    entry = entry_named(group, name, built_in)
    return built_in[name] if entry is None else _guarded(entry, checked)


def entry_named(group: str, name: str, built_in: Collection[str]) -> EntryPoint | None:
    """The entry point of that name; None if it is built in. Raises as `part_named`."""
    found = [entry for entry in installed(group) if entry.name == name]
    ours = [] if name in built_in else list(filter(_is_ours, found))
    if name in built_in or ours:
        for entry in found[len(ours):]:
            log.warning(f'{_kind(group)} {name!r} of {_package(entry)} is not used: the name '
                        'belongs to a part of replan_agent; it needs another one')
        return ours[0] if ours else None
    if not found and name in OURS.get(group, ()):
        raise not_installed(group, name)
    if not found:
        choices = ', '.join((*built_in, *installed_names(group)))
        raise ConfigError(f'{_kind(group)}: {name!r} is not one of: {choices}')
    if len(found) > 1:
        packages = ' and '.join(sorted(_package(entry) for entry in found))
        raise PlugInError(f'{_kind(group)} {name!r} is ambiguous: {packages} both offer it')
    return found[0]


def not_installed(group: str, name: str) -> ConfigError:
    """The error for a part of `OURS` that is not there: it says how to get it."""
    package = OURS[group][name]
    return ConfigError(f'{_kind(group)} {name!r} is in the package {package}, which is not '
                       f'installed: in a clone, pip install ./plugins/{package}')


def loaded(group: str, warn: Callable[[str], None] = log.warning,
           names: Collection[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Each part of a group with a name for it; `names` are those to load, None: all.

    `warn` is called for each broken one.
    """
    for entry in installed(group):
        if names is not None and entry.name not in names:
            continue
        try:
            yield f'{_kind(group)} {entry.name!r} of {_package(entry)}', load(entry)
        except PlugInError as error:
            warn(f'{error}; it is left out')


def instance_of(kind: type, made: Any) -> Any:
    """What another package made. Raises TypeError if it is something else."""
    if not isinstance(made, kind):
        raise TypeError(f'it must give a {kind.__name__}, not {made!r}')
    return made


def reports() -> tuple[Callable[[Path], None], ...]:
    """What installed packages write about a run, each called with its folder when it ends."""
    return tuple(write for _, write in loaded(REPORTS))


def views(subject: str) -> list[Callable[..., Any]]:
    """What makes the drawings of the scene, the task or the grasps over ROS: of each package."""
    return [make for _, make in loaded(VIEWS, names=(subject,))]


def arm_looks(arm: ArmModel) -> Any | None:
    """What an installed package draws instead of the arm's own solids; None if nothing."""
    return next(filter(None, (looks_of(arm) for _, looks_of in loaded(LOOKS))), None)


def offered(group: str, name: str) -> Any:
    """What a package offers under this name. Raises ConfigError if it is not installed."""
    entry = entry_named(group, name, ())
    assert entry is not None, 'it is not built in'
    return load(entry)


def load(entry: EntryPoint) -> Any:
    """The object of the entry point. Raises PlugInError."""
    try:
        return entry.load()
    except FOREIGN_ERRORS as error:
        raise _broken(entry, error) from error


def _guarded(entry: EntryPoint, checked: Callable[[Any], Any]) -> Factory:
    """The factory of an entry point; an error in it names the package."""
    make = load(entry)

    def made(parts: Any) -> Any:
        try:
            return checked(make(parts))
        except ConfigError:
            raise
        except FOREIGN_ERRORS as error:
            raise _broken(entry, error) from error

    return made


def _broken(entry: EntryPoint, error: BaseException) -> PlugInError:
    return PlugInError(f'{_kind(entry.group)} {entry.name!r} of {_package(entry)} cannot be used: '
                       f'{type(error).__name__}: {error}')


def _is_ours(entry: EntryPoint) -> bool:
    name = entry.dist.name.replace('-', '_') if entry.dist else ''
    return name == 'replan_agent' or any(name in ours.values() for ours in OURS.values())


def _package(entry: EntryPoint) -> str:
    return f'package {entry.dist.name}' if entry.dist else entry.value


def _kind(group: str) -> str:
    """'planner' for the group 'replan_agent.planners'."""
    return group.rpartition('.')[2].removesuffix('s')
