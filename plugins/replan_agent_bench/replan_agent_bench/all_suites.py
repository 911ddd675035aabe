# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The list of suites: ours, and those that installed packages offer.

A suite is imported when it is used, so that the command line is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from replan_agent.app.build import plugins

if TYPE_CHECKING:
    from .suite import Suite

# Name on the command line: module in suites/ and name of the Suite in it.
SUITES = {
    'blocked': 'blocked_suite.BLOCKED',
    'language': 'language_suite.LANGUAGE',
    'many': 'many_suite.MANY',
    'mbm': 'mbm_suite.MBM',
    'memory': 'memory_suite.MEMORY',
    'model': 'model_suite.MODEL',
    'motion': 'motion_suite.MOTION',
    'objects': 'objects_suite.OBJECTS',
    'perception': 'motion_suite.PERCEPTION',
    'pick': 'motion_suite.PICK',
    'pile': 'pile_suite.PILE',
    'recovery': 'recovery_suite.RECOVERY',
    'why': 'why_suite.WHY',
}


def suite_names() -> tuple[str, ...]:
    """Ours, then those of installed packages."""
    return *SUITES, *plugins.installed_names(plugins.SUITES)


def find_suite(name: str) -> Suite[Any, Any, Any]:
    """The suite of that name; a wrong name raises ConfigError that lists the right ones."""
    entry = plugins.entry_named(plugins.SUITES, name, SUITES)
    if entry is not None:
        return _checked(plugins.load(entry), name)
    module, suite = SUITES[name].split('.')
    found: Suite[Any, Any, Any] = getattr(
        import_module(f'replan_agent_bench.suites.{module}'), suite)
    return found


def _checked(found: Any, name: str) -> Suite[Any, Any, Any]:
    from .suite import Suite

    if not isinstance(found, Suite) or found.name != name:
        raise plugins.PlugInError(f'suite {name!r} must be a Suite of that name, not {found!r}')
    return found
