# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The same reason is diagnosed by its evidence, never by the slug alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from replan_agent.arms import franka_numbers as franka
from replan_agent.arms.franka_reach import prove
from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.failure import AttemptStage, Category, Kind, Severity
from replan_agent.domain.ik_report import Reachability
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import FailedStage, Reason
from replan_agent.replan.diagnose import evidence
from replan_agent.replan.reflect.reflection import RuleReflector

from .cases import attempt, case, cube, far_report, scene, slip


def found(*args, **more):
    return case(*args, **more).attempt.diagnosis


def test_fingers_that_closed_where_the_object_no_longer_was_mean_that_it_moved():
    moved = found('grasp_missed', after=scene(cube(0.54)))
    assert (moved.cause, moved.kind) == ('object_moved', Kind.TRANSIENT)
    assert '4.0 cm' in moved.remedy


def test_fingers_that_closed_beside_an_object_that_stayed_had_a_wrong_position():
    missed = found('grasp_missed', after=scene(cube(0.505)))
    assert (missed.cause, missed.category) == ('closed_on_air', Category.VALIDATION)


def test_without_a_later_look_nothing_is_said_about_where_the_object_is():
    blind = found('grasp_missed')
    assert (blind.cause, blind.category) == ('closed_on_air', Category.ENVIRONMENT)


def test_an_object_that_was_held_and_then_lost_slipped_during_the_lift():
    assert slip().attempt.diagnosis.cause == 'slipped_in_lift'


def test_lifting_another_object_is_not_a_slip():
    before = scene(cube(), cube(0.55, name='blue_cube'))
    other = found('grasp_slipped', before, replace(before, held='blue_cube'))
    assert other.cause == 'took_another' and 'blue_cube' in other.remedy


def test_a_slip_on_the_way_to_the_target_names_the_pick_as_what_to_change():
    lost = found('grasp_slipped', scene(held='red_cube'), skill='place_on',
                 args={'target': 'table'})
    assert lost.cause == 'slipped_in_carry' and 'pick' in lost.remedy


def test_the_third_slip_of_the_same_step_is_worse_than_the_first():
    first = slip()
    second = slip((first.attempt,))
    third = slip((first.attempt, second.attempt))
    assert [c.attempt.diagnosis.severity for c in (first, second, third)] == [
        Severity.MEDIUM, Severity.MEDIUM, Severity.HIGH]


def test_slips_of_an_earlier_plan_do_not_count_against_a_new_one():
    old = replace(slip().attempt, plan_version=0)
    assert slip((old, old)).attempt.diagnosis.severity is Severity.MEDIUM


def test_a_target_proved_too_far_says_how_near_it_must_be():
    far = found('unreachable', ik=far_report(1.2, too_far=0.397))
    assert (far.cause, far.proved, far.kind) == ('beyond_reach', True, Kind.STRUCTURAL)
    assert re.findall(r'\d\.\d+ m', far.remedy) == ['0.78 m', '1.20 m', '0.40 m']


@pytest.mark.parametrize('x', [0.84, 1.0, 1.3, 2.0])
@pytest.mark.parametrize('z', [0.02, 0.15, 0.3])
def test_what_the_remedy_promises_can_be_reached(x, z):
    """By the real proof: the target is out of reach, the point that the remedy names is not."""
    limits = franka.limits('panda')
    proof = prove(Pose.from_rpy(x, 0.0, z, roll=np.pi).matrix(), limits)
    assert proof.verdict is Reachability.PROVED_UNREACHABLE
    report = far_report(x, z, proof.out_of_reach_m)
    within = float(re.search(r'within ([\d.]+) m', found('unreachable', ik=report).remedy)[1])
    nearer = prove(Pose.from_rpy(within, 0.0, z, roll=np.pi).matrix(), limits)
    assert nearer.verdict is Reachability.REACHABLE


def test_a_hand_that_is_far_from_the_object_says_nothing_about_its_reach():
    """As one that comes from over something else, and leans."""
    far = found('unreachable', scene(cube(0.5)), ik=far_report(0.76, 0.2, 0.14))
    assert far.cause == 'no_posture' and ' m of the base' not in far.remedy


def test_an_object_a_hand_beyond_reach_may_still_be_pulled_in():
    near = found('unreachable', ik=far_report(0.86, too_far=0.06))
    assert near.cause == 'just_out_of_reach' and near.proved


def test_an_unreachable_pose_without_a_proof_is_not_called_impossible():
    report = replace(far_report(), reachability=Reachability.UNDECIDED, out_of_reach_m=None)
    open_ = found('unreachable', ik=report)
    assert open_.cause == 'no_posture' and not open_.proved


