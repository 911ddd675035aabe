# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why it failed, in numbers, and a change that was not tried yet."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.piece import box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import Fix, Remembered, Response, RetryCounts, Situation
from replan_agent.domain.scene import ArmSnapshot, Shape
from replan_agent.domain.skill import Reason, SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.domain.task_result import FinalReason
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.replan.diagnose.diagnosis import diagnose
from replan_agent.replan.diagnose.error_types import ERROR_TYPES, error_type
from replan_agent.replan.diagnose.policy import TablePolicy
from replan_agent.replan.reflect.reflection import RuleReflector

from .cases import case, cube, far_report, scene, slip


def reflect(failed, *remembered):
    return RuleReflector().reflect(failed, remembered, False, Context())


def known(changes, worked=2, failed=0, message='hold it firmly') -> Remembered:
    weight = (worked + 1) / (worked + failed + 2)
    return Remembered(1, Situation('pick'), Fix(message, changes, source='memory'),
                      worked, failed, weight)


def test_a_slip_is_explained_with_its_widths_force_and_speed():
    cause = reflect(slip()).root_cause
    assert all(part in cause for part in ('39.8 mm', '0.0 mm', '40 N', 'red_cube'))


def test_a_slip_is_told_with_the_force_that_the_hand_had_not_with_what_it_was_asked_for():
    failed = slip()
    felt = {**failed.attempt.evidence, 'force_n': 20.0}
    weak = replace(failed, attempt=replace(failed.attempt, evidence=felt))
    assert 'held with 20 N' in reflect(weak).root_cause


def test_fingers_that_missed_a_thing_that_is_elsewhere_now_did_close():
    told = reflect(case('grasp_missed', after=scene(cube(0.7)))).root_cause
    assert told.endswith('after it was seen, and the fingers closed on nothing')


def test_after_a_slip_more_force_and_less_speed_are_suggested():
    changes = reflect(slip()).fix.changes
    assert changes['force'] > 40 and changes['speed'] < 1


def test_each_further_slip_suggests_a_change_that_was_not_tried_yet():
    earlier, seen = (), []
    changes = {}
    for _ in range(5):
        failed = slip(earlier, **changes)
        seen.append(changes)
        changes = dict(reflect(failed).fix.changes)
        earlier = (*earlier, failed.attempt)
        if changes:
            assert changes not in seen
    assert not changes  # the ladder ends; what is left is the remedy in words


def test_after_an_unexpected_contact_another_way_to_grasp_is_suggested():
    felt = case('in_collision', evidence={'contact': True})
    assert reflect(felt).fix.changes == {'turn': 90}


def test_a_kind_of_grasp_that_the_object_does_not_offer_is_not_suggested():
    def ladder(**evidence):
        earlier, kinds, changes = (), [], {}
        for _ in range(9):
            felt = case('in_collision', evidence={'contact': True, **evidence}, earlier=earlier,
                        args={'object': 'red_cube', **changes})
            fix = reflect(felt).fix
            changes, earlier = dict(fix.changes), (*earlier, felt.attempt)
            kinds.append(changes.get('grasp'))
        return kinds

    assert 'side' in ladder() and 'side' in ladder(offers=['side', 'tilted', 'top_down'])
    assert 'side' not in ladder(offers=['tilted', 'top_down'])
    assert 'tilted' in ladder(offers=['tilted', 'top_down'])


def test_what_was_done_to_the_scene_is_explained_by_name():
    beside = scene(cube(), cube(0.5, 0.05, 'blue_cube'))
    arrived = case('in_collision', after=beside, evidence={'contact': True})
    assert reflect(arrived).root_cause.startswith('blue_cube ')
    gone = case('grasp_missed', after=scene(cube(name='blue_cube')))
    assert reflect(gone).root_cause.startswith('red_cube ')


def test_after_a_first_miss_a_fresh_look_comes_before_another_grasp():
    first = case('grasp_missed', after=scene())
    second = case('grasp_missed', after=scene(), earlier=(first.attempt,))
    assert not reflect(first).fix.changes and reflect(second).fix.changes


def test_a_trusted_memory_comes_before_the_rules():
    fix = reflect(slip(), known({'force': 70, 'speed': 0.1})).fix
    assert fix.changes == {'force': 70, 'speed': 0.1} and fix.source == 'memory'


