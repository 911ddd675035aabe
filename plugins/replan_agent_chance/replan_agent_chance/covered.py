# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a chance is told at all. Outside of that it is not known, and no number is told."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from replan_agent.arms.arm_names import DEFAULT_ARM
from replan_agent.domain.config import Config, build, setting
from replan_agent.domain.plan import Plan
from replan_agent.domain.scene import Scene, Shape
from replan_agent.geometry.judging import support_below
from replan_agent.geometry.outlines import gap_m, parts
from replan_agent.text.setting import ConfigError
from replan_agent.text.shown_text import listed
from replan_agent.text.yaml_text import read_yaml

from .sampling import Prior
from .uncertainty import (
    AUTO,
    MEASURED,
    OF_A_BAD_ONE,
    OF_THE_USUAL,
    Uncertainty,
    own_file,
    positive,
)

EMBEDDED, DRIVER = 'mujoco', 'driver'  # robots; the second is any over ROS but `sim_node`
NEAR_M = 0.15  # between the middles of two things that are close


def _words(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise ConfigError(f'{where}: must be a list of words')
    return tuple(value)


@dataclass(frozen=True)
class Covered:
    """The tasks for which a chance is told, and the prior."""

    skills: tuple[str, ...] = setting((), 'those in their plans', read=_words)
    robots: tuple[str, ...] = setting((EMBEDDED,), 'where they ran', read=_words)
    arms: tuple[str, ...] = setting((DEFAULT_ARM,), 'those that ran them', read=_words)
    perceptions: tuple[str, ...] = setting((), 'those that saw them', read=_words)
    most_steps: int = setting(2, 'of one plan', 1, 100)
    most_things: int = setting(0, 'beside the table', 0, 100)
    closest_m: float = setting(0.0, 'of a thing, or of a place, to the base, m', 0, 10)
    farthest_m: float = setting(0.0, 'of a thing, or of a place, from the base, m', 0, 10)
    smallest_m: float = setting(1.0, 'length of a thing, m', 0, 1)
    largest_m: float = setting(0.0, 'length of a thing, m', 0, 10)
    least_sure: float = setting(1.0, 'confidence with which a thing is seen', 0, 1)
    nearest_m: float = setting(1.0, 'free space beside a thing that the plan names, m', 0, 1)
    most_near: int = setting(0, 'other things close to one that the plan names', 0, 100)
    most_off_m: float = setting(0.0, 'that a thing is seen off, a standard deviation, m', 0, 1)
    most_turned_rad: float = setting(0.0, 'and that it is turned, rad', 0, 4)
    most_grip: float = setting(0.0, 'that the force of the hand is off, as a share', 0, 1)
    most_fingers_m: float = setting(0.0, 'and the middle between its fingers, m', 0, 0.1)
    friction: tuple[float, ...] = setting((1.0, 1.0), 'of a thing, from and to', read=positive)
    density: tuple[float, ...] = setting((1.0, 1.0), 'kg/m³, from and to', read=positive)
    velocity: float = setting(1.0, 'share of the limit at which they moved', 0, 1)
    acceleration: float = setting(1.0, 'and of that of the acceleration', 0, 1)
    works: float = setting(1.0, 'expected before the first twin: so many work', 0, 1000)
    fails: float = setting(1.0, 'and so many fail', 0, 1000)
    source: str = setting('', 'how it was measured; empty: it was not')

    @property
    def prior(self) -> Prior:
        return Prior(self.works, self.fails)

    def outside(self, plan: Plan, scene: Scene, config: Config, known: Uncertainty) -> str:
        """Why no chance is told for this plan; '' if one is."""
        steps = [step for step in plan.steps if not step.is_replan]
        strange = sorted({step.skill for step in steps} - set(self.skills))
        if strange:
            return f'it is not told for plans with {listed(strange)}'
        if len(steps) > self.most_steps or len(steps) < len(plan.steps):
            return f'it is told only for whole plans of up to {self.most_steps} steps'
        if config.robot.model not in self.arms:
            return f'it is told only for the arm {listed(self.arms)}, not {config.robot.model}'
        named_by, robot = config.agent.chance, config.robot_source
        if robot == DRIVER and own_file(named_by) is None:
            return ('nobody measured what this robot over ROS is unsure of: agent.chance may name '
                    'a file that says it')
        if robot not in (*self.robots, DRIVER) or config.robot.eye_in_hand:
            return 'it is told only for a fixed camera, in the embedded simulation or over ROS'
        if scene.perception not in self.perceptions:
            return f'it is not told for the perception {scene.perception}'
        if robot != EMBEDDED and scene.perception == 'camera' and named_by in ('', AUTO):
            return ('over ROS a camera does not say whether it is the usual one: name camera, '
                    f'{OF_A_BAD_ONE}, or a file that says what it is unsure of')
        if scene.own_camera and known in map(Uncertainty.of, OF_THE_USUAL):
            return ('nobody measured what the camera that the scene file describes is unsure of: '
                    f'name {OF_A_BAD_ONE}, or a file that says it')
        if scene.held:
            return f'it is told only for an empty hand, and it holds {scene.held}'
        named = {value for step in steps for value in step.args.values() if isinstance(value, str)}
        places = [(f'the place at ({x:.2f}, {y:.2f})', math.hypot(x, y)) for x, y in (
            (step.args.get('x'), step.args.get('y')) for step in steps)
            if isinstance(x, (int, float)) and isinstance(y, (int, float))]
        places += [(thing.name, math.hypot(*thing.position[:2])) for thing in scene.objects
                   if thing.name in named and thing.shape is not Shape.TABLE]
        return next(chain(filter(None, [self._too_unsure(known)]), self._strange_places(places),
                          self._strange_things(named, scene, known)), '')

    def only(self, config: Config) -> str:
        """What is told, if it was never compared with what happens; '' if it was."""
        moved = config.motion.max_velocity_scaling_factor, \
            config.motion.max_acceleration_scaling_factor
        if config.robot_source not in self.robots:
            return (f'in simulated twins with the errors of {Path(config.agent.chance).name}, '
                    'never compared with this arm')
        if moved != (self.velocity, self.acceleration):
            return (f'with {moved[0]:g} of the speed and {moved[1]:g} of the acceleration, where '
                    'nobody compared it')
        return ''

    def _strange_places(self, places: Sequence[tuple[str, float]]) -> Iterator[str]:
        for name, far in places:
            if not self.closest_m <= far <= self.farthest_m:
                yield (f'{name} is {far:.2f} m away, and it is told only from {self.closest_m:g} '
                       f'to {self.farthest_m:g} m')

    def _too_unsure(self, known: Uncertainty) -> str:
        off = math.hypot(known.common_m, known.own_m, known.look_m)
        if max(off, known.size_m) > self.most_off_m or known.yaw_rad > self.most_turned_rad:
            return (f'the perception is {1000 * off:.0f} mm, {1000 * known.size_m:.0f} mm in size '
                    f'and {known.yaw_rad:.2f} rad unsure, '
                    f'and it is told only up to {1000 * self.most_off_m:g} mm and '
                    f'{self.most_turned_rad:g} rad')
        if known.grip > self.most_grip or known.fingers_m > self.most_fingers_m:
            return (f'the hand is {100 * known.grip:.0f} % of its force and '
                    f'{1000 * known.fingers_m:.1f} mm unsure, and it is told only up to '
                    f'{100 * self.most_grip:g} % and {1000 * self.most_fingers_m:g} mm')
        for name, unit in (('friction', ''), ('density', ' kg/m³')):
            (low, high), here = getattr(self, name), getattr(known, name)
            if min(here) < low or max(here) > high:
                return (f'a {name} of {min(here):g} to {max(here):g}{unit} is expected, and it is '
                        f'told only from {low:g} to {high:g}{unit}')
        return ''

    def _strange_things(self, named: set[str], scene: Scene, known: Uncertainty) -> Iterator[str]:
        things = [thing for thing in scene.objects if thing.shape is not Shape.TABLE]
        if len(things) > self.most_things:
            yield (f'there are {len(things)} things, and it is told only for up to '
                   f'{self.most_things}')
        # What is close may be seen closer: so far off the place of one from that of another.
        least_m = self.nearest_m - 2 * math.sqrt(2) * math.hypot(known.own_m, known.look_m)
        for thing in (thing for thing in things if thing.name in named):
            if thing.states is not None:
                yield f'{thing.name} opens and closes, and it is told for no such thing'
            if min(thing.size) < self.smallest_m:
                yield (f'{thing.name} is {1000 * min(thing.size):.0f} mm thin, and it is told '
                       f'only from {1000 * self.smallest_m:g} mm')
            if max(thing.size) > self.largest_m:
                yield (f'{thing.name} is {1000 * max(thing.size):.0f} mm long, and it is told '
                       f'only up to {1000 * self.largest_m:g} mm')
            if thing.confidence < self.least_sure:
                yield (f'{thing.name} is seen only in part, with a confidence of '
                       f'{thing.confidence:.2f}, and it is told only from {self.least_sure:g}')
            below = support_below(thing, scene)
            if below is not None and below.shape is not Shape.TABLE:
                yield (f'{thing.name} is on {below.name}, and it is told only for things on the '
                       'table')
            others = [other for other in things if other is not thing]
            close = [other.name for other in others if other.name not in named and
                     math.dist(other.position[:2], thing.position[:2]) < NEAR_M]
            if len(close) > self.most_near:
                yield (f'{len(close)} things are close to {thing.name}, and it is told only up to '
                       f'{self.most_near}')
            gap, beside = min(((gap_m(parts(thing), parts(other)), other.name)
                               for other in others), default=(math.inf, ''))
            if gap < least_m:
                yield (f'{beside} is {max(0.0, 1000 * gap):.0f} mm beside {thing.name}, and it is '
                       f'told only from {1000 * self.nearest_m:g} mm')


@cache
def covered() -> Covered:
    """The limits and the prior that come with this package."""
    return build(Covered, read_yaml(MEASURED / 'covered.yaml'), 'covered.yaml')
