# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""place_on and place_at: where they put things, and when they refuse."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.piece import Piece
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import FailedStage, Reason
from replan_agent.execute.choice_of_spot import MOST_BEYOND, SAGS_M
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.motion_protocols import MotionOutcome

from .fakes import BOWL, DOWN, Bench, FakeMotion, far_report, lifted, scene, thing

HELD = lifted(thing(x=0.3), 0.48)
TCP = Pose.from_rpy(0.3, 0.0, 0.5, roll=math.pi)


def holding(*others):
    return scene(HELD, *others, held='red_cube', tcp=TCP)


def test_an_object_resting_on_its_target_is_a_verified_place():
    base = thing('blue_cube', 0.5, 0.2)
    after = scene(thing(x=0.5, y=0.2, z=0.06), base)
    bench = Bench(after)
    assert bench.do(Step(1, 'place_on', {'target': 'blue_cube'}), holding(base)).success
    assert bench.phases == ['approach', 'check', 'lower', 'touch', 'check', 'release', 'retreat',
                            'verify', 'verify']  # two looks agree: nothing moves any more


def test_the_held_objects_bottom_is_lowered_onto_the_targets_top():
    base = thing('blue_cube', 0.5, 0.2)
    bench = Bench(scene(thing(), base))
    bench.do(Step(1, 'place_on', {'target': 'blue_cube'}), holding(base))
    x, y, z = bench.motion.asked[0].position
    # top of the base 0.04, half the held cube 0.02, a gap of 4 mm to feel for the contact in
    assert (x, y, z) == pytest.approx((0.5, 0.2, 0.064))


def test_an_object_that_rolled_off_is_not_a_success():
    base = thing('blue_cube', 0.5, 0.2)
    after = scene(thing(x=0.6, y=0.2), base)
    result = Bench(after).do(Step(1, 'place_on', {'target': 'blue_cube'}), holding(base))
    assert result.reason is Reason.VERIFICATION_FAILED
    assert 'on(red_cube, blue_cube)' in result.reason_detail and '0.600' in result.reason_detail


def test_of_what_is_not_seen_it_is_not_said_that_the_goal_does_not_hold():
    result = Bench(scene(BOWL)).do(Step(1, 'place_on', {'target': 'bowl'}), holding(BOWL))
    assert result.reason is Reason.VERIFICATION_FAILED and 'does not hold' not in (
        result.reason_detail) and 'in(red_cube, bowl) holds is unknown' in result.reason_detail


def test_nothing_held_cannot_be_placed():
    result = Bench().do(Step(1, 'place_on', {'target': 'bowl'}), scene(BOWL))
    assert result.reason is Reason.PRECONDITION_FAILED and 'empty' in result.reason_detail


def test_a_target_with_something_on_it_is_occupied_by_name():
    base, top = thing('blue_cube', 0.5, 0.2), thing('green_cube', 0.5, 0.2, 0.06)
    bench = Bench()
    result = bench.do(Step(1, 'place_on', {'target': 'blue_cube'}), holding(base, top))
    assert result.reason is Reason.TARGET_OCCUPIED and 'green_cube' in result.reason_detail
    assert (result.cause, result.blockers) == (Cause.TARGET_OCCUPIED, ('green_cube',))
    assert not bench.robot.log


def test_a_target_out_of_reach_is_unreachable_with_the_ik_report():
    base = thing('blue_cube', 1.1)
    result = Bench().do(Step(1, 'place_on', {'target': 'blue_cube'}), holding(base))
    assert result.reason is Reason.UNREACHABLE and result.ik is not None


def test_a_spot_on_the_table_keeps_clear_of_what_stands_there():
    near = thing('blue_cube', 0.3, 0.0)
    bench = Bench(scene(thing(x=0.3, y=0.1), near))
    bench.do(Step(1, 'place_on', {'target': 'table'}), holding(near))
    x, y, _ = bench.motion.asked[0].position
    assert math.dist((x, y), (0.3, 0.0)) > 0.06


def test_an_object_cannot_be_placed_on_itself():
    result = Bench().do(Step(1, 'place_on', {'target': 'red_cube'}), holding())
    assert result.reason is Reason.PRECONDITION_FAILED


def test_place_on_refuses_a_point_beside_its_target():
    plate = thing('plate', x=0.5, y=0.2, z=0.006, size=(0.12, 0.12, 0.012))
    step = Step(1, 'place_on', {'target': 'plate', 'x': 0.5, 'y': 0.0})
    result = Bench().do(step, holding(plate))
    assert result.reason is Reason.BAD_ARGUMENTS
    assert 'plate' in result.reason_detail


