# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""pick: every way it fails has its reason, its numbers, and leaves the arm free."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from replan_agent.arms.franka import PANDA
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.piece import box_piece
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.robot_state import CommandResult
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason
from replan_agent.execute.executor import SkillExecutor
from replan_agent.execute.grasping import MOST_IN_VAIN, as_seen
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.motion.grasping.any_grasps import AnyGrasps
from replan_agent.motion.motion_protocols import (
    Contact,
    Grasp,
    GraspKind,
    MotionOutcome,
    blocked_by,
)

from .fakes import BOWL, DOWN, TABLE, Bench, lifted, scene, thing

PICK = Step(1, 'pick', {'object': 'red_cube'})


def test_a_lifted_object_in_the_gripper_is_a_verified_pick():
    bench = Bench(after=scene(lifted(thing()), held='red_cube'))
    result = bench.do(PICK, scene(thing()))
    assert result.success and result.evidence['rise'] > 0.1
    assert bench.phases == ['open', 'approach', 'descend', 'look', 'grasp', 'check', 'take_up',
                            'lift', 'verify']


def test_an_object_out_of_reach_is_unreachable_with_the_ik_report():
    bench = Bench()
    result = bench.do(PICK, scene(thing(x=1.2)))
    assert result.reason is Reason.UNREACHABLE and result.stage is FailedStage.PLANNING
    assert result.ik.pos_err == 0.5 and result.reason_detail == result.ik.sentence
    assert result.proved_impossible and not bench.robot.log


def test_how_far_something_is_out_of_reach_is_told_of_the_grasp_that_reaches_farthest():
    ways = [Pose.from_rpy(1.2, 0.0, 0.02, math.pi, lean, 0.0) for lean in (0.5, -0.5, 0.0)]

    class Leaning:
        def candidates(self, thing, scene):
            return (Grasp(GraspKind.TILTED, 0, tcp, 0.06, 0.04, 0.0, '') for tcp in ways)

    bench = Bench()
    executor = SkillExecutor(standard_skills(), replace(bench.kit, grasps=Leaning()))
    result = executor.execute(PICK, scene(thing(x=1.2)), Context(), bench.phases.append)
    assert result.ik.target == max(ways, key=lambda tcp: tcp.rotation[0, 2])


def test_the_way_to_a_grasp_goes_around_the_object():
    bench = Bench(after=scene(lifted(thing()), held='red_cube'))
    assert bench.do(PICK, scene(thing())).success
    assert [way.allowed_contacts for way in bench.motion.ways] == [()]


def test_only_an_object_that_the_hand_meets_before_its_last_line_may_be_touched_on_the_way():
    bench = Bench(after=scene(lifted(thing()), held='red_cube'))
    bench.motion.way_blocked = blocked_by(
        Contact('gripper', 'red_cube', -0.01, ('red_cube',)), 'at the goal')
    assert bench.do(PICK, scene(thing())).success
    assert [way.allowed_contacts for way in bench.motion.ways] == [
        (), (('gripper', 'red_cube'),)]


def test_fingers_that_close_on_nothing_are_a_missed_grasp_and_end_wide_open():
    bench = Bench()
    bench.robot.grip_width = 0.0
    result = bench.do(PICK, scene(thing()))
    assert result.reason is Reason.GRASP_MISSED
    assert '0.0 mm' in result.reason_detail and '40.0 mm' in result.reason_detail
    assert bench.phases[-3:] == ['release', 'retreat', 'release']
    assert bench.robot.width == bench.robot.max_gripper_width, 'it may be taken for full'


@pytest.mark.parametrize(('x', 'seen_at', 'there'), [
    (0.5, 1.0, True), (0.58, 1.0, False), (0.53, 1.0, None), (0.5, 0.0, None)])
def test_a_missed_grasp_says_whether_the_object_was_there_just_before_the_fingers_closed(
        x, seen_at, there):
    """What the hand hides is only remembered, and what is at a finger may be pushed by it."""
    bench = Bench(after=scene(replace(thing(x=x), seen_at=seen_at)))
    bench.robot.grip_width = 0.0
    missed = bench.do(PICK, scene(thing(x=0.5)))
    assert missed.evidence['there'] is there


