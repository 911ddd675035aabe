# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's tasks that our skills can do: the environment, the sentence, what stands where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SCENES = Path(__file__).parent / 'scenes'
TABLE, PICK_PLACE = SCENES / 'table.yaml', SCENES / 'pick_place.yaml'

GROCERIES = {'Milk': 'milk', 'Bread': 'bread', 'Cereal': 'cereal', 'Can': 'can'}


@dataclass(frozen=True)
class Task:
    """An environment of robosuite.

    `scene` is the file with the furniture. `things` are the bodies that move and our names for
    them; in truth mode they are seen with these names.
    """

    env: str
    sentence: str
    scene: Path
    things: Mapping[str, str]


def _grocery(body: str) -> Task:
    name = GROCERIES[body]
    return Task(f'PickPlace{body}', f'put the {name} in the {name} bin', PICK_PLACE, {body: name})


TASKS = {task.env: task for task in (
    Task('Lift', 'lift the red cube', TABLE, {'cube': 'red_cube'}),
    Task('Stack', 'stack the red cube on the green cube', TABLE,
         {'cubeA': 'red_cube', 'cubeB': 'green_cube'}),
    *map(_grocery, GROCERIES),
    Task('PickPlace', 'put the milk, the bread, the cereal and the can into their bins',
         PICK_PLACE, GROCERIES))}


def task_named(name: str) -> Task:
    """The task of that environment. A wrong name raises ValueError with the right ones."""
    if name not in TASKS:
        raise ValueError(f'no task of robosuite named {name!r}; choose from: {", ".join(TASKS)}')
    return TASKS[name]