def test_place_at_refuses_points_outside_the_workspace():
    result = Bench().do(Step(1, 'place_at', {'x': 9.0, 'y': 0.0}), holding())
    assert result.reason is Reason.WORKSPACE_VIOLATION and '9.0' in result.reason_detail


def test_place_at_is_verified_at_the_point():
    step = Step(1, 'place_at', {'x': 0.45, 'y': -0.2})
    assert Bench(scene(thing(x=0.45, y=-0.2))).do(step, holding()).success
    result = Bench(scene(thing(x=0.55, y=-0.2))).do(step, holding())
    assert result.reason is Reason.VERIFICATION_FAILED


def test_a_full_container_is_said_with_what_is_in_it():
    filler = thing('blue_block', 0.5, -0.25, 0.06, (0.11, 0.11, 0.11))
    bench = Bench()
    result = bench.do(Step(1, 'place_in', {'target': 'bowl'}), holding(BOWL, filler))
    assert (result.reason, result.cause) == (Reason.TARGET_OCCUPIED, Cause.CONTAINER_FULL)
    assert result.blockers == ('blue_block',)
    assert not bench.robot.log


def test_what_does_not_fit_in_a_container_is_proved():
    cup = thing('bowl', 0.5, -0.25, 0.0275, (0.05, 0.05, 0.055), Shape.BOWL)
    result = Bench().do(Step(1, 'place_in', {'target': 'bowl'}), holding(cup))
    assert result.cause is Cause.DOES_NOT_FIT and result.proved_impossible
    assert '40 x 40 mm' in result.reason_detail and '36 mm across' in result.reason_detail


def test_nothing_is_put_over_the_edge_of_the_table():
    bench = Bench()
    result = bench.do(Step(1, 'place_at', {'x': 0.4, 'y': 0.585}), holding())
    assert result.reason is Reason.WORKSPACE_VIOLATION and 'edge' in result.reason_detail
    assert result.evidence['would_help'] == 'a place farther from its edge'
    assert not bench.robot.log


def test_what_ends_over_the_edge_is_not_a_success():
    after = scene(thing(x=0.4, y=0.59))
    result = Bench(after).do(Step(1, 'place_at', {'x': 0.4, 'y': 0.565}), holding())
    assert result.reason is Reason.VERIFICATION_FAILED


def test_a_thing_is_turned_to_the_side_that_is_asked_for():
    """A quarter turn looks the same on a cube, not on a bar."""
    bar = lifted(thing('bar', x=0.3, size=(0.02, 0.1, 0.02)), 0.48)
    bench = Bench(scene(thing('bar', x=0.45, size=(0.02, 0.1, 0.02), yaw=1.4)))
    bench.do(Step(1, 'place_at', {'x': 0.45, 'y': 0.0, 'yaw': 80}),
             scene(bar, held='bar', tcp=TCP))
    turned = abs(math.remainder(bench.motion.asked[0].yaw - TCP.yaw, math.pi))
    assert turned == pytest.approx(math.radians(80))


def test_another_spot_is_used_if_it_is_asked_for():
    box, seen = thing('bin', 0.5, -0.25, 0.05, (0.3, 0.3, 0.1), Shape.BIN), []
    for spot in (0, 1, 2):
        bench = Bench()
        bench.do(Step(1, 'place_in', {'target': 'bin', 'spot': spot}), holding(box))
        seen.append(bench.motion.asked[-1].position[:2])
    assert all(math.dist(a, b) > 0.01 for a, b in combinations(seen, 2))


def walled_bin():
    """A bin of which no spot can be reached; the bench, and the spots that were tried."""
    box = thing('bin', 0.5, -0.25, 0.05, (0.3, 0.3, 0.1), Shape.BIN)
    bench, tried = Bench(), []

    def blocked(start, target, request, ctx):
        tried.append(target.position[:2])
        return MotionOutcome(None, Reason.PATH_BLOCKED, 'a wall')

    bench.motion.straight = blocked
    bench.do(Step(1, 'place_in', {'target': 'bin'}), holding(box))
    return box, bench, tried


