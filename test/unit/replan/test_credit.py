# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A change is credited and blamed only for what it can affect."""

from __future__ import annotations

import pytest

from replan_agent.agent.remembering import can_affect, can_be_credited, is_blamed
from replan_agent.domain.cause import Cause
from replan_agent.domain.recovery import PLAIN, FailureCase, Fix, Situation
from replan_agent.domain.skill import FailedStage, SkillSpec, find_spec
from replan_agent.execute.skills.standard import standard_skills

from .cases import case, cube, scene, slip

PICK = find_spec(standard_skills().specs(), 'pick')
FIRM, TURN = Fix('firm', {'force': 60, 'speed': 0.5}), Fix('turn', {'turn': 90})


def contact(after_x: float = 0.5) -> FailureCase:
    return case('in_collision', scene(cube(0.5)), scene(cube(after_x)),
                failed_stage=FailedStage.EXECUTION, evidence={'contact': True})


@pytest.mark.parametrize(('changes', 'cause', 'can'), [
    ({'force': 60}, Cause.SLIPPED_IN_LIFT, True),
    ({'speed': 0.5}, Cause.SLIPPED_IN_LIFT, True),
    ({'turn': 90}, Cause.SLIPPED_IN_LIFT, False),  # only added there to more force
    ({'turn': 90}, Cause.UNEXPECTED_CONTACT, True),
    ({'grasp': 'side'}, Cause.BOXED_IN, True),
    ({'force': 60}, Cause.UNEXPECTED_CONTACT, False),
    ({'force': 60}, Cause.GRIPPER_BLOCKED, False),
    ({'force': 60, 'turn': 90}, Cause.OBJECT_MOVED, False),
    ({'force': 60, 'turn': 90}, Cause.BEYOND_REACH, False)])
def test_a_change_affects_the_causes_that_its_skill_declares_it_for(changes, cause, can):
    assert can_affect(PICK, cause.value, changes) is can


def test_a_skill_that_declares_nothing_leaves_it_open():
    assert can_affect(SkillSpec('wrap', '', {}), 'slipped_in_lift', {'turns': 3})


def test_a_slip_credits_the_firmer_grip_that_ended_it():
    assert can_be_credited(slip(), FIRM)


def test_fingers_that_stood_still_were_jammed_and_credit_no_force():
    jam = case('grasp_slipped', after=scene(), failed_stage=FailedStage.POSTCONDITION,
               evidence={'closed_width': 0.07, 'gripper_width': 0.07})
    assert not can_be_credited(jam, FIRM)


def test_a_contact_credits_the_turn_only_if_the_object_stayed_where_it_was():
    assert can_be_credited(contact(0.503), TURN)
    assert not can_be_credited(contact(0.525), TURN)


def test_a_change_for_another_cause_gets_no_credit():
    assert not can_be_credited(contact(), FIRM) and not can_be_credited(slip(), TURN)


def test_the_plain_step_gets_credit_whatever_failed_before():
    assert can_be_credited(contact(0.6), PLAIN)


def test_a_fix_is_blamed_for_its_own_cause_and_for_those_that_its_change_can_affect():
    for_slips = Situation('pick', 'grasp_slipped', 'slipped_in_lift', 'red_cube')
    far = case('unreachable', failed_stage=FailedStage.PLANNING)
    assert is_blamed(slip(), for_slips, FIRM)
    assert not is_blamed(far, for_slips, FIRM) and not is_blamed(contact(), for_slips, FIRM)
    assert is_blamed(contact(), Situation('pick'), TURN)


def test_a_local_remedy_is_blamed_if_what_it_was_for_comes_back():
    for_contacts = Situation('pick', 'in_collision', 'unexpected_contact')
    push = Fix('push it', option='push')
    assert is_blamed(contact(), for_contacts, push) and not is_blamed(slip(), for_contacts, push)
