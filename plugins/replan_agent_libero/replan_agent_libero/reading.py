# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a task's sentence is read as, beside the goal that its file has. Nothing moves for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent_contact.cell import SKILLS
from replan_agent_robosuite.robot_world import RobotWorld

from replan_agent import Config
from replan_agent.app.build.skill_set import skill_set
from replan_agent.app.reading.first_reading import first_reading
from replan_agent.arms.known_arms import arm_named
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.scene import GROUND_TRUTH, Scene

from .environments import started
from .tasks import Task
from .truth import Truth

MEANT = 'as meant'
STATES = {'open': 'open', 'close': 'closed', 'turnon': 'on', 'turnoff': 'off'}
ON_IT = Predicate.ON, Predicate.IN, Predicate.STACKED
_GOAL = re.compile(r'\(:goal\s*(.*)', re.S)
_PART = re.compile(r'\((\w+) (\w+)(?: (\w+))?\)')


@dataclass(frozen=True)
class ReadTask:
    """`verdict`: MEANT, 'otherwise', or 'not read'."""

    task: str
    sentence: str
    verdict: str
    read: str
    meant: str


def read_task(task: Task, config: Config, arm: str, state: int = 0) -> ReadTask:
    """The task read in the scene of a start state."""
    model = arm_named(arm)
    world = RobotWorld(started(task, state, judged=False), model)
    try:
        truth = Truth(world)
        scene = Scene(task.name, 0.0, truth.objects(), GROUND_TRUTH, None, hand=model.hand)
        specs = skill_set(config.skills, SKILLS, simulated=True, arm=arm).specs()
        reply = first_reading(PlanRequest(task.sentence, scene, specs), config)
        meant = meant_by(task.file.read_text(encoding='utf-8'), truth.called)
    finally:
        world.close()
    read = [plainly(goal) for goal in reply.goals]
    return ReadTask(task.name, task.sentence, verdict(read, meant), ', '.join(
        map(' '.join, read)) or reply.detail, ', '.join(map(' '.join, meant)))


def plainly(goal: Goal) -> tuple[str, ...]:
    """What a goal says: on and in are one, the judge decides which it is."""
    if goal.predicate is Predicate.IS:
        return goal.state, goal.object or ''
    if goal.predicate in ON_IT and not goal.negated and goal.object and goal.target:
        return 'at', goal.object, goal.target
    return (str(goal),)


def meant_by(text: str, called: dict[str, str]) -> list[tuple[str, ...]]:
    """The goal of a task's file. `called` are the names of its things and regions here."""
    found = _GOAL.search(text)
    said = _PART.findall(found[1]) if found else []
    return [(STATES[kind.lower()], _name(first, called)) if kind.lower() in STATES else
            ('at', _name(first, called), _name(second, called)) for kind, first, second in said]


def _name(said: str, called: dict[str, str]) -> str:
    """What a thing or a region of it is called here."""
    known = [name for name in called if said == name or said.startswith(f'{name}_')]
    return called[max(known, key=len)] if known else said


def verdict(read: Sequence[tuple[str, ...]], meant: Sequence[tuple[str, ...]]) -> str:
    """Whether all that is meant is read, and nothing else but how furniture should be.

    "Open the drawer and put the bowl in it": the file may ask for the bowl alone.
    """
    if not read:
        return 'not read'
    more = [said for said in read if said not in meant and said[0] not in STATES.values()]
    return 'otherwise' if more or not {*meant} <= {*read} else MEANT