def test_the_spot_before_the_one_that_is_asked_for_is_not_tried_again():
    box, bench, tried = walled_bin()
    first = tried[0]
    tried.clear()
    result = bench.do(Step(1, 'place_in', {'target': 'bin', 'spot': 1}), holding(box))
    assert result.reason is Reason.PATH_BLOCKED and tried
    assert all(math.dist(at, first) > 0.001 for at in tried)


def test_after_the_best_spots_of_a_container_some_far_from_them_are_tried():
    _, _, tried = walled_bin()
    assert max(math.dist(at, tried[0]) for at in tried) > 0.12


def test_a_large_container_out_of_reach_is_not_searched_to_its_last_spot():
    box, bench = thing('bin', 0.5, -0.25, 0.05, (0.4, 0.4, 0.1), Shape.BIN), Bench()
    bench.motion.reach = 0.1
    result = bench.do(Step(1, 'place_in', {'target': 'bin'}), holding(box))
    assert result.reason is Reason.UNREACHABLE
    assert len({at.position for at in bench.motion.asked}) <= MOST_BEYOND + 1


@pytest.mark.parametrize(('depth_m', 'released'), [(0.03, True), (-0.05, False)])
def test_what_touches_something_inside_its_container_is_released_there(depth_m, released):
    """With its bottom below the rim it has arrived; above it, the hand goes back with it."""
    x, y, z = DOWN.position
    bottom = z - (TCP.position[2] - HELD.bottom_z)
    bowl = thing('bowl', x, y, bottom + depth_m - 0.0275, (0.16, 0.16, 0.055), Shape.BOWL)
    bench = Bench(scene(bowl))
    bench.robot.execute_answer = CommandResult(False, Reason.IN_COLLISION, 'felt', contact=True)
    result = bench.do(Step(1, 'place_in', {'target': 'bowl'}), holding(bowl))
    assert ('release' in bench.phases) is released and not result.success


@pytest.mark.parametrize('blocked', [False, True])
def test_what_was_seen_from_one_side_is_carried_high_where_there_is_room(blocked):
    """It may hang lower than it is believed to. Without room for that it goes as it is seen."""
    half = HELD.size[2] / 2
    cube = Piece(tuple(product((-half, half), repeat=3)))
    held = replace(HELD, shape=Shape.IRREGULAR, pieces=(cube,))
    box = thing('bin', 0.5, -0.25, 0.05, (0.3, 0.3, 0.1), Shape.BIN)
    bench = Bench()
    bench.motion.way_blocked = MotionOutcome(None, Reason.PATH_BLOCKED) if blocked else None
    bench.do(Step(1, 'place_in', {'target': 'bin'}),
             scene(held, box, held='red_cube', tcp=TCP))
    lows = [held.bottom_z - way.scene.in_hand.bottom_z for way in bench.motion.ways[:1 + blocked]]
    assert lows == pytest.approx([SAGS_M, 0.0][:1 + blocked])


def test_what_touches_something_between_the_walls_is_released_though_its_middle_is_above_them():
    x, y, z = DOWN.position
    low = z - (TCP.position[2] - HELD.bottom_z)
    box = thing('bin', x, y, low + 0.005 - 0.05, (0.3, 0.3, 0.1), Shape.BIN)
    bench = Bench(scene(box))
    bench.robot.execute_answer = CommandResult(False, Reason.IN_COLLISION, 'felt', contact=True)
    bench.do(Step(1, 'place_in', {'target': 'bin'}), holding(box))
    assert 'release' in bench.phases


def test_what_touches_the_rim_with_its_bottom_is_not_released_there():
    """It would tip. What was seen from one side may hang lower than believed, but not so well."""
    x, y, z = DOWN.position
    half = HELD.size[2] / 2
    held = replace(HELD, shape=Shape.IRREGULAR, pieces=(
        Piece(tuple(product((-half, half), repeat=3))),))
    rim = z - (TCP.position[2] - HELD.bottom_z) + 0.002
    box = thing('bin', x, y, rim - 0.05, (0.3, 0.3, 0.1), Shape.BIN)
    bench = Bench(scene(box))
    bench.robot.execute_answer = CommandResult(False, Reason.IN_COLLISION, 'felt', contact=True)
    bench.do(Step(1, 'place_in', {'target': 'bin'}), scene(held, box, held='red_cube', tcp=TCP))
    assert 'release' not in bench.phases and 'retreat' in bench.phases


