# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""robosuite's tasks that our skills can do: the environment, the sentence, what stands where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SCENES = Path(__file__).parent / 'scenes'
TABLE, PICK_PLACE = SCENES / 'table.yaml', SCENES / 'pick_place.yaml'
PEGS, DOOR, DIRT = SCENES / 'pegs.yaml', SCENES / 'door.yaml', SCENES / 'wipe.yaml'

GROCERIES = {'Milk': 'milk', 'Bread': 'bread', 'Cereal': 'cereal', 'Can': 'can'}


@dataclass(frozen=True)
class Task:
    """An environment of robosuite.

    `scene` is the file with the furniture. `things` are the bodies that move and our names for
    them; in truth mode they are seen with these names. `pegs` are the same for what stands up and
    does not move, `hinged` for furniture with a part that has a latch. What no camera perception
    sees as it is needed is `only_truth`. `wipes`: the hand is a wiping tool.
    """

    env: str
    sentence: str
    scene: Path
    things: Mapping[str, str]
    pegs: Mapping[str, str] = field(default_factory=dict)
    hinged: Mapping[str, str] = field(default_factory=dict)
    wipes: bool = False

    @property
    def only_truth(self) -> bool:
        return bool(self.pegs or self.hinged or self.wipes)


def _nut(kind: str) -> Task:
    word = kind.lower()
    return Task(f'NutAssembly{kind}', f'put the {word} nut on the {word} peg', PEGS,
                {f'{kind}Nut': f'{word}_nut'}, {'peg1': 'square_peg', 'peg2': 'round_peg'})


def _grocery(body: str) -> Task:
    name = GROCERIES[body]
    return Task(f'PickPlace{body}', f'put the {name} in the {name} bin', PICK_PLACE, {body: name})


TASKS = {task.env: task for task in (
    Task('Lift', 'lift the red cube', TABLE, {'cube': 'red_cube'}),
    Task('Stack', 'stack the red cube on the green cube', TABLE,
         {'cubeA': 'red_cube', 'cubeB': 'green_cube'}),
    *map(_grocery, GROCERIES),
    Task('PickPlace', 'put the milk, the bread, the cereal and the can into their bins',
         PICK_PLACE, GROCERIES),
    _nut('Square'), _nut('Round'),
    Task('Door', 'open the door', DOOR, {}, hinged={'Door_main': 'door'}),
    Task('Wipe', 'wipe the stain', DIRT, {}, wipes=True))}


def task_named(name: str) -> Task:
    """The task of that environment. A wrong name raises ValueError with the right ones."""
    if name not in TASKS:
        raise ValueError(f'no task of robosuite named {name!r}; choose from: {", ".join(TASKS)}')
    return TASKS[name]
