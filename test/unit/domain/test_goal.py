# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Goals judged from hand-made scenes: true, false, or unknown."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.judging import (
    AT_TOLERANCE_M,
    RESTING_GAP_M,
    is_inside,
    judge,
    judge_all,
    lies_on_rim,
    may_touch_below,
    resting_on,
    supports,
)

CUBE = (0.04, 0.04, 0.04)
ANGLES = st.floats(-math.pi, math.pi)


def thing(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.02, shape: Shape = Shape.BOX,
          size: tuple[float, float, float] = CUBE, roll: float = 0.0, pitch: float = 0.0,
          yaw: float = 0.0) -> SceneObject:
    return SceneObject(name, shape, size, Pose.from_rpy(x, y, z, roll, pitch, yaw))


def bowl(yaw: float = 0.0, roll: float = 0.0) -> SceneObject:
    """16 cm wide, its floor on the table, its rim at 6 cm."""
    return thing('bowl', 0.0, 0.0, 0.03, Shape.BOWL, (0.16, 0.16, 0.06), roll=roll, yaw=yaw)


def bin_(yaw: float = 0.0) -> SceneObject:
    """30 by 10 cm, its rim at 8 cm."""
    return thing('bin', 0.0, 0.0, 0.04, Shape.BIN, (0.30, 0.10, 0.08), yaw=yaw)


TABLE = thing('table', 0.4, 0.0, -0.02, Shape.TABLE, (1.2, 1.2, 0.04))


def scene(*objects: SceneObject, held: str | None = None, at_home: bool | None = False) -> Scene:
    arm = None if at_home is None else ArmSnapshot((0.0,) * 7, Pose((0, 0, 0.5)), 0.08, at_home)
    return Scene('scene-1', 0.0, objects, 'by_hand', arm, held)


def on(target: str = 'table') -> Goal:
    return Goal(Predicate.ON, 'cube', target)


# on, stacked

def test_a_cube_rests_on_the_table_under_it() -> None:
    assert judge(on(), scene(thing('cube'), TABLE)) is True


@pytest.mark.parametrize('cube', [
    thing('cube', z=0.02 + RESTING_GAP_M + 0.001), thing('cube', z=0.02 - RESTING_GAP_M - 0.001),
    thing('cube', x=1.1), thing('cube', y=-0.7, z=-0.5),
])
def test_a_cube_above_or_beside_the_table_is_not_on_it(cube: SceneObject) -> None:
    assert judge(on(), scene(cube, TABLE)) is False


def test_a_cube_on_a_cube_is_stacked_on_it_and_not_on_the_table() -> None:
    world = scene(thing('cube', z=0.06), thing('base'), TABLE)
    assert judge(Goal(Predicate.STACKED, 'cube', 'base'), world) is True
    assert judge(on('base'), world) is True
    assert judge(on(), world) is False


def test_a_turned_box_supports_only_above_its_own_footprint() -> None:
    """Its axis-aligned box reaches 5.4 cm in x and y, its own edge at that corner far less."""
    bar = thing('bar', size=(0.11, 0.04, 0.04), yaw=math.radians(45))
    assert may_touch_below(thing('cube', 0.03, 0.03, 0.06), bar)
    assert not may_touch_below(thing('cube', 0.03, -0.03, 0.06), bar)


def test_a_cylinder_supports_only_above_its_disc() -> None:
    can = thing('can', z=0.05, shape=Shape.CYLINDER, size=(0.06, 0.06, 0.10))
    assert may_touch_below(thing('cube', 0.02, 0.02, 0.12), can)
    assert not may_touch_below(thing('cube', 0.025, 0.025, 0.12), can)


def test_a_box_on_its_side_supports_with_the_side_that_is_up() -> None:
    lying = thing('box', z=0.02, size=(0.04, 0.04, 0.12), pitch=math.pi / 2)
    assert may_touch_below(thing('cube', 0.05, 0.0, 0.06), lying)
    assert not may_touch_below(thing('cube', 0.0, 0.05, 0.06), lying)


def test_a_lying_can_supports_along_its_ridge() -> None:
    can = thing('can', z=0.03, shape=Shape.CYLINDER, size=(0.06, 0.06, 0.10), roll=math.pi / 2)
    assert may_touch_below(thing('cube', 0.0, 0.04, 0.08), can)
    assert not may_touch_below(thing('cube', 0.04, 0.0, 0.08), can)


@given(roll=ANGLES, pitch=ANGLES, yaw=ANGLES)
def test_a_ball_rests_however_it_has_rolled(roll: float, pitch: float, yaw: float) -> None:
    ball = thing('ball', z=0.03, shape=Shape.SPHERE, size=(0.06,) * 3, roll=roll, pitch=pitch,
                 yaw=yaw)
    assert may_touch_below(ball, TABLE)