def test_a_memory_that_failed_more_often_than_not_is_not_suggested():
    assert reflect(slip(), known({'grasp': 'side'}, worked=0, failed=1)).fix.source == 'rules'


def test_a_remembered_change_that_just_failed_is_not_suggested_again():
    failed = slip(force=70, speed=0.1)
    assert reflect(failed, known({'force': 70, 'speed': 0.1})).fix.source == 'rules'


def test_neighbours_and_earlier_failures_are_contributing_factors():
    crowded = scene(cube(), cube(0.56, name='blue_cube'))
    first = case('grasp_missed', crowded, crowded)
    again = case('grasp_missed', crowded, crowded, earlier=(first.attempt,))
    factors = ' '.join(reflect(again).contributing_factors)
    assert 'blue_cube is only' in factors and '1 time before' in factors


def test_a_failure_that_a_look_could_have_shown_is_preventable_and_a_moved_object_is_not():
    assert reflect(case('unreachable', ik=far_report())).preventable
    assert not reflect(case('grasp_missed', after=scene(cube(0.54)))).preventable


@pytest.mark.parametrize('cause', [
    Cause.AMBIGUOUS_OBJECT, Cause.UNCLEAR_WORDS, Cause.PLACE_NOT_SAID, Cause.TWO_PLACES,
    Cause.NO_CONTAINER, Cause.TOO_FEW])
def test_a_task_that_cannot_be_planned_as_it_is_said_is_preventable(cause):
    assert reflect(case('ambiguous_object', cause=cause)).preventable


def test_a_failure_without_a_rule_keeps_the_skills_own_sentence():
    assert reflect(case('bad_arguments', detail='pick: x is odd')).root_cause == 'pick: x is odd'


@pytest.mark.parametrize('reason', [*Reason, *(r for r in FinalReason if r not in (
    FinalReason.PLAN_COMPLETE, FinalReason.ALREADY_DONE))])
def test_every_reason_has_an_error_type(reason):
    assert error_type(reason.value) in ERROR_TYPES


def test_no_reason_has_two_error_types():
    listed = list(itertools.chain(*ERROR_TYPES.values()))
    assert len(listed) == len(set(listed))


def test_all_error_types_are_there():
    assert set(ERROR_TYPES) >= {
        'timeout', 'permission', 'not_found', 'invalid_input', 'network', 'syntax', 'type_error',
        'attribute_error', 'key_error', 'value_error', 'index_error'}


def test_every_change_that_a_skill_declares_is_one_that_it_allows():
    for spec in standard_skills().specs():
        assert set(spec.adjustable) <= set(spec.arguments['properties'])
        declared = [*spec.variants.values(), *itertools.chain(*spec.adjustments.values())]
        assert all(spec.legal_changes(change) == dict(change) for change in declared)


@pytest.mark.parametrize('changes', [
    {'object': 'blue_cube'}, {'force': 500}, {'force': 'hard'}, {'speed': float('nan')},
    {'force': True}, {'grasp': 'mouth'}, 'more force', None])
def test_what_a_step_acts_on_and_what_is_out_of_range_is_never_changed(changes):
    assert slip().skill.legal_changes(changes) == {}


def test_the_suggestion_of_a_failure_says_in_words_what_changes():
    message = reflect(replace(slip())).fix.message
    assert 'red_cube' in message and 'N' in message


def test_when_a_remembered_turn_hits_something_the_step_as_planned_comes_next():
    felt = case('in_collision', evidence={'contact': True},
                args={'object': 'red_cube', 'turn': 90})
    fix = reflect(felt).fix
    assert not fix.changes and fix.option == 'as_planned'


def test_an_argument_is_put_in_words_by_its_role():
    grab = SkillSpec('grab', '', {}, ('object',), effect=Effect(
        EffectKind.TAKE, object='object', force='squeeze'), adjustable=('squeeze', 'speed'),
        adjustments={'slipped_in_lift': ({'squeeze': 60, 'speed': 3},)})
    failed = replace(slip(), skill=grab)
    assert reflect(failed).fix.message.endswith('with 60 N, with speed 3')


