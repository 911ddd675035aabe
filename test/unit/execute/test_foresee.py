# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Foreseeing a step: the same checks and motions as running it, and nothing moves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.config import WorkspaceConfig
from replan_agent.domain.context import Context
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason
from replan_agent.execute.skills.standard import standard_skills

from .fakes import BOWL, Bench, scene, thing


def foresee(bench: Bench, seen, skill: str, **args):
    result = bench.executor.foresee(Step(1, skill, args), seen, Context())
    assert not bench.robot.log, 'nothing may move'
    return result


HOLDING = scene(thing(), BOWL, held='red_cube')


def test_a_placing_is_possible_where_there_is_room_and_reach():
    assert foresee(Bench(), HOLDING, 'place_at', x=0.5, y=0.2).success
    assert foresee(Bench(), HOLDING, 'place_on', target='bowl').success
    far = foresee(Bench(), HOLDING, 'place_at', x=0.95, y=0.55)
    assert far.reason is Reason.UNREACHABLE and far.ik is not None


def test_an_occupied_spot_is_foreseen_with_the_name_of_the_occupant():
    seen = scene(thing(), thing('blue_cube', 0.5, 0.2), held='red_cube')
    taken = foresee(Bench(), seen, 'place_at', x=0.5, y=0.22)
    assert taken.reason is Reason.TARGET_OCCUPIED and 'blue_cube' in taken.reason_detail
    assert foresee(Bench(), seen, 'stack', target='blue_cube').success


def test_a_placement_outside_the_workspace_or_beside_the_table_is_refused():
    assert foresee(Bench(), HOLDING, 'place_at', x=9.0, y=0.0).reason is (
        Reason.WORKSPACE_VIOLATION)
    beside = foresee(Bench(), HOLDING, 'place_at', x=-0.5, y=0.0)
    assert beside.reason is Reason.PRECONDITION_FAILED and 'would fall' in beside.reason_detail


def test_a_snug_placement_needs_no_room_around_it():
    seen = scene(thing(), thing('blue_cube', 0.5, 0.2), held='red_cube')
    assert not foresee(Bench(), seen, 'place_at', x=0.5, y=0.25).success
    assert foresee(Bench(), seen, 'place_at', x=0.5, y=0.25, snug=True, yaw=0).success


def test_a_skill_that_needs_a_held_object_is_refused_without_one():
    assert foresee(Bench(), scene(thing()), 'place_at', x=0.5, y=0.2).reason is (
        Reason.PRECONDITION_FAILED)


def test_pushes_and_pulls_are_foreseen():
    for skill, args in (('push', {'direction': 'left'}), ('pull', {'distance': 0.1})):
        assert foresee(Bench(), scene(thing()), skill, object='red_cube', **args).success
        far = foresee(Bench(), scene(thing(x=1.2)), skill, object='red_cube', **args)
        assert far.reason is Reason.UNREACHABLE
    held = foresee(Bench(), HOLDING, 'pull', object='bowl')
    assert held.reason is Reason.PRECONDITION_FAILED


def test_a_push_towards_a_target_cannot_veer():
    seen = scene(thing(), thing('blue_cube', 0.5, 0.3))
    towards = {'object': 'red_cube', 'target': 'blue_cube'}
    assert foresee(Bench(), seen, 'push', **towards).success
    assert foresee(Bench(), seen, 'push', veer=0, **towards).success
    assert foresee(Bench(), seen, 'push', veer=30, **towards).reason is Reason.BAD_ARGUMENTS


@pytest.mark.parametrize('last', [
    thing('ball', 0.5, 0.07, 0.025, (0.05, 0.05, 0.05), Shape.SPHERE),
    thing('wall', 0.5, 0.10, 0.05, (0.2, 0.01, 0.1), Shape.WALL, movable=False)],
    ids=['rolls', 'fixed'])
def test_a_row_is_not_pushed_against_what_does_not_slide(last):
    args = {'object': 'red_cube', 'direction': 'left', 'distance': 0.1}
    row = (thing(), thing('blue_cube', 0.5, 0.045))
    assert foresee(Bench(), scene(*row), 'push', along=True, **args).success
    blocked = foresee(Bench(), scene(*row, last), 'push', along=True, **args)
    assert blocked.reason is Reason.PRECONDITION_FAILED


def test_a_row_is_not_pushed_into_a_keep_out_zone():
    bench = Bench()
    zones = WorkspaceConfig(keep_out=('low 0.5 0.25 0.1 0.2 0.1 0.2',))
    bench.executor._kit = replace(bench.executor._kit, workspace=zones)
    args = {'object': 'red_cube', 'direction': 'left', 'distance': 0.16, 'along': True}
    assert foresee(bench, scene(thing()), 'push', **args).success
    row = scene(thing(), thing('blue_cube', 0.5, 0.045))
    assert foresee(bench, row, 'push', **args).reason is Reason.PRECONDITION_FAILED


def test_an_unknown_skill_and_wrong_arguments_are_foreseen_as_they_would_fail():
    assert foresee(Bench(), scene(), 'fly').reason is Reason.UNKNOWN_SKILL
    assert foresee(Bench(), scene(thing()), 'pull').reason is Reason.BAD_ARGUMENTS


def test_only_sliding_declares_that_it_cannot_be_undone():
    final = {spec.name for spec in standard_skills().specs() if not spec.undoable}
    assert final == {'push', 'pull'}
