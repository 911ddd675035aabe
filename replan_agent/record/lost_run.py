# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run whose process died: how far it got, as the result that it could not write."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from replan_agent.domain.event import ApprovalDecided
from replan_agent.domain.plan import Step
from replan_agent.domain.task_result import FinalReason, StepRecord, TaskResult

from .run_folder import EVENTS, LOCK, RESULT, locked, write_json
from .run_json import Json, RunUnreadable, json_lines
from .stored_run import StoredRun

WRITER = 'agent'  # the fact that says which agent ran the task


@dataclass(frozen=True)
class LostRun:
    folder: Path
    result: TaskResult

    @property
    def task_id(self) -> str:
        return str(self.result.extra.get('task_id', ''))


def close_lost_runs(root: Path, agent: str, on_problem: Callable[[str], None]) -> list[LostRun]:
    """Writes result.json into each folder of `root` in which this agent died; returns them.

    `agent` is the name in the facts of the run. A run that goes on, and a run of others, is left
    as it is. What cannot be read or written goes to `on_problem`, as a sentence.
    """
    return [run for folder in _without_result(root)
            if (run := _closed(folder, agent, on_problem)) is not None]


def _without_result(root: Path) -> Iterator[Path]:
    try:
        folders = sorted(root.iterdir())
    except OSError:  # there are no runs yet
        return
    for folder in folders:
        if (folder / EVENTS).is_file() and not (folder / RESULT).exists():
            yield folder


def _closed(folder: Path, agent: str, on_problem: Callable[[str], None]) -> LostRun | None:
    try:
        if not _is_of(folder, agent):
            return None
        with locked(folder / LOCK):
            if (folder / RESULT).exists():  # written meanwhile
                return None
            events = [event for _, event in json_lines(folder / EVENTS)]
            run = LostRun(folder, lost_result(StoredRun.load(folder), events))
            write_json(folder / RESULT, run.result.as_dict())
            return run
    except (OSError, RunUnreadable, KeyError, TypeError, ValueError) as error:
        if getattr(error, 'errno', 0) != errno.EBUSY:  # else another process writes there
            on_problem(f'{folder}: how this run ended is not recorded: {error}')
        return None


def _is_of(folder: Path, agent: str) -> bool:
    first: Json = next((event for _, event in json_lines(folder / EVENTS)), {})
    facts = first.get('facts')
    return isinstance(facts, dict) and facts.get(WRITER) == agent


def lost_result(run: StoredRun, events: list[Json]) -> TaskResult:
    """The result of a run that ended without one, from its events."""
    earlier, started = run.resume(), events[0]
    replans = [event for event in events if event['event'] == 'replan_started']
    looks = sum(event['event'] == 'scene_perceived' for event in events)
    return TaskResult(
        run.task, False, FinalReason.AGENT_LOST, _how_far(events),
        replans[-1]['replans'] if replans else 0, replans[-1]['total_replans'] if replans else 0,
        tuple(map(StepRecord.from_dict, run.data['steps'])), earlier.attempts, earlier.plans,
        earlier.goals, None, run.fact('planner', ''), str(started.get('perception', '')),
        sum(event['event'] == 'model_called' for event in events), max(0, looks - 1),
        reflections=earlier.reflections, hints=earlier.hints, completed=earlier.completed,
        approvals=tuple(map(ApprovalDecided.from_dict, run.data['approvals'])),
        proofs=earlier.proofs, undone=earlier.undone, threshold=earlier.threshold,
        goals_named_by=run.fact('goals_named_by', ''),
        not_recorded='the process died: what it had not yet written is missing',
        extra=started.get('facts', {}))


def _how_far(events: list[Json]) -> str:
    """What was going on last, as a sentence."""
    wall_s = events[-1].get('wall_s', 0.0)
    begun = [event for event in events if event['event'] in ('step_started', 'step_finished')]
    open_step = begun[-1] if begun and begun[-1]['event'] == 'step_started' else None
    doing = (f'step {open_step["step_idx"]} ({Step.from_dict(open_step["step"]).told}) was running'
             if open_step else f'the last event was {events[-1]["event"]}')
    return (f'the agent died without a result, {wall_s:.1f} s after the start of the task or '
            f'later: {doing}. How the arm stands is not known')
