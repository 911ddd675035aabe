# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Replay: execute the recorded steps in a fresh world, and find where it first differs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent.app.build.compose import Simulation
from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal
from replan_agent.domain.plan import Step
from replan_agent.domain.port_errors import PerceptionError
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import judge_all
from replan_agent.record.motion_file import MOTION, PERIOD_S, MotionLines
from replan_agent.record.run_folder import as_json
from replan_agent.record.run_json import Json, RunUnreadable, json_lines
from replan_agent.text.shown_text import shown

from .recorded_run import RecordedRun
from .recorded_world import fresh_world

MODEL_PERCEPTION = 'camera_vlm'
# A person or a clock ended the step: the world does not repeat that.
FROM_OUTSIDE = (Reason.STOPPED.value, Reason.TIMEOUT.value)
EARLY_S = 1e-3  # times in events are rounded
PARTS = {'q': 'joints', 'w': 'gripper width', 'c': 'gripper command', 't': 'time'}


@dataclass(frozen=True)
class Difference:
    """Where a replay first differs from the record: when, during what, and in which value."""

    robot_s: float
    during: str
    what: str
    recorded: str
    replayed: str

    def __str__(self) -> str:
        return (f'first difference at {self.robot_s:.3f} s, {self.during}: {self.what} was '
                f'{self.recorded} and is {self.replayed}')


@dataclass(frozen=True)
class Replayed:
    """What was compared. `until` says why the comparison ended early; '' at the run's end."""

    steps: int
    looks: int
    samples: int
    robot_s: float
    difference: Difference | None = None
    until: str = ''


def replay(run: RecordedRun) -> Replayed:
    """Execute the run's looks and steps again. Raises RunUnreadable if that is not possible."""
    settings = run.fact('settings')
    if isinstance(settings, dict) and settings.get('perception') == MODEL_PERCEPTION:
        raise RunUnreadable(f'{run.folder}: its perception asked a model, and the answers of a '
                            'model cannot be repeated')
    if run.events[0]['robot_s'] != 0:
        raise RunUnreadable(f'{run.folder}: it began at {run.events[0]["robot_s"]:g} s of a world '
                            'in which other tasks had run; only the first one has a fresh world')
    list(run.motion())  # a broken file is reported before anything runs
    with fresh_world(run) as sim:
        return _Replay(run, sim).result()


