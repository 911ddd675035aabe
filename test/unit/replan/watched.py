# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A small world of cubes for the plan monitor: objects move at once where a step says."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

from replan_agent.arms.franka import PANDA
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import Plan, PlanCause, Step
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import ArmSnapshot, Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason, SkillResult, failed, succeeded
from replan_agent.domain.task_result import StepRecord
from replan_agent.domain.task_view import TaskView
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.judging import is_resting_on

TABLE = SceneObject('table', Shape.TABLE, (1.2, 1.2, 0.04), Pose((0.4, 0.0, -0.02)),
                    movable=False)
BOWL = SceneObject('bowl', Shape.BOWL, (0.16, 0.16, 0.06), Pose((0.5, -0.35, 0.03)))
SPOTS = {'red': (0.45, 0.25), 'green': (0.6, 0.05), 'blue': (0.35, -0.05), 'yellow': (0.25, 0.4)}


def cube(name: str, x: float, y: float, z: float = 0.02) -> SceneObject:
    return SceneObject(name, Shape.BOX, (0.04, 0.04, 0.04), Pose((x, y, z)), name)


def scene(held: str | None = None, **on: str) -> Scene:
    """The cubes on the table, except those that are on or in something: `red='bowl'`.

    Name what is below first: `blue='bowl', red='blue'`.
    """
    arm = ArmSnapshot((0.0,) * 7, Pose((0.3, 0.0, 0.5)), 0.08, at_home=False)
    world = Toy(Scene('s', 0.0, (*(cube(n, *xy) for n, xy in SPOTS.items()), BOWL, TABLE),
                      'fake', arm, hand=PANDA.hand))
    for name, target in on.items():
        world.put(name, target)
    return replace(world.scene, held=held)


@dataclass
class Toy:
    """Executes steps; picks fail as `slips` says."""

    scene: Scene
    slips: list[bool] = field(default_factory=list)
    spots: itertools.count[int] = field(default_factory=itertools.count)

    def execute(self, step: Step) -> SkillResult:
        held = self.scene.held
        if step.skill == 'pick':
            if self.slips and self.slips.pop():
                return failed(Reason.GRASP_SLIPPED, 'it slipped')
            name = step.args['object']
            raised = {name, *self._load(name)} if held is None else set()
            self.scene = replace(self.scene, held=name, arm=self._arm(False), objects=tuple(
                replace(o, pose=o.pose.moved(dz=0.12)) if o.name in raised else o
                for o in self.scene.objects))
        elif step.skill == 'home':
            self.scene = replace(self.scene, arm=self._arm(True))
        elif step.skill in ('place_on', 'place_in', 'stack', 'place_at', 'open_gripper'):
            if held is not None:
                self.put(held, step.args.get('target', 'table'),
                         (step.args['x'], step.args['y']) if 'x' in step.args else None)
            self.scene = replace(self.scene, held=None, arm=self._arm(False))
        return succeeded()

    def put(self, name: str, target: str, at: tuple[float, float] | None = None) -> None:
        below = self.scene.get(target)
        x, y = at or below.position[:2]
        if target == 'table' and at is None:
            x, y = 0.1 + 0.07 * (next(self.spots) % 8), 0.5
        z = 0.026 if below.is_container else below.top_z + 0.02
        there = self.scene.get(name).position
        by = (x - there[0], y - there[1], z - there[2])
        moved = {name, *self._load(name)}
        self.scene = replace(self.scene, objects=tuple(
            replace(o, pose=Pose(tuple(p + d for p, d in zip(o.position, by))))
            if o.name in moved else o for o in self.scene.objects))

    def _load(self, name: str) -> set[str]:
        """The objects stacked on an object: they move with it."""
        below = self.scene.get(name)
        load = {o.name for o in self.scene.movable()
                if o.name != name and is_resting_on(o, below, self.scene)}
        return load.union(*(self._load(n) for n in load))

    def _arm(self, at_home: bool) -> ArmSnapshot:
        return replace(self.scene.arm, at_home=at_home)


def inside(name: str, target: str = 'bowl') -> Goal:
    return Goal(Predicate.IN, name, target)


def on(name: str, target: str) -> Goal:
    return Goal(Predicate.ON, name, target)


def move(name: str, target: str) -> list[tuple]:
    return [('pick', {'object': name}), ('place_on', {'target': target})]


def plan(*calls: tuple, version: int = 1) -> Plan:
    steps = tuple(Step(n, skill, args[0] if args else {})
                  for n, (skill, *args) in enumerate(calls, 1))
    return Plan(version, 'a task', steps, (), PlanCause.INITIAL, None, 's', 'p')


def records(of: Plan, count: int | None = None, ends: SkillResult | None = None,
            first: int = 0) -> tuple[StepRecord, ...]:
    """The first steps of a plan as executed; `ends` is the result of the last of them."""
    steps = [s for s in of.steps[:count] if not s.is_replan]
    results = [succeeded()] * (len(steps) - 1) + [ends or succeeded()]
    return tuple(StepRecord(first + i, of.version, step, result, 1.0)
                 for i, (step, result) in enumerate(zip(steps, results)))


def view(now: Scene, *goals: Goal, **more) -> TaskView:
    given = {
        'task': 'tidy up',
        'suggested_plan': None,
        'scenes': (now,),
        'steps': (),
        'attempts': (),
        'skills': standard_skills().specs(),
        **more,
    }
    return TaskView(goals=goals, now=now, **given)