def test_what_is_in_the_way_is_told_in_good_grammar_and_from_the_place_it_is_about():
    one = reflect(case('in_collision', blockers=('blue_cube',),
                       before=scene(cube(), cube(0.55, name='blue_cube'))))
    assert one.root_cause.startswith('blue_cube stands in the way of red_cube, ')
    held = scene(cube(0.5, 0.3), cube(0.45, name='blue_cube'), held='red_cube')
    put = reflect(case('in_collision', skill='place_at', args={'x': 0.5, 'y': 0.0}, before=held,
                       blockers=('blue_cube',)))
    assert put.root_cause.startswith(
        'blue_cube stands in the way of the hand where red_cube should go, at (0.500, 0.000)')


def test_nobody_is_told_to_take_the_table_away():
    low = case('in_collision', blockers=('table',), before=scene(cube()))
    assert reflect(low).root_cause == (
        'no free way for the arm to red_cube is found: arm or hand would touch the table')
    assert 'in another way' in low.attempt.diagnosis.remedy
    put = case('in_collision', skill='place_at', args={'x': 0.5, 'y': 0.0}, blockers=('table',),
               before=scene(cube(0.5, 0.3), held='red_cube'))
    assert put.attempt.diagnosis.remedy.startswith('another grasp')


def test_a_thing_that_moved_before_the_fingers_closed_is_told_so():
    moved = case('in_collision', after=scene(cube(0.55)), evidence={
        'contact': True, 'felt_at': [0.3, 0.4, 0.5]})
    assert 'before the fingers closed' in reflect(moved).root_cause


def test_what_nobody_saw_move_is_told_with_what_was_seen_and_that_the_cause_is_not_known():
    moved = case('grasp_missed', after=scene(cube(0.55)), evidence={'there': None})
    assert reflect(moved).root_cause == (
        'red_cube is not where it was seen: it is at (0.55, 0.00, 0.02) m, and whether it '
        'slipped, was moved or was taken is not known')


def test_every_blocker_is_named_with_the_true_gap_to_the_nearest():
    walls = [cube(0.5, 0.045, 'a'), cube(0.5, -0.05, 'b'), cube(0.55, 0.0, 'c'),
             cube(0.45, 0.0, 'd')]
    blocked = case('in_collision', scene(cube(), *walls), blockers=('a', 'b', 'c', 'd'))
    assert reflect(blocked).root_cause == (
        'a, b, c and d stand in the way of red_cube, 0.5 cm from it')
    assert blocked.attempt.diagnosis.remedy == 'a, b, c and d out of the way'


def test_no_gap_is_told_to_a_thing_whose_hidden_inside_is_a_guess():
    roof = replace(cube(name='roof', colour='grey'), shape=Shape.IRREGULAR,
                   size=(0.16, 0.16, 0.13), pieces=(box_piece((0.16, 0.16, 0.13)),),
                   pose=Pose((0.5, 0.0, 0.065)))
    blocked = case('in_collision', scene(cube(), roof), blockers=('roof',))
    assert reflect(blocked).root_cause == (
        'roof stands in the way of red_cube, around or above it')


def test_a_reach_that_is_short_by_less_than_a_centimetre_is_not_told_as_none():
    short = case('unreachable', ik=far_report(0.54, too_far=0.003))
    assert '3.0 mm more than the arm reaches' in reflect(short).root_cause


def test_what_lies_on_the_floor_needs_a_person():
    low = replace(cube(0.9), pose=Pose((0.9, 0.0, -0.4)))
    fallen = case('unreachable', scene(low), ik=far_report(0.9, -0.4))
    assert fallen.attempt.diagnosis.cause is Cause.FELL
    assert 'back on the table' in fallen.attempt.diagnosis.remedy
    assert reflect(fallen).root_cause == (
        'red_cube is not on the table: it lies 0.42 m below its top')


def test_a_blocker_above_is_told_as_above():
    slab = replace(cube(0.5, 0.0, 'slab', 0.1), pose=Pose((0.5, 0.0, 0.12)))
    blocked = case('in_collision', scene(cube(), slab), blockers=('slab',))
    assert reflect(blocked).root_cause.endswith('of red_cube, above it')


