# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is read of a model's file, and checks that all kinds of files need."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from replan_agent.text.file_bytes import opened
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import one_line

LONGEST_MESH = 50_000_000  # bytes
NUMBERS = frozenset((
    'xyz rpy size radius length scale value ixx iyy izz ixy ixz iyz pos quat euler axisangle '
    'xyaxes zaxis fromto axis range mass density diaginertia fullinertia ref springref gear '
    'ctrlrange forcerange actuatorfrcrange anchor relpose polycoef vertex').split())


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: its position is factor * other + offset."""

    joint: str
    factor: float
    offset: float


@dataclass
class ModelText:
    """What MuJoCo is given, and what only the file says. `notes` are repairs, for people."""

    path: Path
    xml: str = ''
    notes: list[str] = field(default_factory=list)
    velocity: dict[str, float] = field(default_factory=dict)
    effort: dict[str, float] = field(default_factory=dict)
    mimics: dict[str, Mimic] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)  # that it names: meshes

    def note(self, what: str) -> None:
        self.notes.append(f'{self.path.name}: {what}')

    def wrong(self, element: str, what: str, write: str) -> ConfigError:
        """One sentence: the file, the element, what is wrong with it and what to write."""
        return ConfigError(f'{self.path}: {element} {what}; {write}')


def check_file(path: Path, called: str, text: ModelText) -> None:
    """Raise ConfigError for what MuJoCo would read without an end, or for very long."""
    try:
        with opened(path) as file:
            size = os.fstat(file.fileno()).st_size
    except ConfigError as error:
        raise text.wrong(called, f'cannot be used: {error}', 'write the path of a file') from error
    if size > LONGEST_MESH:
        raise text.wrong(called, f'has {size / 1e6:.0f} MB', 'write a file of at most '
                         f'{LONGEST_MESH / 1e6:g} MB, with fewer triangles')
    text.files.append(path)


def check_finite(root: ET.Element, text: ModelText) -> None:
    parents = {child: node for node in root.iter() for child in node}
    for node in root.iter():
        for key in NUMBERS & node.attrib.keys():
            words = node.attrib[key].split()
            finite = [bool(numbers(word, 1)) for word in words]
            if all(finite) or not all(map(_is_number, words)):  # MuJoCo tells of other texts
                continue
            owner: ET.Element | None = node
            while owner is not None and not owner.get('name'):
                owner = parents.get(owner)
            of = '' if owner in (node, None) else f'<{owner.tag} name="{owner.get("name")}">: '
            right = ' '.join(word if good else '0.1' for word, good in zip(words, finite))
            raise text.wrong(f'{of}<{node.tag} {key}="{one_line(node.attrib[key], 60)}">',
                             'has a number that is not finite',
                             f'write numbers, for example {key}="{one_line(right, 60)}"')


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def check_axis(axis: list[float], called: str, example: str, text: ModelText) -> None:
    if not axis or math.hypot(*axis) < 1e-6:
        raise text.wrong(called, 'has an axis without a direction', f'write {example}')


def numbers(text: str, count: int) -> list[float]:
    """So many finite numbers; none if the text is something else."""
    try:
        found = [float(word) for word in text.split()]
    except ValueError:
        return []
    return found if len(found) == count and all(map(math.isfinite, found)) else []