@pytest.mark.parametrize(('left', 'there'), [(True, None), (False, False)])
def test_fingers_may_have_pushed_what_has_any_shape_but_not_what_no_look_shows(left, there):
    odd = replace(thing(), shape=Shape.IRREGULAR, pieces=(box_piece((0.04, 0.04, 0.04)),))
    beside = replace(odd, pose=Pose((0.58, *odd.position[1:])), seen_at=1.0)
    bench = Bench(after=scene(*[beside] * left))
    bench.robot.grip_width = 0.0
    assert bench.do(PICK, scene(odd)).evidence['there'] is there


def test_a_failed_pick_says_which_kinds_of_grasp_the_object_offers():
    missed, slipped = Bench(), Bench(after=scene(thing()))
    missed.robot.grip_width = 0.0
    for bench in (missed, slipped):
        assert bench.do(PICK, scene(thing())).evidence['offers'] == ['tilted', 'top_down']


def test_an_object_that_stays_on_the_table_slipped():
    result = Bench(after=scene(thing())).do(PICK, scene(thing()))
    assert result.reason is Reason.GRASP_SLIPPED and result.stage is FailedStage.POSTCONDITION
    assert '0 mm of 120 mm' in result.reason_detail


@pytest.mark.parametrize(('held', 'z', 'helps'), [
    ('', -0.73, None), ('', -0.05, None), ('orange_cube', -0.05, None),
    ('orange_cube', -0.73, 'a person who puts red_cube back on the table')])
def test_a_fall_is_no_rise_and_another_thing_in_the_hand_is_not_what_must_be_mended(
        held, z, helps):
    high = replace(thing(), pose=Pose((0.5, 0.0, 0.12)))
    low = replace(high, pose=Pose((0.9, 0.3, 0.12 + z)))
    result = Bench(after=scene(low, held=held)).do(PICK, scene(high))
    assert result.reason is Reason.GRASP_SLIPPED
    assert result.reason_detail == (
        f'red_cube is at (0.90, 0.30, {0.12 + z:.2f}) m, not in the gripper')
    assert result.evidence.get('would_help') == helps


def test_pads_that_come_closer_in_the_lift_are_watched_before_the_pick_counts():
    """The object slides out slowly: it is up after the lift, and gone a moment later."""
    bench = Bench(after=scene(lifted(thing()), held='red_cube'))
    bench.robot.execute = sliding(bench.robot, [0.04, 0.039, 0.0])
    result = bench.do(PICK, scene(thing()))
    assert 'watch' in bench.phases
    assert result.reason is Reason.GRASP_SLIPPED


def sliding(robot, widths):
    """Motions with the object in the hand, after which the pads are this far apart."""
    usual = robot.execute

    def execute(trajectory, ctx, guard=None):
        answer = usual(trajectory, ctx, guard)
        if 'grasp' in robot.log:
            robot.width = min(robot.width, widths.pop(0) if widths else robot.width)
        return answer
    return execute


def test_an_object_that_vanished_is_not_assumed_to_be_held():
    result = Bench(after=scene()).do(PICK, scene(thing()))
    assert result.reason is Reason.VERIFICATION_FAILED


def test_a_hand_that_may_hide_what_it_holds_rises_before_the_next_look():
    bench = Bench()
    unseen, seen = scene(), scene(lifted(thing()), held='red_cube')
    bench.kit.perception.observe = lambda ctx: seen if 'rise' in bench.phases else unseen
    result = bench.do(PICK, scene(thing()))
    assert result.success and bench.phases[-3:] == ['verify', 'rise', 'verify']


def test_an_object_wider_than_the_gripper_is_proved_impossible_without_moving():
    bench = Bench()
    result = bench.do(PICK, scene(thing(size=(0.1, 0.1, 0.1))))
    assert result.reason is Reason.PRECONDITION_FAILED and result.proved_impossible
    assert '100 mm' in result.reason_detail and '80 mm' in result.reason_detail
    assert not bench.robot.log


def test_of_what_is_seen_in_part_nobody_knows_that_it_is_too_wide():
    part = replace(thing(size=(0.1, 0.1, 0.1)), confidence=0.5)
    result = Bench().do(PICK, scene(part))
    assert result.reason is Reason.PRECONDITION_FAILED and not result.proved_impossible
    assert 'only a part is seen' in result.reason_detail


