# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The JSON schema of a plan: real names only, and nothing that a server would not understand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hand_scenes import SCENES

from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.scene import Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.model.asking.answer_schema import plan_schema

SKILLS = standard_skills().specs()
UNDERSTOOD = {'type', 'properties', 'required', 'additionalProperties', 'anyOf', 'enum', 'items',
              'minItems', 'maxItems'}


def schema_of(scene: str = 'tabletop') -> dict[str, Any]:
    return plan_schema(PlanRequest('tidy up', SCENES[scene], SKILLS), asks=True)


def nodes(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    for inner in (*schema.get('properties', {}).values(), *schema.get('anyOf', ()),
                  *([schema['items']] if 'items' in schema else [])):
        yield from nodes(inner)


def accepts(schema: dict[str, Any], value: Any) -> bool:
    if 'anyOf' in schema:
        return any(accepts(way, value) for way in schema['anyOf'])
    if 'enum' in schema and value not in schema['enum']:
        return False
    match schema.get('type'):
        case 'object':
            return isinstance(value, dict) and set(value) == set(schema['required']) and all(
                accepts(inner, value[name]) for name, inner in schema['properties'].items())
        case 'array':
            return (isinstance(value, list) and len(value) <= schema.get('maxItems', 99)
                    and len(value) >= schema.get('minItems', 0)
                    and all(accepts(schema['items'], item) for item in value))
        case kind:
            kinds = {'string': str, 'number': (int, float), 'integer': int, 'boolean': bool,
                     'null': type(None)}
            return isinstance(value, kinds[kind])


@pytest.mark.parametrize('scene', SCENES)
def test_the_schema_uses_only_what_all_servers_understand(scene):
    schema = schema_of(scene)
    json.dumps(schema)
    assert schema['type'] == 'object' and list(schema['properties']) == [
        'thought', 'steps', 'goals']  # a model writes them in this order
    for node in nodes(schema):
        assert set(node) <= UNDERSTOOD, node
        if node.get('type') == 'object':
            assert node['additionalProperties'] is False
            assert node['required'] == list(node['properties'])
        assert node.get('enum') != [] and node.get('anyOf') != []


def steps(*calls: dict) -> dict:
    return {'thought': 'why not', 'steps': list(calls), 'goals': []}


@pytest.mark.parametrize('call', [
    {'skill': 'pick', 'object': 'red_cube'}, {'skill': 'place_in', 'target': 'bowl'},
    {'skill': 'place_at', 'x': 0.4, 'y': 0}, {'skill': 'home'}, {'skill': '__replan__'},
    {'skill': 'place_at', 'x': 0.4, 'y': 0, 'yaw': 90},
    {'skill': 'push', 'object': 'red_cube', 'direction': 'left'},
    {'skill': 'push', 'object': 'red_cube', 'target': 'bowl', 'distance': 0.1},
    {'skill': 'done'}, {'skill': 'give_up', 'reason': 'it is glued'},
    {'skill': 'ask', 'question': 'Which one?', 'candidates': ['red_cube', 'blue_cube']}])
def test_calls_that_are_right_fit(call):
    assert accepts(schema_of(), steps(call))


@pytest.mark.parametrize('call', [
    {'skill': 'pick', 'object': 'table'}, {'skill': 'pick', 'object': 'unicorn'},
    {'skill': 'place_in', 'target': 'red_cube'}, {'skill': 'stack', 'target': 'bowl'},
    {'skill': 'pick'}, {'skill': 'fly'}, {'skill': 'push', 'object': 'red_cube'},
    {'skill': 'pick', 'object': 'red_cube', 'why': 'because'}])
def test_calls_that_are_wrong_do_not_fit(call):
    assert not accepts(schema_of(), steps(call))


def test_how_to_do_it_can_be_said_only_after_a_failure():
    call = steps({'skill': 'place_at', 'x': 0.4, 'y': 0, 'yaw': None, 'snug': None, 'speed': 0.3})
    failed = Attempt(0, 'place_in', {'target': 'bowl'}, 'grasp_slipped', 'it slipped')
    again = PlanRequest('tidy up', SCENES['tabletop'], SKILLS, (failed,))
    assert not accepts(schema_of(), call) and accepts(plan_schema(again, asks=False), call)


def test_a_skill_that_nothing_here_fits_is_left_out():
    things = tuple(o for o in SCENES['tabletop'].objects
                   if o.shape not in (Shape.BOWL, Shape.BIN))
    scene = type(SCENES['tabletop'])('s', 0.0, things, 'by_hand')
    schema = plan_schema(PlanRequest('tidy up', scene, SKILLS), asks=False)
    assert 'place_in' not in json.dumps(schema) and '"ask"' not in json.dumps(schema)


def test_the_number_of_steps_is_bounded_by_what_can_be_moved():
    assert not accepts(schema_of(), steps(*[{'skill': 'home'}] * 25))
    assert not accepts(schema_of(), steps())
