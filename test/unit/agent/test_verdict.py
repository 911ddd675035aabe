# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which failures the end of a task is told with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanReply, ReplyKind
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import FailedStage, Reason, SkillResult, failed, succeeded
from replan_agent.domain.task_result import FinalReason

from .fakes import (
    HOLDING,
    FakePerception,
    FakePlanner,
    FakeSkills,
    Rig,
    cube,
    scene,
    step,
    steps,
    unreachable,
)

PICK = steps(step(), goals=[HOLDING])
NOT_FOUND = PlanReply(ReplyKind.FAILED, reason=Reason.OBJECT_NOT_FOUND, detail='no red cube')
FEW = AgentConfig(max_replans=1, max_step_retries=0)


def heavy() -> SkillResult:
    return failed(Reason.PRECONDITION_FAILED, 'it is too heavy', cause=Cause.TOO_HEAVY)


def vague() -> SkillResult:
    return failed(Reason.PRECONDITION_FAILED, 'there is no side grasp')


def test_a_failure_survives_the_refusals_that_follow_from_it():
    result = Rig(FakePlanner(PICK, NOT_FOUND), FakeSkills(heavy()), config=FEW).run()
    assert [a.reason_detail for a in result.attempts] == ['it is too heavy', 'no red cube']
    assert result.why == 'it is too heavy' and 'lighter' in result.would_help
    assert result.causes == ('too_heavy',)


def test_a_refusal_is_told_if_nothing_failed_before_it():
    result = Rig(FakePlanner(NOT_FOUND), config=FEW).run()
    assert (result.why, result.causes) == ('no red cube', ('not_in_scene',))


def test_a_failure_whose_step_succeeded_later_is_not_told():
    moved = steps(step('home', 1), goals=[HOLDING])
    result = Rig(FakePlanner(PICK, PICK, moved),
                 FakeSkills(heavy(), succeeded(), failed(Reason.TIMEOUT, 'too slow')),
                 FakePerception(scene()), config=AgentConfig(max_replans=2, max_step_retries=0,
                                                             repeat_guard=False)).run()
    assert 'heavy' not in result.why and 'too slow' in result.why


def test_what_is_put_somewhere_else_does_not_hide_that_its_place_failed():
    full = failed(Reason.TARGET_OCCUPIED, 'the bowl is full', cause=Cause.CONTAINER_FULL)
    goal = Goal(Predicate.ON, 'red_cube', 'bowl')
    result = Rig(FakePlanner(steps(step('place_on', target='bowl'), goals=[goal]),
                             steps(step('place_on', target='table'), goals=[goal])),
                 FakeSkills(full, succeeded()), FakePerception(scene(cube(), cube(
                     0.3, 'bowl'), cube(0.4, 'table'), held='red_cube')), config=FEW).run()
    assert 'full' in result.why and result.causes == ('container_full',)


def test_a_proof_that_no_posture_is_there_is_told_and_not_that_every_step_succeeded():
    goal = Goal(Predicate.ON, 'red_cube', 'blue_cube')
    away = steps(step('home', 1), goals=[goal])
    result = Rig(FakePlanner(steps(step(), goals=[goal]), away, away), FakeSkills(
        unreachable(), succeeded(), succeeded()), FakePerception(
            scene(cube(), cube(0.3, 'blue_cube'))), config=FEW).run()
    assert 'proved unreachable' in result.why and 'no joint angles' in result.would_help
    assert 'every step succeeded' not in result.final_detail


def test_a_refusal_that_says_why_something_did_not_stay_where_it_was_put_is_told_with_its_advice():
    goal = Goal(Predicate.ON, 'red_cube', 'bowl')
    fell = failed(Reason.VERIFICATION_FAILED, 'it is beside the bowl', FailedStage.POSTCONDITION)
    too_long = PlanReply(ReplyKind.EXHAUSTED, reason=Reason.PRECONDITION_FAILED, goals=(goal,),
                         detail='it does not fit', cause=Cause.DOES_NOT_FIT)
    result = Rig(FakePlanner(steps(step('place_on', target='bowl'), goals=[goal]), too_long),
                 FakeSkills(fell), FakePerception(
                     scene(cube(), cube(0.4, 'bowl'), held='red_cube'),
                     scene(cube(0.42), cube(0.4, 'bowl'), n=2)), config=FEW).run()
    assert result.causes == ('not_where_put', 'does_not_fit')
    assert result.why == 'it is beside the bowl; then it does not fit'
    assert 'larger container' in result.would_help


