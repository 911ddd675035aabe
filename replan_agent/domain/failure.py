"""Failures: how bad, of what sort, and what may help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from replan_agent.text.plain_values import Recorded, on_disk

from .cause import Cause
from .ik_report import IKReport
from .skill import FailedStage, Reason, SkillSpec


class Severity(str, Enum):
    CRITICAL = 'CRITICAL'
    HIGH = 'HIGH'
    MEDIUM = 'MEDIUM'
    LOW = 'LOW'


class Category(str, Enum):
    ENVIRONMENT = 'ENVIRONMENT'
    DEPENDENCY = 'DEPENDENCY'
    VALIDATION = 'VALIDATION'
    LOGIC = 'LOGIC'
    TIMEOUT = 'TIMEOUT'
    RESOURCE = 'RESOURCE'
    UNKNOWN = 'UNKNOWN'


class Kind(str, Enum):
    """What helps: nothing in this scene, the same again, or more context."""

    STRUCTURAL = 'structural'
    TRANSIENT = 'transient'
    UNDERSPECIFIED = 'underspecified'


@dataclass(frozen=True)
class Diagnosis(Recorded):
    """What a failure is. `cause` is finer than the reason, read from the evidence.

    `proved`: nothing in this scene can make the step succeed. `remedy` says what would make it
    possible, for the planner and for people.
    """

    severity: Severity
    category: Category
    kind: Kind
    stage: FailedStage | None = None
    cause: Cause | None = field(default=None, metadata=on_disk(
        write=lambda cause: cause.value if cause else ''))
    proved: bool = False
    remedy: str = ''


def _d(severity: Severity, category: Category, kind: Kind, cause: Cause) -> Diagnosis:
    return Diagnosis(severity, category, kind, cause=cause)


# The default of each reason; evidence overrides it. A test proves that none is missing.
DEFAULT_DIAGNOSIS: Mapping[Reason, Diagnosis] = {
    Reason.OBJECT_NOT_FOUND: _d(Severity.HIGH, Category.DEPENDENCY, Kind.UNDERSPECIFIED,
                                Cause.NOT_IN_SCENE),
    Reason.AMBIGUOUS_OBJECT: _d(Severity.HIGH, Category.VALIDATION, Kind.UNDERSPECIFIED,
                                Cause.AMBIGUOUS_OBJECT),
    Reason.UNREACHABLE: _d(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL,
                           Cause.NO_POSTURE),
    Reason.IN_COLLISION: _d(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL,
                            Cause.APPROACH_BLOCKED),
    Reason.PATH_BLOCKED: _d(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL,
                            Cause.APPROACH_BLOCKED),
    Reason.GRASP_MISSED: _d(Severity.MEDIUM, Category.ENVIRONMENT, Kind.TRANSIENT,
                            Cause.CLOSED_ON_AIR),
    Reason.GRASP_SLIPPED: _d(Severity.MEDIUM, Category.ENVIRONMENT, Kind.TRANSIENT,
                             Cause.SLIPPED_IN_LIFT),
    Reason.TARGET_OCCUPIED: _d(Severity.HIGH, Category.ENVIRONMENT, Kind.STRUCTURAL,
                               Cause.TARGET_OCCUPIED),
    Reason.VERIFICATION_FAILED: _d(Severity.HIGH, Category.ENVIRONMENT, Kind.TRANSIENT,
                                   Cause.VERIFICATION_FAILED),
    Reason.BAD_ARGUMENTS: _d(Severity.HIGH, Category.VALIDATION, Kind.UNDERSPECIFIED,
                             Cause.BAD_ARGUMENTS),
    Reason.UNKNOWN_SKILL: _d(Severity.HIGH, Category.VALIDATION, Kind.UNDERSPECIFIED,
                             Cause.UNKNOWN_SKILL),
    Reason.PRECONDITION_FAILED: _d(Severity.HIGH, Category.LOGIC, Kind.UNDERSPECIFIED,
                                   Cause.PRECONDITION_FAILED),
    Reason.WORKSPACE_VIOLATION: _d(Severity.HIGH, Category.VALIDATION, Kind.STRUCTURAL,
                                   Cause.WORKSPACE_VIOLATION),
    Reason.CONTROLLER_ABORTED: _d(Severity.MEDIUM, Category.RESOURCE, Kind.TRANSIENT,
                                  Cause.CONTROLLER_ERROR),
    Reason.STOPPED: _d(Severity.CRITICAL, Category.RESOURCE, Kind.STRUCTURAL, Cause.STOPPED),
    Reason.TIMEOUT: _d(Severity.MEDIUM, Category.TIMEOUT, Kind.TRANSIENT, Cause.TOOK_TOO_LONG),
    Reason.STALE_SCENE: _d(Severity.MEDIUM, Category.DEPENDENCY, Kind.TRANSIENT,
                           Cause.SEEN_TOO_LONG_AGO),
}


class AttemptStage(str, Enum):
    """Where an attempt ended: its plan was refused, a step failed, or the goal was not met."""

    PLAN = 'plan'
    EXECUTE = 'execute'
    GOAL = 'goal'


@dataclass(frozen=True)
class Attempt(Recorded):
    """One entry of `prior_attempts`: what was tried and why it failed.

    `step_idx` is the index of the step in its plan: the first refused one for a refused plan, 0 if
    no step is to blame for that, and the number of steps for an unmet goal. `cause` and
    `blockers` are what the skill said; the diagnosis may find a finer cause.
    """

    step_idx: int
    skill: str
    args: Mapping[str, Any]
    reason: str
    reason_detail: str
    stage: AttemptStage = AttemptStage.EXECUTE
    plan_version: int = 1
    ik: IKReport | None = None
    diagnosis: Diagnosis | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    failed_stage: FailedStage | None = None
    cause: Cause | None = None
    blockers: tuple[str, ...] = ()

    def objects(self, spec: SkillSpec | None) -> frozenset[str]:
        """The objects that the failure is about: its arguments, the held object, the blockers.

        `spec` is that of its skill; without one, any text argument may name an object. The `held`
        of the evidence is what the gripper held before the step.
        """
        named = [value for argument, value in self.args.items() if isinstance(value, str)
                 and (spec is None or argument in spec.object_arguments)]
        return frozenset(filter(None, (*named, *self.blockers, self.evidence.get('held'))))

    @property
    def is_refused(self) -> bool:
        """Whether the plan was refused: no step of it ran, not even in the twin."""
        return self.stage is AttemptStage.PLAN and not self.evidence.get('rehearsed')

    @property
    def touched(self) -> bool:
        """Whether the arm really touched something, not only in a forecast or in the twin."""
        if self.evidence.get('rehearsed'):
            return False
        foreseen = self.failed_stage in (FailedStage.PRECONDITION, FailedStage.PLANNING)
        collided = self.reason == Reason.IN_COLLISION.value and not foreseen
        return collided or bool(self.evidence.get('contact'))
