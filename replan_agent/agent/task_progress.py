# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The states of the loop, and how far a task is, for its caller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from replan_agent.domain import event as events
from replan_agent.domain.failure import Attempt
from replan_agent.domain.plan import Step
from replan_agent.domain.task_result import TaskResult
from replan_agent.text.shown_text import in_words


class State(str, Enum):
    """In the order of a task."""

    IDLE = 'idle'
    PERCEIVING = 'perceiving'
    PLANNING = 'planning'
    REHEARSING = 'rehearsing'
    APPROVING = 'approving'
    PENDING_APPROVAL = 'pending_approval'
    EXECUTING = 'executing'
    VERIFYING = 'verifying'
    DIAGNOSING = 'diagnosing'
    LOCAL_PLANNING = 'local_planning'
    HUMAN_REQUIRED = 'human_required'
    REPLANNING = 'replanning'
    SUCCEEDED = 'succeeded'
    FAILED = 'failed'


@dataclass(frozen=True)
class Progress:
    """How far a task is: over ROS, the feedback of ExecuteTask."""

    state: State
    plan_version: int = 0
    step_idx: int = 0
    step: Step | None = None
    replans: int = 0
    last_attempt: Attempt | None = None
    message: str = ''
    understood: str = ''  # the goals of the task, in a sentence


class ProgressRecorder:
    """Turns events into progress, for the caller of the task."""

    def __init__(self, publish: Callable[[Progress], None]) -> None:
        self._publish = publish
        self._progress = Progress(State.IDLE)

    def record(self, event: events.Event) -> None:
        progress = self._after(event)
        if progress is not None:
            self._progress = progress
            self._publish(progress)

    def finish(self, result: TaskResult) -> None:
        """Do nothing: the action returns the result."""

    def _after(self, event: events.Event) -> Progress | None:
        """The progress after an event; None if it does not change."""
        now = self._progress
        match event:
            case events.StateChanged():
                return replace(now, state=State(event.state), message=event.state)
            case events.PlanMade():
                calls = ' → '.join(step.told for step in event.plan.steps)
                return replace(now, plan_version=event.plan.version, step=None,
                               understood=event.understood or now.understood,
                               message=f'plan {event.plan.version}: {calls}')
            case events.PlanAdapted():
                calls = ' → '.join(step.told for step in event.to_run)
                return replace(now, message=f'plan {event.plan.version} adapted: {calls}')
            case events.ApprovalPending():
                why = f': {"; ".join(event.reasons)}' if event.reasons else ''
                return replace(now, message=f'plan {event.plan_version} waits for approval, '
                                            f'request {event.request}{why}')
            case events.HumanAsked():
                return replace(now, message=f'a person is needed: {event.question}')
            case events.StepStarted():
                return replace(now, step_idx=event.step_idx, step=event.step,
                               message=event.step.told)
            case events.PhaseStarted():
                return replace(now, message=f'{event.skill}: {in_words(event.phase)}')
            case events.StepFinished():
                answer = 'ok' if event.result.success else event.result.reason_detail
                return replace(now, message=f'{event.step.told}: {answer}')
            case events.StepSkipped():
                return replace(now, step_idx=event.step_idx, step=event.step,
                               message=f'{event.step.told}: {event.detail}')
            case events.AttemptRecorded():
                failed = event.attempt
                return replace(now, last_attempt=failed,
                               message=f'failed: {in_words(failed.reason)} — '
                                       f'{failed.reason_detail}')
            case events.ReplanStarted():
                return replace(now, replans=event.replans, message=f'replan: {event.cause}')
            case events.ModelThinking():
                return replace(now, message=event.message)
            case events.WarningRaised():
                return replace(now, message=f'warning: {event.message}')
            case _:
                return None