@pytest.mark.parametrize('reason', ['unreachable', 'workspace_violation'])
def test_what_lies_below_the_table_slipped_or_fell_whatever_refuses_to_go_there(reason):
    below = scene(replace(cube(), pose=Pose((0.5, 0.65, -0.16))))
    fell = case(reason, below)
    assert fell.attempt.diagnosis.cause == 'fell'
    slid = case(reason, below, earlier=(slip().attempt,))
    assert slid.attempt.diagnosis.cause == 'slipped_in_lift'
    assert 'slipped from the fingers' in (
        RuleReflector().reflect(slid, (), False, Context()).root_cause)
    on_it = case('workspace_violation', scene(), earlier=(slip().attempt,))
    assert on_it.attempt.diagnosis.cause == 'workspace_violation'


def test_the_place_of_what_may_be_seen_in_part_is_said_with_about():
    sure = scene(replace(cube(), pose=Pose((0.5, 0.3, 0.02))))
    assert evidence.where(case('grasp_missed', sure), 'red_cube') == 'is at (0.50, 0.30, 0.02) m'
    unsure = replace(sure, objects=tuple(replace(o, confidence=0.84) for o in sure.objects))
    assert 'is at about (0.50' in evidence.where(case('grasp_missed', unsure), 'red_cube')


def test_an_object_at_the_edge_of_the_table_has_that_cause():
    report = replace(far_report(), reachability=Reachability.UNDECIDED, out_of_reach_m=None)
    assert found('unreachable', scene(cube(0.5, 0.57)), ik=report).cause == 'near_edge'


def test_an_object_wider_than_the_gripper_is_proved_impossible_with_both_numbers():
    wide = found('precondition_failed', evidence={
        'proved_impossible': True, 'narrowest_width': 0.1, 'widest_width': 0.08})
    assert (wide.cause, wide.proved) == ('too_wide', True)
    assert '100 mm' in wide.remedy and '80 mm' in wide.remedy and 'edge' not in wide.remedy
    flat = found('precondition_failed', evidence={
        'proved_impossible': True, 'narrowest_width': 0.15, 'widest_width': 0.08,
        'fits_on_edge': True})
    assert flat.cause == 'too_wide' and 'or the object on its edge' in flat.remedy


def test_what_is_narrow_and_offers_no_two_sides_is_not_told_as_too_wide():
    stool = found('precondition_failed', evidence={'narrowest_width': 0.025, 'widest_width': 0.08})
    assert (stool.cause, stool.proved) == ('precondition_failed', True)
    assert 'in another way' in stool.remedy


@pytest.mark.parametrize('reason', ['grasp_slipped', 'precondition_failed'])
def test_what_is_too_heavy_stays_so_whatever_the_reason(reason):
    heavy = found(reason, after=scene(cube(0.51)), cause=Cause.TOO_HEAVY,
                  evidence={'proved_impossible': True})
    assert (heavy.cause, heavy.proved, heavy.kind) == ('too_heavy', True, Kind.STRUCTURAL)
    assert heavy.severity is Severity.HIGH and 'lighter' in heavy.remedy


def test_neighbours_that_leave_no_grasp_are_named_and_not_the_table():
    before = scene(cube(), cube(0.545, name='blue_cube'), cube(0.455, name='green_cube'))
    boxed = found('in_collision', before, blockers=('table', 'blue_cube', 'green_cube'),
                  failed_stage=FailedStage.PLANNING)
    assert boxed.cause == 'boxed_in' and 'table' not in boxed.remedy
    assert 'blue_cube' in boxed.remedy and 'green_cube' in boxed.remedy


def test_a_way_that_is_blocked_names_what_blocks_it():
    wall = replace(cube(0.4, name='wall'), shape=Shape.WALL)
    blocked = found('path_blocked', scene(cube(), wall),
                    blockers=('wall',))
    assert blocked.cause == 'approach_blocked' and blocked.remedy.startswith('wall ')


def test_a_contact_that_was_felt_overrides_what_the_slug_says():
    felt = found('in_collision', evidence={'contact': True}, failed_stage=FailedStage.EXECUTION)
    assert (felt.cause, felt.severity, felt.kind) == (
        'unexpected_contact', Severity.MEDIUM, Kind.TRANSIENT)


@pytest.mark.parametrize(('now', 'cause'), [(0.0389, 'slipped_in_lift'),
                                            (0.0398, 'unexpected_contact')])
