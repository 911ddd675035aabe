# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pushes around a blocked step: square to the sides of a thing, and of a whole row."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.local_planning import LocalRecord
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import Reason, failed
from replan_agent.replan.local.local_planner import (
    ForesightLocalPlanner,
    ForesightSearch,
    blocked_step,
)
from replan_agent.replan.local.local_skills import LocalSkills
from replan_agent.replan.local.path_search import OptionLimits
from replan_agent.replan.local.pushes import pushing_rows, sliding

from .test_local_planner import PICK, SPECS, FakeForesight, boxed, case, cube, scene

SKILLS = LocalSkills(SPECS)
EARLIER = (LocalRecord(0, PICK, '', (), False, ''),)
ROW = scene(cube('a', 0.45, -0.052), cube('red', 0.45, 0.0), cube('b', 0.45, 0.052))


def rows(seen, pusher: str = 'a', target: str = 'red', close=frozenset()):
    return list(pushing_rows(seen.get(pusher), target, close, seen, SKILLS))


def test_a_row_slides_with_its_gaps_closed():
    (found, *_), red = rows(ROW), 0.12 - 0.012
    assert found.option.steps[0].args == {'object': 'a', 'direction': 'left', 'distance': 0.12,
                                          'along': True}
    assert found.option.undo is None
    ends = [found.leads_to.get(name).position[1] for name in ('a', 'red', 'b')]
    assert ends == pytest.approx([0.12 - 0.052, red, red + 0.04])


@pytest.mark.parametrize('last', [
    SceneObject('b', Shape.SPHERE, (0.05, 0.05, 0.05), Pose((0.45, 0.06, 0.025))),
    SceneObject('b', Shape.BOX, (0.03, 0.03, 0.16), Pose((0.45, 0.06, 0.08))),
    SceneObject('b', Shape.WALL, (0.2, 0.01, 0.1), Pose((0.45, 0.06, 0.05)), movable=False)],
    ids=['rolls', 'tips over', 'fixed'])
def test_a_row_with_something_that_does_not_slide_is_not_pushed(last):
    assert not rows(scene(*ROW.objects[1:3], last))


def test_only_a_row_with_the_target_or_with_two_things_beside_it_is_pushed():
    assert not rows(ROW, target='far_away', close={'a'})
    assert rows(ROW, target='far_away', close={'a', 'b'})


@pytest.mark.parametrize('thing', [
    SceneObject('a', Shape.CYLINDER, (0.03, 0.03, 0.1), Pose.from_rpy(
        0.5, 0.0, 0.015, pitch=math.pi / 2, yaw=math.radians(30))),
    SceneObject('a', Shape.BOX, (0.1, 0.03, 0.09), Pose.from_rpy(
        0.5, 0.0, 0.045, yaw=math.radians(30)))], ids=['rod', 'plate'])
def test_what_rolls_or_tips_across_is_pushed_along_its_long_side_only(thing):
    found = list(sliding(thing, scene(thing), 'push_object', '', SKILLS))
    assert {(step.args['direction'], step.args['veer']) for proposal in found
            for step in proposal.option.steps} == {('forward', 30.0), ('back', 30.0)}


def test_a_turned_box_is_pushed_square_to_its_sides():
    turned = replace(cube('a', 0.5, 0.0), pose=Pose.from_rpy(0.5, 0.0, 0.02, yaw=math.radians(30)))
    found = next(sliding(turned, scene(turned), 'push_object', '', SKILLS))
    assert found.option.steps[0].args['veer'] == 30
    x, y, _ = found.leads_to.get('a').position
    assert math.degrees(math.atan2(y, x - 0.5)) == pytest.approx(30)


def test_a_push_keeps_its_name_when_the_box_turns_a_little():
    def ways(yaw_deg: float) -> dict[str, float]:
        """Where each push goes, by its name."""
        box = replace(cube('a', 0.5, 0.0),
                      pose=Pose.from_rpy(0.5, 0.0, 0.02, yaw=math.radians(yaw_deg)))
        found = sliding(box, scene(box), 'push_object', '', SKILLS)
        ends = {p.option.way: p.leads_to.get('a').position for p in found}
        return {way: math.atan2(y, x - 0.5) for way, (x, y, _) in ends.items()}

    before, after = ways(44.9), ways(45.1)
    assert len(before) == 4 and set(before) == set(after)
    assert all(after[way] == pytest.approx(before[way], abs=0.01) for way in before)
    assert set(ways(3.0)) == {f'push a {word}' for word in ('forward', 'left', 'back', 'right')}


@pytest.mark.parametrize(('stays', 'allowed'), [('b', False), ('elsewhere', True)])
def test_a_row_is_not_pushed_if_something_in_it_stays(stays, allowed):
    blocked = blocked_step(PICK, case(PICK, ROW), ROW, SKILLS)
    search = ForesightSearch(blocked, FakeForesight(), left_alone=frozenset({stays}))
    assert search._is_allowed(rows(ROW)[0], ROW) is allowed


def test_a_long_push_that_is_impossible_does_not_bar_a_shorter_one():
    class OnlyShort(FakeForesight):
        def foresee(self, step, scene, ctx):
            if step.args.get('distance', 0.0) > 0.07:
                return failed(Reason.UNREACHABLE, 'too far')
            return super().foresee(step, scene, ctx)

    far = scene(cube('red', 0.84, 0.0))
    search = ForesightLocalPlanner(OnlyShort()).begin(PICK, case(PICK, far), (), Context())
    assert search is not None
    assert search.next_option(far, Context()).steps[0].args['distance'] == 0.06


def test_a_search_that_found_nothing_is_not_made_again_in_the_same_scene():
    foresight = FakeForesight('pick', 'push', 'pull')
    planner = ForesightLocalPlanner(foresight)
    assert planner.begin(PICK, case(PICK, boxed()), (), Context()) is None and planner.saw_all
    asked = len(foresight.asked)
    again = replace(boxed(), scene_id='s2')
    assert planner.begin(PICK, case(PICK, again), (), Context(), EARLIER) is None
    assert len(foresight.asked) == asked > 0 and planner.saw_all
    assert planner.begin(PICK, case(PICK, again), (), Context()) is None  # another task
    assert len(foresight.asked) > asked


def test_a_search_that_ended_at_its_limits_is_made_again():
    foresight = FakeForesight('pick', 'push', 'pull')
    planner = ForesightLocalPlanner(foresight, OptionLimits(foresights=3, seconds=600.0))
    assert planner.begin(PICK, case(PICK, boxed()), (), Context()) is None
    asked = len(foresight.asked)
    assert planner.begin(PICK, case(PICK, boxed()), (), Context(), EARLIER) is None
    assert len(foresight.asked) > asked and not planner.saw_all


def test_a_search_is_made_again_when_the_task_allows_more():
    foresight = FakeForesight('push', 'pull')
    planner = ForesightLocalPlanner(foresight)
    everything = frozenset({'red', 'n0', 'n1', 'n2', 'n3'})
    stuck = replace(case(PICK, boxed()), left_alone=everything)
    assert planner.begin(PICK, stuck, (), Context()) is None
    assert planner.begin(PICK, replace(stuck, left_alone=frozenset()), (), Context(),
                         EARLIER) is not None
