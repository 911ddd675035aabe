"""What a task asks for, with named objects: its goals, and the steps for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from replan_agent.domain import expected_scene
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import REPLAN_STEP, SkillSpec, skill_that
from replan_agent.domain.skill_effect import PUTS, EffectKind


@dataclass(frozen=True)
class Action:
    """One effect and its object. `goal` is what it makes true, if that can be judged.

    The kind is None for another look and plan.
    """

    kind: EffectKind | None
    description: str
    expected_change: str
    thing: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None
    goal: Goal | None = None

    @property
    def is_placement(self) -> bool:
        return self.kind in PUTS

    @property
    def is_pick(self) -> bool:
        return self.kind is EffectKind.TAKE

    @property
    def is_replan(self) -> bool:
        return self.kind is None

    @property
    def moves_object(self) -> bool:
        return self.is_placement or self.is_pick

    @property
    def uses_gripper(self) -> bool:
        return self.moves_object or self.kind is EffectKind.RELEASE

    @property
    def kinds(self) -> tuple[EffectKind, ...]:
        """The effects that do what the action asks for, best first."""
        if self.kind is None:
            return ()
        return (self.kind, EffectKind.PUT_IN) if self.kind is EffectKind.PUT_ON else (self.kind,)

    def skill(self, scene: Scene, skills: Sequence[SkillSpec]) -> SkillSpec | None:
        """The skill that has this effect here; None if there is none, or none is needed."""
        return skill_that(skills, *self.kinds, target=scene.get(self.target or ''))

    def step(self, number: int, scene: Scene, skills: Sequence[SkillSpec]) -> Step:
        """The action as a step of the skill that has this effect."""
        spec = self.skill(scene, skills)
        if spec is None:
            return Step(number, REPLAN_STEP, {}, self.description, self.expected_change)
        x, y = self.position or (None, None)
        args = spec.effect.arguments(object=self.thing, target=self.target, x=x, y=y)
        given = {name: value for name, value in args.items() if value is not None}
        return Step(number, spec.name, given, self.description, self.expected_change)


def pick(thing: str) -> Action:
    return Action(EffectKind.TAKE, f'Pick up the {thing}', f'{thing} is in the gripper', thing,
                  goal=Goal(Predicate.HOLDING, thing))


def place_on(thing: str, target: str, predicate: Predicate) -> Action:
    """Place `thing` on or in `target`; the predicate (on, in, stacked) is the goal."""
    verb, how = ('Stack', 'on') if predicate is Predicate.STACKED else ('Place', predicate.value)
    state = 'stacked on' if predicate is Predicate.STACKED else how
    return Action(EffectKind.PUT_ON, f'{verb} the {thing} {how} the {target}',
                  f'{thing} is {state} the {target}', thing, target,
                  goal=Goal(predicate, thing, target))


def place_at(thing: str, position: tuple[float, float]) -> Action:
    where = f'({position[0]:.3f}, {position[1]:.3f})'
    return Action(EffectKind.PUT_AT, f'Place the {thing} at {where}', f'{thing} is at {where}',
                  thing, position=position, goal=Goal(Predicate.AT, thing, position=position))


def put_down(thing: str, table: str) -> Action:
    """Empty the gripper for another object. This is only a means, so it has no goal."""
    return Action(EffectKind.PUT_ON, f'Put the {thing} down on the {table}',
                  f'{thing} is on the {table} and the gripper is empty', thing, table)


HOME = Action(EffectKind.GO_HOME, 'Move the arm home', 'the arm is at home',
              goal=Goal(Predicate.HOME))
RELEASE = Action(EffectKind.RELEASE, 'Open the gripper', 'the gripper is open and holds nothing')
LOOK = Action(EffectKind.OBSERVE, 'Look at the scene', 'the scene is up to date')
REPLAN = Action(None, 'Look again and plan the remaining steps with the objects seen then',
                'New objects detected')


def final_goals(actions: Iterable[Action]) -> tuple[Goal, ...]:
    """What should be true after all actions, without what a later action undoes.

    The last goal about an object counts. After another use of the gripper, nothing is still held.
    The arm is home only if it went there last.
    """
    goals: list[Goal] = []
    for action in actions:
        if action.uses_gripper:
            goals = [g for g in goals if g.predicate is not Predicate.HOLDING]
        if action.moves_object:
            goals = [g for g in goals
                     if g.predicate is not Predicate.HOME and g.object != action.thing]
        if action.goal is not None and action.goal not in goals:
            goals.append(action.goal)
    return tuple(goals)


def expand(actions: Iterable[Action], scene: Scene) -> list[Action]:
    """The actions ready to execute: with the picks and put-downs that they need.

    Ends at the first replan: the rest is planned from the scene that is seen then.
    """
    expanded: list[Action] = []
    held = scene.held
    for action in actions:
        if action.thing is not None and held != action.thing:
            if held is not None and scene.table is not None:
                expanded.append(put_down(held, scene.table.name))
            expanded.append(pick(action.thing))
            held = action.thing
        if not action.is_pick:
            expanded.append(action)
        if action.is_placement or action.kind is EffectKind.RELEASE:
            held = None
        if action.is_replan:
            break
    return expanded


def numbered(actions: Iterable[Action], scene: Scene, skills: Sequence[SkillSpec],
             ) -> tuple[Step, ...]:
    """The actions as the numbered steps of a plan."""
    return tuple(action.step(number, scene, skills) for number, action in enumerate(actions, 1))


def after(action: Action, scene: Scene) -> Scene:
    """The expected scene after the action, so that later phrases mean the right object."""
    if action.kind is EffectKind.RELEASE:
        return replace(scene, held=None)
    if action.is_pick:
        return replace(scene, held=action.thing)
    if scene.get(action.thing or '') is None or not action.is_placement:
        return scene
    put = expected_scene.put_down(scene, action.thing, action.target, action.position)
    return replace(put, held=None)
