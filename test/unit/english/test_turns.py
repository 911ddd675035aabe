# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turns: how far a shape must be turned to look the same, and what a later command leaves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.app.build.build_reader import build_reader
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Attempt, AttemptStage
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.plan import PlanReply, PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.judging import judge
from replan_agent.perceive.looks.registering import framed, turn_between
from replan_agent.plan.search.search_planner import SearchPlanner

MakeScene = Callable[..., Scene]
MakeObject = Callable[..., SceneObject]


def block(x: float, y: float, size: tuple[float, float, float]) -> Piece:
    return Piece(tuple((x + i * size[0] / 2, y + j * size[1] / 2, k * size[2] / 2)
                       for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)))


HAMMER = (block(0.0, 0.0, (0.16, 0.02, 0.02)), block(0.07, 0.0, (0.02, 0.08, 0.02)))
ROD = (block(0.0, 0.0, (0.16, 0.02, 0.02)),)


def irregular(pieces: tuple[Piece, ...] = HAMMER, yaw_deg: float = 0.0, x: float = 0.5
              ) -> SceneObject:
    return SceneObject('hammer', Shape.IRREGULAR, (0.16, 0.08, 0.02),
                       Pose.from_rpy(x, 0.1, 0.01, yaw=math.radians(yaw_deg)), 'brown',
                       pieces=pieces)


def bar(make_object: MakeObject) -> SceneObject:
    return make_object('yellow_bar', 0.5, 0.1, 0.01, size=(0.12, 0.02, 0.02))


def plan(task: str, scene: Scene, *attempts: Attempt, goals: tuple[Goal, ...] = ()) -> PlanReply:
    request = PlanRequest(task, scene, standard_skills().specs(), attempts, goals=goals)
    return SearchPlanner(build_reader()).plan(request, Context())


def placements(reply: PlanReply) -> list[dict[str, float]]:
    return [dict(s.args) for s in reply.steps if s.skill == 'place_at']


@pytest.mark.parametrize(('degrees', 'met'), [(0, True), (180, False), (90, False), (-8, True)])
def test_a_thing_of_any_shape_looks_the_same_only_after_a_full_turn(
        make_scene: MakeScene, degrees: float, met: bool) -> None:
    goal = Goal(Predicate.TURNED, 'hammer', degrees=degrees)
    assert judge(goal, make_scene(irregular())) is met


def test_a_turn_that_cannot_be_told_is_unknown(make_scene: MakeScene) -> None:
    unsure = replace(irregular(), turn_unknown=True)
    assert judge(Goal(Predicate.TURNED, 'hammer', degrees=0.0), make_scene(unsure)) is None
    reply = plan('turn the hammer by 90 degrees', make_scene(unsure))
    assert not reply.steps and 'cannot be told' in reply.detail


@pytest.mark.parametrize(('words', 'yaw'), [
    ('by 90 degrees anticlockwise', 90.0), ('120 degrees clockwise', -120.0)])
def test_the_direction_of_a_turn_is_kept(make_scene: MakeScene, words: str, yaw: float) -> None:
    reply = plan(f'turn the hammer {words}', make_scene(irregular()))
    assert [p['yaw'] for p in placements(reply)] == [yaw]


def test_a_turn_without_room_is_done_next_to_the_place(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    neighbour = make_object('red_cube', 0.5, 0.17)
    [at] = placements(plan('turn the hammer by 90 degrees', make_scene(irregular(), neighbour)))
    assert 0.01 < math.dist((at['x'], at['y']), (0.5, 0.1)) < 0.13


def test_a_turn_that_one_grasp_does_not_allow_is_done_in_two(make_scene: MakeScene) -> None:
    failed = Attempt(1, 'place_at', {'x': 0.5, 'y': 0.1, 'yaw': 120.0}, 'unreachable', '',
                     AttemptStage.EXECUTE, cause=Cause.NO_POSTURE)
    reply = plan('turn the hammer by 120 degrees', make_scene(irregular()), failed)
    assert [p['yaw'] for p in placements(reply)] == [60.0, 120.0]
    assert [s.skill for s in reply.steps] == ['pick', 'place_at'] * 2


def test_a_new_plan_does_not_turn_it_further(make_scene: MakeScene) -> None:
    wanted = (Goal(Predicate.TURNED, 'hammer', degrees=90.0),)
    reply = plan('turn the hammer by 90 degrees', make_scene(irregular(yaw_deg=60)), goals=wanted)
    assert [p['yaw'] for p in placements(reply)] == [90.0] and reply.goals == wanted


@pytest.mark.parametrize('task', [
    'turn the bar by 90 degrees, then move it 5 cm to the left',
    'move the bar 5 cm to the left and turn it by 90 degrees'])
def test_a_turn_and_a_move_of_one_thing_both_count(
        make_scene: MakeScene, make_object: MakeObject, task: str) -> None:
    reply = plan(task, make_scene(bar(make_object)))
    assert {g.predicate for g in reply.goals} == {Predicate.AT, Predicate.TURNED}
    last = placements(reply)[-1]
    assert (last['yaw'], last['y']) == (90.0, pytest.approx(0.15))


def test_a_turn_is_over_when_the_thing_is_put_where_no_turn_is_chosen(
        make_scene: MakeScene, make_object: MakeObject) -> None:
    reply = plan('turn the bar by 90 degrees and put it in the bowl',
                 make_scene(bar(make_object)))
    assert [g.predicate for g in reply.goals] == [Predicate.IN]


@pytest.mark.parametrize('degrees', [0, 40, 90, 180, -135])
def test_the_outline_shows_how_far_a_thing_was_turned(degrees: float) -> None:
    now = framed(irregular(yaw_deg=degrees, x=0.6), math.radians(17))
    found = turn_between(irregular(), now)
    assert found.sure and abs(math.degrees(math.remainder(
        found.angle - math.radians(degrees), math.tau))) < 4


def test_an_outline_that_looks_the_same_after_half_a_turn_shows_no_turn() -> None:
    assert not turn_between(irregular(ROD), irregular(ROD, 180.0)).sure


def test_a_thing_that_stayed_but_looks_quite_different_has_no_sure_turn() -> None:
    """Most of it is covered now: the little that is seen says nothing about its turn."""
    part = replace(irregular(), pieces=(box_piece((0.02, 0.02, 0.02)),), size=(0.02, 0.02, 0.02))
    assert turn_between(irregular(), irregular(), moved=False).sure
    assert not turn_between(irregular(), part, moved=False).sure


def test_a_huge_thing_is_compared_on_as_few_cells_as_a_small_one(monkeypatch) -> None:
    sides = []
    fft = np.fft.rfft2
    monkeypatch.setattr(np.fft, 'rfft2', lambda cuts: sides.append(cuts.shape[-1]) or fft(cuts))
    huge = replace(irregular(), size=(3.0, 2.0, 1.0), pieces=(box_piece((3.0, 2.0, 1.0)),))
    turn_between(huge, huge)
    assert max(sides) < 256


def corners_in_base(thing: SceneObject) -> list[tuple[float, ...]]:
    corners = [c @ thing.pose.rotation.T + thing.position for p in thing.pieces for c in p.corners]
    return sorted(tuple(float(v) for v in corner.round(6) + 0.0) for corner in corners)


def test_a_thing_in_another_frame_is_the_same_thing() -> None:
    again = framed(irregular(yaw_deg=30), math.radians(-70))
    assert corners_in_base(again) == corners_in_base(irregular(yaw_deg=30))
    assert math.degrees(again.pose.yaw) == pytest.approx(-70)
