# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What would help fits what is wrong with the words of a task, and names all obstacles."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hand_scenes import SCENES

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.plan import PlanReply, PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.plan.search.search_planner import SearchPlanner
from replan_agent.replan.diagnose.diagnosis import diagnose

SKILLS = standard_skills().specs()
TABLETOP = SCENES['tabletop']


def brick(width: float) -> Scene:
    thing = SceneObject('brick', Shape.BOX, (0.12, width, 0.09), Pose((0.4, -0.3, 0.045)), 'red')
    return replace(TABLETOP, objects=(*TABLETOP.without(['red_cube']), thing))


def without_containers() -> Scene:
    return replace(TABLETOP, objects=tuple(o for o in TABLETOP.objects if not o.is_container))


def refused(task: str, scene: Scene = TABLETOP) -> PlanReply:
    return SearchPlanner(build_reader()).plan(PlanRequest(task, scene, SKILLS), Context())


def remedy(task: str, scene: Scene = TABLETOP) -> str:
    reply = refused(task, scene)
    assert reply.reason is not None
    attempt = Attempt(0, '', {}, reply.reason.value, reply.detail, AttemptStage.PLAN,
                      cause=reply.cause)
    return diagnose(FailureCase(attempt, scene)).remedy


@pytest.mark.parametrize('task', ['put the red cube', 'move the bar', 'move the red cube away'])
def test_a_task_without_a_place_is_asked_for_the_place(task: str) -> None:
    assert 'where' in remedy(task) and 'which one' not in remedy(task)


@pytest.mark.parametrize('task', ['pick up the cube', 'put the cube in the bowl'])
def test_a_task_that_fits_several_things_is_asked_which_one(task: str) -> None:
    assert 'which one' in remedy(task)


@pytest.mark.parametrize('task', ['tidy up', 'throw the can away', 'put the red cube in the bowl'])
def test_a_scene_without_a_container_needs_one(task: str) -> None:
    assert 'bowl' in remedy(task, without_containers())


def test_with_another_container_that_one_is_named() -> None:
    said = remedy('put the red cube in the green bowl')
    assert said.endswith(': bowl, bin')


@pytest.mark.parametrize('task', ['put the red cube at (0.5, 0.9)', 'move the red cube 90 cm to '
                                  'the left'])
def test_a_place_beside_the_table_needs_something_below_it(task: str) -> None:
    assert remedy(task) == 'something flat, level and wide enough below it'


def test_what_neither_fits_nor_can_be_gripped_is_told_at_once() -> None:
    reply = refused('put the brick in the bowl', brick(0.10))
    assert reply.cause is Cause.TOO_WIDE
    assert '100 mm' in reply.detail and '80 mm' in reply.detail
    assert 'a larger container alone does not help' in remedy('put the brick in the bowl',
                                                              brick(0.10))


def test_what_can_be_gripped_needs_only_a_larger_container() -> None:
    reply = refused('put the brick in the bowl', brick(0.06))
    assert reply.cause is not Cause.TOO_WIDE


def test_more_things_than_there_are_is_told_so() -> None:
    assert remedy('put five cubes in the bowl') == 'ask for as many as are seen'


@pytest.mark.parametrize('task', ['take the tower apart', 'put both cubes except the red cube and '
                                  'the blue cube in the bowl'])
def test_what_is_there_but_not_so_gets_no_list_of_objects(task: str) -> None:
    assert 'use an object that is seen' not in remedy(task)
