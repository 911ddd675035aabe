"""What events.jsonl says about a run that did not finish, in the form of result.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .parsing import skill_result_from
from .run_json import Json, RunUnreadable, json_lines

LISTS = ('plans', 'attempts', 'completed', 'undone', 'goals', 'hints', 'proofs', 'reflections')
MORE_LISTS = ('approvals',)  # of this run alone
# Events whose one value is an entry of a list.
ENTRIES = {'plan_made': ('plan', 'plans'), 'attempt_recorded': ('attempt', 'attempts'),
           'reflection_made': ('reflection', 'reflections'), 'human_answered': ('hint', 'hints')}


def run_in_events(file: Path) -> Json:
    """Task, facts, plans, attempts and the rest, as far as the run got. Raises RunUnreadable."""
    log = _Log()
    for where, event in json_lines(file):
        try:
            log.read(event)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise RunUnreadable(f'{where}: not the format of this version: '
                                f'{type(error).__name__}: {error}') from error
    return log.data


class _Log:
    """The events so far. The scene is the latest one, so it is the one before a step."""

    def __init__(self) -> None:
        self.data: dict[str, Any] = {key: [] for key in (*LISTS, *MORE_LISTS)}
        self._scene: Json = {}
        self._is_local = False

    def read(self, event: Json) -> None:
        kind = event['event']
        if kind in ENTRIES:
            value, entries = ENTRIES[kind]
            self.data[entries].append(event[value])
        if kind == 'task_started':
            self.data |= {**event.get('facts', {}), 'task': event['task'],
                          'planner': event['planner']}
        elif kind == 'task_resumed':
            for key in LISTS:
                self.data[key] += event['earlier'][key]
        elif kind == 'approval_decided':
            self.data['approvals'].append(event)
        elif kind == 'scene_perceived':
            self._scene = event['scene']
        elif kind == 'step_started':
            self._is_local = bool(event['local_state'])
        elif kind == 'step_finished':
            self._step_finished(event)
        elif kind == 'plan_adapted' and self.data['plans']:
            self.data['plans'][-1] = event['plan']
        elif kind == 'plan_made' and not self.data['goals']:  # the first goals stay
            self.data['goals'] = event['plan']['goals']

    def _step_finished(self, event: Json) -> None:
        result = skill_result_from(event['result'])
        if result.success and not self._is_local:
            self.data['completed'].append({**event['step'], 'held': self._scene['held']})
        if result.proved_impossible:
            self.data['proofs'].append({'step': event['step'], 'scene': self._scene,
                                        'result': event['result']})
