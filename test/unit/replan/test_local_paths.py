# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Local planning over several actions: paths, limits, what is imagined and what is learned."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.local_planning import Decision, LocalRecord
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, failed
from replan_agent.geometry.outlines import bears
from replan_agent.geometry.steps.after_step import put_down
from replan_agent.geometry.steps.slide import can_slide
from replan_agent.replan.local.local_planner import ForesightLocalPlanner
from replan_agent.replan.local.options import neighbours
from replan_agent.replan.local.path_search import OptionLimits
from replan_agent.replan.local.score import blocking

from .test_local_planner import PICK, FakeForesight, as_done, boxed, case, cube, scene
from .test_local_score import pick_score


class NothingUnderALoad(FakeForesight):
    """What carries something cannot be picked either."""

    def foresee(self, step, scene, ctx):
        thing = scene.get(str(step.args.get('object', '')))
        if step.skill == 'pick' and thing is not None and any(
                bears(thing, other) for other in scene.without([thing.name, scene.held or ''])):
            self.asked.append(step)
            return failed(Reason.IN_COLLISION, 'a load')
        return super().foresee(step, scene, ctx)


def stack(height: int) -> Scene:
    return scene(cube('red', 0.5, 0.0),
                 *(cube(f's{k}', 0.5, 0.0, 0.06 + 0.04 * k) for k in range(height)))


def begin(before: Scene, foresight=None, earlier=(), **planner):
    found = ForesightLocalPlanner(foresight or NothingUnderALoad(), **planner)
    return found.begin(PICK, case(PICK, before), (), Context(), earlier)


def run(search, now: Scene) -> tuple[list[str], list[Decision]]:
    """The options of a search, each of which goes as imagined, and the decisions."""
    names, decisions = [], []
    for k in range(1, 9):
        option = search.next_option(now, Context())
        if option is None:
            break
        after = as_done(now, option, k + 1)
        node = search.judge(f'1.{k}', option, now, after, True, Context())
        names.append(option.name)
        decisions.append(node.decision)
        now = after
        if node.decision is Decision.SUCCESS:
            break
    return names, decisions


@pytest.mark.parametrize('height', [1, 2, 3, 5])
def test_a_stack_is_taken_off_from_its_top_and_every_action_on_the_way_is_retained(height):
    names, decisions = run(begin(stack(height)), stack(height))
    assert names == [f'clear s{k}' for k in reversed(range(height))]
    assert decisions == [Decision.RETAIN] * (height - 1) + [Decision.SUCCESS]


def test_the_later_steps_of_a_path_and_the_blocked_step_come_with_its_first_option():
    first = begin(stack(2)).next_option(stack(2), Context())
    assert [(s.skill, s.args.get('object')) for s in first.later] == [
        ('pick', 's0'), ('place_at', None), ('pick', 'red')]


@pytest.mark.parametrize('limits', [OptionLimits(7, 60.0), OptionLimits(1000, 0.0)])
def test_a_search_ends_at_its_limit_of_foresights_and_at_its_limit_of_time(limits):
    hopeless = FakeForesight('pick', 'push', 'pull')
    assert begin(boxed(), hopeless, limits=limits) is None
    assert len(hopeless.asked) <= 8
    unlimited = FakeForesight('pick', 'push', 'pull')
    assert begin(boxed(), unlimited) is None and len(unlimited.asked) > 8


def test_what_must_stay_where_it_is_does_not_keep_the_object_from_being_slid_away():
    """No option gains anything by its geometry: the hand would touch the bin, the fingers not."""
    class BesideBin(FakeForesight):
        def foresee(self, step, scene, ctx):
            blocked = step.skill == 'pick' and scene.get('red').position[0] < 0.6
            return (failed(Reason.IN_COLLISION, 'the hand', blockers=('bin',)) if blocked
                    else super().foresee(step, scene, ctx))

    wall = SceneObject('bin', Shape.BIN, (0.3, 0.24, 0.1), Pose((0.5, -0.22, 0.05)))
    before = scene(cube('red', 0.5, 0.0), wall)
    search = ForesightLocalPlanner(BesideBin()).begin(
        PICK, replace(case(PICK, before), left_alone=frozenset({'bin'})), (), Context(), ())
    assert search is not None
    assert search.next_option(before, Context()).name == 'push red forward by 12 cm'


def test_a_step_is_not_foreseen_again_while_what_blocks_it_stays():
    class Names(FakeForesight):
        def foresee(self, step, scene, ctx):
            found = super().foresee(step, scene, ctx)
            return found if found.success else replace(found, blockers=('n0',))

    foresight = Names('push', 'pull', 'pick n0', 'pick n1')
    begin(boxed(), foresight)  # n2 and n3 can be cleared, which does not help
    calls = [step.call for step in foresight.asked if step.args.get('object') == 'n0']
    assert len(calls) > 2 and len(set(calls)) == len(calls)


def test_tall_posts_block_the_palm_although_the_fingers_fit():
    red = cube('red', 0.5, 0.0)
    posts = [SceneObject(f'p{k}', Shape.BOX, (0.03, 0.03, 0.16), Pose((
        0.5 + 0.065 * math.cos(k * math.pi / 2), 0.065 * math.sin(k * math.pi / 2), 0.08)))
        for k in range(4)]
    low = [replace(p, size=(0.03, 0.03, 0.03), pose=Pose((*p.position[:2], 0.015)))
           for p in posts]
    assert all(len(found) == 2 for found in blocking(red, scene(red, *posts)))
    assert pick_score(red, scene(red, *posts)) < pick_score(red, scene(red, *low))


