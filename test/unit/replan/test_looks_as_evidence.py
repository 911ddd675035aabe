# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The looks before and after a failure show what somebody else did meanwhile."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Category, Kind, Severity
from replan_agent.domain.piece import Piece, box_piece
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import Response, RetryCounts
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape, States
from replan_agent.domain.scene_changes import SceneChanges, moved_m
from replan_agent.domain.skill import FELT
from replan_agent.replan.diagnose.policy import TablePolicy
from replan_agent.replan.reflect.reflection import RuleReflector

from .cases import case, cube, far_report, scene

CONTACT = {'contact': True}
INTO = {'skill': 'place_in', 'args': {'target': 'bowl'}}


def bowl(x: float = 0.5, y: float = -0.28) -> SceneObject:
    return SceneObject('bowl', Shape.BOWL, (0.18, 0.18, 0.055), Pose((x, y, 0.0275)))


def at(thing: SceneObject, x: float, y: float, z: float) -> SceneObject:
    return replace(thing, pose=Pose((x, y, z)))


def hand(where: Scene, x: float, y: float) -> Scene:
    arm = ArmSnapshot((0.0,) * 7, Pose((x, y, 0.2)), 0.08, at_home=False)
    return replace(where, arm=arm)


def carried(*others: SceneObject) -> Scene:
    held = at(cube(), 0.5, 0.1, 0.2)
    return hand(scene(held, *others, held='red_cube'), 0.5, 0.1)


def found(*args, **more):
    return case(*args, **more).attempt.diagnosis


def response(diagnosis, **settings):
    return TablePolicy(AgentConfig(**settings)).respond(diagnosis, RetryCounts(), True)


# What changed.

def test_the_changes_between_two_looks_are_what_moved_arrived_and_is_gone():
    before = scene(cube(), cube(0.6, name='blue_cube'), cube(0.3, name='old_cube'))
    after = scene(cube(0.501), cube(0.7, name='blue_cube'), cube(0.4, name='new_cube'))
    changes = SceneChanges.between(before, after)
    assert changes.as_dict() == {'moved': {'blue_cube': 0.1}, 'arrived': ['new_cube'],
                                 'gone': ['old_cube']}


def test_an_old_picture_shows_no_changes():
    assert not SceneChanges.between(scene(), replace(scene(cube(0.7)), stale=True))


# The target.

def test_a_bowl_that_is_elsewhere_after_the_release_was_moved():
    put = at(cube(), 0.5, -0.28, 0.02)
    moved = found('verification_failed', carried(bowl()), scene(put, bowl(0.35)), **INTO)
    assert moved.cause == 'target_moved' and '15.0 cm' in moved.remedy
    assert response(moved) is Response.REPLAN


def test_a_bowl_that_the_hand_met_elsewhere_is_approached_again_while_the_object_is_held():
    met = found('in_collision', carried(bowl()), carried(bowl(0.5, -0.2)), evidence=CONTACT,
                **INTO)
    assert met.cause == 'target_moved' and response(met) is Response.RECAPTURE