def test_that_another_thing_was_put_there_does_not_hide_that_the_first_is_not_seen():
    goals = [Goal(Predicate.ON, name, 'bowl') for name in ('red_cube', 'blue_cube')]
    base, blue = cube(0.3, 'bowl'), cube(0.6, 'blue_cube')
    lost = failed(Reason.VERIFICATION_FAILED, 'red_cube is not seen', FailedStage.POSTCONDITION)
    put = step('place_on', 1, target='bowl')
    result = Rig(FakePlanner(steps(put, goals=goals), steps(
        step('pick', 1, object='blue_cube'), step('place_on', 2, target='bowl'), goals=goals)),
                 FakeSkills(lost, succeeded(), succeeded()),
                 FakePerception(scene(cube(), base, blue, held='red_cube'),
                                scene(base, blue, n=2)), config=FEW).run()
    assert 'red_cube is not seen' in result.why and result.would_help


def test_another_point_does_not_hide_that_the_first_one_failed():
    goal = Goal(Predicate.AT, 'red_cube', position=(0.9, 0.0))
    result = Rig(FakePlanner(steps(step('place_at', x=0.9, y=0.0), goals=[goal]),
                             steps(step('place_at', x=0.4, y=0.1), goals=[goal])),
                 FakeSkills(heavy(), succeeded()),
                 FakePerception(scene(held='red_cube')), config=FEW).run()
    assert 'heavy' in result.why and result.causes == ('too_heavy',)


def test_a_vague_failure_is_not_told_beside_a_clear_one():
    result = Rig(FakePlanner(PICK), FakeSkills(heavy(), vague()), FakePerception(scene()),
                 config=FEW).run()
    assert result.why == 'it is too heavy'


def test_a_slip_is_not_told_where_something_unseen_was_met():
    slip = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION,
                  closed_width=0.04, gripper_width=0.0)
    met = failed(Reason.IN_COLLISION, 'a joint feels 30 N·m', FailedStage.EXECUTION, contact=True)
    for told in ((met, slip), (slip, met)):
        result = Rig(FakePlanner(PICK, PICK), FakeSkills(*told), FakePerception(scene()),
                     config=FEW).run()
        assert {a.diagnosis.cause.value for a in result.attempts} == {
            'unexpected_contact', 'slipped_in_lift'}
        assert result.causes == ('unexpected_contact',) and 'slipped' not in result.why


def test_that_nothing_was_where_a_moved_thing_was_seen_is_not_told_beside_the_motion():
    missed = failed(Reason.GRASP_MISSED, 'it closed to 0 mm', there=False)
    result = Rig(FakePlanner(PICK, PICK), FakeSkills(missed, missed),
                 FakePerception(scene(), scene(cube(0.6), n=2)), config=FEW).run()
    assert [a.diagnosis.cause.value for a in result.attempts] == ['object_moved', 'closed_on_air']
    assert result.causes == ('object_moved',) and 'on nothing where' not in result.why


@pytest.mark.parametrize(('z', 'done'), [(0.02, False), (0.14, True)])
def test_what_stands_between_the_fingers_is_not_picked_up(z, done):
    table = SceneObject('table', Shape.TABLE, (1.0, 1.0, 0.04), Pose((0.5, 0.0, -0.02)))
    seen = scene(replace(cube(), pose=Pose((0.5, 0.0, z))), table, held='red_cube', n=2)
    result = Rig(FakePlanner(PICK, NOT_FOUND), FakeSkills(succeeded()),
                 FakePerception(scene(cube(), table), seen), config=FEW).run()
    assert result.success is done
    assert done or 'it is as high as before' in result.attempts[0].reason_detail


def test_what_may_only_have_another_name_now_is_not_told_as_lost():
    lost = failed(Reason.VERIFICATION_FAILED, 'red_cube is not seen', FailedStage.POSTCONDITION)
    again = replace(cube(0.4, 'red_box'), colour=cube().colour)
    result = Rig(FakePlanner(PICK, NOT_FOUND), FakeSkills(lost), FakePerception(
        scene(cube()), scene(again, n=2)), config=FEW).run()
    assert result.why == 'red_cube is not seen any more, and red_box may be it'
    assert result.causes == ('not_decided',) and 'red_box' in result.would_help


@pytest.mark.parametrize(('first', 'causes'), [
    (heavy(), ('too_heavy',)),
    (failed(Reason.GRASP_MISSED, 'it closed to 0 mm', there=False),
     ('object_moved', 'slipped_in_lift')),
    (failed(Reason.CONTROLLER_ABORTED, 'it gave up', cause=Cause.OFF_TARGET),
     ('off_target', 'slipped_in_lift'))])
