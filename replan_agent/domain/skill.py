# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a skill is called with, and what it returns."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from replan_agent.text.choices import member_or_none
from replan_agent.text.plain_values import Recorded

from .cause import Cause
from .ik_report import IKReport, Reachability
from .scene import SceneObject
from .skill_effect import Effect, EffectKind, Fit, misfit

REPLAN_STEP = '__replan__'


class Reason(str, Enum):
    """Why a skill (or a plan) failed: the slug in every result."""

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


class FailedStage(str, Enum):
    """Which part of a skill failed."""

    PRECONDITION = 'precondition'
    PLANNING = 'planning'
    EXECUTION = 'execution'
    POSTCONDITION = 'postcondition'


UNCHECKED = 'looked_at_nothing'  # evidence: the skill's check of its result looked at nothing
FELT = 'felt_in_hand'  # evidence: what the pads hold, though the scene does not show it


@dataclass(frozen=True)
class SkillSpec:
    """Everything that others may know about a skill. They never use its name.

    `arguments` is a JSON schema (an object schema). The limits and defaults of arguments are only
    there. `object_arguments` are the arguments that name an object of the scene, `must_be` says
    what that object must be. `needs_held`: True if something must be in the gripper, False if it
    must be empty, None if it does not matter. `effect` is what it does to the gripper and the
    scene. `undoable`: whether other steps can put the world back as it was before. `most_strokes`:
    how often one call may make its motion.

    `adjustable` are the arguments that may be changed after a failure. `adjustments` are the
    changes to try one after the other, by the cause of the failure; an empty one is the step as
    planned. `variants` are other ways to do the same, by name.
    """

    name: str
    description: str
    arguments: Mapping[str, Any]
    object_arguments: tuple[str, ...] = ()
    needs_held: bool | None = None
    effect: Effect = Effect()
    example: str = ''
    undoable: bool = True
    moves_arm: bool = True
    must_be: Mapping[str, Fit] = field(default_factory=dict)
    adjustable: tuple[str, ...] = ()
    adjustments: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    most_strokes: int = 1

    def argument_schema(self, argument: str) -> Mapping[str, Any]:
        """The schema of one argument; empty if there is no such argument."""
        found = self.arguments.get('properties', {}).get(argument, {})
        return found if isinstance(found, Mapping) else {}

    def acts_on(self, args: Mapping[str, Any]) -> str | None:
        """The name of the object that the skill handles; None if that is the held object."""
        named = self.effect.object or ('' if self.effect.puts else
                                       next(iter(self.object_arguments), ''))
        value = args.get(named)
        return value if isinstance(value, str) else None

    def moves(self, args: Mapping[str, Any]) -> str | None:
        """The name of the object that the skill takes or slides; None if it does neither."""
        return self.acts_on(args) if self.effect.takes or self.effect.slides else None

    def legal_changes(self, changes: Any) -> dict[str, Any]:
        """Those of the changes that are adjustable and that the schema allows."""
        if not isinstance(changes, Mapping):
            return {}
        return {name: value for name, value in changes.items()
                if name in self.adjustable and self.allows(name, value)}

    def allows(self, argument: str, value: Any) -> bool:
        """Whether the schema allows the value of the argument."""
        if isinstance(value, float) and not math.isfinite(value):
            return False  # limits in a schema do not exclude NaN
        from jsonschema.validators import validator_for  # slow, and most programs ask nothing
        schema = dict(self.argument_schema(argument))
        return bool(validator_for(schema)(schema).is_valid(value))


def find_spec(specs: Iterable[SkillSpec], name: str) -> SkillSpec | None:
    """The skill with that name, or None."""
    return next((spec for spec in specs if spec.name == name), None)


def skill_that(specs: Iterable[SkillSpec], *kinds: EffectKind,
               target: SceneObject | None = None) -> SkillSpec | None:
    """The first skill with an effect of these kinds, in their order, that the target fits."""
    known = tuple(specs)
    for kind in kinds:
        for spec in known:
            fit = spec.must_be.get(spec.effect.target)
            if spec.effect.kind is kind and not (target and fit and misfit(target, fit)):
                return spec
    return None


@dataclass(frozen=True)
class SkillResult(Recorded):
    """The outcome of a skill: a slug and a sentence with the numbers in it, never a bare 'error'.

    The sentence is for people; code reads the rest. Reason, stage and cause may be given as plain
    texts, such as 'object_not_found'; a wrong one raises ValueError with the right ones. `cause`
    is finer than the reason, None if only the diagnosis can tell. `blockers` names the objects
    that are in the way. `evidence` holds what was measured (gripper width, object heights ...).
    """

    success: bool
    reason: Reason | None = None
    reason_detail: str = ''
    stage: FailedStage | None = None
    ik: IKReport | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)
    cause: Cause | None = None
    blockers: tuple[str, ...] = ()

    if TYPE_CHECKING:
        def __init__(self, success: bool, reason: Reason | str | None = None,
                     reason_detail: str = '', stage: FailedStage | str | None = None,
                     ik: IKReport | None = None, evidence: Mapping[str, Any] = ...,
                     cause: Cause | str | None = None, blockers: tuple[str, ...] = ()) -> None:
            """What a caller may give; dataclass makes the real one."""

    def __post_init__(self) -> None:
        if not isinstance(self.success, bool):
            raise TypeError(f'success must be True or False, not {self.success!r}')
        if self.success and self.reason is not None:
            raise ValueError(f'a successful SkillResult has no reason, and this one has '
                             f'{str(self.reason)!r}: leave it out, or set success=False')
        if not self.success and (self.reason is None or not self.reason_detail):
            raise ValueError('a failed SkillResult needs a reason and a reason_detail: a slug of '
                             'Reason, and a sentence with the numbers in it')
        for name, kind in (('reason', Reason), ('stage', FailedStage), ('cause', Cause)):
            object.__setattr__(self, name, member_or_none(kind, getattr(self, name), name))

    @property
    def proved_impossible(self) -> bool:
        """No retry in this scene can succeed: shown by a proof, not by a failed try."""
        by_ik = self.ik is not None and self.ik.reachability is Reachability.PROVED_UNREACHABLE
        return not self.success and (by_ik or bool(self.evidence.get('proved_impossible')))


def failed(reason: Reason | str, detail: str, stage: FailedStage | str = FailedStage.EXECUTION,
           ik: IKReport | None = None, cause: Cause | str | None = None,
           blockers: tuple[str, ...] = (), **evidence: Any) -> SkillResult:
    """A failed result; further keyword arguments become its evidence."""
    return SkillResult(False, reason, detail, stage, ik, evidence, cause, blockers)


def succeeded(detail: str = '', **evidence: Any) -> SkillResult:
    """A successful result; keyword arguments become its evidence."""
    return SkillResult(True, None, detail, evidence=evidence)