def test_a_bowl_that_left_the_table_or_is_not_seen_should_be_brought_back():
    put, table = at(cube(), 0.5, -0.28, 0.02), SceneObject(
        'table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)), movable=False)
    before, floor = carried(bowl(), table), at(bowl(), 0.2, 1.5, -0.7)
    away = found('verification_failed', before, scene(put, floor, table), **INTO)
    assert away.cause == 'target_moved' and away.remedy.startswith('bowl brought back: it is at')
    gone = found('verification_failed', before, scene(put, table), **INTO)
    assert gone.cause == 'lost_from_view'
    assert gone.remedy == 'bowl brought back: it is not seen any more'


# Neighbours.

@pytest.mark.parametrize('before', [scene(cube(), cube(0.5, 0.3, 'blue_cube')), scene(cube())],
                         ids=['nudged', 'put beside'])
def test_what_came_beside_the_object_is_what_the_hand_touched(before):
    after = scene(cube(), cube(0.5, 0.05, 'blue_cube'))
    arrived = found('in_collision', before, after, evidence=CONTACT)
    assert arrived.cause == 'neighbour_arrived' and 'blue_cube' in arrived.remedy
    assert response(arrived) is Response.RECAPTURE


def test_a_handle_that_moves_along_with_the_object_did_not_come_close():
    drawer = replace(cube(), states=States('', ('open',), (cube().pose,), along=('handle',)))
    before, after = (scene(drawer, cube(0.5, y, 'handle')) for y in (0.1, 0.05))
    pulled = found('in_collision', before, after, evidence=CONTACT)
    assert pulled.cause != 'neighbour_arrived'
    assert found('in_collision', replace(before, objects=(cube(), *before.objects[2:])), after,
                 evidence=CONTACT).cause == 'neighbour_arrived'


def test_a_neighbour_that_stayed_and_one_that_moved_far_away_did_not_arrive():
    before = scene(cube(), cube(0.55, name='blue_cube'), cube(0.2, 0.4, 'green_cube'))
    after = scene(cube(), cube(0.55, name='blue_cube'), cube(0.1, 0.4, 'green_cube'))
    assert found('in_collision', before, after, evidence=CONTACT).cause == 'unexpected_contact'


def test_what_the_arm_pushed_aside_is_named():
    before = scene(cube(), cube(0.56, name='blue_cube'))
    after = scene(cube(), cube(0.60, name='blue_cube'))
    touched = found('in_collision', before, after, evidence=CONTACT)
    assert touched.cause == 'unexpected_contact' and 'blue_cube out of the way' in touched.remedy
    told = RuleReflector().reflect(case('in_collision', before, after, evidence=CONTACT), (),
                                   False, Context()).root_cause
    assert told.startswith('the arm touched blue_cube: ')


@pytest.mark.parametrize('x', [0.53, 0.56, 0.63])
def test_what_somebody_moved_elsewhere_is_not_what_the_arm_touched(x):
    """What is named is, or was, where the contact was felt."""
    before = scene(cube(), cube(0.56, name='blue_cube'), cube(0.2, 0.5, 'green_cube'))
    after = scene(cube(), cube(0.60, name='blue_cube'), cube(0.1, 0.5, 'green_cube'))
    felt = {**CONTACT, 'felt_at': [x, 0.0, 0.03]}
    met = case('in_collision', before, after, evidence=felt)
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert 'blue_cube out of the way of the arm' in met.attempt.diagnosis.remedy
    assert told.startswith('the arm touched blue_cube: ')
    far = case('in_collision', before, after, evidence={**felt, 'felt_at': [0.5, -0.3, 0.2]})
    assert 'blue_cube' not in far.attempt.diagnosis.remedy
    assert 'not seen' in RuleReflector().reflect(far, (), False, Context()).root_cause


@pytest.mark.parametrize(('felt', 'told'), [
    ({'felt_at': [0.56, 0.0, 0.03], 'felt_sure': True}, 'touched blue_cube'),
    ({'felt_at': [0.3, 0.2, 0.3], 'felt_sure': False, 'tool_at': [0.56, 0.08, 0.03]},
     'touched something, perhaps blue_cube'),
    ({'felt_at': [0.3, 0.2, 0.3], 'felt_sure': True, 'tool_at': [0.56, 0.04, 0.03]}, 'not seen'),
    ({'felt_at': [0.3, 0.2, 0.3], 'felt_sure': True, 'tool_at': [0.56, 0.08, 0.03]}, 'not seen')])
def test_what_is_seen_where_the_contact_was_felt_is_not_called_unseen(felt, told):
    look = scene(cube(), cube(0.56, name='blue_cube'))
    met = case('in_collision', look, look, evidence={**CONTACT, **felt})
    assert told in RuleReflector().reflect(met, (), False, Context()).root_cause
    helps = {'not seen': 'not seen', 'touched something, perhaps blue_cube': 'perhaps blue_cube,'}
    helped = f'{helps.get(told, "blue_cube")} out of the way of the arm'
    assert helped in met.attempt.diagnosis.remedy


@pytest.mark.parametrize(('tool_z', 'blamed'), [(0.05, True), (0.12, False)])
def test_what_is_lower_than_all_that_the_hand_holds_was_not_touched(tool_z, blamed):
    """Where the place is a guess, what is near the hand may be it only if it is as high."""
    low = replace(bowl(0.56, 0.0), name='tray', size=(0.18, 0.18, 0.03), pose=Pose((
        0.56, 0.0, 0.015)))
    look = hand(scene(at(cube(), 0.5, 0.1, 0.2), low, held='red_cube'), 0.5, 0.1)
    met = case('in_collision', look, look, skill='place_at', args={'x': 0.5, 'y': 0.0}, evidence={
        **CONTACT, 'felt_at': [0.3, 0.2, 0.3], 'felt_sure': False, 'tool_at': [0.5, 0.0, tool_z]})
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert ('something, perhaps tray' in told) is blamed
    assert ('tray' if blamed else 'not seen') in met.attempt.diagnosis.remedy


def test_a_target_that_was_touched_is_not_to_be_taken_away():
    look = hand(carried(bowl()), 0.5, -0.2)
    met = found('in_collision', look, look, **INTO, evidence={
        **CONTACT, 'felt_at': [0.5, -0.2, 0.055], 'felt_sure': True})
    assert met.remedy == 'a better view of bowl, or more room around it'


def test_what_moved_is_what_was_touched_where_the_place_is_not_sure():
    before = scene(cube(), cube(0.56, name='blue_cube'), cube(0.5, 0.08, 'green_cube'))
    after = scene(cube(), cube(0.60, name='blue_cube'), cube(0.5, 0.08, 'green_cube'))
    met = case('in_collision', before, after, evidence={
        **CONTACT, 'felt_at': [0.3, 0.2, 0.3], 'felt_sure': False, 'tool_at': [0.5, 0.05, 0.03]})
    assert 'perhaps blue_cube, out of the way of the arm' in met.attempt.diagnosis.remedy


@pytest.mark.parametrize(('above_m', 'cause'), [(0.005, 'approach_blocked'),
                                                (0.024, 'unexpected_contact')])
def test_fingers_that_come_down_on_the_object_itself_met_nothing_unseen(above_m, cause):
    x, y, z = cube().position
    felt = {**CONTACT, 'felt_at': [x, y, z + cube().size[2] / 2 + above_m]}
    met = case('in_collision', scene(cube()), scene(cube()), evidence=felt)
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert met.attempt.diagnosis.cause == cause
    assert ('not seen' in told) == (cause == 'unexpected_contact')


@pytest.mark.parametrize(('more', 'cause'), [
    ({'felt_at': [0.3, 0.4, 0.5]}, 'object_moved'),
    ({'felt_at': [0.5, 0.0, 0.04]}, 'not_where_seen'), ({}, 'not_where_seen')])
def test_an_object_that_moved_under_the_hand_is_not_something_unseen(more, cause):
    """Where the contact was felt at the object, the hand may have pushed it."""
    assert found('in_collision', after=scene(cube(0.53)), evidence={**CONTACT, **more}
                 ).cause == cause


@pytest.mark.parametrize(('there', 'cause'), [
    (False, 'object_moved'), (True, 'slipped_in_lift'), (None, 'not_where_seen')])
def test_who_moved_a_missed_object_is_said_only_if_a_look_before_tells(there, cause):
    missed = found('grasp_missed', after=scene(cube(0.53)), evidence={'there': there})
    assert missed.cause == cause


@pytest.mark.parametrize(('there', 'odd', 'cause'), [
    (False, True, 'taken_away'), (True, False, 'not_where_seen'), (None, True, 'not_where_seen'),
    (None, False, 'taken_away')])
def test_that_somebody_took_it_is_said_only_if_fingers_cannot_have_pushed_it_away(
        there, odd, cause):
    """They squeeze out what has any shape; the flat or round sides of others they hold."""
    thing = replace(cube(), shape=Shape.IRREGULAR, pieces=(box_piece((0.04,) * 3),)
                    ) if odd else cube()
    gone = found('grasp_missed', scene(thing), after=scene(cube(0.2, 0.3, 'blue_cube')),
                 evidence={'there': there})
    assert gone.cause == cause


@pytest.mark.parametrize(('tool', 'cause'), [
    ((0.54, 0.0, 0.02), 'not_decided'), ((0.6, 0.0, 0.02), 'unexpected_contact')])
def test_a_contact_at_fingers_that_push_may_be_what_they_push(tool, cause):
    met = case('in_collision', scene(cube()), scene(cube()), skill='push',
               args={'object': 'red_cube'}, evidence={
                   **CONTACT, 'felt_at': [0.5, 0.0, 0.15], 'tool_at': list(tool)})
    assert met.attempt.diagnosis.cause == cause


@pytest.mark.parametrize(('confidence', 'cause'), [
    (0.5, 'not_decided'), (1.0, 'unexpected_contact')])
def test_a_contact_of_unknown_place_may_be_one_with_the_rest_of_what_is_seen_in_part(
        confidence, cause):
    part = replace(cube(), confidence=confidence)
    met = found('in_collision', scene(part), after=scene(part), evidence={
        **CONTACT, 'tool_at': [0.5, 0.0, 0.12]})
    assert met.cause == cause


@pytest.mark.parametrize(('there', 'x', 'cause'), [
    (None, 0.53, 'not_where_seen'), (False, 0.53, 'object_moved'),
    (True, 0.53, 'slipped_in_lift'), (None, 0.5, 'slipped_in_lift')])
def test_a_slip_of_what_moves_again_and_again_is_told_only_if_it_was_there_before(there, x, cause):
    moved = case('grasp_missed', after=scene(cube(0.53)), evidence={'there': None}).attempt
    slid = found('grasp_slipped', after=scene(cube(x)), earlier=(moved,), evidence={
        'closed_width': 0.04, 'gripper_width': 0.0, 'there': there})
    assert slid.cause == cause


def test_what_slipped_before_may_slide_away_from_the_hand():
    slid = case('grasp_missed', after=scene(cube(0.53)), evidence={'there': True}).attempt
    again = found('grasp_missed', after=scene(cube(0.53)), evidence={'there': False},
                  earlier=(slid,))
    assert slid.diagnosis.cause == 'slipped_in_lift' and again.cause == 'not_where_seen'
    gone = found('grasp_missed', after=scene(cube(0.2, 0.3, 'blue_cube')),
                 evidence={'there': False}, earlier=(slid,))
    assert gone.cause == 'not_where_seen'  # or it slid off the table


def test_what_was_moved_before_and_is_not_seen_now_may_have_been_moved_again():
    moved = case('grasp_missed', after=scene(cube(0.53)), evidence={'there': False}).attempt
    other = scene(cube(0.2, 0.3, 'blue_cube'))
    gone = found('grasp_missed', after=other, evidence={'there': False}, earlier=(moved,))
    first = found('grasp_missed', after=other, evidence={'there': False})
    assert (gone.cause, first.cause) == ('not_where_seen', 'taken_away')


@pytest.mark.parametrize(('confidence', 'cause'), [
    (0.6, 'not_decided'), (1.0, 'unexpected_contact')])
def test_a_contact_near_what_is_seen_in_part_may_be_one_with_the_rest_of_it(confidence, cause):
    seen = scene(replace(cube(), confidence=confidence))
    x, y, z = cube().position
    felt = {**CONTACT, 'felt_at': [x, y, z + 0.09]}
    met = case('in_collision', seen, seen, evidence=felt)
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert met.attempt.diagnosis.cause == cause
    assert ('is not known' in told) == (cause == 'not_decided')


@pytest.mark.parametrize(('guessed', 'z', 'cause'), [
    (True, 0.03, 'not_decided'), (True, 0.08, 'unexpected_contact'),
    (False, 0.03, 'not_decided'), (False, 0.08, 'unexpected_contact')])
def test_a_contact_beside_what_has_any_shape_may_be_one_with_it(
        guessed, z, cause):
    piece = Piece.around(np.array(box_piece((0.08, 0.08, 0.04)).corners), guessed)
    seen = scene(replace(cube(), shape=Shape.IRREGULAR, size=(0.08, 0.08, 0.04), pieces=(piece,)))
    met = found('in_collision', seen, after=seen, evidence={**CONTACT, 'felt_at': [0.5, 0.078, z]})
    assert met.cause == cause


def test_advice_about_what_moves_and_nobody_knows_why_names_both_ways():
    missed = found('grasp_missed', after=scene(cube(0.53)), evidence={'there': None},
                   earlier=2 * (case('grasp_missed', after=scene(cube(0.53)), evidence={
                       'there': None}).attempt,))
    assert 'left alone' in missed.remedy and 'less slippery' in missed.remedy


def test_what_moved_while_it_held_the_arm_up_may_have_been_pushed():
    pushed = found('controller_aborted', after=scene(cube(0.53)), cause=Cause.HELD_UP)
    assert pushed.cause == 'not_where_seen'


def test_an_arm_that_is_held_up_by_what_arrived_says_so():
    after = scene(cube(), cube(0.5, 0.05, 'blue_cube'))
    stuck = found('controller_aborted', after=after, cause=Cause.HELD_UP)
    assert stuck.cause == 'neighbour_arrived'


@pytest.mark.parametrize(('more', 'helps'), [((), 'red_cube set free'), (
    (cube(0.55, name='unseen_1'),), 'what may be there and is not seen')])
def test_a_lift_that_is_held_back_may_be_held_by_what_was_felt_before(more, helps):
    seen = scene(cube(), *more)
    held = found('in_collision', seen, after=seen, evidence={**CONTACT, 'closed_width': 0.04})
    assert held.cause == 'unexpected_contact' and held.remedy.startswith(helps)


@pytest.mark.parametrize(('x', 'width', 'seen_at', 'cause'), [
    (0.5, 0.0, 1.0, 'closed_on_air'), (0.5, 0.012, 1.0, 'not_decided'),
    (0.51, 0.0, 1.0, 'not_decided'), (0.5, 0.0, 0.0, 'not_decided')])
def test_fingers_that_may_have_touched_it_are_not_told_as_closed_on_nothing(
        x, width, seen_at, cause):
    """They stand apart, it is not quite where it was, or it is only remembered there."""
    after = replace(scene(replace(cube(x), seen_at=seen_at), replace(
        cube(0.3, 0.3, 'blue_cube'), seen_at=1.0)), stamp=1.0)
    missed = case('grasp_missed', after=after, evidence={'gripper_width': width, 'there': True})
    told = RuleReflector().reflect(missed, (), False, Context()).root_cause
    assert missed.attempt.diagnosis.cause == cause
    assert ('on nothing' in told) == (cause == 'closed_on_air')


@pytest.mark.parametrize(('odd', 'cause'), [(True, 'not_decided'), (False, 'closed_on_air')])
def test_fingers_slide_again_off_what_has_any_shape_and_was_between_them(odd, cause):
    seen = scene(replace(cube(), shape=Shape.IRREGULAR, pieces=(box_piece((0.04,) * 3),))
                 if odd else cube())
    evidence = {'gripper_width': 0.0, 'there': True}
    held = case('grasp_slipped', seen, seen, evidence={'closed_width': 0.04}).attempt
    again = found('grasp_missed', seen, after=seen, evidence=evidence, earlier=(held,))
    first = found('grasp_missed', seen, after=seen, evidence=evidence)
    assert (again.cause, first.cause) == (cause, 'closed_on_air')


@pytest.mark.parametrize(('colour', 'new', 'cause', 'says'), [
    ('red', True, 'not_decided', 'holds red_box, and whether that is red_cube is not known'),
    ('blue', True, 'took_another', 'holds red_box, not red_cube'),
    ('red', False, 'took_another', 'holds red_box, not red_cube')])
def test_what_the_hand_holds_by_a_new_name_may_be_what_it_should_take(colour, new, cause, says):
    other = replace(cube(0.5, 0.1, 'red_box'), colour=colour)
    after = replace(scene(replace(cube(), confidence=0.3), other), held='red_box')
    slip = case('grasp_slipped', scene(cube(), *(() if new else (other,))), after,
                evidence={'closed_width': 0.04, 'gripper_width': 0.04})
    assert slip.attempt.diagnosis.cause == cause
    assert says in RuleReflector().reflect(slip, (), False, Context()).root_cause


@pytest.mark.parametrize(('new', 'cause'), [(True, 'not_decided'), (False, 'unexpected_contact')])
def test_how_far_what_was_first_seen_in_the_hand_hangs_down_is_a_guess(new, cause):
    """The hand is 5 cm lower at the contact than in the look."""
    held = at(cube(name='red_box'), 0.5, 0.0, 0.10)
    before = replace(hand(scene(held), 0.5, 0.0), held='red_box')
    arrived = case('grasp_slipped', scene(), scene(held)).attempt
    arrived = replace(arrived, evidence={'changes': {'arrived': ['red_box']}})
    met = case('in_collision', before, after=before, earlier=(arrived,) * new, skill='place_on',
               args={'target': 'table'}, evidence={
                   **CONTACT, 'tool_at': [0.5, 0.0, 0.15], 'felt_at': [0.5, 0.0, 0.14]})
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert met.attempt.diagnosis.cause == cause
    assert told.startswith('the arm, or red_box in it, touched something') == new


@pytest.mark.parametrize(('stuck', 'cause'), [
    (True, 'unexpected_contact'), (False, 'slipped_in_lift')])
def test_fingers_that_slide_off_what_held_the_arm_back_before_are_held_back_again(stuck, cause):
    earlier = (case('precondition_failed', cause=Cause.TOO_HEAVY, evidence={
        'stuck': stuck, 'closed_width': 0.07}).attempt,)
    met = found('in_collision', scene(), after=scene(), earlier=earlier, evidence={
        **CONTACT, 'closed_width': 0.074, 'gripper_width': 0.064})
    assert met.cause == cause


def test_a_kind_of_grasp_that_is_not_free_says_little_of_what_the_fingers_reached_before():
    blocked = {'reason': 'in_collision', 'before': scene(cube(), cube(0.6, 0.1, 'blue_cube')),
               'args': {'object': 'red_cube', 'grasp': 'side'}, 'blockers': ('blue_cube',)}
    reached = case('grasp_missed', evidence={'gripper_width': 0.0}).attempt
    assert found(**blocked).cause == 'boxed_in'
    assert found(**blocked, earlier=(reached,)).cause == 'no_posture'


@pytest.mark.parametrize(('felt', 'cause'), [
    ({FELT: 'red_cube'}, 'not_decided'), ({}, 'unexpected_contact')])
def test_what_only_the_pads_feel_may_have_touched_something_itself(felt, cause):
    seen = scene(cube(0.2, 0.3, 'blue_cube'))
    met = case('in_collision', seen, seen, skill='home', args={}, evidence={
        **CONTACT, 'tool_at': [0.5, 0.0, 0.15], **felt})
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert met.attempt.diagnosis.cause == cause
    assert ('the arm, or red_cube in it, touched something' in told) == bool(felt)
    assert not felt or met.attempt.diagnosis.remedy == 'a better view of red_cube'


@pytest.mark.parametrize(('odd', 'cause'), [(True, 'not_where_seen'), (False, 'object_moved')])
def test_what_has_any_shape_may_spin_on_so_nobody_is_said_to_have_moved_it(odd, cause):
    def thing(x):
        return replace(cube(x), shape=Shape.IRREGULAR, pieces=(box_piece((0.04,) * 3),)
                       ) if odd else cube(x)
    slid = case('grasp_missed', scene(thing(0.5)), after=scene(thing(0.53)),
                evidence={'there': None}).attempt
    again = found('grasp_missed', scene(thing(0.53)), after=scene(thing(0.6)),
                  evidence={'there': False}, earlier=(slid,))
    assert (slid.diagnosis.cause, again.cause) == ('not_where_seen', cause)


def test_fingers_slide_off_what_has_any_shape_and_no_look_tells():
    odd = replace(cube(), shape=Shape.IRREGULAR, pieces=(box_piece((0.04,) * 3),))
    same = found('grasp_missed', scene(odd), after=scene(odd), evidence={'there': True})
    after = scene(replace(odd, pose=Pose((0.502, 0.0, 0.02))))
    off = found('grasp_missed', scene(odd), after=after, evidence={'there': True})
    assert (same.cause, off.cause) == ('closed_on_air', 'not_decided')  # an old picture; a look


def test_a_contact_is_not_said_to_be_unseen_where_a_look_was_wrong_before():
    missed = case('grasp_missed', after=scene(cube()), evidence={'there': True}).attempt
    felt = {**CONTACT, 'felt_at': [0.6, 0.0, 0.1]}
    assert found('in_collision', after=scene(cube()), evidence=felt).cause == 'unexpected_contact'
    assert found('in_collision', after=scene(cube()), evidence=felt, earlier=(missed,)
                 ).cause == 'not_decided'


@pytest.mark.parametrize(('x', 'confidence', 'told'), [
    (0.52, 1.0, 'touched blue_cube'), (0.52, 0.5, 'perhaps blue_cube'),
    (0.56, 1.0, 'perhaps blue_cube'), (0.65, 1.0, 'something that is not seen')])
def test_a_thing_near_a_contact_is_named_as_sure_as_its_place_is(x, confidence, told):
    seen = scene(cube(0.3), replace(cube(x, 0.0, 'blue_cube'), confidence=confidence))
    met = case('in_collision', seen, seen, evidence={
        **CONTACT, 'felt_at': [0.5, 0.0, 0.02], 'tool_at': [0.45, 0.0, 0.02]})
    assert told in RuleReflector().reflect(met, (), False, Context()).root_cause
    assert ('what the arm touched' in met.attempt.diagnosis.remedy) == ('perhaps' in told)


@pytest.mark.parametrize(('reason', 'closed', 'cause'), [
    ('in_collision', 0.041, 'unexpected_contact'), ('in_collision', 0.052, 'not_decided'),
    ('grasp_slipped', 0.08, 'unexpected_contact')], ids=['as seen', 'wider', 'stuck fingers'])
def test_a_contact_beside_what_closing_fingers_found_wider_than_it_is_seen_may_be_one_with_it(
        reason, closed, cause):
    before = case(reason, evidence={
        **(CONTACT if reason == 'in_collision' else {}), 'closed_width': closed,
        'gripper_width': closed, 'expected_width': 0.04, 'grasp': {'opening_mm': 80}})
    met = {**CONTACT, 'felt_at': [0.54, 0.0, 0.04], 'tool_at': [0.5, 0.1, 0.1]}
    assert found('in_collision', after=scene(), evidence=met, earlier=(before.attempt,)
                 ).cause == cause


@pytest.mark.parametrize(('colour', 'x', 'cause'), [
    ('red', 0.62, 'not_decided'), ('blue', 0.62, 'unexpected_contact'),
    ('red', 0.1, 'unexpected_contact')])
def test_a_contact_may_be_one_with_the_thing_itself_if_one_of_its_colour_arrived_there(
        colour, x, cause):
    """The camera may call it by another name where it lies now."""
    red, other = replace(cube(), colour='red'), replace(cube(x, name='bar'), colour=colour)
    first, now = (replace(scene(*o), perception='camera') for o in ((red,), (red, other)))
    failed = case('precondition_failed', first, now)
    earlier = replace(failed.attempt, evidence={'changes': failed.changes.as_dict()})
    assert found('in_collision', now, after=now, earlier=(earlier,), evidence={
        **CONTACT, 'felt_at': [0.6, 0.0, 0.04], 'tool_at': [0.5, 0.1, 0.1]}).cause == cause


@pytest.mark.parametrize(('earlier_x', 'told'), [
    (0.45, 'perhaps blue_cube'), (0.6, 'touched blue_cube')])
def test_where_something_unseen_was_felt_before_what_is_seen_there_is_only_perhaps_touched(
        earlier_x, told):
    unseen = case('in_collision', evidence={**CONTACT, 'tool_at': [earlier_x, 0.0, 0.02]})
    assert unseen.cause == 'unexpected_contact'
    seen = scene(cube(0.3), cube(0.52, 0.0, 'blue_cube'))
    met = case('in_collision', seen, seen, (unseen.attempt,), evidence={
        **CONTACT, 'felt_at': [0.5, 0.0, 0.02], 'tool_at': [0.45, 0.0, 0.02]})
    assert told in RuleReflector().reflect(met, (), False, Context()).root_cause


@pytest.mark.parametrize(('first', 'now', 'there', 'cause'), [
    (0.8, 0.8, None, 'slipped_in_lift'), (0.8, 0.52, None, 'not_where_seen'),
    (0.8, 0.52, True, 'slipped_in_lift'), (0.6, 0.56, None, 'slipped_in_lift')],
    ids=['far', 'brought there', 'seen between the fingers', 'only nudged'])
def test_where_another_thing_was_brought_it_is_not_known_what_the_fingers_closed_on(
        first, now, there, cause):
    closed = {'closed_width': 0.018, 'gripper_width': 0.0, 'expected_width': 0.04, 'there': there}
    looks = scene(cube(), cube(first, name='bar')), scene(cube(now, name='bar'))
    assert found('grasp_slipped', *looks, evidence=closed).cause == cause
    heavy = found('precondition_failed', *looks, evidence=closed, cause=Cause.TOO_HEAVY)
    assert heavy.cause == ('too_heavy' if cause == 'slipped_in_lift' else cause)


def test_a_contact_at_what_stands_up_now_may_be_one_with_it():
    """Between the looks it was turned: where it was felt nothing was seen before."""
    low = replace(cube(), shape=Shape.IRREGULAR, pieces=(box_piece((0.04,) * 3),))
    high = replace(low, size=(0.04, 0.04, 0.1), pieces=(box_piece((0.04, 0.04, 0.1)),),
                   pose=Pose((0.5, 0.0, 0.05)))
    evidence = {**CONTACT, 'felt_at': [0.5, 0.0, 0.09], 'tool_at': [0.5, 0.0, 0.1]}
    assert found('in_collision', scene(low), after=scene(high), evidence=evidence
                 ).cause == 'not_decided'


def test_fingers_that_stop_early_and_then_met_something_are_no_fault_of_the_gripper():
    stopped = {'closed_width': 0.05, 'gripper_width': 0.05, 'expected_width': 0.04,
               'grasp': {'opening_mm': 70}}
    assert found('grasp_slipped', after=scene(cube()), evidence=stopped
                 ).cause == 'gripper_blocked'
    assert found('in_collision', after=scene(cube()), evidence={**CONTACT, **stopped}
                 ).cause == 'unexpected_contact'
    assert found('in_collision', after=scene(cube()), evidence=stopped).cause != 'gripper_blocked'


@pytest.mark.parametrize(('colour', 'cause'), [('red', 'not_decided'), ('blue', 'boxed_in')])
def test_what_may_be_a_part_of_it_is_not_in_its_way(colour, cause):
    seen = replace(scene(replace(cube(), confidence=0.5, colour='red'), replace(
        cube(0.55, name='red_bar'), confidence=0.5, colour=colour)), perception='camera')
    met = case('in_collision', seen, blockers=('red_bar',))
    told = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert met.attempt.diagnosis.cause == cause
    assert ('stands in the way' in told) == (cause == 'boxed_in')


# Taken away.

@pytest.mark.parametrize('after', [scene(cube(0.7, name='blue_cube')),
                                   scene(at(cube(), 3.0, 0.0, -0.7))], ids=['gone', 'off'])
def test_an_object_that_is_gone_when_the_fingers_close_was_taken_away(after):
    taken = found('grasp_missed', after=after)
    assert (taken.cause, response(taken)) == ('taken_away', Response.REPLAN)


@pytest.mark.parametrize(('thing', 'others'), [
    (replace(cube(), confidence=0.4), [bowl()]),
    (at(cube(), 0.5, -0.28, 0.02), [bowl()]),
    (replace(cube(), colour='red'), [replace(cube(0.56, name='red_box'), colour='red')]),
])
def test_what_is_only_not_seen_is_not_called_taken_away(thing, others):
    """It was seen in part, lay in a bowl, or may be what lies beside it now."""
    lost = case('grasp_missed', scene(thing, *others), scene(*others))
    assert lost.attempt.diagnosis.cause == 'lost_from_view'
    told = RuleReflector().reflect(lost, (), False, Context()).root_cause
    assert told == 'red_cube is not seen any more'
    truth = [replace(where, perception='ground_truth')
             for where in (scene(thing, *others), scene(*others))]
    assert found('grasp_missed', *truth).cause == 'taken_away'


@pytest.mark.parametrize('after', [
    scene(bowl()), scene(at(cube(), 3.0, 0.0, -0.7))], ids=['not seen', 'far away'])
def test_what_left_the_fingers_in_the_lift_and_is_gone_slipped_or_was_taken(after):
    slid = case('grasp_slipped', scene(cube()), after,
                evidence={'closed_width': 0.04, 'gripper_width': 0.0, 'expected_width': 0.04})
    assert slid.attempt.diagnosis.cause == 'slipped_in_lift'
    assert response(slid.attempt.diagnosis) is Response.REPLAN
    told = RuleReflector().reflect(slid, (), False, Context()).root_cause
    assert 'slipped out, or was taken, during the lift' in told and '; it is ' in told
    assert slid.attempt.diagnosis.remedy.startswith('red_cube brought back, or something lighter')


@pytest.mark.parametrize(('y', 'said'), [(0.1, 'slipped out during the lift'),
                                         (0.4, 'slipped out, or was taken, during the lift')])
def test_what_lies_farther_away_than_a_slip_brings_it_may_have_been_taken(y, said):
    slid = case('grasp_slipped', scene(cube()), scene(cube(0.5, y)),
                evidence={'closed_width': 0.04, 'gripper_width': 0.0, 'expected_width': 0.04})
    assert said in RuleReflector().reflect(slid, (), False, Context()).root_cause


def test_a_gripper_command_that_failed_on_nothing_shows_that_the_object_is_gone():
    taken = found('controller_aborted', after=scene(cube(0.7, name='blue_cube')))
    assert (taken.cause, taken.category) == ('taken_away', Category.ENVIRONMENT)


def test_an_object_that_is_found_far_from_the_way_of_the_hand_was_taken_out_of_it():
    elsewhere = hand(scene(cube(0.2, 0.45), bowl()), 0.5, -0.28)
    taken = found('grasp_slipped', carried(bowl()), elsewhere, **INTO)
    assert taken.cause == 'taken_away'


@pytest.mark.parametrize(('x', 'cause', 'said', 'helps'), [
    (1.3, 'fell', 'red_cube is not on the table: it lies 0.72 m below its top',
     'a person who puts red_cube back on the table'),
    (3.0, 'taken_away', 'red_cube was taken away: it is at (3.00, 0.00, -0.70) m',
     'red_cube brought back, or another one')], ids=['beside the table', 'far from it'])
def test_what_was_put_down_fell_off_only_where_a_fall_brings_it(x, cause, said, helps):
    low = hand(scene(at(cube(), x, 0.0, -0.7), bowl()), 0.5, -0.28)
    lost = case('verification_failed', carried(bowl()), low, **INTO)
    told = RuleReflector().reflect(lost, (), False, Context()).root_cause
    assert (lost.attempt.diagnosis.cause, told) == (cause, said)
    assert lost.attempt.diagnosis.remedy.startswith(helps)


# A slip on the way.

def test_an_object_below_the_way_slipped_and_the_step_is_not_retried_with_an_empty_hand():
    below = hand(scene(cube(0.5, -0.1), bowl()), 0.5, -0.28)
    lost = found('grasp_slipped', carried(bowl()), below, **INTO)
    assert lost.cause == 'slipped_in_carry' and response(lost) is Response.REPLAN


def test_an_object_that_only_turned_in_the_fingers_is_put_down_at_the_second_try():
    held = hand(carried(bowl()), 0.5, -0.28)
    assert response(found('grasp_slipped', carried(bowl()), held, **INTO)) is Response.RECAPTURE


@pytest.mark.parametrize(('y', 'cause'), [(0.05, 'taken_away'), (-0.1, 'not_where_put')])
def test_what_the_hand_let_go_did_not_slip_on_the_way_wherever_it_lies_then(y, cause):
    lost = case('verification_failed', carried(bowl()),
                hand(scene(cube(0.5, y), bowl()), 0.5, -0.28), **INTO).attempt.diagnosis
    assert lost.cause == cause and 'in the hand' not in lost.remedy
    assert response(lost) is Response.REPLAN


@pytest.mark.parametrize(('width', 'cause'), [
    (0.0, 'slipped_in_carry'), (0.04, 'unexpected_contact'), (0.06, 'unexpected_contact')])
def test_a_jolt_after_which_the_hand_is_empty_is_a_slip_if_the_pads_came_closer(width, cause):
    before = carried(bowl())
    before, below = (replace(look, arm=replace(look.arm, gripper_width=now)) for look, now in (
        (before, 0.04), (hand(scene(cube(0.5, -0.1), bowl()), 0.5, -0.2), width)))
    lost = case('in_collision', before, below, evidence=CONTACT, **INTO)
    assert lost.attempt.diagnosis.cause == cause
    assert response(lost.attempt.diagnosis) is Response.REPLAN
    said = RuleReflector().reflect(lost, (), False, Context()).root_cause
    assert ('slipped from the fingers' in said) is (cause == 'slipped_in_carry')


# A full container.

def test_an_object_on_top_of_what_fills_the_bowl_shows_that_it_is_full():
    big = SceneObject('blue_cube', Shape.BOX, (0.11,) * 3, Pose((0.5, -0.28, 0.065)))
    after = scene(at(cube(), 0.5, -0.28, 0.14), bowl(), big)
    full = found('verification_failed', carried(bowl(), big), after, **INTO)
    assert (full.cause, full.kind) == ('container_full', Kind.STRUCTURAL)
    assert 'blue_cube' in full.remedy


def test_an_object_that_rolled_out_of_an_empty_bowl_is_only_not_where_it_was_put():
    after = scene(at(cube(), 0.62, -0.28, 0.02), bowl())
    assert found('verification_failed', carried(bowl()), after, **INTO).cause == 'not_where_put'


# The gripper.

def jammed(closed: float = 0.0699, lifted: float | None = None, **more):
    evidence = {'closed_width': closed, 'expected_width': 0.04,
                'gripper_width': closed if lifted is None else lifted,
                'grasp': {'opening_mm': 70.0}}
    return case('grasp_slipped', after=scene(), evidence=evidence, **more)


def test_fingers_that_did_not_close_are_broken_and_the_object_did_not_slip():
    broken = jammed().attempt.diagnosis
    assert (broken.cause, broken.category) == ('gripper_broken', Category.RESOURCE)
    assert response(broken) is Response.RECAPTURE


@pytest.mark.parametrize(('z', 'opening_mm', 'cause'), [
    (0.03, 35.0, 'approach_blocked'), (0.2, 35.0, 'gripper_blocked'),
    (0.03, 80.0, 'gripper_blocked')], ids=['around it', 'above it', 'do not open'])
def test_fingers_that_close_around_the_object_too_early_are_not_blocked(z, opening_mm, cause):
    """A hand that hides most of the object makes it look thinner."""
    arm = ArmSnapshot((0.0,) * 7, Pose((*cube().position[:2], z)), 0.066, at_home=False)
    stopped = found('controller_aborted', after=replace(scene(cube()), arm=arm),
                    cause=Cause.GRIPPER_BLOCKED, evidence={'grasp': {'opening_mm': opening_mm}})
    assert stopped.cause == cause


def test_fingers_that_narrow_on_an_object_before_the_hand_leaves_it_are_not_blocked():
    """The look after shows the hand where it went up to, with open fingers."""
    around, away = (ArmSnapshot((0.0,) * 7, Pose((*cube().position[:2], z)), width, at_home=False)
                    for z, width in ((0.03, 0.06), (0.13, 0.08)))
    stopped = case('controller_aborted', replace(scene(), arm=around),
                   replace(scene(), arm=away), cause=Cause.GRIPPER_BLOCKED,
                   evidence={'gripper_width': 0.044, 'grasp': {'opening_mm': 34.3}})
    assert stopped.attempt.diagnosis.cause == 'approach_blocked'
    assert 'the fingers stop on it' in RuleReflector().reflect(
        stopped, (), False, Context()).root_cause


# A place that takes nothing.

def test_a_container_that_does_not_stand_upright_is_the_cause_and_not_in_the_way():
    over = replace(bowl(), pose=Pose(bowl().position, (0.0, 1.0, 0.0, 0.0)))
    met = case('in_collision', carried(over), blockers=('bowl',), **INTO)
    assert met.attempt.diagnosis.cause == 'would_not_stay'
    assert met.attempt.diagnosis.remedy == 'bowl set upright'
    assert RuleReflector().reflect(met, (), False, Context()).root_cause == (
        'bowl does not stand upright: red_cube would not stay in it')


@pytest.mark.parametrize(('more', 'place', 'helps'), [
    ({'skill': 'place_at', 'args': {'x': 0.0, 'y': 0.1}}, '(0.000, 0.100)', 'another place'),
    ({'blockers': ('bowl',), **INTO}, 'bowl', 'another grasp')])
def test_where_the_hand_has_no_room_the_place_is_named_and_not_what_is_held(more, place, helps):
    met = case('in_collision', carried(bowl()), detail='they touch', **more)
    said = RuleReflector().reflect(met, (), False, Context()).root_cause
    assert said == f'no free way for the arm to bring red_cube to {place} is found: they touch'
    assert met.attempt.diagnosis.cause == 'approach_blocked'
    assert met.attempt.diagnosis.remedy.startswith(helps)


def test_fingers_that_stop_before_the_object_are_blocked():
    assert jammed(0.055).attempt.diagnosis.cause == 'gripper_blocked'


def test_something_wider_than_it_was_seen_may_slip_like_anything_else():
    assert jammed(0.055, lifted=0.0).attempt.diagnosis.cause == 'slipped_in_lift'


def test_a_gripper_that_does_not_close_again_leads_to_a_person():
    again = jammed(earlier=(jammed().attempt,)).attempt.diagnosis
    assert (again.cause, again.severity) == ('gripper_broken', Severity.CRITICAL)
    assert response(again) is Response.HUMAN


def test_fingers_blocked_at_the_same_width_twice_are_broken():
    def blocked(width: float, **more):
        return case('controller_aborted', cause=Cause.GRIPPER_BLOCKED,
                    evidence={'gripper_width': width}, **more)

    first = blocked(0.080).attempt
    assert blocked(0.0799, earlier=(first,)).attempt.diagnosis.cause == 'gripper_broken'
    assert blocked(0.060, earlier=(first,)).attempt.diagnosis.cause == 'gripper_blocked'


def test_a_controller_error_that_comes_again_leads_to_a_person():
    first = case('controller_aborted').attempt
    again = case('controller_aborted', earlier=(first,)).attempt.diagnosis
    assert response(again) is Response.HUMAN
    assert response(again, replanning=False) is Response.STOP


def test_an_error_with_another_object_is_not_the_same_fault():
    first = case('controller_aborted', args={'object': 'blue_cube'}).attempt
    other = case('controller_aborted', earlier=(first,)).attempt.diagnosis
    assert response(other) is Response.RETRY


def test_a_thing_of_which_a_look_shows_a_part_has_not_moved():
    whole = replace(cube(0.5), size=(0.036, 0.056, 0.06))
    part = replace(cube(0.5, 0.016), size=(0.036, 0.024, 0.06))
    assert moved_m(whole, part) == moved_m(part, whole) == 0.0
    assert moved_m(whole, replace(part, size=whole.size)) == pytest.approx(0.016)


def test_what_a_look_hides_of_one_side_explains_no_motion_to_another():
    whole = replace(cube(0.5), size=(0.10, 0.06, 0.06))
    part = replace(cube(0.525, 0.04), size=(0.05, 0.04, 0.05))
    assert moved_m(whole, part) == pytest.approx(0.04)  # 25 mm are the hidden half


def test_a_thing_that_was_turned_and_is_seen_as_a_whole_hides_no_motion():
    long = replace(cube(0.5), size=(0.10, 0.06, 0.06))
    turned = replace(long, pose=Pose.from_rpy(0.52, 0.0, 0.02, yaw=math.pi / 2))
    assert moved_m(long, turned) == pytest.approx(0.02)


def test_what_turns_up_in_the_hand_has_arrived_and_is_what_the_arm_touched():
    met = case('in_collision', evidence=CONTACT,
               after=scene(cube(name='blue_cube'), held='blue_cube'))
    assert met.changes.arrived == ('blue_cube',)
    assert met.attempt.diagnosis.cause is Cause.NEIGHBOUR_ARRIVED


@pytest.mark.parametrize(('reason', 'cause'), [
    ('object_not_found', Cause.NOT_IN_SCENE), ('grasp_missed', Cause.LOST_FROM_VIEW)])
def test_only_what_was_there_at_an_earlier_attempt_is_lost_from_view(reason, cause):
    first = case(reason).attempt
    assert found('object_not_found', earlier=(first,)).cause is cause


def test_what_lies_below_a_part_of_the_way_on_which_it_was_still_held_was_taken_from_the_hand():
    """It was felt above the bowl; then it lies where it was picked up."""
    where = hand(scene(at(cube(), 0.5, 0.1, 0.02), bowl()), 0.5, -0.28)
    slip = found('grasp_slipped', carried(bowl()), where, **INTO)
    taken = found('grasp_slipped', carried(bowl()), where, **INTO,
                  evidence={'held_at': (0.5, -0.28, 0.2)})
    assert (slip.cause, taken.cause) == (Cause.SLIPPED_IN_CARRY, Cause.TAKEN_AWAY)
    assert taken.remedy == 'red_cube left in the hand while the arm works'


def test_more_force_is_no_advice_any_more_after_slips_that_were_answered_with_it():
    where = hand(scene(at(cube(), 0.5, 0.0, 0.02), bowl()), 0.5, -0.28)
    earlier = []
    for _ in range(3):
        slip = case('grasp_slipped', carried(bowl()), where, earlier=tuple(earlier),
                    evidence={'held': 'red_cube'}, **INTO).attempt
        earlier.append(slip)
    assert ['more force' in a.diagnosis.remedy for a in earlier] == [True, True, False]
    assert 'less slippery' in earlier[-1].diagnosis.remedy


def test_a_slip_at_the_highest_force_is_not_answered_with_more_of_it():
    felt = {'closed_width': 0.04, 'gripper_width': 0.0, 'force_n': 70.0, 'firmest': True}
    remedy = found('grasp_slipped', after=scene(cube(0.52)), evidence=felt).remedy
    assert 'less slippery' in remedy and 'force' not in remedy


def test_what_slipped_before_and_is_off_the_table_when_the_fingers_closed_is_not_surely_taken():
    off = scene(at(cube(), 0.2, 1.4, -0.7))
    slip = case('grasp_slipped', after=scene(cube(0.52)), evidence={
        'closed_width': 0.04, 'gripper_width': 0.0}).attempt
    missed = case('grasp_missed', after=off, earlier=(slip,))
    told = RuleReflector().reflect(missed, (), False, Context()).root_cause
    assert missed.attempt.diagnosis.cause is Cause.SLIPPED_IN_LIFT and 'or was taken' in told
    assert 'slipped before' in told and 'closing' not in told
    assert found('grasp_missed', after=off).cause is Cause.TAKEN_AWAY


@pytest.mark.parametrize('after', [scene(cube(0.6))])
def test_what_was_there_when_the_fingers_began_to_close_was_pushed_out_by_them(after):
    missed = case('grasp_missed', after=after, evidence={'there': True})
    told = RuleReflector().reflect(missed, (), False, Context()).root_cause
    assert missed.attempt.diagnosis.cause is Cause.SLIPPED_IN_LIFT
    assert 'slipped out between the closing fingers: it is at (' in told
    assert 'less slippery' in missed.attempt.diagnosis.remedy


@pytest.mark.parametrize('now', [at(cube(), 1.0, 0.0, 0.02), at(cube(), 0.9, 0.0, -0.4)])
def test_what_slipped_and_lies_out_of_reach_is_told_as_slipped(now):
    slip = case('grasp_slipped', after=scene(now), evidence={
        'closed_width': 0.04, 'gripper_width': 0.0}).attempt
    far = case('unreachable', scene(now), earlier=(slip,),
               ik=far_report(now.position[0], now.position[2]))
    told = RuleReflector().reflect(far, (), False, Context()).root_cause
    assert far.attempt.diagnosis.cause is Cause.SLIPPED_IN_LIFT and far.attempt.diagnosis.proved
    assert told.startswith('red_cube slipped from the fingers, or was taken, and the arm does not')
    assert f'it is at ({now.position[0]:.2f}, ' in told
    assert 'less slippery' in far.attempt.diagnosis.remedy


def test_more_force_is_no_advice_after_the_highest_force_let_it_slip():
    felt = {'closed_width': 0.04, 'gripper_width': 0.0}
    firm = case('grasp_slipped', after=scene(cube(0.52)), evidence={
        **felt, 'firmest': True}).attempt
    again = found('grasp_slipped', after=scene(cube(0.52)), evidence=felt, earlier=(firm,))
    assert 'less slippery' in again.remedy and 'force' not in again.remedy