@given(turn=ANGLES, yaw=ANGLES)
def test_a_lying_can_rests_however_it_has_rolled(turn: float, yaw: float) -> None:
    upright = Pose.from_rpy(0, 0, 0, yaw=turn).matrix()
    lying = Pose.from_rpy(0.3, 0.1, 0.04, roll=math.pi / 2, yaw=yaw).matrix()
    can = SceneObject('can', Shape.CYLINDER, (0.08, 0.08, 0.12), Pose.from_matrix(lying @ upright))
    assert may_touch_below(can, TABLE)


def test_a_cube_leaning_on_its_edge_touches_with_its_lowest_corner() -> None:
    lowest = 0.02 * math.sqrt(2)
    assert may_touch_below(thing('cube', z=lowest, roll=math.pi / 4), TABLE)
    assert not may_touch_below(thing('cube', z=lowest + 0.02, roll=math.pi / 4), TABLE)


# in

@pytest.mark.parametrize('yaw', [0.0, math.radians(45), math.radians(200)])
def test_a_bowl_holds_what_is_within_its_round_rim(yaw: float) -> None:
    assert is_inside(thing('cube', 0.05, 0.05, 0.03), bowl(yaw))
    assert not is_inside(thing('cube', 0.07, 0.07, 0.03), bowl(yaw))
    assert not is_inside(thing('cube', 0.10, 0.0, 0.03), bowl(yaw))


@given(yaw=ANGLES)
def test_a_turned_bin_holds_what_is_between_its_own_walls(yaw: float) -> None:
    def at(along: float, across: float) -> SceneObject:
        return thing('cube', along * math.cos(yaw) - across * math.sin(yaw),
                     along * math.sin(yaw) + across * math.cos(yaw), 0.03)

    assert is_inside(at(0.13, 0.03), bin_(yaw))
    assert not is_inside(at(0.03, 0.13), bin_(yaw))
    assert not is_inside(at(0.16, 0.0), bin_(yaw))


def test_what_lies_across_the_rim_is_not_inside() -> None:
    assert not is_inside(thing('cube', z=0.08), bowl())
    assert is_inside(thing('cube', z=0.065), bowl()), 'it may be on a heap'
    assert is_inside(thing('cube', z=0.055), bowl())


@pytest.mark.parametrize('underside', [0.06, 0.045, 0.006])
def test_a_bar_over_both_sides_of_the_rim_is_on_it_whatever_its_underside_is_guessed_to_be(
        underside: float) -> None:
    bar = thing('cube', z=(0.08 + underside) / 2, size=(0.20, 0.02, 0.08 - underside))
    assert not is_inside(bar, bowl()) and not is_inside(bar, bin_(yaw=math.pi / 2))
    world = scene(bar, bowl(), TABLE)
    assert judge(on('bowl'), world) is False and judge(on(), world) is False
    assert [o.name for o in supports(bar, world)] == ['bowl']
    assert resting_on(bowl(), world) == [bar]


@pytest.mark.parametrize('predicate', [Predicate.IN, Predicate.ON])
def test_what_lies_on_the_rim_is_neither_in_the_container_nor_taken_out(predicate) -> None:
    plate = thing('cube', 0.06, 0.0, 0.065, size=(0.12, 0.12, 0.01))
    for x, out in ((0.06, False), (0.3, True)):
        world = scene(replace(plate, pose=Pose((x, 0.0, 0.065))), bowl(), TABLE)
        assert judge(Goal(predicate, 'cube', 'bowl'), world) is False
        assert judge(Goal(predicate, 'cube', 'bowl', negated=True), world) is out
        none = Things(Quantity.EXACTLY, 0, named=('cube',))
        assert judge(Goal(predicate, target='bowl', things=none), world) is out


def test_a_pen_that_leans_in_a_cup_is_in_it() -> None:
    """Its centre is above the rim, its lower end at the floor."""
    cup = thing('cup', z=0.045, shape=Shape.BOWL, size=(0.08, 0.08, 0.09))
    pen = thing('pen', z=0.095, shape=Shape.CYLINDER, size=(0.01, 0.01, 0.19),
                pitch=math.radians(20))
    assert pen.position[2] > cup.top_z and is_inside(pen, cup)
    assert not is_inside(replace(pen, pose=pen.pose.moved(0, 0, 0.055)), cup)


def test_a_bar_that_hangs_over_the_rim_with_one_end_is_not_inside() -> None:
    """Its weight is above the rim, its lower end is not at the floor."""
    bar = thing('cube', -0.02, 0.0, 0.065, size=(0.16, 0.02, 0.02), pitch=math.radians(12))
    assert bar.bottom_z < 0.04 and bar.position[2] > bowl().top_z
    assert not is_inside(bar, bowl()) and lies_on_rim(bar, bowl())
    deeper = replace(bar, pose=bar.pose.moved(0, 0, -0.025))
    assert is_inside(deeper, bowl()) and not lies_on_rim(deeper, bowl())


