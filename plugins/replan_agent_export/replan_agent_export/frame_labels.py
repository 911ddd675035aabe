# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What happens in each frame of a run: the phase, the cause of a failure, the recovery."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.record.run_json import Json

from .recorded_run import RecordedRun


@dataclass(frozen=True)
class FrameLabels:
    """Labels of one frame; '' means that there is none.

    `phase` is 'pick/approach'. `failure_cause` is set in the frames of a step that fails.
    `recovery` is how the agent responds to an earlier failure: 'retry', 'local' (small actions
    around a blocked step), 'replan' or 'human'.
    """

    phase: str = ''
    failure_cause: str = ''
    recovery: str = ''


@dataclass(frozen=True)
class _StepSpan:
    start_s: float
    end_s: float
    failure_cause: str
    recovery: str

    def is_in(self, start_s: float, end_s: float) -> bool:
        """Whether it has a part in this time, or lies in it if it took no robot time."""
        if self.start_s == self.end_s:
            return start_s <= self.start_s < end_s
        return self.start_s < end_s and self.end_s > start_s


def frame_labels(run: RecordedRun, times: Sequence[float], period_s: float) -> list[FrameLabels]:
    """The labels of frames at these robot times (s); each frame lasts `period_s`."""
    phases, spans = _phases(run), _spans(run)
    starts = [at for at, _ in phases]
    found = []
    for now in times:
        here = bisect_right(starts, now) - 1
        steps = [span for span in spans if span.is_in(now, now + period_s)]
        causes = [span.failure_cause for span in steps if span.failure_cause]
        found.append(FrameLabels(phases[here][1] if here >= 0 else '',
                                 causes[-1] if causes else '',
                                 steps[-1].recovery if steps else ''))
    return found


def _phases(run: RecordedRun) -> list[tuple[float, str]]:
    """Each change of the phase, with its robot time."""
    changes = []
    for event in run.events:
        if event['event'] == 'phase_started':
            changes.append((float(event['robot_s']), f'{event["skill"]}/{event["phase"]}'))
        elif event['event'] == 'step_finished':
            changes.append((float(event['robot_s']), ''))
    return changes


def _spans(run: RecordedRun) -> list[_StepSpan]:
    causes: dict[int, str] = {}  # of the versions of the plan
    spans, started = [], None
    for event in run.events:
        if event['event'] == 'plan_made':
            causes[event['plan']['version']] = event['plan']['cause']
        elif event['event'] == 'step_started':
            started = event
        elif event['event'] == 'step_finished' and started is not None:
            result = event['result']
            cause = '' if result['success'] else str(result['cause'] or result['reason'])
            spans.append(_StepSpan(float(started['robot_s']), float(event['robot_s']), cause,
                                   _recovery(started, causes)))
            started = None
    return spans


def _recovery(started: Json, causes: dict[int, str]) -> str:
    if started['local_state']:
        return 'local'
    if started['retry']:
        return 'retry'
    return {'error': 'replan', 'monitor': 'replan', 'human': 'human'}.get(
        causes.get(started['plan_version'], ''), '')