def test_a_jolt_in_the_lift_is_a_slip_when_the_fingers_came_closer_together(now, cause):
    jolt = found('in_collision', failed_stage=FailedStage.EXECUTION, evidence={
        'contact': True, 'closed_width': 0.0399, 'gripper_width': now})
    assert (jolt.cause, jolt.kind) == (cause, Kind.TRANSIENT)


def test_an_occupied_target_says_by_what():
    before = scene(cube(), cube(0.4, name='tray'), cube(0.4, 0.01, name='blue_cube'),
                   held='red_cube')
    taken = found('target_occupied', before, skill='place_on', args={'target': 'tray'},
                  blockers=('blue_cube',))
    assert (taken.cause, taken.remedy) == ('target_occupied', 'blue_cube somewhere else')


def test_a_missing_object_is_a_critical_dependency_and_lists_what_is_seen():
    gone = found('object_not_found', scene(cube(name='blue_cube')))
    assert (gone.severity, gone.category) == (Severity.CRITICAL, Category.DEPENDENCY)
    assert 'blue_cube' in gone.remedy


def test_what_is_seen_instead_of_a_missing_object_can_take_its_part_in_the_task():
    bowl = replace(cube(0.4, name='bowl'), shape=Shape.BOWL)
    seen = scene(cube(name='blue_cube'), bowl, cube(0.6, name='green_cube'), held='green_cube')
    to_take = found('object_not_found', seen, args={'object': 'red_cube'})
    assert to_take.remedy.endswith('or one that is seen: blue_cube')
    to_fill = found('object_not_found', seen, skill='place_in', args={'target': 'bin'})
    assert to_fill.remedy.endswith('or one that is seen: bowl')


def test_placing_with_an_empty_hand_is_a_missing_dependency():
    empty = found('precondition_failed', skill='place_on', args={'target': 'table'})
    assert (empty.cause, empty.severity) == ('hand_empty', Severity.CRITICAL)


def test_picking_an_object_that_is_already_held_is_harmless():
    assert found('precondition_failed', scene(held='red_cube')).severity is Severity.LOW


def test_a_released_object_that_is_elsewhere_is_not_where_it_was_put():
    put = found('verification_failed', scene(held='red_cube'), scene(cube(0.6)), skill='place_at',
                args={'x': 0.5, 'y': 0.0}, failed_stage=FailedStage.POSTCONDITION)
    assert put.cause == 'not_where_put'


@pytest.mark.parametrize('felt', [True, False])
def test_fingers_that_stop_twice_are_no_fault_of_the_gripper_where_something_unseen_was_felt(felt):
    met = {'contact': True, 'felt_at': [0.5, 0.0, 0.1], 'pushed': [0.0, 0.0, -1.0]}
    stops = {'cause': Cause.GRIPPER_BLOCKED, 'evidence': {'gripper_width': 0.068}}
    earlier = (case('in_collision', evidence=met).attempt,) if felt else ()
    first = case('controller_aborted', earlier=earlier, **stops).attempt
    again = found('controller_aborted', earlier=(*earlier, first), **stops)
    assert (again.cause is Cause.GRIPPER_BROKEN) is not felt
    assert ('not seen out of the way' in again.remedy) is felt


def test_what_cannot_be_moved_is_moved_by_a_person_and_may_only_be_seen_as_a_wall():
    wall = replace(cube(name='red_wall'), shape=Shape.WALL, movable=False)
    asked = {'cause': Cause.PRECONDITION_FAILED, 'stage': AttemptStage.PLAN}
    told = [case('bad_arguments', replace(scene(wall), perception=name), **asked
                 ).attempt.diagnosis.remedy for name in ('ground_truth', 'camera')]
    assert all(each.startswith('a person who moves it, or another thing') for each in told)
    assert ['seen as a wall' in each for each in told] == [False, True]
    assert not case('bad_arguments', stage=AttemptStage.PLAN).attempt.diagnosis.remedy


def test_an_arm_that_is_held_up_with_a_thing_in_its_fingers_may_be_held_by_that():
    held = case('controller_aborted', after=scene(), cause=Cause.HELD_UP,
                evidence={'closed_width': 0.04, 'gripper_width': 0.04})
    assert 'red_cube set free' in held.attempt.diagnosis.remedy


@pytest.mark.parametrize('cause', [
    Cause.HELD_UP, Cause.TRAJECTORY_REFUSED, Cause.GRIPPER_BLOCKED, Cause.CONTROLLER_ERROR])
def test_the_robots_cause_is_the_cause(cause):
    assert found('controller_aborted', cause=cause).cause is cause


def test_without_a_cause_a_controller_that_aborts_had_an_error():
    assert found('controller_aborted').cause is Cause.CONTROLLER_ERROR


