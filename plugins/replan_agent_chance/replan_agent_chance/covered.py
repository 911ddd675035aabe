# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a chance is told at all. Outside of that it is not known, and no number is told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.domain.config import Config, build, setting
from replan_agent.domain.plan import Plan
from replan_agent.domain.scene import Scene, Shape
from replan_agent.geometry.judging import support_below
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import listed
from replan_agent.text.yaml_text import read_yaml

from .sampling import Prior
from .uncertainty import MEASURED, Uncertainty

NEAR_M = 0.15  # between the middles of two things that are close


def _words(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ConfigError(f'{where}: must be a list of words')
    return tuple(value)


@dataclass(frozen=True)
class Covered:
    """The tasks for which a chance is told, and the prior."""

    skills: tuple[str, ...] = setting((), 'those in their plans', read=_words)
    arms: tuple[str, ...] = setting((DEFAULT_ARM,), 'those that ran them', read=_words)
    perceptions: tuple[str, ...] = setting((), 'those that saw them', read=_words)
    most_steps: int = setting(2, 'of one plan', 1, 100)
    farthest_m: float = setting(0.75, 'of a thing from the base, m', 0, 10)
    smallest_m: float = setting(0.01, 'length of a thing, m', 0, 1)
    most_near: int = setting(4, 'other things close to one that the plan names', 0, 100)
    most_off_m: float = setting(0.02, 'that a thing is seen off, a standard deviation, m', 0, 1)
    most_turned_rad: float = setting(0.15, 'and that it is turned, rad', 0, 4)
    works: float = setting(1.0, 'expected before the first twin: so many work', 0, 1000)
    fails: float = setting(1.0, 'and so many fail', 0, 1000)
    source: str = setting('', 'how it was measured; empty: it was not')

    @property
    def prior(self) -> Prior:
        return Prior(self.works, self.fails)

    def too_unsure(self, known: Uncertainty) -> str:
        """Why no chance is told for a perception that is so unsure; '' if one is."""
        off = math.hypot(known.common_m, known.own_m, known.look_m)
        if max(off, known.size_m) > self.most_off_m or known.yaw_rad > self.most_turned_rad:
            return (f'the perception is {1000 * off:.0f} mm, {1000 * known.size_m:.0f} mm in size '
                    f'and {known.yaw_rad:.2f} rad unsure, '
                    f'and it is told only up to {1000 * self.most_off_m:g} mm and '
                    f'{self.most_turned_rad:g} rad')
        return ''

    def outside(self, plan: Plan, scene: Scene, config: Config) -> str:
        """Why no chance is told for this plan; '' if one is."""
        steps = [step for step in plan.steps if not step.is_replan]
        strange = sorted({step.skill for step in steps} - set(self.skills))
        if strange:
            return f'it is not told for plans with {listed(strange)}'
        if len(steps) > self.most_steps or len(steps) < len(plan.steps):
            return f'it is told only for whole plans of up to {self.most_steps} steps'
        if config.robot.model not in self.arms:
            return f'it is told only for the arm {listed(self.arms)}, not {config.robot.model}'
        if config.robot_source != 'mujoco' or config.robot.eye_in_hand:
            return ('it is told only in the embedded simulation with a fixed camera, for no robot '
                    'over ROS')
        if scene.perception not in self.perceptions:
            return f'it is not told for the perception {scene.perception}'
        if scene.held is not None:
            return f'the hand holds {scene.held}, and it is told only for an empty hand'
        return self._of_things(plan, scene)

    def _of_things(self, plan: Plan, scene: Scene) -> str:
        named = {value for step in plan.steps for value in step.args.values()
                 if isinstance(value, str)}
        for thing in scene.objects:
            if thing.name not in named or thing.shape is Shape.TABLE:
                continue
            if thing.states is not None:
                return f'{thing.name} opens and closes, and it is told for no such thing'
            far = math.hypot(*thing.position[:2])
            if far > self.farthest_m:
                return (f'{thing.name} is {far:.2f} m away, and it is told only up to '
                        f'{self.farthest_m:g} m')
            if min(thing.size) < self.smallest_m:
                return (f'{thing.name} is {1000 * min(thing.size):.0f} mm thin, and it is told '
                        f'only from {1000 * self.smallest_m:g} mm')
            below = support_below(thing, scene)
            if below is not None and below.shape is not Shape.TABLE:
                return (f'{thing.name} is on {below.name}, and it is told only for things on the '
                        'table')
            near = sum(other.shape is not Shape.TABLE and other.name not in named and
                       math.dist(other.position[:2], thing.position[:2]) < NEAR_M
                       for other in scene.objects)
            if near > self.most_near:
                return (f'{near} things are close to {thing.name}, and it is told only up to '
                        f'{self.most_near}')
        return ''


@cache
def covered() -> Covered:
    """The limits and the prior that come with this package."""
    return build(Covered, read_yaml(MEASURED / 'covered.yaml'), 'covered.yaml')
