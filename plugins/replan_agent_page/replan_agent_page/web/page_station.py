# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded world behind the page: tasks run in it, and another can be chosen between tasks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from replan_agent.agent.task_progress import Progress
from replan_agent.app.build.build_approver import build_approver
from replan_agent.app.build.compose import Simulation
from replan_agent.app.build.plugins import installed_names
from replan_agent.app.build.robot_cell import MujocoCell
from replan_agent.app.build.share import share_path
from replan_agent.arms.arm_names import ARM_NAMES, FILE, OTHER_ARMS
from replan_agent.domain.config import PERCEPTIONS, PLANNERS, Config
from replan_agent.domain.context import Context
from replan_agent.domain.scene import CONTAINERS, Shape
from replan_agent.robot.mujoco.scene.scene_file import list_scenes
from replan_agent.robot.mujoco.scene.scene_spec import SceneSpec
from replan_agent.robot.mujoco.world import World
from replan_agent.text.shown_text import in_words
from replan_agent_page.serve.person import ADDED, Person
from replan_agent_page.serve.sim_station import SimStation
from replan_agent_page.serve.station import Order

from .feed import Feed
from .ghost import Ghost
from .live_picture import HEIGHT, WIDTH, LivePicture, WorldPictures, WorldStates
from .page_arm import AroundStation
from .page_questions import PageApprover, PageHuman, Questions
from .shown_world import ShownWorld

PACE_EVERY_S = 0.02  # of robot time
STATES_PER_S = 30  # for browsers that draw


@dataclass(frozen=True)
class Choice:
    """A world, and who plans and sees in it."""

    scene: str
    seed: int
    planner: str
    perception: str
    arm: str  # by name, or the file of one