def test_a_tall_thing_that_stands_in_a_flat_tray_is_in_it() -> None:
    assert is_inside(thing('bottle', z=0.086, size=(0.06, 0.06, 0.16)), bin_())


# what carries it

PLATE = thing('plate', z=0.0025, size=(0.12, 0.12, 0.005))


@pytest.mark.parametrize('error', [-0.005, -0.002, 0.0, 0.004])
def test_a_cube_on_a_thin_plate_is_on_the_plate_and_not_on_the_table(error: float) -> None:
    """Also if its underside, which no camera sees, is guessed some millimetres wrong."""
    world = scene(thing('cube', z=0.025 + error), PLATE, TABLE)
    assert judge(on(), world) is False and judge(on('plate'), world) is True
    assert judge(Goal(Predicate.CLEAR, 'plate'), world) is False
    assert judge(Goal(Predicate.ON, 'plate', 'table'), world) is True


def test_a_cube_beside_a_thin_plate_is_on_the_table() -> None:
    world = scene(thing('cube', x=0.081), PLATE, TABLE)
    assert judge(on(), world) is True and judge(on('plate'), world) is False


@pytest.mark.parametrize('thick', [0.003, 0.005, 0.008, 0.012])
def test_each_of_three_slabs_lies_on_the_next_one_only(thick: float) -> None:
    slabs = [thing(name, z=(level + 0.5) * thick, size=(0.1, 0.06, thick))
             for level, name in enumerate(('low', 'middle', 'high'))]
    world = scene(*slabs, TABLE)
    assert [[o.name for o in supports(slab, world)] for slab in slabs] == [
        ['table'], ['low'], ['middle']]


def test_a_plank_over_two_thin_slabs_is_on_both_and_not_on_the_table() -> None:
    slabs = [thing(name, x, z=0.004, size=(0.04, 0.06, 0.008))
             for name, x in (('left', -0.08), ('right', 0.08))]
    plank = thing('cube', z=0.012, size=(0.2, 0.04, 0.008))
    world = scene(plank, *slabs, TABLE)
    assert [o.name for o in supports(plank, world)] == ['left', 'right']
    assert judge(on(), world) is False and judge(on('left'), world) is True


def test_what_is_in_a_bowl_on_a_plate_is_on_neither_plate_nor_table() -> None:
    world = scene(thing('cube', z=0.031), replace(bowl(), pose=bowl().pose.moved(0, 0, 0.005)),
                  PLATE, TABLE)
    assert [judge(on(name), world) for name in ('bowl', 'plate', 'table')] == [True, False, False]


def test_a_plate_under_an_upside_down_bowl_does_not_lie_on_it() -> None:
    world = scene(thing('cube', z=0.08), bowl(roll=math.pi), PLATE, TABLE)
    assert [o.name for o in supports(PLATE, world)] == ['table']
    assert [o.name for o in supports(thing('cube', z=0.08), world)] == ['bowl']


def test_what_is_below_the_container_is_not_inside() -> None:
    assert not is_inside(thing('cube', z=-0.05), bowl())


def test_a_hidden_underside_that_is_guessed_too_low_does_not_put_a_thing_under_the_bowl():
    assert is_inside(thing('cube', z=0.01), bowl())


def test_a_bowl_that_leans_between_the_walls_of_a_bin_is_not_inside() -> None:
    assert is_inside(bowl(), bin_(0.0))
    assert not is_inside(bowl(roll=math.radians(25)), bin_(0.0))


def test_of_two_containers_only_the_inner_one_is_inside() -> None:
    inner = bowl()
    above = replace(inner, name='above', pose=inner.pose.moved(0, 0, 0.01))
    assert is_inside(inner, bin_(0.0)) and not is_inside(bin_(0.0), inner)
    assert is_inside(above, inner) and not is_inside(inner, above)


def test_a_tipped_bowl_holds_nothing() -> None:
    assert is_inside(thing('cube', z=0.03), bowl(roll=math.radians(20)))
    assert not is_inside(thing('cube', z=0.03), bowl(roll=math.radians(90)))
    assert not is_inside(thing('cube', z=0.03), bowl(roll=math.radians(180)))


def test_nothing_is_inside_an_object_that_is_not_a_container() -> None:
    assert judge(Goal(Predicate.IN, 'cube', 'table'), scene(thing('cube'), TABLE)) is False


def test_on_a_container_means_in_it() -> None:
    assert judge(on('bowl'), scene(thing('cube', z=0.026), bowl(), TABLE)) is True