def test_after_some_ways_that_are_searched_in_vain_the_arm_is_taken_to_be_shut_in():
    bench, searched = Bench(), []

    def to_joints(*args):
        searched.append(args)
        return MotionOutcome(None, Reason.PATH_BLOCKED, 'a wall')
    bench.motion.to_joints = to_joints
    result = bench.do(PICK, scene(thing()))
    assert result.reason is Reason.PATH_BLOCKED and len(searched) == MOST_IN_VAIN


def test_a_book_that_lies_flat_is_too_wide_as_it_lies_and_would_fit_on_its_edge():
    result = Bench().do(PICK, scene(thing(size=(0.15, 0.2, 0.03))))
    assert 'is about 150 mm across at its narrowest as it lies' in result.reason_detail
    assert 'on its edge it would be 30 mm across' in result.reason_detail
    assert result.evidence['fits_on_edge'] and result.evidence['narrowest_width'] == 0.15


def test_what_leaves_the_fingers_no_room_to_pass_is_told_with_the_room_that_they_need():
    result = Bench().do(PICK, scene(thing(size=(0.074, 0.074, 0.05))))
    assert 'a gripper that opens 80 mm, 8 mm of it to pass its sides' in result.reason_detail
    assert result.evidence['widest_width'] == pytest.approx(0.072)


def test_a_full_gripper_cannot_pick():
    result = Bench().do(PICK, scene(thing(), BOWL, held='bowl'))
    assert result.reason is Reason.PRECONDITION_FAILED and 'bowl' in result.reason_detail


def test_the_table_cannot_be_picked():
    result = Bench().do(Step(1, 'pick', {'object': TABLE.name}), scene())
    assert result.reason is Reason.PRECONDITION_FAILED and 'fixed' in result.reason_detail


def test_a_controller_that_aborts_is_reported_in_its_own_words():
    bench = Bench()
    bench.robot.execute_answer = CommandResult(False, Reason.CONTROLLER_ABORTED, 'joint 4 lags')
    result = bench.do(PICK, scene(thing()))
    assert (result.reason, result.reason_detail) == (Reason.CONTROLLER_ABORTED, 'joint 4 lags')


@pytest.mark.parametrize(('top_m', 'closed'), [(0.02, True), (-0.01, False)])
def test_fingers_that_touch_something_close_if_a_thing_of_any_shape_is_between_them(
        top_m, closed):
    size, (x, y, z) = (0.04, 0.04, 0.04), DOWN.position
    stone = SceneObject('red_cube', Shape.IRREGULAR, size, Pose((x, y, z + top_m - 0.02)),
                        pieces=(box_piece(size),))
    bench = Bench(after=scene(lifted(stone), held='red_cube'))
    bench.kit = replace(bench.kit, grasps=AnyGrasps(PANDA.hand))
    bench.executor = SkillExecutor(standard_skills(), bench.kit)
    bench.robot.touches = [1]
    assert bench.do(PICK, scene(stone)).success is closed
    assert ('grasp' in bench.phases) is closed


def test_fingers_that_cannot_open_leave_what_the_hand_stands_over():
    bench = Bench()
    bench.robot.move_gripper = lambda width, ctx: CommandResult(
        False, Reason.CONTROLLER_ABORTED, 'blocked', cause=Cause.GRIPPER_BLOCKED)
    assert bench.do(PICK, scene(thing())).cause is Cause.GRIPPER_BLOCKED
    assert bench.phases == ['open', 'release', 'retreat', 'release']


def test_what_is_only_guessed_of_a_neighbour_can_be_left_out():
    seen, guess = box_piece((0.04, 0.04, 0.04)), replace(box_piece((0.1, 0.1, 0.04)), guessed=True)
    other = SceneObject('other', Shape.IRREGULAR, (0.1, 0.1, 0.04), Pose((0.5, 0.1, 0.02)),
                        pieces=(seen, guess))
    own = replace(other, name='own')
    found = as_seen(scene(other, own), 'own')
    assert found.get('other').pieces == (seen,) and found.get('own').pieces == (seen, guess)