class PageStation(AroundStation):
    """A Simulation that everybody sees. `pace` is robot time by wall time; 0: no limit.

    `approver` is as in the settings; a person is always asked at the page.
    """

    ask_where = 'at the page'
    reset_command = 'replan-agent web --reset-stop'

    def __init__(self, config: Config, choice: Choice, feed: Feed, pictures_per_s: float,
                 pace: float) -> None:
        self._config, self._feed, self._pace = config, feed, pace
        self._pictures = WorldPictures()
        self.live = LivePicture(self._pictures, pictures_per_s)
        self._asking = threading.Lock()
        self._ghost: Ghost | None = None
        self._states = WorldStates(config.workspace)
        self._motion = LivePicture(self._states, STATES_PER_S)
        self.approver = config.approver
        self.questions = Questions(feed.wake)
        self.shown: ShownWorld | None = None
        self.projection: list[list[float]] | None = None
        self._first = choice
        self._open(choice)

    def choose(self, choice: Choice) -> None:
        """Start another world. Raises ConfigError, and then the old one stays."""
        old = self._inner
        self._open(choice)
        old.close()
        self._feed.begin('')  # what happened before was in the old world

    def _open(self, choice: Choice) -> None:
        config = replace(self._config, planner=choice.planner, perception=choice.perception,
                         robot=replace(self._config.robot, model=choice.arm))
        self._person = person = PageApprover(self.questions, config.approval.timeout)
        sim = Simulation(choice.scene, config=config, seed=choice.seed,
                         approver=build_approver(config, person, 'console'),
                         human=PageHuman(self.questions))
        self._inner = SimStation(sim, [self._feed], begins=lambda folder: self._feed.begin(
            folder.name, lambda: sim.robot.state().stamp))
        self.choice, self._sim, self._ghost = choice, sim, None
        self.person: Person | None = None
        self.projection = None
        self._things: list[str] = []
        self._examples: list[str] = []
        if isinstance(sim.cell, MujocoCell):
            self._things = [o.name for o in sim.world.scene.objects if not o.unseen]
            self._examples = _examples(sim.world.scene)
            self.person = Person(sim, self.questions.held, lambda: self._show(sim.world))
            if self._pace > 0:
                sim.world.on_step(_Pacer(self._pace), PACE_EVERY_S)
        self._show(sim.world if isinstance(sim.cell, MujocoCell) else None)
        self.motion = self._motion if self.shown else None
        self.live.try_again()

    def _show(self, world: World | None) -> None:
        """Show this world from now on; the same one again if there are more things in it."""
        if self.shown is not None:
            self.shown.close()
        self.shown = ShownWorld(world) if world else None
        if self.shown:
            self.projection = self.shown.projection(WIDTH, HEIGHT).tolist()
        self._pictures.show(self.shown)
        self._states.show(self.shown)

    @property
    def world(self) -> dict[str, Any]:
        """The world as the page shows it."""
        return {**asdict(self.choice), 'approver': self.approver, 'things': self._things,
                'examples': self._examples,
                'touchable': self.person.things if self.person else (),
                'addable': tuple(ADDED) if self.person else ()}

    @property
    def camera(self) -> dict[str, Any] | None:
        """How to draw into the live pictures; None if there are none."""
        if self.projection is None:
            return None
        return {'projection': self.projection, 'size': [WIDTH, HEIGHT]}

    def solids(self) -> bytes:
        return self._states.solids()

    def planned(self, number: int) -> bytes:
        """The planned motion of the plan that is asked about, as JSON; b'' if none is."""
        question, request = self.questions.open, self._person.asked
        if question is None or question.number != number or request is None:
            return b''
        with self._asking:
            if self._ghost is None or self._ghost.request is not request:
                self._ghost = Ghost(self._sim.config, self._sim.cell.skills, request)
            ghost = self._ghost
        return ghost.told(lambda: self._person.asked is request)

    elsewhere = ''  # nobody else gives tasks to this arm

    @cached_property
    def options(self) -> dict[str, Any]:
        """What can be chosen at the page."""
        def names(setting: str, group: str) -> list[str]:
            (spec,) = (f for f in fields(Config) if f.name == setting)
            return [*spec.metadata['choices'], *installed_names(group)]

        own, arms = Path(self._first.scene), share_path('config', 'arms')
        beside = sorted(map(str, own.parent.glob('*.y*ml'))) if own.suffix else []
        readable = FILE in installed_names(OTHER_ARMS)
        files = map(str, sorted(arms.glob('*.yaml')) if readable else ())
        return {'scenes': [*beside, *list_scenes(share_path('config', 'scenes'))],
                'planners': names('planner', PLANNERS),
                'perceptions': names('perception', PERCEPTIONS),
                'arms': list(dict.fromkeys((*ARM_NAMES, self._first.arm, *files)))}

    def run(self, order: Order, folder: Path, on_progress: Callable[[Progress], None],
            ctx: Context) -> Mapping[str, Any]:
        try:
            return self._inner.run(order, folder, on_progress, ctx)
        finally:
            if self.shown is not None:
                self.shown.take()


def _examples(scene: SceneSpec) -> list[str]:
    """Some tasks for this scene, in words that are understood."""
    seen = [thing for thing in scene.objects if not thing.unseen]
    into = [in_words(thing.name) for thing in seen if thing.shape in CONTAINERS]
    free = [in_words(thing.name) for thing in seen if thing.shape not in CONTAINERS
            and not thing.fixed]
    cubes = [in_words(thing.name) for thing in seen if thing.shape is Shape.BOX
             and not thing.fixed]
    return [*(f'pick up the {thing}' for thing in free[:1]),
            *(f'put the {thing} in the {place}' for thing, place in zip(free, into)),
            *(f'stack the {one} on the {other}' for one, other in zip(cubes, cubes[1:2])),
            'what is on the table?']


class _Pacer:
    """Lets a simulated arm move no faster than a real one. Robot time does not notice it."""

    def __init__(self, pace: float) -> None:
        self._step_s = PACE_EVERY_S / pace
        self._next = 0.0

    def __call__(self) -> None:
        now = time.monotonic()
        if self._next > now:
            time.sleep(self._next - now)
        self._next = max(self._next, now) + self._step_s  # time that was lost is not made up
