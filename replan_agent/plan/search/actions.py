# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an arm can do with named objects, before a skill is chosen for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import REPLAN_STEP, SkillSpec, skill_that
from replan_agent.domain.skill_effect import EffectKind


@dataclass(frozen=True)
class Action:
    """One effect and its object. The kind is None for another look and plan."""

    kind: EffectKind | None
    description: str
    expected_change: str
    thing: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None
    yaw_deg: float | None = None
    direction: str | None = None
    distance_m: float | None = None
    sets: Goal | None = None  # the state of a thing, or its turn

    @property
    def is_replan(self) -> bool:
        return self.kind is None

    def skill(self, scene: Scene, skills: Sequence[SkillSpec]) -> SkillSpec | None:
        """The skill that has this effect here; None if there is none, or none is needed."""
        if self.kind is None:
            return None
        target = scene.get(self.target or '')
        state = (self.sets.state or self.sets.predicate.value) if self.sets else ''
        able = [spec for spec in skills if spec.effect.state == state]
        own = [s for s in skills if s.effect.puts and target and target.can_be(s.effect.state)]
        also = (EffectKind.PUT_IN,) if self.kind is EffectKind.PUT_ON else ()
        return skill_that(own or able, self.kind, *also, target=target)

    def step(self, number: int, scene: Scene, skills: Sequence[SkillSpec]) -> Step:
        """The action as a step of the skill that has this effect."""
        spec = self.skill(scene, skills)
        if spec is None:
            return Step(number, REPLAN_STEP, {}, self.description, self.expected_change)
        x, y = self.position or (None, None)
        args = spec.effect.arguments(
            object=self.thing, target=self.target, x=x, y=y, yaw=self.yaw_deg,
            direction=self.direction, distance=self.distance_m)
        given = {name: value for name, value in args.items() if value is not None}
        return Step(number, spec.name, given, self.description, self.expected_change)


def pick(thing: str) -> Action:
    return Action(EffectKind.TAKE, f'Pick up the {thing}', f'{thing} is in the gripper', thing)


def place_on(thing: str, target: str, predicate: Predicate,
             at: tuple[float, float] | None = None) -> Action:
    """Place `thing` on or in `target`, or stack it there; `at` is a point (x, y, m) on it."""
    verb, how = ('Stack', 'on') if predicate is Predicate.STACKED else ('Place', predicate.value)
    state = 'stacked on' if predicate is Predicate.STACKED else how
    return Action(EffectKind.PUT_ON, f'{verb} the {thing} {how} the {target}',
                  f'{thing} is {state} the {target}', thing, target, at)


def place_at(thing: str, position: tuple[float, float], yaw_deg: float | None = None,
             why: str = '') -> Action:
    """Place it at x, y (m); `why` says which goal this spot serves."""
    where = f'({position[0]:.3f}, {position[1]:.3f})'
    turned = f', turned to {yaw_deg:.0f} degrees' if yaw_deg is not None else ''
    return Action(EffectKind.PUT_AT, f'Place the {thing} at {where}{turned}{why}',
                  f'{thing} is at {where}{turned}', thing, position=position, yaw_deg=yaw_deg)


def slide(kind: EffectKind, thing: str, target: str | None, direction: str | None,
          distance_m: float | None) -> Action:
    where = f'towards the {target}' if target else direction or 'towards the robot'
    far = f' by {distance_m:.2f} m' if distance_m else ''
    return Action(kind, f'Slide the {thing} {where}{far}', f'{thing} has moved {where}', thing,
                  target, direction=direction, distance_m=distance_m)


def give(thing: str) -> Action:
    return Action(EffectKind.GIVE, f'Hand over the {thing}', f'a person has {thing}', thing)


def bring_to(goal: Goal) -> Action:
    thing, how = goal.object or '', goal.state or f'turned to {goal.degrees:.0f} degrees'
    return Action(EffectKind.SET, f'Make the {thing} {how}', f'{thing} is {how}', thing,
                  goal.target, yaw_deg=goal.degrees, sets=goal)


def put_down(thing: str, table: str) -> Action:
    """Put it anywhere on the table: it is in the way, or the gripper is needed."""
    return Action(EffectKind.PUT_ON, f'Put the {thing} down on the {table}',
                  f'{thing} is on the {table} and the gripper is empty', thing, table)


HOME = Action(EffectKind.GO_HOME, 'Move the arm home', 'the arm is at home')
RELEASE = Action(EffectKind.RELEASE, 'Open the gripper', 'the gripper is open and holds nothing')
LOOK = Action(EffectKind.OBSERVE, 'Look at the scene', 'the scene is up to date')
REPLAN = Action(None, 'Look again and plan the remaining steps with the objects seen then',
                'New objects detected')


def look_for(missing: str) -> Action:
    """Another look, because something is missing: `missing` says what, in a sentence."""
    return Action(None, f'Look again, because {missing} yet, and plan the rest', 'it is seen')


def numbered(actions: Iterable[Action], scene: Scene, skills: Sequence[SkillSpec],
             ) -> tuple[Step, ...]:
    """The actions as the numbered steps of a plan."""
    return tuple(action.step(number, scene, skills) for number, action in enumerate(actions, 1))