def test_a_contact_in_the_lift_may_come_from_what_holds_the_thing():
    felt = case('in_collision', evidence={'contact': True, 'closed_width': 0.04})
    assert reflect(felt).root_cause.startswith('something holds red_cube or the arm back')
    assert 'red_cube set free' in felt.attempt.diagnosis.remedy


def test_a_slip_after_a_pull_in_the_lift_may_come_from_what_holds_the_thing():
    pulled = case('in_collision', evidence={'contact': True, 'closed_width': 0.04})
    assert 'set free' in slip((pulled.attempt,)).attempt.diagnosis.remedy
    assert 'set free' not in slip().attempt.diagnosis.remedy


def again(made, times: int):
    """The same failure, as often before."""
    return replace(made, earlier=(made.attempt,) * times)


def test_what_moves_again_and_again_should_be_left_alone():
    moved = case('grasp_missed', after=scene(cube(0.55)))
    assert diagnose(moved).remedy.startswith('a fresh look')
    assert 'red_cube left alone while the arm works: it moved 3 times' in diagnose(
        again(moved, 2)).remedy


def test_fingers_that_find_nothing_where_the_camera_shows_it_blame_the_camera():
    missed = case('grasp_missed', after=scene())
    assert 'on nothing where red_cube is seen' in reflect(missed).root_cause
    assert 'checks the camera' in diagnose(again(missed, 2)).remedy


def test_fingers_that_miss_a_thing_that_is_half_hidden_ask_for_a_better_view():
    before = replace(scene(), objects=tuple(
        replace(o, confidence=0.5) if o.name == 'red_cube' else o for o in scene().objects))
    missed = case('grasp_missed', before=before, after=before)
    assert diagnose(again(missed, 2)).remedy.startswith('a better view of red_cube')


def test_something_unseen_is_told_with_the_place_of_the_fingers_when_it_was_felt():
    felt = case('in_collision', after=scene(), evidence={'contact': True,
                                                         'tool_at': [0.4, 0.1, 0.3]})
    assert 'at (0.40, 0.10, 0.30) m when it was felt' in felt.attempt.diagnosis.remedy
    nowhere = case('in_collision', after=scene(), evidence={'contact': True})
    assert nowhere.attempt.diagnosis.remedy.endswith('out of the way of the arm')


def test_a_hand_that_cannot_leave_what_it_put_down_is_told_as_that():
    stuck = case('unreachable', skill='place', args={'target': 'table'}, cause=Cause.NO_WAY_OUT,
                 ik=far_report(0.54, too_far=0.001))
    assert stuck.attempt.diagnosis.cause is Cause.NO_WAY_OUT
    assert stuck.attempt.diagnosis.remedy == 'another place, with more room above it'


def test_a_place_without_a_way_out_is_worked_around_while_the_thing_is_held():
    stuck = case('path_blocked', skill='place', args={'target': 'table'}, cause=Cause.NO_WAY_OUT)
    answer = TablePolicy().respond(stuck.attempt.diagnosis, RetryCounts(0, 0, True), True)
    assert answer is Response.LOCAL


def test_a_joint_that_never_turns_needs_a_person():
    still = case('controller_aborted', cause=Cause.NOT_TURNED)
    assert diagnose(again(still, 1)).remedy.startswith('a person')


def test_what_leaves_no_room_for_a_finger_is_in_the_way_too():
    near, far = cube(0.5, 0.045, 'near'), cube(0.5, -0.08, 'far')
    blocked = case('in_collision', scene(cube(), near, far, cube(0.545, 0.0, 'said')),
                   blockers=('said',))
    assert blocked.attempt.diagnosis.remedy == 'said and near out of the way'


def test_fingers_that_stay_apart_and_leave_the_thing_behind_did_not_close():
    widths = {'closed_width': 0.041, 'gripper_width': 0.041, 'expected_width': 0.04}
    around, above = (case('grasp_slipped', evidence=widths, after=replace(scene(), arm=ArmSnapshot(
        (0.0,) * 7, Pose((0.5, 0.0, z)), 0.041, at_home=False))) for z in (0.03, 0.14))
    assert around.attempt.diagnosis.cause is Cause.SLIPPED_IN_LIFT
    assert above.attempt.diagnosis.cause is Cause.GRIPPER_BLOCKED
    assert '41 mm and stay there without red_cube' in reflect(above).root_cause