def test_what_a_blocker_carries_counts_too():
    red, side = cube('red', 0.5, 0.0), [cube('a', 0.55, 0.0), cube('b', 0.5, 0.05)]
    loaded = scene(red, *side, cube('top_a', 0.55, 0.0, 0.06), cube('top_b', 0.5, 0.05, 0.06))
    assert pick_score(red, loaded) < pick_score(red, scene(red, *side))


def test_contents_move_with_their_container_and_a_container_is_no_neighbour_of_them():
    bin_ = SceneObject('bin', Shape.BIN, (0.2, 0.2, 0.07), Pose((0.5, 0.0, 0.035)))
    inside = cube('red', 0.53, 0.02, 0.027)
    then = put_down(scene(bin_, inside), 'bin', at=(0.4, 0.2))
    assert then.get('red').position == pytest.approx((0.43, 0.22, 0.027), abs=1e-6)
    assert neighbours(inside, scene(bin_, inside), ('bin',)) == []


def test_a_wide_thing_does_not_slide_over_the_edge_of_the_table():
    wide = SceneObject('box', Shape.BOX, (0.2, 0.2, 0.05), Pose((0.5, 0.4, 0.025)))
    assert can_slide(scene(wide), wide, (0.5, 0.46))
    assert not can_slide(scene(wide), wide, (0.5, 0.52))


def test_a_plank_lies_on_both_of_its_supports():
    a, b = cube('a', 0.5, 0.05), cube('b', 0.5, -0.05)
    plank = SceneObject('plank', Shape.BOX, (0.03, 0.15, 0.02), Pose((0.5, 0.0, 0.05)))
    assert bears(a, plank) and bears(b, plank)
    assert not bears(plank, a) and not bears(cube('c', 0.56, 0.05), plank)


def test_an_undo_that_is_not_possible_is_not_promised():
    class OneWay(FakeForesight):
        def foresee(self, step, scene, ctx):
            if step.args.get('snug'):
                return failed(Reason.TARGET_OCCUPIED, 'no room')
            return super().foresee(step, scene, ctx)

    assert begin(boxed()).next_option(boxed(), Context()).undo
    assert begin(boxed(), OneWay()).next_option(boxed(), Context()).undo is None


def test_a_kind_of_option_that_went_other_than_imagined_is_not_tried_again_in_the_task():
    now, search = boxed(), begin(boxed())
    option = search.next_option(now, Context())
    slid = replace(put_down(now, option.object, at=(0.3, 0.3)), scene_id='s2')
    node = search.judge('1.1', option, now, slid, True, Context())
    assert node.surprise.startswith(f'{option.object} is ')
    assert node.surprise.endswith('mm from where it should be')
    names, _ = run(search, slid)
    assert option.name not in names
    record = LocalRecord(1, PICK, '', (node,), False, '')
    again = begin(boxed(), earlier=(record,))
    assert option.name not in run(again, boxed())[0]


def test_explored_options_are_counted_of_those_that_there_are():
    now, search = boxed(), begin(boxed())
    for k in (1, 2):
        option = search.next_option(now, Context())
        same = replace(now, scene_id=f'x{k}')
        node = search.judge(f'1.{k}', option, now, same, False, Context())
        assert node.decision is Decision.EXPLORE
        assert node.explored == k and option.name in node.exploration_options
        assert len(node.exploration_options) > 4
        now = same


def test_what_no_goal_is_about_is_moved_first_and_the_places_of_goals_are_kept_clear():
    before = boxed()
    goals = tuple(Goal(Predicate.AT, name, position=(0.3, -0.3)) for name in ('n0', 'n2'))
    spot = begin(before).next_option(before, Context()).steps[1].args
    goals += (Goal(Predicate.AT, 'red', position=(spot['x'], spot['y'])),)
    stuck = replace(case(PICK, before), goals=goals)
    search = ForesightLocalPlanner(FakeForesight()).begin(PICK, stuck, (), Context())
    option = search.next_option(before, Context())
    assert option.object in ('n1', 'n3')
    put = option.steps[1].args
    assert math.dist((put['x'], put['y']), (spot['x'], spot['y'])) > 0.08


def test_a_wide_box_on_the_place_is_pushed_away_between_two_options():
    class TooWide(FakeForesight):
        def foresee(self, step, scene, ctx):
            if step.skill == 'place_at' and scene.held is None:
                return failed(Reason.PRECONDITION_FAILED, 'nothing is held')
            return super().foresee(step, scene, ctx)

    box = SceneObject('box', Shape.BOX, (0.1, 0.1, 0.05), Pose((0.5, 0.0, 0.025)))
    now = scene(cube('red', 0.4, 0.3), box, held='red')
    place = Step(2, 'place_at', {'x': 0.5, 'y': 0.0})
    search = ForesightLocalPlanner(TooWide('pick box')).begin(place, case(place, now), (),
                                                              Context())
    first = search.next_option(now, Context())
    assert first.kind == 'put_down'
    assert [s.skill for s in first.later] == ['push', 'pick', 'place_at']