def test_what_is_in_a_bowl_on_the_table_is_not_on_the_table() -> None:
    world = scene(thing('cube', z=0.026), bowl(), TABLE)
    assert may_touch_below(thing('cube', z=0.026), TABLE)  # the bowl's floor is that thin
    assert judge(on(), world) is False


def test_the_bowl_itself_is_on_the_table() -> None:
    assert judge(Goal(Predicate.ON, 'bowl', 'table'), scene(bowl(), TABLE)) is True


def test_what_is_stacked_inside_a_bowl_is_stacked() -> None:
    low = thing('low', z=0.01, size=(0.04, 0.04, 0.02))
    world = scene(thing('cube', z=0.04), low, bowl(), TABLE)
    assert judge(Goal(Predicate.STACKED, 'cube', 'low'), world) is True


@pytest.mark.parametrize('target', [bin_(), bowl(), TABLE])
@pytest.mark.parametrize('x', [0.0, 0.5, 3.0])
@pytest.mark.parametrize('predicate', [Predicate.IN, Predicate.ON, Predicate.STACKED])
def test_a_verdict_is_true_false_or_none_and_nothing_that_only_looks_like_it(target, x, predicate):
    """numpy's False is not False: `is False` does not see it."""
    verdict = judge(Goal(predicate, 'cube', target.name), scene(thing('cube', x), target))
    assert type(verdict) is bool


# at, holding, home

def test_at_allows_the_tolerance() -> None:
    goal = Goal(Predicate.AT, 'cube', position=(0.4, -0.2))
    assert judge(goal, scene(thing('cube', 0.4, -0.2 + AT_TOLERANCE_M - 1e-6), TABLE)) is True
    assert judge(goal, scene(thing('cube', 0.4, -0.2 + AT_TOLERANCE_M + 1e-6), TABLE)) is False


def test_what_fell_to_the_floor_is_not_at_the_point_above_it() -> None:
    goal = Goal(Predicate.AT, 'cube', position=(-0.4, 0.3))
    assert judge(goal, scene(thing('cube', -0.4, 0.3, z=-0.73), TABLE)) is False
    assert judge(goal, scene(thing('cube', -0.4, 0.3, z=-0.73))) is None, 'no table is seen'


def test_what_is_held_rests_nowhere() -> None:
    world = scene(thing('cube'), TABLE, held='cube')
    assert judge(on(), world) is False
    assert judge(Goal(Predicate.AT, 'cube', position=(0.0, 0.0)), world) is False


def test_holding_is_what_the_gripper_holds() -> None:
    goal = Goal(Predicate.HOLDING, 'cube')
    assert judge(goal, scene(thing('cube'), held='cube')) is True
    assert judge(goal, scene(thing('cube'), held='other')) is False
    assert judge(goal, scene(thing('cube'))) is False


def test_holding_anything() -> None:
    assert judge(Goal(Predicate.HOLDING), scene(held='cube')) is True
    assert judge(Goal(Predicate.HOLDING), scene()) is False


@pytest.mark.parametrize('at_home', [True, False])
def test_home_is_where_the_arm_says_it_is(at_home: bool) -> None:
    assert judge(Goal(Predicate.HOME), scene(at_home=at_home)) is at_home


# unknown

@pytest.mark.parametrize(('goal', 'world'), [
    (on(), scene(TABLE)),
    (on('shelf'), scene(thing('cube'), TABLE)),
    (Goal(Predicate.ON, 'cube'), scene(thing('cube'), TABLE)),
    (Goal(Predicate.AT, 'cube'), scene(thing('cube'))),
    (Goal(Predicate.HOLDING, 'cube'), scene(thing('cube'), at_home=None)),
    (Goal(Predicate.HOME), scene(at_home=None)),
])
def test_what_the_scene_does_not_show_is_unknown(goal: Goal, world: Scene) -> None:
    assert judge(goal, world) is None


def test_goals_together() -> None:
    world = scene(thing('cube'), TABLE, at_home=True)
    true, false, unknown = Goal(Predicate.HOME), Goal(Predicate.HOLDING, 'cube'), on('shelf')
    assert judge_all([true, on()], world) is True
    assert judge_all([true, unknown], world) is None
    assert judge_all([unknown, false, true], world) is False
    assert judge_all([], world) is None


@pytest.mark.parametrize(('goal', 'text'), [
    (Goal(Predicate.IN, 'red_cube', 'bowl'), 'in(red_cube, bowl)'),
    (Goal(Predicate.AT, 'red_cube', position=(0.4, -0.2)), 'at(red_cube, 0.400, -0.200)'),
    (Goal(Predicate.HOLDING), 'holding()'), (Goal(Predicate.HOME), 'home()'),
])
def test_a_goal_reads_like_a_predicate(goal: Goal, text: str) -> None:
    assert str(goal) == text
