# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""switch_on, switch_off: turn the knob of a thing to that end of its way."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

from replan_agent import Call, Effect, EffectKind, Reason, SkillResult, SkillSpec
from replan_agent.execute.contract import precondition
from replan_agent.execute.skills import name_of, takes

from .joint import Jointed
from .turning import Turn

WORDS = ('on', 'off')
TORQUE_NM = 2.0  # to speed it up takes more than to turn what is light


class _Switched(Turn):
    """The thing is what is on or off; what turns is the knob that it has."""

    word: ClassVar[str]

    def check(self, call: Call) -> SkillResult | None:
        thing, knob = call.scene.get(call.args['object']), _knob_of(call)
        if thing is None or knob is None or not thing.can_be(self.word):
            return precondition(f'{call.args["object"]} has no knob that switches it '
                                f'{self.word}', Reason.BAD_ARGUMENTS)
        return super().check(self._turned_call(call))

    def foresee(self, call: Call) -> SkillResult:
        return super().foresee(self._turned_call(call))

    def run(self, call: Call) -> SkillResult:
        return super().run(self._turned_call(call))

    def verify(self, call: Call) -> SkillResult:
        return super().verify(self._turned_call(call))

    def _turned_call(self, call: Call) -> Call:
        """The call of `turn` that does it."""
        knob = _knob_of(call)
        assert knob is not None and knob.joint is not None  # `check` passed
        end = knob.joint.high if self.word == WORDS[0] else knob.joint.low
        return replace(call, args={'torque': TORQUE_NM, **call.args, 'object': knob.name,
                                   'degrees': math.degrees(end)})


def _knob_of(call: Call) -> Jointed | None:
    thing = call.scene.get(call.args['object'])
    found = map(call.scene.get, thing.states.along if thing and thing.states else ())
    return next((o for o in found if isinstance(o, Jointed) and o.joint is not None), None)


def _spec(word: str) -> SkillSpec:
    asked = {'torque': {**Turn.spec.argument_schema('torque'), 'default': TORQUE_NM},
             'force': dict(Turn.spec.argument_schema('force'))}
    return SkillSpec(
        name=f'switch_{word}', description=f'Switch a thing {word} by its knob.',
        arguments=takes('object', object=name_of('thing with a knob'), **asked),
        object_arguments=('object',), needs_held=False,
        effect=Effect(EffectKind.SET, object='object', force='force', state=word),
        adjustable=('force',), example=f'switch_{word}(object="stove")')


class SwitchOn(_Switched):
    word = 'on'
    spec = _spec(word)


class SwitchOff(_Switched):
    word = 'off'
    spec = _spec(word)