@pytest.mark.parametrize('uses_model', [False, True])
def test_there_is_a_look_above_a_container_before_the_release(uses_model):
    box = thing('bin', 0.5, -0.25, 0.05, (0.3, 0.3, 0.1), Shape.BIN)
    bench = Bench()
    bench.kit.perception.uses_model = uses_model
    bench.do(Step(1, 'place_in', {'target': 'bin'}), holding(box))
    assert bench.phases[:bench.phases.index('release')][-1] == 'look'


def test_what_lies_on_something_that_covers_a_container_is_told_with_it():
    box = thing('bin', 0.5, -0.25, 0.05, (0.2, 0.16, 0.1), Shape.BIN)
    plank = thing('plank', 0.5, -0.25, 0.105, (0.10, 0.18, 0.01))
    bench = Bench(scene(box, plank, replace(HELD, pose=Pose((0.5, -0.25, 0.13)))))
    result = bench.do(Step(1, 'place_on', {'target': 'bin'}), holding(box, plank))
    assert (result.cause, result.blockers) == (Cause.TARGET_OCCUPIED, ('plank',))
    assert result.reason_detail == 'red_cube does not sink into bin: it lies on plank'


def test_what_covers_a_container_elsewhere_does_not_carry_the_thing():
    box = thing('bin', 0.5, -0.25, 0.05, (0.3, 0.16, 0.1), Shape.BIN)
    pen = thing('pen', 0.39, -0.25, 0.105, (0.01, 0.18, 0.01))
    plate = replace(HELD, size=(0.04, 0.2, 0.01), pose=Pose((0.58, -0.25, 0.105)))
    bench = Bench(scene(box, pen, plate))
    result = bench.do(Step(1, 'place_on', {'target': 'bin'}), replace(
        holding(box, pen), objects=tuple(replace(o, size=plate.size) if o.name == plate.name else o
                                         for o in holding(box, pen).objects)))
    assert 'pen' not in result.reason_detail and not result.blockers


def test_a_point_beyond_table_and_arm_is_out_of_reach():
    result = Bench().do(Step(1, 'place_at', {'x': 0.95, 'y': 0.0}), holding())
    assert result.reason is Reason.UNREACHABLE and result.ik is not None


def test_a_container_at_the_edge_of_the_reach_is_used_where_the_arm_gets_to():
    """The best places are away from its high walls, and too far. A corner is near enough."""
    box = thing('bin', 0.65, 0.40, 0.07, (0.2, 0.25, 0.14), Shape.BIN)
    corner = math.hypot(0.55, 0.275)
    bench = Bench()
    bench.motion.reach = corner + 0.05
    result = bench.do(Step(1, 'place_in', {'target': 'bin'}), holding(box))
    assert result.reason is not Reason.UNREACHABLE and 'release' in bench.phases
    bench.motion.reach = corner
    result = bench.do(Step(1, 'place_in', {'target': 'bin'}), holding(box))
    assert result.reason is Reason.UNREACHABLE and result.ik is not None


class NoWayOut(FakeMotion):
    """Once the object stands free, `blocked` says whether no straight line leads away from it."""

    def __init__(self, blocked):
        super().__init__()
        self.blocked = blocked

    def straight(self, start, target, request, ctx):
        if request.scene.held is None and self.blocked():
            return MotionOutcome(None, Reason.UNREACHABLE, 'stops', far_report(target),
                                 blockers=('shelf',))
        return super().straight(start, target, request, ctx)


def no_way_out(blocked):
    bench = Bench()
    bench.motion = NoWayOut(lambda: blocked(bench))
    bench.kit = replace(bench.kit, motion=bench.motion)
    bench.executor = SkillExecutor(standard_skills(), bench.kit)
    return bench, bench.do(Step(1, 'place_at', {'x': 0.5, 'y': 0.1}), holding())


def test_a_place_that_the_hand_could_not_leave_is_refused_before_anything_moves():
    bench, result = no_way_out(lambda bench: True)
    assert result.cause is Cause.NO_WAY_OUT and result.stage is FailedStage.PLANNING
    assert not bench.phases and result.blockers == ('shelf',)
    assert result.ik is None and result.reason is Reason.PATH_BLOCKED  # nothing about the reach


def test_the_way_out_is_checked_before_the_hand_opens():
    bench, result = no_way_out(lambda bench: 'touch' in bench.phases)
    assert result.cause is Cause.NO_WAY_OUT and 'red_cube is not let go' in result.reason_detail
    assert 'release' not in bench.phases and bench.phases[-1] == 'retreat'
