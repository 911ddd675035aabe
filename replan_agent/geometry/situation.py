# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What makes failures comparable: the features of the object, and where it is."""

from __future__ import annotations

import math
from typing import Any

from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import Step
from replan_agent.domain.recovery import Situation
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import SkillSpec

from . import outlines


def build_situation(step: Step, scene: Scene, skill: SkillSpec | None,
                 attempt: Attempt | None = None) -> Situation:
    """The step in its scene, and how it failed, if it did."""
    thing = step_object(step, scene, skill)
    diagnosis = attempt.diagnosis if attempt else None
    return Situation(step.skill, attempt.reason if attempt else '',
                     diagnosis.cause.value if diagnosis and diagnosis.cause else '',
                     thing.name if thing else '', _features(thing, scene) if thing else {})


def step_object(step: Step, scene: Scene, skill: SkillSpec | None) -> SceneObject | None:
    """The object of the step: the one it names, else the held one, else its target."""
    if skill is None:
        return None
    name = skill.acts_on(step.args)
    if name is not None:
        return scene.get(name)
    return scene.in_hand or scene.get(skill.effect.name('target', step.args) or '')


def _features(thing: SceneObject, scene: Scene) -> dict[str, Any]:
    x, y, _ = thing.position
    others = [o for o in scene.without([thing.name]) if o.shape is not Shape.TABLE]
    gaps = [outlines.apart_m(thing, other) for other in others]
    return {
        'shape': thing.shape.value, 'colour': thing.colour,
        'size_m': [round(s, 4) for s in sorted(thing.size)],
        'radius_m': round(math.hypot(x, y), 3), 'bearing_rad': round(math.atan2(y, x), 3),
        'neighbours': sum(gap < 0.08 for gap in gaps),
        'nearest_gap_m': round(min(gaps), 3) if gaps else None,
    }
