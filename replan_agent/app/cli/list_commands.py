# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands `scenes` and `skills`."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from replan_agent.app.build.share import share_path
from replan_agent.app.terminal.exits import SUCCESS
from replan_agent.domain.config import ALL
from replan_agent.text.shown_text import told
from replan_agent.text.yaml_text import read_yaml

if TYPE_CHECKING:
    from replan_agent.domain.skill import SkillSpec


def scenes(arguments: argparse.Namespace) -> int:
    """List the scenes that come with the package. Their files are only read, not judged."""
    rows = [{'name': file.stem, 'description': values['description'],
             'objects': [thing['name'] for thing in values['objects']]}
            for file in sorted(share_path('config', 'scenes').glob('*.yaml'))
            for values in (read_yaml(file),)]
    print(json.dumps(rows, indent=2) if arguments.json else '\n'.join(
        f'{row["name"]:12} {row["description"]}\n{"":12} objects: {", ".join(row["objects"])}'
        for row in rows))
    return SUCCESS


def skills(arguments: argparse.Namespace) -> int:
    """List the skills and what they take."""
    from replan_agent.app.build.skill_set import skill_set
    from replan_agent.plan.model.prompts import needs_of
    specs = skill_set((ALL,), simulated=True).specs()
    if arguments.json:
        rows = [{'name': s.name, 'description': s.description, 'arguments': s.arguments,
                 'example': s.example, 'object_arguments': s.object_arguments,
                 'must_be': s.must_be, 'needs_held': s.needs_held,
                 'effect': {'kind': s.effect.kind, **s.effect.roles()}, 'undoable': s.undoable,
                 'most_strokes': s.most_strokes, 'moves_arm': s.moves_arm,
                 'adjustable': s.adjustable, 'adjustments': s.adjustments,
                 'variants': s.variants} for s in specs]
        print(json.dumps(rows, indent=2))
        return SUCCESS
    for spec in specs:
        print(f'{spec.example or spec.name}\n    {spec.description}\n'
              f'    {needs_of(spec)}Effect: {spec.effect.outcome}.')
        for name in spec.arguments.get('properties', {}):
            print(f'      {name}: {_argument(spec, name)}')
    return SUCCESS


def _argument(spec: SkillSpec, name: str) -> str:
    """What an argument means, what it may be, and whether it is needed."""
    schema = spec.argument_schema(name)
    least, most = schema.get('minimum'), schema.get('maximum')
    limits = (f'{least:g} to {most:g}' if least is not None and most is not None
              else f'from {least:g}' if least is not None
              else f'up to {most:g}' if most is not None
              else 'yes or no' if schema.get('type') == 'boolean'
              else ' or '.join(map(str, schema.get('enum', ()))))
    usual = f'usually {told(schema["default"])}' if 'default' in schema else ''
    needed = 'needed' if name in spec.arguments.get('required', ()) else ''
    more = ', '.join(filter(None, (limits, usual, needed)))
    return schema.get('description', 'see the skill') + (f' ({more})' if more else '')
