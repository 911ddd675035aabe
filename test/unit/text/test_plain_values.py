# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dataclasses as plain JSON values and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest

from replan_agent.domain.failure import Attempt, Diagnosis
from replan_agent.domain.goal import Goal
from replan_agent.domain.ik_report import IKReport
from replan_agent.domain.kinds import Word
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import Adaptation, CompletedStep, Plan, Proof, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import Fix, Reflection, Remembered, Situation
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillResult, failed
from replan_agent.domain.task_result import StepRecord
from replan_agent.domain.things import Things
from replan_agent.text.plain_values import Recorded, WrongField, flat, on_disk, plain

PICK = Step(1, 'pick', {'object': 'red_cube', 'force': 40.0}, 'take it', 'it is held')
POSE = Pose((0.5, -0.1, 0.02), (0.0, 1.0, 0.0, 0.0))
IK = IKReport(False, 80, 0.25, 0.0, 0.001, 0.01, POSE, 'panda_link0', (0.1, -0.5),
              'panda_joint4', out_of_reach_m=0.2, proof='too far')
FAILURE = failed('unreachable', 'it is 0.2 m too far', 'planning', IK, blockers=('wall',), w=0.04)
GOAL = Goal('left_of', 'a', 'b', viewpoint='arm', negated=True,
            things=Things(words=(Word.plain('red'),)))
PLAN = Plan(2, 'tidy up', (PICK,), (GOAL, Goal('turned', 'a', degrees=0.0)), 'error', 1, 's1',
            'stub', 'it slipped', {'hint': 'x'}, (Adaptation(0, (PICK,), 'local'),))
SCENE = Scene('s1', 3.5, (
    SceneObject('red_cube', Shape.BOX, (0.04, 0.04, 0.04), POSE, 'red', turn_unknown=True),
    SceneObject('mug', Shape.IRREGULAR, (0.1, 0.1, 0.1), POSE,
                pieces=(box_piece((0.1, 0.1, 0.1)),))), 'camera', held='red_cube')
VALUES = [
    PICK, CompletedStep(PICK, 'mug'), IK, FAILURE, GOAL, PLAN, SCENE, Proof(PICK, SCENE, FAILURE),
    Attempt(0, 'pick', {}, 'unreachable', 'too far', ik=IK,
            diagnosis=Diagnosis('HIGH', 'LOGIC', 'structural')),
    Reflection('slip', 'greasy', ('wet',), Fix('firmer', {'force': 60})),
    Remembered(1, Situation('pick', features={'size_m': [0.04]}), Fix('firmer'), 2, 1, 0.6),
    StepRecord(0, 1, PICK, FAILURE, 1.5, local_state='8.1'),
]


@pytest.mark.parametrize('value', VALUES, ids=lambda value: type(value).__name__)
def test_what_is_written_is_read_again(value: Any) -> None:
    written = json.loads(json.dumps(value.as_dict(), allow_nan=False))
    again = type(value).from_dict(written)
    assert again.as_dict() == value.as_dict()
    assert isinstance(value, Scene | Proof) or again == _members(value)


def _members(value: Any) -> Any:
    """The value with members of enums in place of their texts."""
    return type(value).from_dict(value.as_dict())


def test_fields_that_are_not_used_are_left_out() -> None:
    assert list(Goal('home').as_dict()) == ['predicate', 'object', 'target', 'position']
    assert Goal('turned', 'a', degrees=0.0).as_dict()['degrees'] == 0.0
    assert 'pieces' not in SCENE.objects[0].as_dict() and 'guessed' in SCENE.objects[1].as_dict()


class Colour(str, Enum):
    RED = 'red'


@dataclass(frozen=True)
class Inner(Recorded):
    sizes: tuple[float, float]
    colour: Colour | None = None


@dataclass(frozen=True)
class Outer(Recorded):
    count: int
    inner: tuple[Inner, ...] = ()
    more: Mapping[str, int] = field(default_factory=dict, metadata=on_disk(key='extra'))
    parent: int | None = None

    def __post_init__(self) -> None:
        if self.count < 0:
            raise ValueError('count must not be negative')


INNER = {'sizes': [1, 2.0], 'colour': 'red'}


@pytest.mark.parametrize(('data', 'complaint'), [
    ([], 'value: dict expected, not list'),
    ({}, 'count: it is missing'),
    ({'count': '1'}, 'count: int expected, not str'),
    ({'count': True}, 'count: int expected, not bool'),
    ({'count': -1}, 'count must not be negative'),
    ({'count': 1, 'inner': {}}, 'inner: list expected, not dict'),
    ({'count': 1, 'inner': [INNER, 5]}, r'inner\[1\]: dict expected, not int'),
    ({'count': 1, 'inner': [{'sizes': [1]}]}, r'inner\[0\]: sizes: 2 values expected, not 1'),
    ({'count': 1, 'inner': [{'sizes': [1, 'x']}]}, r'sizes\[1\]: number expected, not str'),
    ({'count': 1, 'inner': [{**INNER, 'colour': 'blue'}]}, "colour: 'blue' is not one of: red"),
    ({'count': 1, 'extra': {'a': 'b'}}, 'extra: a: int expected, not str'),
    ({'count': 1, 'parent': 'x'}, 'parent: int expected, not str'),
])
def test_the_field_that_is_wrong_is_named(data: Any, complaint: str) -> None:
    with pytest.raises(WrongField, match=complaint):
        Outer.from_dict(data)


def test_what_is_missing_has_its_default_and_other_keys_do_not_count() -> None:
    found = Outer.from_dict({'count': 1, 'inner': [INNER], 'extra': {'a': 1}, 'newer': 5})
    assert found == Outer(1, (Inner((1.0, 2.0), Colour.RED),), {'a': 1})
    assert Inner.from_dict({'sizes': ['inf', 0], 'colour': ''}) == Inner((float('inf'), 0.0))


def test_values_that_json_cannot_hold_become_ones_that_it_can() -> None:
    circle: dict[str, Any] = {'n': 1}
    circle['self'] = [circle]
    assert plain(circle) == {'n': 1, 'self': ['...']}
    assert plain({1: (Colour.RED, {2})}) == {'1': ['red', '{2}']}
    assert SkillResult(True, evidence=circle).as_dict()['evidence']['self'] == ['...']


def test_groups_of_values_become_one_level_with_full_names() -> None:
    assert flat({'agent': {'memory': {'file': 'm'}, 'steps': 5}, 'seed': 0, 'none': {}}) == {
        'agent.memory.file': 'm', 'agent.steps': 5, 'seed': 0}
