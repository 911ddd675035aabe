# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What events.jsonl says about a run that did not finish, in the form of result.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from replan_agent.domain.skill import SkillResult
from replan_agent.domain.task_result import GOALS_OF_THE_TASK
from replan_agent.geometry.steps.proofs import OF_THE_OBJECT

from .run_json import OTHER_VERSION, Json, RunUnreadable, json_lines

LISTS = ('plans', 'attempts', 'completed', 'undone', 'goals', 'hints', 'proofs', 'reflections')
MORE_LISTS = ('approvals', 'steps')  # of this run alone
# Events whose one value is an entry of a list.
ENTRIES = {'plan_made': ('plan', 'plans'), 'attempt_recorded': ('attempt', 'attempts'),
           'reflection_made': ('reflection', 'reflections'), 'human_answered': ('hint', 'hints')}


def run_in_events(file: Path) -> Json:
    """Task, facts, plans, attempts and the rest, as far as the run got. Raises RunUnreadable."""
    log = _Log()
    for where, event in json_lines(file):
        try:
            log.read(event)
        except OTHER_VERSION as error:
            raise RunUnreadable(f'{where}: not the format of this version: '
                                f'{type(error).__name__}: {error}') from error
    return log.data


class _Log:
    """The events so far. The scene is the latest one, so it is the one before a step."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {key: [] for key in (*LISTS, *MORE_LISTS)}
        self._scene: Json = {}
        self._started: Json = {}  # the step that runs

    def read(self, event: Json) -> None:
        kind = event['event']
        if kind in ENTRIES:
            value, entries = ENTRIES[kind]
            self.data[entries].append(event[value])
        if kind == 'task_started':
            self.data |= {**event.get('facts', {}), 'task': event['task'],
                          'planner': event['planner']}
        elif kind == 'task_resumed':
            self.data['denied'] = bool(event['earlier'].get('denied'))
            for key in LISTS:
                self.data[key] += event['earlier'][key]
            self.data['threshold'] = event['earlier']['threshold']
            self._set_goals(event['earlier']['goals'], event['earlier'].get('goals_certain'))
        elif kind == 'approval_decided':
            self.data['approvals'].append(event)
        elif kind == 'scene_perceived':
            self._scene = event['scene']
        elif kind == 'step_started':
            self._started = event
        elif kind == 'step_finished':
            self._step_finished(event)
        elif kind == 'plan_adapted' and self.data['plans']:
            self.data['plans'][-1] = event['plan']
        elif kind == 'goals_set':
            self._set_goals(event['goals'], event['certain'])
        elif kind == 'rehearsal_finished' and not event['ok']:
            self._proof(event, in_twin=True)

    def _set_goals(self, goals: list[Json], certain: Any) -> None:
        self.data['goals'] = goals
        self.data['goals_named_by'] = GOALS_OF_THE_TASK if certain else self.data['planner']

    def _step_finished(self, event: Json) -> None:
        result, own = SkillResult.from_dict(event['result']), self._started.get('local_state', '')
        self.data['steps'].append({
            'step_idx': event['step_idx'], 'plan_version': event['plan_version'],
            **event['step'], 'result': event['result'], 'duration_s': event['duration_s'],
            'retry': self._started.get('retry', 0), 'local_state': own})
        if result.success and not own:
            self.data['completed'].append({**event['step'], 'held': self._scene['held']})
        self._proof(event)

    def _proof(self, event: Json, in_twin: bool = False) -> None:
        """Note a result that is a proof, as the agent does."""
        result = SkillResult.from_dict(event['result'])
        if result.proved_impossible and not (in_twin and result.cause in OF_THE_OBJECT):
            self.data['proofs'].append({'step': event['step'], 'scene': self._scene,
                                        'result': event['result']})