class _Replay:
    def __init__(self, run: RecordedRun, sim: Simulation) -> None:
        self._run, self._sim = run, sim
        self._recorded = [line for _, line in json_lines(run.folder / MOTION)][1:]
        self._motion_end_s = _motion_end_s(run, self._recorded)
        self._replayed: list[Json] = []
        lines = MotionLines()
        assert sim.cell.trace is not None  # the embedded world has one
        sim.cell.trace(lambda sample: self._keep(lines.line(sample)), PERIOD_S)
        self._scene: Scene | None = None
        self._steps = self._looks = self._samples = 0
        self._during = 'at the start'

    def result(self) -> Replayed:
        difference, until = None, ''
        events = [e for e in self._run.events
                  if e['event'] in ('scene_perceived', 'step_started', 'step_finished')]
        try:
            for number, event in enumerate(events):
                until = self._ends_at(events[number:])
                difference = None if until else self._compared(event, events[number + 1:])
                if until or difference:
                    break
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RunUnreadable(f'{self._run.folder}: not the format of this version: '
                                f'{type(error).__name__}: {error}') from error
        if self._run.events[-1]['event'] != 'task_finished' and not until:
            until = 'the record ends there'
        if not until and not difference:
            difference = self._at_the_end()
        return Replayed(self._steps, self._looks, self._samples,
                        self._sim.world.time, difference, until)

    def _ends_at(self, events: Sequence[Json]) -> str:
        """Why what happens now cannot be repeated or compared; '' if it can."""
        is_step = events[0]['event'] == 'step_started'
        end = events[0] if not is_step else events[1] if len(events) > 1 else None
        if end is None or is_step and end['event'] != 'step_finished':
            return 'the record ends in a step'
        if float(end['robot_s']) > self._motion_end_s:
            return f'the record of the motion ends at {self._motion_end_s:.3f} s'
        if not is_step:
            return ''
        reason = end['result']['reason']
        return f'the next step was ended from outside: {reason}' if reason in FROM_OUTSIDE else ''

    def _compared(self, event: Json, later: Sequence[Json]) -> Difference | None:
        """Do what the event says, and compare all that came of it."""
        kind = event['event']
        if kind == 'step_finished':  # compared with its start
            return None
        if kind == 'scene_perceived':
            self._during = f'at look {self._looks + 1}'
            found = self._looked(event)
            self._looks += 1
        else:
            step = Step.from_dict(event['step'])
            self._during = f'in step {self._steps + 1}, {step.told}'
            found = self._executed(event, later[0])
            self._steps += 1
        return found

    def _looked(self, event: Json) -> Difference | None:
        try:
            self._scene = self._sim.perception.observe(Context())
            seen = _plain(self._scene.as_dict())
        except PerceptionError as error:
            seen = {'perception': str(error)}
        return self._first_difference(event, 'scene', event['scene'], seen)

    def _executed(self, event: Json, end: Json) -> Difference | None:
        if self._scene is None:
            raise ValueError('a step before the first look')
        result = self._sim.skills.execute(Step.from_dict(event['step']), self._scene, Context(),
                                          lambda phase: None)
        return self._first_difference(end, 'outcome', end['result'], _plain(result.as_dict()))

    def _first_difference(self, event: Json, what: str, recorded: Any, replayed: Any
                          ) -> Difference | None:
        """In the motion before the event, then in the event itself."""
        until = float(event['robot_s'])
        pairs = zip(self._recorded[self._samples:], self._replayed[self._samples:])
        for before, now in pairs:
            if float(before['t']) > until:
                break
            for path, a, b in _differing(before, now):
                key, *rest = path
                name = ' '.join([PARTS.get(key, key), *(r for r in rest)])
                return Difference(float(before['t']), self._during, name, shown(a), shown(b))
            self._samples += 1
        now_s = round(self._sim.world.time, 6)
        for path, a, b in _differing({what: recorded, 'robot time': event['robot_s']},
                                     {what: replayed, 'robot time': now_s}):
            return Difference(until, self._during, ' '.join(path), shown(a), shown(b))
        counts = [sum(float(line['t']) <= until for line in lines)
                  for lines in (self._recorded, self._replayed)]
        if counts[0] != counts[1]:
            return Difference(until, self._during, 'number of samples', *map(str, counts))
        return None

    def _at_the_end(self) -> Difference | None:
        """Motion that only one of the two has, or a goal that is not met this time."""
        end = self._run.events[-1]
        self._during = 'at the end'
        counts = len(self._recorded), len(self._replayed)
        if counts[0] != counts[1]:
            return Difference(end['robot_s'], self._during, 'number of samples',
                              *map(str, counts))
        judged = [e for e in self._run.events if e['event'] == 'goal_judged']
        if self._run.succeeded and judged and judged[-1]['verified'] and self._scene:
            goals = tuple(Goal.from_dict(g) for g in judged[-1]['goals'])
            if judge_all(goals, self._scene) is not True:
                return Difference(end['robot_s'], self._during, 'goal', 'met', 'not met')
        return None

    def _keep(self, line: str) -> None:
        if line:
            self._replayed.append(json.loads(line))


def _motion_end_s(run: RecordedRun, recorded: Sequence[Json]) -> float:
    """When the record of the motion stops before the run does, as on a full disk; else never."""
    last_s = float(recorded[-1]['t']) if recorded else 0.0
    return last_s if float(run.events[-1]['robot_s']) > last_s + PERIOD_S + EARLY_S else math.inf


def _plain(value: Any) -> Any:
    """The value as it is read from the record."""
    return json.loads(as_json(value))


def _differing(a: Any, b: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[Any, Any, Any]]:
    """Each place at which the two differ, with both values. The names of scenes do not count."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            if key != 'scene_id':
                yield from _differing(a.get(key), b.get(key), (*path, str(key)))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for number, (one, other) in enumerate(zip(a, b), 1):
            name = one.get('name') if isinstance(one, dict) else None
            yield from _differing(one, other, (*path, str(name or number)))
    elif a != b:
        yield path, a, b
