# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a run was, for people who read it later: asked, seen, planned, failed, helped, ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from replan_agent.record.narrator import LIVE, Narrator, Said
from replan_agent.record.run_json import EVENTS, Json, json_lines

from .what_helped import what_helped

FACTS = ('scene', 'seed', 'robot', 'planner', 'perception', 'approver')


@dataclass(frozen=True)
class Moment:
    """Something that happened: when (s since the start), in words, and what the camera saw."""

    at_s: float
    title: str
    lines: tuple[str, ...] = ()
    tone: str = ''  # of the narrator
    picture: str = ''  # a file in the run folder


@dataclass(frozen=True)
class RunStory:
    """A run in the order it happened. `success` is None if it did not end."""

    task: str
    started: datetime | None
    facts: Mapping[str, str]
    moments: tuple[Moment, ...]
    success: bool | None
    verdict: tuple[tuple[str, str], ...]

    def when(self, at_s: float) -> str:
        """The time of day, or the seconds since the start in runs of earlier versions."""
        if self.started is None:
            return f'+{at_s:.1f} s'
        return f'{self.started + timedelta(seconds=at_s):%H:%M:%S}'

    @property
    def facts_line(self) -> str:
        """The date, and the facts of the run."""
        date = '' if self.started is None else f'{self.started:%Y-%m-%d %H:%M:%S %Z}'.strip()
        facts = ', '.join(f'{name} {value}' for name, value in self.facts.items())
        return '  '.join(filter(None, (date, facts)))


def story_of(folder: Path) -> RunStory:
    """The story of a run folder. Raises RunUnreadable if there is none."""
    return told([event for _, event in json_lines(folder / EVENTS)])


def told(events: Sequence[Json]) -> RunStory:
    """The story that the events tell. An event of another version is left out."""
    first = events[0] if events else {}
    narrator, moments = Narrator(), list[Moment]()
    for event in events:
        for said in narrator.said(event):
            if said.only != LIVE:
                _add(moments, said, event)
    end = next((e for e in reversed(events) if e.get('event') == 'task_finished'), None)
    facts = first.get('facts')
    given = {**(facts if isinstance(facts, Mapping) else {}), **first}
    return RunStory(str(first.get('task', '')), _started(first),
                    {name: str(given[name]) for name in FACTS if given.get(name) is not None},
                    tuple(moments), None if end is None else end.get('success') is True,
                    _verdict(end, narrator.goals, what_helped(events)))


def _add(moments: list[Moment], said: Said, event: Json) -> None:
    """A new moment, or more about the last one. Each has one picture."""
    picture, last = str(event.get('picture', '')), moments[-1] if moments else None
    if said.head or last is None or (picture and last.picture):
        moments.append(Moment(_seconds(event.get('wall_s')), said.line, said.lines, said.tone,
                              picture))
    else:
        moments[-1] = replace(last, lines=(*last.lines, said.text, *said.lines),
                              tone=said.tone or last.tone, picture=picture or last.picture)


def _verdict(end: Json | None, goals: Sequence[str], helped: Iterable[str],
             ) -> tuple[tuple[str, str], ...]:
    if end is None:
        return (('ended', 'the record ends here: the run was interrupted'),)
    rows = [('ended', 'the task succeeded' if end.get('success') else 'the task failed'),
            ('why', end.get('why')), ('would help', end.get('would_help')),
            *(('goal', goal) for goal in goals), *(('what helped', line) for line in helped),
            ('final reason', end.get('final_reason')),
            ('detail', _without(end.get('final_detail'), end.get('why')))]
    return tuple((name, str(value)) for name, value in rows if value)


def _without(detail: Any, why: Any) -> str:
    """The detail without the reason that stands above it."""
    return str(detail or '').replace(f' — {why}', '') if why else str(detail or '')


def _started(first: Json) -> datetime | None:
    try:
        return datetime.fromisoformat(str(first.get('started_at')))
    except ValueError:
        return None


def _seconds(value: Any) -> float:
    return float(value) if isinstance(value, float | int) else 0.0
