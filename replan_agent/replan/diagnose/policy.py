# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What to do about a failure, from its diagnosis and the settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from replan_agent.domain.cause import Cause
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.failure import Diagnosis, Kind, Severity
from replan_agent.domain.recovery import FailureCase, Response, RetryCounts

from .diagnosis import diagnose
from .hardware import HARDWARE

# A few small actions around the step may solve these.
SOLVED_LOCALLY = frozenset({
    Cause.BOXED_IN, Cause.APPROACH_BLOCKED, Cause.TARGET_OCCUPIED, Cause.NO_FREE_SPOT,
    Cause.NEAR_EDGE, Cause.JUST_OUT_OF_REACH, Cause.NO_POSTURE, Cause.NO_WAY_OUT,
    Cause.PRECONDITION_FAILED})
# And these, when every change has failed: in another place it shows other sides.
SLID = frozenset({Cause.CLOSED_ON_AIR, Cause.SLIPPED_IN_LIFT, Cause.NOT_DECIDED})
# The world has not changed, so another look does not help.
SAME_VIEW = frozenset({Cause.CONTROLLER_ERROR, Cause.TRAJECTORY_REFUSED, Cause.GRIPPER_BLOCKED,
                       Cause.TOOK_TOO_LONG})
MOST_LOCAL = 2  # times that local planning is used around one step


@dataclass(frozen=True)
class TablePolicy:
    """Retries transient failures, works around blocked steps, leaves the rest to a new plan."""

    config: AgentConfig = field(default_factory=AgentConfig)

    def diagnose(self, case: FailureCase) -> Diagnosis:
        return diagnose(case)

    def respond(self, diagnosis: Diagnosis, tries: RetryCounts, is_step: bool) -> Response:
        """What to do now. A MEDIUM failure counts as HIGH if no retries are left."""
        if diagnosis.cause is Cause.STOPPED:
            return Response.STOP
        if is_step and diagnosis.severity is Severity.LOW:
            return Response.CONTINUE
        config, passes = self.config, diagnosis.kind is Kind.TRANSIENT
        retried = (passes and diagnosis.severity is Severity.MEDIUM and not diagnosis.proved
                   and not config.replan_on_medium and tries.retries < config.max_step_retries)
        if is_step and retried:
            return Response.RETRY if diagnosis.cause in SAME_VIEW else Response.RECAPTURE
        worked_around = config.replanning and config.local_planning and (
            diagnosis.cause in SLID if tries.spent else
            diagnosis.cause in SOLVED_LOCALLY and not passes)
        if is_step and worked_around and tries.may_work_around and tries.local < MOST_LOCAL:
            return Response.LOCAL
        if is_step and diagnosis.cause in HARDWARE and diagnosis.kind is Kind.STRUCTURAL:
            return Response.HUMAN if config.replanning else Response.STOP
        return Response.REPLAN if self._replanned(diagnosis.severity) else Response.STOP

    def _replanned(self, severity: Severity) -> bool:
        config = self.config
        return config.replanning and (
            config.replan_on_critical if severity is Severity.CRITICAL else config.replan_on_high
            or severity is Severity.MEDIUM and config.replan_on_medium)
