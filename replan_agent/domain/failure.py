# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
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


# The default of each reason: severity, category, kind and cause. Evidence overrides it. A test
# proves that none is missing.
_DEFAULTS = """
    OBJECT_NOT_FOUND    HIGH     DEPENDENCY  UNDERSPECIFIED NOT_IN_SCENE
    AMBIGUOUS_OBJECT    HIGH     VALIDATION  UNDERSPECIFIED AMBIGUOUS_OBJECT
    UNREACHABLE         HIGH     ENVIRONMENT STRUCTURAL     NO_POSTURE
    IN_COLLISION        HIGH     ENVIRONMENT STRUCTURAL     APPROACH_BLOCKED
    PATH_BLOCKED        HIGH     ENVIRONMENT STRUCTURAL     APPROACH_BLOCKED
    GRASP_MISSED        MEDIUM   ENVIRONMENT TRANSIENT      CLOSED_ON_AIR
    GRASP_SLIPPED       MEDIUM   ENVIRONMENT TRANSIENT      SLIPPED_IN_LIFT
    TARGET_OCCUPIED     HIGH     ENVIRONMENT STRUCTURAL     TARGET_OCCUPIED
    VERIFICATION_FAILED HIGH     ENVIRONMENT TRANSIENT      VERIFICATION_FAILED
    BAD_ARGUMENTS       HIGH     VALIDATION  UNDERSPECIFIED BAD_ARGUMENTS
    UNKNOWN_SKILL       HIGH     VALIDATION  UNDERSPECIFIED UNKNOWN_SKILL
    PRECONDITION_FAILED HIGH     LOGIC       UNDERSPECIFIED PRECONDITION_FAILED
    WORKSPACE_VIOLATION HIGH     VALIDATION  STRUCTURAL     WORKSPACE_VIOLATION
    CONTROLLER_ABORTED  MEDIUM   RESOURCE    TRANSIENT      CONTROLLER_ERROR
    STOPPED             CRITICAL RESOURCE    STRUCTURAL     STOPPED
    TIMEOUT             MEDIUM   TIMEOUT     TRANSIENT      TOOK_TOO_LONG
    STALE_SCENE         MEDIUM   DEPENDENCY  TRANSIENT      SEEN_TOO_LONG_AGO
"""
DEFAULT_DIAGNOSIS: Mapping[Reason, Diagnosis] = {
    Reason[reason]: Diagnosis(Severity[severity], Category[category], Kind[kind],
                              cause=Cause[cause])
    for reason, severity, category, kind, cause in map(str.split, _DEFAULTS.strip().splitlines())}


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
