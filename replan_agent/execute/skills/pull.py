# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""pull: drag an object towards the robot with the fingers hooked behind it."""

from __future__ import annotations

from replan_agent.domain.skill import SkillSpec
from replan_agent.domain.skill_effect import Effect, EffectKind, Fit

from . import name_of, takes
from .push import DISTANCE, MOST_STROKES, Push


class Pull(Push):
    spec = SkillSpec(
        name='pull',
        description='Drag an object over the table straight towards the robot with closed fingers '
                    'behind it: for an object that is too far away to pick.',
        arguments=takes('object', object=name_of('object'), distance=DISTANCE),
        object_arguments=('object',),
        needs_held=False,
        effect=Effect(EffectKind.BRING_CLOSER, object='object', distance='distance'),
        must_be={'object': Fit.MOVABLE},
        example='pull(object="red_cube", distance=0.1)',
        undoable=False,  # an object that slid can be put back only if it can be picked there
        most_strokes=MOST_STROKES,
    )
