"""The list of suites. A suite is imported when it is used, so that the command line is fast."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from replan_agent.app.build.plugins import installed, load

if TYPE_CHECKING:
    from .suite import Suite

PLUGINS = 'replan_agent.suites'  # of other packages: a Suite, or a function that gives one

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
}


def suite_names() -> tuple[str, ...]:
    """Our suites, then those of installed packages."""
    return tuple(dict.fromkeys([*SUITES, *(entry.name for entry in installed(PLUGINS))]))


def find_suite(name: str) -> Suite[Any, Any, Any]:
    """The suite of that name; a wrong name raises ValueError that lists the right ones."""
    if name not in suite_names():
        raise ValueError(f'no suite named {name!r}; choose from: {", ".join(suite_names())}')
    found: Suite[Any, Any, Any]
    if name not in SUITES:
        offered = load(next(entry for entry in installed(PLUGINS) if entry.name == name))
        found = offered() if callable(offered) else offered
        return found
    module, suite = SUITES[name].split('.')
    found = getattr(import_module(f'replan_agent.bench.suites.{module}'), suite)
    return found