def test_what_does_not_move_when_the_hand_presses_on_it_is_nothing_unseen():
    x, y, z = cube().position
    pressed = found('in_collision', skill='push', after=scene(), evidence={
        'contact': True, 'felt_at': [x, y, z + 0.03], 'pushed': [-1.0, 0.0, 0.0]},
        args={'object': 'red_cube', 'direction': 'forward', 'distance': 0.1})
    assert pressed.cause is Cause.PUSH_FELL_SHORT and 'red_cube set free' in pressed.remedy


def test_a_skill_that_has_nothing_to_do_is_harmless():
    done = found('precondition_failed', skill='push', cause=Cause.ALREADY_SO)
    assert (done.cause, done.severity) == (Cause.ALREADY_SO, Severity.LOW)


@pytest.mark.parametrize('sentence', [
    'panda_joint4 is 0.120 rad off its trajectory', 'trajectory refused', 'already there',
    'the gripper is blocked by blue_cube', 'panda_hand is inside table', 'stopped'])
@pytest.mark.parametrize('reason', [reason.value for reason in Reason])
def test_the_sentence_changes_nothing(reason, sentence):
    before = scene(cube(), cube(0.4, name='blue_cube'), cube(0.6, name='panda_hand'))
    assert found(reason, before, detail=sentence) == found(reason, before)


@pytest.mark.parametrize('name', ['hand', 'panda_hand', 'gripper'])
def test_an_object_blocks_only_when_it_is_said_to_block(name):
    before = scene(cube(), cube(0.545, name='blue_cube'), cube(0.3, 0.3, name=name))
    sentence = f'at the grasp {name} is 3.0 mm inside blue_cube'
    free = found('in_collision', before, detail=sentence, blockers=('blue_cube',))
    assert free.remedy.startswith('blue_cube ') and name not in free.remedy.split()
    blocks = found('in_collision', before, detail=sentence, blockers=(name,))
    assert blocks.remedy.startswith(f'{name} ')


def test_every_cause_is_in_the_documentation():
    text = (Path(__file__).resolve().parents[3] / 'docs' / 'recovery.md').read_text('utf-8')
    assert {cause.value for cause in Cause if f'`{cause.value}`' not in text} == set()


def test_the_failed_stage_is_kept():
    assert found('timeout', failed_stage=FailedStage.EXECUTION).stage is FailedStage.EXECUTION


def test_a_repeated_proof_stays_structural():
    earlier = tuple(replace(attempt('unreachable'), diagnosis=found('unreachable',
                                                                    ik=far_report()))
                    for _ in range(3))
    again = found('unreachable', ik=far_report(), earlier=earlier)
    assert again.kind is Kind.STRUCTURAL and again.severity is Severity.HIGH


def test_what_the_arm_came_for_and_no_look_shows_any_more_is_lost_from_view():
    gone = case('object_not_found', scene(), earlier=(attempt('grasp_missed'),))
    assert gone.attempt.diagnosis.cause is Cause.LOST_FROM_VIEW
    assert case('object_not_found', scene()).attempt.diagnosis.cause is Cause.NOT_IN_SCENE


def test_what_the_camera_does_not_see_may_be_too_flat_as_well_as_too_small():
    nothing = found('object_not_found', scene(cube(name='bin')), args={'object': 'card'})
    assert nothing.remedy.startswith('the object where the camera sees it, if it is not smaller '
                                     'than 18 mm and not lower than 9 mm')
    knows_all = replace(scene(cube(name='bin')), perception='ground_truth')
    assert ' mm' not in found('object_not_found', knows_all, args={'object': 'card'}).remedy


def test_what_lies_low_and_far_from_the_table_is_beyond_reach_and_did_not_fall_off_it():
    low = scene(replace(cube(), pose=Pose((2.6, 0.0, -0.7))))
    far = case('unreachable', low, ik=far_report(2.6, -0.7, too_far=1.7))
    assert far.attempt.diagnosis.cause == 'beyond_reach'
    assert far.attempt.diagnosis.remedy == 'a person who puts red_cube back on the table'
    assert RuleReflector().reflect(far, (), False, Context()).root_cause == (
        'red_cube is not on the table: it lies 0.72 m below its top, where the arm does not reach')


def test_a_plan_that_leaves_the_workspace_has_an_advice():
    refused = found('workspace_violation', scene(), detail='red_cube is outside the workspace')
    assert refused.remedy == 'the object, and the place for it, inside the workspace'


def test_a_skill_that_knows_what_would_help_says_it():
    jammed = found('controller_aborted', evidence={'would_help': 'a person who frees drawer'})
    assert jammed.remedy == 'a person who frees drawer'
