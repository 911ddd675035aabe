# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A failure is diagnosed by what its skill does, not by the skill's name."""

from __future__ import annotations

import pytest

from replan_agent.domain.cause import Cause
from replan_agent.domain.skill import SkillSpec, find_spec
from replan_agent.domain.skill_effect import Effect, EffectKind
from replan_agent.execute.skills.standard import standard_skills

from .cases import attempt, case, cube, scene

GRAB = SkillSpec('grab', '', {}, ('what',), False, Effect(EffectKind.TAKE, object='what'))
DROP = SkillSpec('drop', '', {}, ('where',), True, Effect(EffectKind.PUT_IN, target='where'))


@pytest.mark.parametrize(('reason', 'before', 'after', 'cause'), [
    ('grasp_slipped', scene(), scene(), 'slipped_in_lift'),
    ('grasp_slipped', scene(cube(), cube(0.4, name='blue')), scene(cube(), held='blue'),
     'took_another'),
    ('precondition_failed', scene(held='red_cube'), None, 'already_so'),
    ('precondition_failed', scene(cube(), cube(0.4, name='blue'), held='blue'), None, 'hand_full'),
])
def test_a_skill_of_another_name_that_takes_is_diagnosed_as_one(reason, before, after, cause):
    failed = case(reason, before, after, skill='grab', spec=GRAB, args={'what': 'red_cube'})
    assert failed.attempt.diagnosis.cause == cause


def test_a_skill_of_another_name_that_puts_is_diagnosed_as_one():
    args = {'where': 'bowl'}
    lost = case('grasp_slipped', scene(held='red_cube'), scene(), skill='drop', spec=DROP,
                args=args)
    empty = case('precondition_failed', scene(), skill='drop', spec=DROP, args=args)
    assert lost.attempt.diagnosis.cause == 'slipped_in_carry'
    handle = case('grasp_slipped', scene(), scene(), skill='drop', spec=DROP, args=args)
    assert handle.attempt.diagnosis.remedy == 'another hold of it'  # it carried nothing
    assert empty.attempt.diagnosis.cause == 'hand_empty'


def test_a_push_that_fell_short_is_one_because_its_skill_says_so():
    short = case('verification_failed', skill='push', cause=Cause.PUSH_FELL_SHORT,
                 evidence={'along': 0.03})
    other = case('verification_failed', skill='push', evidence={'along': 0.03})
    assert short.attempt.diagnosis.cause is Cause.PUSH_FELL_SHORT
    assert '3.0 cm' in short.attempt.diagnosis.remedy
    assert other.attempt.diagnosis.cause is Cause.VERIFICATION_FAILED


def test_only_arguments_that_name_objects_are_objects_of_a_failure():
    push = find_spec(standard_skills().specs(), 'push')
    failed = attempt('path_blocked', 'push', args={'object': 'red_cube', 'direction': 'left'})
    assert failed.objects(push) == {'red_cube'}
