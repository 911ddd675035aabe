"""What a skill is called with, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .ik_report import IKReport, Reachability

REPLAN_STEP = '__replan__'


class Reason(str, Enum):
    """Why a skill (or a plan) failed. The slug of DESIGN and of every result."""

    OBJECT_NOT_FOUND = 'object_not_found'
    AMBIGUOUS_OBJECT = 'ambiguous_object'
    UNREACHABLE = 'unreachable'
    IN_COLLISION = 'in_collision'
    PATH_BLOCKED = 'path_blocked'
    GRASP_MISSED = 'grasp_missed'
    GRASP_SLIPPED = 'grasp_slipped'
    TARGET_OCCUPIED = 'target_occupied'
    VERIFICATION_FAILED = 'verification_failed'
    BAD_ARGUMENTS = 'bad_arguments'
    UNKNOWN_SKILL = 'unknown_skill'
    PRECONDITION_FAILED = 'precondition_failed'
    WORKSPACE_VIOLATION = 'workspace_violation'
    CONTROLLER_ABORTED = 'controller_aborted'
    STOPPED = 'stopped'
    TIMEOUT = 'timeout'
    STALE_SCENE = 'stale_scene'

    def __str__(self) -> str:
        return self.value


def reason_named(slug: str) -> Reason:
    """The reason of that name. Raises ValueError, which lists the reasons."""
    try:
        return Reason(slug)
    except ValueError:
        raise ValueError(f'{slug!r} is no reason; choose from: '
                         f'{", ".join(reason.value for reason in Reason)}') from None


class FailedStage(str, Enum):
    """Which part of a skill failed."""

    PRECONDITION = 'precondition'
    PLANNING = 'planning'
    EXECUTION = 'execution'
    POSTCONDITION = 'postcondition'


@dataclass(frozen=True)
class SkillSpec:
    """What a planner may know of a skill.

    `arguments` is a JSON schema (an object schema). `object_arguments` names those arguments whose
    value must be an object of the scene. `needs_held`: True when something must be in the gripper,
    False when nothing may be, None when it does not matter; `leaves_held` likewise for afterwards,
    None when the skill does not change it. `undoable`: whether other steps can put the world back
    as it was before.
    """

    name: str
    description: str
    arguments: Mapping[str, Any]
    object_arguments: tuple[str, ...] = ()
    needs_held: bool | None = None
    leaves_held: bool | None = None
    example: str = ''
    undoable: bool = True


@dataclass(frozen=True)
class SkillResult:
    """The outcome of a skill: a slug and a sentence with the numbers in it, never a bare 'error'.

    `evidence` holds what was measured (gripper width, object heights ...), for diagnosis. A reason
    may be given as a plain text, 'object_not_found'.
    """

    success: bool
    reason: Reason | None = None
    reason_detail: str = ''
    stage: FailedStage | None = None
    ik: IKReport | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.success and (self.reason is None or not self.reason_detail):
            raise ValueError('a failed SkillResult needs a reason and a reason_detail: a slug of '
                             'Reason, and a sentence with the numbers in it')
        if self.reason is not None and not isinstance(self.reason, Reason):
            object.__setattr__(self, 'reason', reason_named(self.reason))

    @property
    def proved_impossible(self) -> bool:
        """No retry in this scene can succeed: shown by a proof, not by a failed try."""
        by_ik = self.ik is not None and self.ik.reachability is Reachability.PROVED_UNREACHABLE
        return not self.success and (by_ik or bool(self.evidence.get('proved_impossible')))

    def as_dict(self) -> dict[str, Any]:
        return {
            'success': self.success,
            'reason': self.reason.value if self.reason else None,
            'reason_detail': self.reason_detail,
            'stage': self.stage.value if self.stage else None,
            'ik': self.ik.as_dict() if self.ik else None,
            'evidence': dict(self.evidence),
        }


def failed(reason: Reason, detail: str, stage: FailedStage = FailedStage.EXECUTION,
           ik: IKReport | None = None, **evidence: Any) -> SkillResult:
    """A failed result; keyword arguments become its evidence."""
    return SkillResult(False, reason, detail, stage, ik, evidence)


def succeeded(detail: str = '', **evidence: Any) -> SkillResult:
    """A successful result; keyword arguments become its evidence."""
    return SkillResult(True, None, detail, evidence=evidence)
