# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What goes to disk or over the wire does not change in silence: a digest of each class."""

from __future__ import annotations

import hashlib
import importlib
import json
import pkgutil
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import replan_agent.domain
from replan_agent.agent.task_progress import Progress
from replan_agent.domain.goal import Goal
from replan_agent.domain.kinds import Word
from replan_agent.domain.piece import Piece
from replan_agent.domain.plan import PlanReply, PlanRequest
from replan_agent.domain.scene import ArmSnapshot
from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect
from replan_agent.domain.things import Things
from replan_agent.record import plan_diff
from replan_agent.text.plain_values import Recorded

DIGESTS = Path(__file__).with_name('recorded_types.json')
ON_THE_WIRE = (ArmSnapshot, Effect, Goal, Piece, PlanReply, PlanRequest, Progress, SkillSpec,
               Things, Word)
MODULES = (plan_diff,)
TO_DO = ('Files and messages of earlier versions must stay readable: give a new field a default, '
         'keep the names and the order on disk (on_disk, WRITTEN), and change the messages in '
         'interfaces/ in the same way. If you did, write the new digests: python -m pytest '
         f'{Path(__file__).name} shows them; put them into {DIGESTS.name}.')


def recorded() -> list[type]:
    """All classes that are written or sent."""
    found = list(ON_THE_WIRE)
    names = [module.name for module in pkgutil.iter_modules(replan_agent.domain.__path__)]
    modules = [importlib.import_module(f'replan_agent.domain.{name}') for name in names]
    for module in (*modules, *MODULES):
        found += [kind for kind in vars(module).values()
                  if isinstance(kind, type) and is_dataclass(kind)
                  and issubclass(kind, Recorded) and kind.__module__ == module.__name__]
    return found


def digest(kind: Any) -> str:
    """Of the names, types and form on disk of its fields."""
    told = [[f.name, f.type, {k: v if isinstance(v, str | bool) else k
                              for k, v in f.metadata.items()}] for f in fields(kind)]
    text = json.dumps([told, getattr(kind, 'WRITTEN', '')])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def test_no_class_on_disk_or_on_the_wire_changes_in_silence() -> None:
    found = {kind.__name__: digest(kind) for kind in sorted(recorded(), key=lambda k: k.__name__)}
    known = json.loads(DIGESTS.read_text('utf-8'))
    changed = sorted({*found.items()} ^ {*known.items()})
    assert found == known, f'{changed}\n{TO_DO}\n{json.dumps(found, indent=2)}'
