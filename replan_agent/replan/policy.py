"""The default policy: one table says what a failure means, evidence overrides it."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
from replan_agent.domain.skill import Reason

EMPTY_PLAN = Diagnosis(Severity.CRITICAL, Category.LOGIC, Kind.UNDERSPECIFIED)
UNMET_GOAL = Diagnosis(Severity.HIGH, Category.LOGIC, Kind.UNDERSPECIFIED)
RETRIED = frozenset({Severity.MEDIUM, Severity.LOW})


@dataclass(frozen=True)
class TablePolicy:
    """Retries what is transient, leaves the rest to a new plan."""

    max_step_retries: int = 3

    def diagnose(self, attempt: Attempt) -> Diagnosis:
        if attempt.reason not in {reason.value for reason in Reason}:
            return UNMET_GOAL if attempt.stage is AttemptStage.GOAL else EMPTY_PLAN
        diagnosis = DEFAULT_DIAGNOSIS[Reason(attempt.reason)]
        if _proved(attempt):
            return replace(diagnosis, kind=Kind.STRUCTURAL)
        if attempt.evidence.get('contact'):  # the world was not as seen: look again, try again
            return replace(diagnosis, severity=Severity.MEDIUM, kind=Kind.TRANSIENT)
        return diagnosis

    def retry(self, diagnosis: Diagnosis, retries: int) -> bool:
        """Whether to try the same step again; a MEDIUM failure whose retries are spent is HIGH."""
        transient = diagnosis.kind is Kind.TRANSIENT and diagnosis.severity in RETRIED
        return transient and retries < self.max_step_retries


def _proved(attempt: Attempt) -> bool:
    by_ik = attempt.ik and attempt.ik.reachability is Reachability.PROVED_UNREACHABLE
    return bool(by_ik or attempt.evidence.get('proved_impossible'))