def test_a_slip_is_explained_by_a_weight_and_by_nothing_that_passes(first, causes):
    slip = failed(Reason.GRASP_SLIPPED, 'it slipped', FailedStage.POSTCONDITION)
    moved = scene(cube(0.6), n=2)
    result = Rig(FakePlanner(PICK, PICK), FakeSkills(first, slip),
                 FakePerception(scene(), moved), config=FEW).run()
    assert [a.diagnosis.cause.value for a in result.attempts] == [causes[0], 'slipped_in_lift']
    assert result.causes == causes


@pytest.mark.parametrize(('left', 'causes'), [
    (False, ('no_way_out',)), (True, ('no_way_out', 'approach_blocked'))])
def test_what_a_hand_meets_that_cannot_leave_is_not_told_until_it_has_left(left, causes):
    caught = failed(Reason.IN_COLLISION, 'the hand cannot leave it', cause=Cause.NO_WAY_OUT)
    blocked = failed(Reason.PATH_BLOCKED, 'the blue cube is in the way', blockers=('blue_cube',))
    told = (caught, *((succeeded(),) if left else ()), blocked)
    plan = steps(*((step('home', 1),) if left else ()), step('pick', 2), goals=[HOLDING])
    result = Rig(FakePlanner(PICK, plan), FakeSkills(*told), FakePerception(
        scene(cube(), cube(0.6, 'blue_cube'))), config=FEW).run()
    assert result.causes == causes


def test_that_nothing_was_between_the_fingers_is_not_told_of_what_proves_to_be_heavy():
    missed = failed(Reason.GRASP_MISSED, 'it closed to 0 mm', gripper_width=0.0)
    result = Rig(FakePlanner(PICK, PICK), FakeSkills(missed, heavy()),
                 FakePerception(scene(), scene(n=2)), config=FEW).run()
    assert [a.diagnosis.cause.value for a in result.attempts] == ['closed_on_air', 'too_heavy']
    assert result.causes == ('too_heavy',)


@pytest.mark.parametrize(('colour', 'is_lost'), [('', False), ('blue', True)])
def test_what_was_reached_for_by_its_new_name_is_not_told_as_lost(colour, is_lost):
    lost = failed(Reason.VERIFICATION_FAILED, 'red_cube is not seen', FailedStage.POSTCONDITION)
    missed = failed(Reason.GRASP_MISSED, 'it closed to 0 mm', there=None, gripper_width=0.0)
    new = replace(cube(0.4, 'red_box'), colour=colour)
    looks = [scene(replace(cube(), colour=colour and 'red')), scene(new, n=2),
             scene(cube(0.3, 'blue_cube'), n=3)]
    by_new_name = steps(step(object='red_box'), goals=[HOLDING])
    result = Rig(FakePlanner(PICK, by_new_name, NOT_FOUND), FakeSkills(lost, succeeded(), missed),
                 FakePerception(*looks), config=AgentConfig(max_replans=2, max_step_retries=0)
                 ).run()
    assert [a.diagnosis.cause for a in result.attempts][0] == 'lost_from_view'
    assert ('lost_from_view' in result.causes) == is_lost and result.why


@pytest.mark.parametrize(('skill', 'sure', 'remembered'), [
    ('push', False, False), ('push', True, True), ('pick', False, True)])
def test_a_push_that_is_stopped_nobody_knows_where_is_stopped_by_what_it_pushes(
        skill, sure, remembered):
    args = {'direction': 'left', 'distance': 0.1} if skill == 'push' else {}
    stopped = failed(Reason.IN_COLLISION, 'a joint feels 30 N·m', cause=Cause.UNEXPECTED_CONTACT,
                     contact=True, felt_at=[0.3, 0.3, 0.3], pushed=[0.0, 0.0, 1.0],
                     felt_sure=sure)
    rig = Rig(FakePlanner(steps(step(skill, 1, **args), goals=[HOLDING])), FakeSkills(stopped),
              FakePerception(scene()), config=FEW)
    rig.run()
    said = [e.message for e in rig.recorder.events if e.kind == 'warning_raised']
    assert any('not seen is at' in each for each in said) is remembered


def test_what_failed_where_a_thing_was_moved_to_is_told_after_the_motion():
    missed = failed(Reason.GRASP_MISSED, 'the fingers closed on nothing')
    here, there = scene(cube(0.5), n=1), scene(cube(0.1), n=2)
    result = Rig(FakePlanner(PICK), FakeSkills(missed, failed(Reason.IN_COLLISION, 'no grasp')),
                 FakePerception(here, there), config=FEW).run()
    assert result.causes == ('object_moved', 'approach_blocked')
    assert 'elsewhere' in result.would_help


