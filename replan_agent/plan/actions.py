"""What a task asks for, with the objects named: its goals, and the steps that serve them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import REPLAN_STEP


@dataclass(frozen=True)
class Action:
    """One skill and the object it acts on; `goal` is what it makes true, if that can be judged."""

    skill: str
    description: str
    expected_change: str
    thing: str | None = None
    target: str | None = None
    position: tuple[float, float] | None = None
    goal: Goal | None = None

    @property
    def is_placement(self) -> bool:
        return self.skill in ('place_on', 'place_at')

    @property
    def moves_object(self) -> bool:
        return self.is_placement or self.skill == 'pick'

    @property
    def uses_gripper(self) -> bool:
        return self.moves_object or self.skill == 'open_gripper'

    @property
    def args(self) -> dict[str, Any]:
        if self.skill == 'pick':
            return {'object': self.thing}
        if self.skill == 'place_on':
            return {'target': self.target}
        if self.position is not None:
            return {'x': self.position[0], 'y': self.position[1]}
        return {}


def pick(thing: str) -> Action:
    return Action('pick', f'Pick up the {thing}', f'{thing} is in the gripper', thing,
                  goal=Goal(Predicate.HOLDING, thing))


def place_on(thing: str, target: str, predicate: Predicate) -> Action:
    """Place `thing` on or in `target`; the predicate (on, in, stacked) is the goal."""
    verb, how = ('Stack', 'on') if predicate is Predicate.STACKED else ('Place', predicate.value)
    state = 'stacked on' if predicate is Predicate.STACKED else how
    return Action('place_on', f'{verb} the {thing} {how} the {target}',
                  f'{thing} is {state} the {target}', thing, target,
                  goal=Goal(predicate, thing, target))


def place_at(thing: str, position: tuple[float, float]) -> Action:
    where = f'({position[0]:.3f}, {position[1]:.3f})'
    return Action('place_at', f'Place the {thing} at {where}', f'{thing} is at {where}', thing,
                  position=position, goal=Goal(Predicate.AT, thing, position=position))


def put_down(thing: str, table: str) -> Action:
    """Empty the gripper for another object: a means, so it has no goal."""
    return Action('place_on', f'Put the {thing} down on the {table}',
                  f'{thing} is on the {table} and the gripper is empty', thing, table)


HOME = Action('home', 'Move the arm home', 'the arm is at home', goal=Goal(Predicate.HOME))
RELEASE = Action('open_gripper', 'Open the gripper', 'the gripper is open and holds nothing')
LOOK = Action('look', 'Look at the scene', 'the scene is up to date')
REPLAN = Action(REPLAN_STEP, 'Look again and plan the remaining steps with the objects seen then',
                'New objects detected')


def final_goals(actions: Iterable[Action]) -> tuple[Goal, ...]:
    """What shall be true after all actions; what a later action undoes is left out.

    The last goal about an object wins. Nothing stays held through another use of the gripper,
    and the arm is home only if it went there last.
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
    """The actions with the picks and the emptying of the gripper that they need, to be executed.

    Ends at the first replan: what follows is planned from the scene that is seen then.
    """
    expanded: list[Action] = []
    held = scene.held
    for action in actions:
        if action.thing is not None and held != action.thing:
            if held is not None and scene.table is not None:
                expanded.append(put_down(held, scene.table.name))
            expanded.append(pick(action.thing))
            held = action.thing
        if action.skill != 'pick':
            expanded.append(action)
        if action.is_placement or action.skill == 'open_gripper':
            held = None
        if action.skill == REPLAN_STEP:
            break
    return expanded


def numbered(actions: Iterable[Action]) -> tuple[Step, ...]:
    return tuple(Step(number, a.skill, a.args, a.description, a.expected_change)
                 for number, a in enumerate(actions, 1))


def after(action: Action, scene: Scene) -> Scene:
    """The scene to expect once the action is done, so that later phrases mean the right thing."""
    thing = scene.get(action.thing or '')
    if action.skill == 'open_gripper':
        return replace(scene, held=None)
    if action.skill == 'pick':
        return replace(scene, held=action.thing)
    if thing is None or not action.is_placement:
        return scene
    moved = replace(thing, pose=_placed(action, thing, scene))
    objects = tuple(moved if o.name == thing.name else o for o in scene.objects)
    return replace(scene, objects=objects, held=None)


def _placed(action: Action, thing: SceneObject, scene: Scene) -> Pose:
    x, y, z = thing.position
    target = scene.get(action.target or '') or scene.table
    if action.position is not None:
        x, y = action.position
    elif target is not None and target != scene.table:  # on the table, any free spot may be used
        x, y, _ = target.position
    if target is not None:
        support_z = target.bottom_z if target.is_container else target.top_z
        z = support_z + thing.position[2] - thing.bottom_z
    return Pose((x, y, z), thing.pose.quaternion)
