# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recovery benchmark: tasks that meet a trouble, some of which cannot be done.

    from replan_agent_trouble import Trouble
    env = Trouble('tabletop', 'moved_mid_pick', seed=7)

`Trouble` is a gymnasium environment for policies, `Episode` the same for agents that bring
skills of their own. Each name is loaded when it is first used.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .causes import CAUSES
    from .environment import Trouble
    from .episode import Episode
    from .score import Claim, Score
    from .stage import Stage, TroubleWorld, world_named, world_names

__version__ = '0.1.0'
__all__ = ['CAUSES', 'Claim', 'Episode', 'Score', 'Stage', 'Trouble', 'TroubleWorld',
           'world_named', 'world_names']

_WHERE = {
    'causes': 'CAUSES',
    'environment': 'Trouble',
    'episode': 'Episode',
    'score': 'Claim Score',
    'stage': 'Stage TroubleWorld world_named world_names',
}


def __getattr__(name: str) -> Any:
    for module, names in _WHERE.items():
        if name in names.split():
            return getattr(_import_module(f'{__name__}.{module}'), name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
