# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A held thing is put down and taken again only for something, and once."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.local_planning import Decision
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, SceneObject, Shape
from replan_agent.domain.skill import Reason, failed, find_spec, succeeded
from replan_agent.replan.local.local_planner import ForesightLocalPlanner
from replan_agent.replan.local.options import regrasping

from .test_local_planner import SPECS, FakeForesight, LocalSkills, begin, case, cube, scene

PLACE = Step(2, 'place_at', {'x': 0.5, 'y': 0.0})


def in_hand(thing: SceneObject, *others: SceneObject, n: int = 1):
    now = scene(thing, *others, n=n, held=thing.name)
    arm = ArmSnapshot((0.0,) * 7, Pose.from_rpy(*thing.position, roll=3.1416), 0.04, False)
    return replace(now, arm=arm)


class OnlyImagined(FakeForesight):
    """The place is possible in imagined scenes after a regrasp, and never in a seen one."""

    def foresee(self, step, scene, ctx):
        if step.args == PLACE.args and '~' not in scene.scene_id:
            return failed(Reason.IN_COLLISION, 'the hand touches the pot')
        return super().foresee(step, scene, ctx)


def test_an_action_that_kept_no_promise_is_not_retained_and_not_repeated():
    now = in_hand(cube('red', 0.4, 0.3))
    search = begin(now, step=PLACE, foresight=OnlyImagined())
    option = search.next_option(now, Context())
    assert option.kind == 'regrasp' and option.later == (PLACE,)
    after = in_hand(cube('red', 0.4, 0.3), n=2)
    node = search.judge('1.1', option, now, after, True, Context())
    assert node.decision not in (Decision.RETAIN, Decision.SUCCESS)
    assert node.surprise.startswith('place_at ')
    following = search.next_option(after, Context())
    assert following is None or following.name != option.name


def test_a_thing_is_not_put_down_and_taken_again_with_nothing_in_between():
    """The cube in its place cannot be moved: to take the other one again changes nothing."""
    now = in_hand(cube('red', 0.4, 0.3), cube('pot', 0.5, 0.0))
    foresight = FakeForesight('pick pot', 'push', 'pull')
    assert begin(now, step=PLACE, foresight=foresight) is None
    taken = [step.args for step in foresight.asked if step.args.get('object') == 'red']
    assert taken and all({'turn', 'grasp'} & set(args) for args in taken)


def test_a_thing_too_long_for_the_fingers_is_not_taken_across():
    skills, short = LocalSkills(SPECS), cube('red', 0.4, 0.3)
    long = SceneObject('bar', Shape.BOX, (0.12, 0.03, 0.05), Pose((0.4, 0.3, 0.03)))

    def across(thing: SceneObject) -> bool:
        found = regrasping((0.5, 0.0), thing, in_hand(thing), skills)
        return any('turn' in p.option.steps[1].args for p in found)

    assert across(short) and not across(long)


def test_a_long_thing_of_any_shape_may_be_taken_across_a_narrow_part():
    size = (0.12, 0.03, 0.05)
    odd = SceneObject('odd', Shape.IRREGULAR, size, Pose((0.4, 0.3, 0.03)),
                      pieces=(box_piece(size),))
    found = regrasping((0.5, 0.0), odd, in_hand(odd), LocalSkills(SPECS))
    assert next(found).option.steps[1].args == {'object': 'odd', 'turn': 90}


def test_what_a_tilted_hand_holds_is_first_taken_again_from_above():
    red = cube('red', 0.4, 0.3)
    upright = in_hand(red)
    tilted = replace(upright, arm=replace(upright.arm, tcp=Pose.from_rpy(0.4, 0.3, 0.02, 2.4)))
    first = next(regrasping((0.5, 0.0), red, tilted, LocalSkills(SPECS)))
    assert first.option.steps[1].args == {'object': 'red', 'grasp': 'top_down'}


class OnlyALeaningHandGetsThere(FakeForesight):
    """A leaning hand takes the thing as it says, and only such a hand can put it down there."""

    leaning = Pose.from_rpy(0.4, 0.0, 0.02, 2.4)

    def foresee(self, step, scene, ctx):
        if step.args == PLACE.args:
            return (succeeded() if scene.arm.tcp == self.leaning else
                    failed(Reason.UNREACHABLE, 'no joint angles'))
        if step.args.get('grasp') == 'tilted':
            at = self.leaning
            return succeeded(tcp=[*at.position, *at.quaternion], width=0.04)
        return super().foresee(step, scene, ctx)


def test_what_is_held_from_above_and_cannot_be_put_there_is_taken_with_a_lean():
    now = in_hand(cube('red', 0.4, 0.3))
    option = begin(now, step=PLACE, foresight=OnlyALeaningHandGetsThere()).next_option(
        now, Context())
    assert option.steps[1].args == {'object': 'red', 'grasp': 'tilted'}


class OnlyTiltedAndNotThere(FakeForesight):
    """The first spot that is asked for is no use, and only a tilted hand takes the thing."""

    def foresee(self, step, scene, ctx):
        if step.args == PLACE.args:
            wrong = '~' not in scene.scene_id
        elif step.skill == 'place_at':
            wrong = step.args in (self.spots or [step.args])[:1]
            self.spots.append(step.args)
        else:
            wrong = step.args.get('grasp') != 'tilted'
        return failed(Reason.IN_COLLISION, 'no') if wrong else succeeded()


def test_what_a_leaning_hand_holds_is_taken_with_another_lean_where_one_spot_is_no_use():
    red = cube('red', 0.4, 0.3)
    upright = in_hand(red)
    tilted = replace(upright, arm=replace(upright.arm, tcp=Pose.from_rpy(0.4, 0.3, 0.02, 2.4)))
    foresight = OnlyTiltedAndNotThere()
    foresight.spots = []
    down, again = begin(tilted, step=PLACE, foresight=foresight).next_option(
        tilted, Context()).steps
    assert down.args != foresight.spots[0] and down.args in foresight.spots
    assert again.args == {'object': 'red', 'grasp': 'tilted'}


def test_what_a_place_is_relative_to_is_not_moved_if_the_goal_can_no_longer_be_met_there():
    """Next to the pot: if the pot is moved to free the place, the place is not next to it."""
    now = in_hand(cube('red', 0.4, 0.3), cube('pot', 0.5, -0.045))
    stuck = replace(case(PLACE, now), skill=find_spec(SPECS, 'place_at'))
    planner = ForesightLocalPlanner(FakeForesight())

    def moved_first(*goals: Goal) -> str | None:
        search = planner.begin(PLACE, replace(stuck, goals=goals), (), Context())
        return search.next_option(now, Context()).object if search else None

    assert moved_first() == 'pot'
    assert moved_first(Goal(Predicate.NEAR, 'red', 'pot')) != 'pot'


def test_places_to_put_a_held_thing_down_are_far_enough_apart_to_have_other_things_in_the_way():
    red = cube('red', 0.4, 0.3)
    downs = [p.option.steps[0].args for p in regrasping(None, red, in_hand(red),
                                                        LocalSkills(SPECS))]
    places = {(args['x'], args['y']) for args in downs}
    assert len(places) > 3
    assert all(math.dist(a, b) > 0.08 for a, b in combinations(places, 2))