def test_two_objects_are_told_each_with_its_own_failure():
    blue = steps(step('pick', 1, object='blue_cube'), goals=[HOLDING])
    result = Rig(FakePlanner(PICK, blue),
                 FakeSkills(heavy(), failed(Reason.GRASP_SLIPPED, 'it slipped')),
                 FakePerception(scene(cube(), cube(0.4, 'blue_cube'))), config=FEW).run()
    assert result.why == 'it is too heavy; then it slipped'


def test_what_stands_where_something_should_go_is_told_as_in_the_way_of_it():
    goal = Goal('at', 'red_cube', position=(0.41, 0.0))
    plan = steps(step('pick', 1, object='blue_cube'), goals=[goal])
    result = Rig(FakePlanner(plan), FakeSkills(heavy()),
                 FakePerception(scene(cube(0.6), cube(0.4, 'blue_cube'))), config=FEW).run()
    assert result.why == 'blue_cube stands in the way where red_cube should go: it is too heavy'
    assert result.causes == ('target_occupied', 'too_heavy')
    assert result.would_help.startswith('blue_cube somewhere else')


def test_what_lies_on_an_object_of_the_task_is_told_as_lying_on_it():
    lid = replace(cube(0.5, 'blue_lid'), pose=Pose((0.5, 0.0, 0.06)))
    plan = steps(step(object='blue_lid'), goals=[HOLDING])
    result = Rig(FakePlanner(plan), FakeSkills(heavy()), FakePerception(scene(cube(0.5), lid)),
                 config=FEW).run()
    assert result.why == 'blue_lid is on red_cube: it is too heavy'
    assert result.causes == ('approach_blocked', 'too_heavy')
    assert result.would_help.startswith('blue_lid somewhere else')


def test_what_is_only_on_the_same_table_or_in_the_bowl_is_in_nobodys_way():
    table = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                        movable=False)
    plan = steps(step(object='blue_cube'), goals=[Goal(Predicate.ON, 'red_cube', 'table')])
    result = Rig(FakePlanner(plan), FakeSkills(heavy()), FakePerception(
        scene(cube(0.5), cube(0.3, 'blue_cube'), table, held='red_cube')), config=FEW).run()
    assert result.why == 'it is too heavy' and result.causes == ('too_heavy',)


def test_what_a_person_or_the_model_ended_is_told_in_the_words_of_the_end():
    gone = PlanReply(ReplyKind.TRANSPORT, detail='no answer')
    result = Rig(FakePlanner(PICK, gone), FakeSkills(heavy()), config=FEW).run()
    assert result.final_reason is FinalReason.VLM_TRANSPORT and result.why == 'no answer'


@pytest.mark.parametrize('why', [heavy(), failed(
    Reason.GRASP_SLIPPED, '70 N do not hold it', cause=Cause.SLIPPED_IN_LIFT,
    proved_impossible=True)])
def test_what_no_force_holds_explains_that_it_slipped_before(why):
    slipped = failed(Reason.GRASP_SLIPPED, 'it slipped out', cause=Cause.SLIPPED_IN_LIFT,
                     closed_width=0.04, expected_width=0.04, gripper_width=0.0)
    result = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(slipped, why),
                 config=replace(FEW, max_replans=2)).run()
    assert [a.reason_detail for a in result.attempts][:2] == ['it slipped out', why.reason_detail]
    assert (result.why, result.causes) == (why.reason_detail, (why.cause.value,))


def test_that_somebody_undid_it_is_told_though_the_plans_after_it_are_refused():
    goal, bowl = Goal(Predicate.ON, 'red_cube', 'bowl'), cube(0.3, 'bowl')
    put = steps(step(), step('place_on', 2, target='bowl'), goals=[goal])
    away = replace(cube(), pose=Pose((-1.6, 1.6, -0.7)))
    outside = PlanReply(ReplyKind.FAILED, reason=Reason.WORKSPACE_VIOLATION, detail='outside')
    result = Rig(FakePlanner(put, outside), FakeSkills(), FakePerception(
        scene(cube(), bowl), scene(cube(), bowl, held='red_cube'), scene(away, bowl)),
        config=FEW).run()
    assert result.causes == ('undone_by_another',), result.why
    assert 'it is at (-1.60, 1.60, -0.70) m' in result.why
    assert result.would_help == 'red_cube left alone while the arm works, once it is brought back'


