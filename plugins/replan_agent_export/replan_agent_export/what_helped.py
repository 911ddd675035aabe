# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which failures of a run were overcome, and how: from its events."""

from __future__ import annotations

from collections.abc import Iterable

from replan_agent.domain.plan import Step
from replan_agent.record.narrator import IN_WORDS
from replan_agent.record.run_json import OTHER_VERSION, Json


def what_helped(events: Iterable[Json]) -> list[str]:
    """A sentence for each step that failed and worked later."""
    reading = _Reading()
    for event in events:
        try:
            reading.read(event)
        except OTHER_VERSION:
            continue
    return reading.found


class _Reading:
    """The events up to now. The steps of a local planning are part of what was done."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._failed: dict[str, list[str]] = {}  # by what the step is about: what was done since
        self._is_local = False

    def read(self, event: Json) -> None:
        kind = event['event']
        if kind == 'step_started':
            self._is_local = bool(event.get('local_state'))
        elif kind == 'step_finished' and not self._is_local:
            self._finished(Step.from_dict(event['step']), event['result']['success'])
        elif kind == 'policy_decided' and not self._is_local and event['response'] in IN_WORDS:
            self._note(IN_WORDS[event['response']])
        elif kind == 'step_adapted' and not self._is_local:
            self._note(str(event['fix']['message']))
        elif kind == 'local_planning_finished':
            self._is_local = False
            if not event['record']['solved']:
                self._unsolved()

    def _finished(self, step: Step, success: bool) -> None:
        about = _about(step)
        if not success:
            self._failed.pop(about, None)
            self._failed[about] = []  # the last one now; what was done before did not help
        elif about in self._failed:
            done = list(dict.fromkeys(self._failed.pop(about)))
            self.found.append(f'{about} worked after: {", then ".join(done) or "another try"}')

    def _note(self, what: str) -> None:
        if self._failed:
            self._failed[next(reversed(self._failed))].append(what)

    def _unsolved(self) -> None:
        """No way around it was found: it did not help."""
        if self._failed and (done := self._failed[next(reversed(self._failed))]):
            done[:] = [what for what in done if what != IN_WORDS['local']]


def _about(step: Step) -> str:
    """The skill and the thing it names. Other arguments may differ in the next try."""
    named = next((value for value in step.args.values() if isinstance(value, str)), '')
    return f'{step.skill} {named}'.strip()
