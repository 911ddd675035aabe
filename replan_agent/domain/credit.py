"""Whether a change to a step can have made the difference between a failure and a success."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .cause import Cause
from .recovery import FailureCase, Fix, Situation
from .situation import step_object
from .skill import SkillSpec

MOVED_M = 0.015  # an object this far off was moved
SLIPPING_M = 0.0003  # a firm grip keeps the pads apart to a tenth of a millimetre
WAY = ('turn', 'grasp')  # roles that say how the hand comes to the object
GRIP = ('force', 'speed')  # roles that say how it is held
SLIPS = (Cause.SLIPPED_IN_LIFT, Cause.SLIPPED_IN_CARRY)


def can_affect(skill: SkillSpec | None, cause: str, changes: Mapping[str, Any]) -> bool:
    """Whether the skill declares for this cause an argument that the change has.

    In a list of changes, an argument that is only added to a smaller change does not count. A
    skill that declares nothing leaves it open.
    """
    if skill is None or not skill.adjustments:
        return True
    ladder = [frozenset(change) for change in skill.adjustments.get(cause, ()) if change]
    least = [change for change in ladder if not any(other < change for other in ladder)]
    return any(argument in change for change in least for argument in changes)


def can_be_credited(case: FailureCase, fix: Fix) -> bool:
    """Whether a success with the fix, after this failure, would be the fix's merit."""
    if not fix.changes:
        return True
    cause = failure_cause(case)
    if not can_affect(case.skill, cause, fix.changes):
        return False
    roles = {role for role, argument in case.effect.roles().items() if argument in fix.changes}
    if roles & set(WAY) and _was_moved(case):
        return False  # it is another situation now: the usual way may work too
    return not (roles & set(GRIP) and cause in SLIPS and _kept_the_width(case))


def is_blamed(case: FailureCase, situation: Situation, fix: Fix) -> bool:
    """Whether this failure counts against a fix for that situation that was in use."""
    cause = failure_cause(case)
    same = bool(cause) and cause == situation.cause
    return same or (bool(fix.changes) and bool(case.skill and case.skill.adjustments)
                    and can_affect(case.skill, cause, fix.changes))


def failure_cause(case: FailureCase) -> str:
    """The cause that the diagnosis found; empty without one."""
    diagnosis = case.attempt.diagnosis
    return diagnosis.cause.value if diagnosis and diagnosis.cause else ''


def _was_moved(case: FailureCase) -> bool:
    thing = step_object(case.step, case.before, case.skill) if case.step else None
    now = case.after.get(thing.name) if thing and case.after else None
    return thing is not None and now is not None and (
        thing.pose.distance_to(now.pose) >= MOVED_M)


def _kept_the_width(case: FailureCase) -> bool:
    """Whether the fingers stood still in the lift: nothing slipped out between them."""
    closed, now = (case.attempt.evidence.get(key) for key in ('closed_width', 'gripper_width'))
    return closed is not None and now is not None and closed - now <= SLIPPING_M
