# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A spec that contradicts itself is refused when the skill is registered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from replan_agent.domain.skill import SkillSpec, succeeded
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit
from replan_agent.execute.contract import Skill
from replan_agent.execute.registry import Registry
from replan_agent.execute.skills.standard import standard_skills

GRAB = SkillSpec(
    'grab', 'Take a thing.',
    {'type': 'object', 'properties': {
        'thing': {'type': 'string'}, 'onto': {'type': 'string'}, 'force': {'type': 'number'}}},
    ('thing',), effect=Effect(EffectKind.TAKE, object='thing', target='onto'),
    must_be={'thing': Fit.MOVABLE}, adjustable=('force',),
    adjustments={'slipped_in_lift': ({'force': 60},)}, variants={'firmly': {'force': 60}})


def skill(spec: object) -> Skill:
    class Made(Skill):
        def run(self, call):
            return succeeded()

        def verify(self, call):
            return succeeded()

    Made.spec = spec
    return Made()


def test_a_spec_that_fits_together_is_registered():
    registry = Registry([skill(GRAB)])
    assert registry.names() == ('grab',)


@pytest.mark.parametrize('eye_in_hand', [False, True])
def test_the_specs_of_our_own_skills_fit_together(eye_in_hand):
    """They are not checked when a program starts."""
    ours = standard_skills(eye_in_hand)
    assert Registry(map(ours.get, ours.names())).names() == ours.names()


@pytest.mark.parametrize(('changes', 'sentence'), [
    ({'must_be': {'thing': Fit.MOVABLE, 'tihng': Fit.MOVABLE}},
     "must_be: 'tihng' is not one of: thing, onto, force"),
    ({'effect': Effect(EffectKind.TAKE, object='thign')},
     "effect: 'thign' is not one of: thing, onto, force"),
    ({'object_arguments': ('thing', 'other')},
     "object_arguments: 'other' is not one of: thing, onto, force"),
    ({'adjustable': ('force', 'nope')}, "adjustable: 'nope' is not one of: thing, onto, force"),
    ({'adjustable': ('force', 'thing')}, "adjustable: 'thing' is not one of: force"),
    ({'adjustable': ('force', 'onto')}, "adjustable: 'onto' is not one of: force"),
    ({'adjustments': {'sliped': ({'force': 60},)}}, "adjustments: 'sliped' is not one of: obj"),
    ({'adjustments': {'slipped_in_lift': ({'thing': 'b'},)}},
     "adjustments 'slipped_in_lift': 'thing' is not one of: force"),
    ({'variants': {'firmly': {'froce': 60}}},
     "variants 'firmly': 'froce' is not one of: thing, onto, force"),
    ({'must_be': {'thing': 'movable'}}, "must_be 'thing': 'movable' must be one of: Fit.MOVABLE,"),
    ({'must_be': {}}, "must_be: 'thing' must be 'movable', because the effect is take"),
    ({'effect': Effect(EffectKind.SHIFT, object='thing'), 'must_be': {}},
     "must_be: 'thing' must be 'movable', because the effect is shift"),
    ({'arguments': {'type': 'object', 'properties': {'thing': {'enum': {'a', 'b'}}}}},
     'arguments: cannot be written as JSON: '),
    ({'arguments': {'type': 'object', 'properties': {'thing': {'type': 'txet'}}}},
     'arguments: is not a valid JSON schema: '),
    ({'arguments': {'properties': {}}}, "arguments: must be a JSON schema with 'type': 'object'"),
    ({'variants': {'firmly': {'force': float('nan')}}}, 'variants: cannot be written as JSON: '),
    ({'name': '__replan__'}, "name: must be a text other than '__replan__'"),
])
def test_a_spec_that_contradicts_itself_is_refused_by_skill_and_field(changes, sentence):
    spec = replace(GRAB, **changes)
    with pytest.raises(ValueError) as refused:
        Registry([skill(spec)])
    assert str(refused.value).startswith(f'skill {spec.name!r}: ')
    assert sentence in str(refused.value)


def test_a_class_is_not_a_skill():
    with pytest.raises(TypeError, match=r'for example Made\(\), not <class'):
        Registry([type(skill(GRAB))])


def test_a_skill_needs_a_spec():
    with pytest.raises(TypeError, match='Made.spec must be a SkillSpec'):
        Registry([skill({'name': 'grab'})])
