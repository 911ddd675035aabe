"""Which failures of a run were overcome, and how: from its events."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.plan import Step

from .parsing import step_from
from .run_json import Json

IN_WORDS = {'retry': 'the same step again', 'recapture': 'a fresh look and the same step again',
            'local': 'a way around it', 'replan': 'a new plan', 'human': 'a hint from a person',
            'continue': 'going on', 'stop': 'the task ends'}


def what_helped(events: Iterable[Json]) -> list[str]:
    """A sentence for each step that failed and worked later."""
    failed: dict[str, list[str]] = {}  # by what the step is about: what was done since
    found: list[str] = []
    for event in events:
        try:
            _read(event, failed, found)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue  # an event of another version
    return found


def _read(event: Json, failed: dict[str, list[str]], found: list[str]) -> None:
    kind = event['event']
    if kind == 'step_finished':
        step = step_from(event['step'])
        if not event['result']['success']:
            failed[_about(step)] = failed.pop(_about(step), [])  # the last one now
        elif _about(step) in failed:
            tried = list(dict.fromkeys(failed.pop(_about(step))))
            found.append(f'{_about(step)} worked after: {", then ".join(tried) or "another try"}')
    elif kind == 'policy_decided' and event['response'] in IN_WORDS:
        _note(failed, IN_WORDS[event['response']])
    elif kind == 'step_adapted':
        _note(failed, str(event['fix']['message']))


def _note(failed: dict[str, list[str]], what: str) -> None:
    if failed:
        failed[next(reversed(failed))].append(what)


def _about(step: Step) -> str:
    """The skill and the thing it names. Other arguments may differ in the next try."""
    named = next((value for value in step.args.values() if isinstance(value, str)), '')
    return f'{step.skill} {named}'.strip()
