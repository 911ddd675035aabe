"""The policy: what a failure means, by table and evidence, and what is done about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from replan_agent.agent.ports import Tries
from replan_agent.domain.config import AgentConfig
from replan_agent.domain.failure import (
    DEFAULT_DIAGNOSIS,
    Attempt,
    AttemptStage,
    Category,
    Diagnosis,
    Kind,
    Severity,
)
from replan_agent.domain.ik import Reachability
from replan_agent.domain.recovery import FailureCase, Response
from replan_agent.domain.skill import Reason

EMPTY_PLAN = Diagnosis(Severity.CRITICAL, Category.LOGIC, Kind.UNDERSPECIFIED)
UNMET_GOAL = Diagnosis(Severity.HIGH, Category.LOGIC, Kind.UNDERSPECIFIED)
RETRIED = frozenset({Severity.MEDIUM, Severity.LOW})


@dataclass(frozen=True)
class TablePolicy:
    """Retries what is transient, leaves the rest to a new plan."""

    config: AgentConfig = field(default_factory=AgentConfig)

    def diagnose(self, case: FailureCase) -> Diagnosis:
        attempt = case.attempt
        if attempt.reason not in {reason.value for reason in Reason}:
            return UNMET_GOAL if attempt.stage is AttemptStage.GOAL else EMPTY_PLAN
        diagnosis = replace(DEFAULT_DIAGNOSIS[Reason(attempt.reason)],
                            stage=attempt.failed_stage, proved=_proved(attempt))
        if diagnosis.proved:
            return replace(diagnosis, kind=Kind.STRUCTURAL)
        if attempt.evidence.get('contact'):  # the world was not as seen: look again, try again
            return replace(diagnosis, severity=Severity.MEDIUM, kind=Kind.TRANSIENT)
        return diagnosis

    def respond(self, diagnosis: Diagnosis, tries: Tries, is_step: bool) -> Response:
        """A MEDIUM failure whose retries are spent counts as HIGH."""
        transient = diagnosis.kind is Kind.TRANSIENT and diagnosis.severity in RETRIED
        if is_step and transient and tries.retries < self.config.max_step_retries:
            return Response.RECAPTURE
        return Response.REPLAN if self.config.replanning else Response.STOP


def _proved(attempt: Attempt) -> bool:
    by_ik = attempt.ik and attempt.ik.reachability is Reachability.PROVED_UNREACHABLE
    return bool(by_ik or attempt.evidence.get('proved_impossible'))