def test_that_the_table_leaves_no_way_is_told_only_if_nothing_else_failed():
    slipped = failed(Reason.GRASP_SLIPPED, 'it slipped out', cause=Cause.SLIPPED_IN_LIFT)
    low = failed(Reason.IN_COLLISION, 'it would touch the table', cause=Cause.APPROACH_BLOCKED,
                 blockers=('table',))
    result = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(slipped, low),
                 config=replace(FEW, max_replans=2)).run()
    assert result.causes == ('slipped_in_lift',)


def test_that_the_hand_is_full_is_a_consequence_and_what_names_no_cause_is_none():
    full = failed(Reason.PRECONDITION_FAILED, 'the gripper must be empty', cause=Cause.HAND_FULL)
    fault = failed(Reason.CONTROLLER_ABORTED, 'the controller aborted the motion')
    holds = scene(cube(), cube(0.3, 'blue_cube'), held='blue_cube')
    later = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(fault, full),
                FakePerception(holds), config=replace(FEW, max_replans=2)).run()
    assert 'hand_full' in [a.diagnosis.cause for a in later.attempts]
    alone = Rig(FakePlanner(PICK, NOT_FOUND), FakeSkills(vague()), FakePerception(scene()),
                config=FEW).run()
    assert later.causes == ('controller_error',)
    assert (alone.why, alone.causes) == ('there is no side grasp', ())


def test_a_fault_of_the_arm_in_a_step_of_local_planning_explains_more_than_the_table():
    low = failed(Reason.IN_COLLISION, 'it would touch the table', cause=Cause.APPROACH_BLOCKED,
                 blockers=('table',))
    fault = replace(failed(Reason.CONTROLLER_ABORTED, 'the controller aborted the motion'),
                    evidence={'local_state': 'pushed'})
    result = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(fault, low),
                 config=replace(FEW, max_replans=2)).run()
    assert result.causes == ('controller_error',)


def test_that_it_was_taken_away_explains_that_the_fingers_closed_on_nothing():
    air = failed(Reason.GRASP_MISSED, 'nothing is there', cause=Cause.CLOSED_ON_AIR)
    taken = failed(Reason.WORKSPACE_VIOLATION, 'it is gone', cause=Cause.TAKEN_AWAY)
    result = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(air, taken),
                 config=replace(FEW, max_replans=2)).run()
    causes = [attempt.diagnosis.cause for attempt in result.attempts]
    assert causes[:2] == [Cause.CLOSED_ON_AIR, Cause.TAKEN_AWAY]
    assert result.causes == ('taken_away',)


def test_what_was_seen_again_and_missed_is_not_told_as_lost():
    lost = failed(Reason.VERIFICATION_FAILED, 'red_cube is not seen', FailedStage.POSTCONDITION)
    missed = failed(Reason.GRASP_MISSED, 'the fingers closed on nothing', gripper_width=0.0)
    gone, seen = cube(0.3, 'bowl'), (cube(), cube(0.3, 'bowl'))
    result = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(lost, missed), FakePerception(
        scene(*seen), scene(gone, n=2), scene(*seen, n=3), scene(gone, n=4)), config=FEW).run()
    assert [a.diagnosis.cause.value for a in result.attempts] == ['lost_from_view', 'taken_away']
    assert result.causes == ('taken_away',) and 'not seen' not in result.why


def test_what_a_refused_plan_names_later_is_still_told_as_lost():
    lost = failed(Reason.VERIFICATION_FAILED, 'red_cube is not seen', FailedStage.POSTCONDITION)
    result = Rig(FakePlanner(PICK, PICK, NOT_FOUND), FakeSkills(lost), FakePerception(
        scene(cube(), cube(0.3, 'bowl')), scene(cube(0.3, 'bowl'), n=2)), config=FEW).run()
    assert 'lost_from_view' in result.causes and 'red_cube is not seen' in result.why


def test_what_stood_beside_a_lost_thing_is_not_taken_for_it():
    """The second red cube arrived, and both were seen; then it is gone."""
    lost = failed(Reason.VERIFICATION_FAILED, 'red_cube_2 is not seen', FailedStage.POSTCONDITION)
    other, bowl = cube(0.6, 'red_cube_2'), cube(0.3, 'bowl')
    pick = steps(step('pick', 1, object='red_cube_2'))
    looks = [replace(each, perception='camera') for each in (
        scene(cube(), bowl), scene(cube(), other, bowl, n=2), scene(cube(), bowl, n=3))]
    result = Rig(FakePlanner(PICK, pick, NOT_FOUND), FakeSkills(heavy(), lost),
                 FakePerception(*looks), config=FEW).run()
    assert 'red_cube_2 is not seen' in result.why and 'may be it' not in result.why
