"""The states of the loop, in the order of a task."""

from __future__ import annotations

from enum import Enum


class State(str, Enum):
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
