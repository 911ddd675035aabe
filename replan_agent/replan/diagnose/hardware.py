# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of the arm and the gripper themselves, and whether they stay."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt, Category, Diagnosis, Kind, Severity
from replan_agent.domain.hand import STOOD_STILL_M, never_held
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.skill import Reason
from replan_agent.geometry.support import is_guessed

from .evidence import FAULTS, NOT_SEEN, STOPPED_EARLY_M, fresh_look

SAME_WIDTH_M = 0.0015
HARDWARE = FAULTS | {Cause.CONTROLLER_ERROR, Cause.NOT_TURNED, Cause.OFF_TARGET,
                             Cause.TURNED_WRONG}


def gripper_fault(case: FailureCase, start: Diagnosis) -> Diagnosis | None:
    """The diagnosis if the fingers did not close on the object; None if they did.

    Fingers that lose an object close further, and fingers that are stuck stay where they are:
    above what they left behind they hold nothing, however wide they are.
    """
    evidence, after, name = case.attempt.evidence, fresh_look(case), case.handled or ''
    closed, expected = evidence.get('closed_width'), evidence.get('expected_width')
    now = after.get(name) if after and after.held != name else None
    if closed is None or expected is None:
        return None
    left = after is not None and now is not None and never_held(after.arm, closed, now)
    thing = case.before.get(name)  # how wide what has a hidden side is, is a guess
    if closed - evidence.get('gripper_width', closed) > STOOD_STILL_M or not left and (
            closed - expected < STOPPED_EARLY_M or thing and is_guessed(thing)):
        return None
    opening = evidence.get('grasp', {}).get('opening_mm')
    still = opening is not None and abs(opening / 1000 - closed) < STOOD_STILL_M
    if case.attempt.reason == Reason.IN_COLLISION.value and not still:  # by what they hold
        return None
    stood = 'did not move' if still else 'stopped'
    return replace(
        start, severity=Severity.MEDIUM, category=Category.RESOURCE, kind=Kind.TRANSIENT,
        cause=Cause.GRIPPER_BROKEN if still else Cause.GRIPPER_BLOCKED,
        remedy=f'check the gripper: the fingers {stood} at {closed * 1000:.0f} mm, and stayed '
               f'there without {case.handled}')


def that_stays(case: FailureCase, found: Diagnosis) -> Diagnosis:
    """A fault that is there again, and not by something unseen: only a person can help."""
    last = case.earlier[-1] if case.earlier else None
    if last is None or found.cause not in HARDWARE or not _is_same_fault(case, last, found.cause):
        return found
    if found.cause in FAULTS and any(NOT_SEEN in a.diagnosis.remedy
                                             for a in case.earlier if a.diagnosis):
        return replace(found, remedy=f'{NOT_SEEN} out of the way of the fingers')
    cause = Cause.GRIPPER_BROKEN if found.cause in FAULTS else found.cause
    return replace(found, severity=Severity.CRITICAL, kind=Kind.STRUCTURAL, cause=cause, remedy=(
        'a person, because the same fault came again' + f': {found.remedy}' * bool(found.remedy)))


def _is_same_fault(case: FailureCase, last: Attempt, cause: Cause | None) -> bool:
    now, before = case.attempt, last.diagnosis.cause if last.diagnosis else None
    if last.skill != now.skill or case.acted_on(last.args) != case.acted_on(now.args):
        return False
    if cause not in FAULTS:
        return before is cause
    old, new = (a.evidence.get('gripper_width') for a in (last, now))
    return (before in FAULTS and old is not None and new is not None
            and abs(old - new) <= SAME_WIDTH_M)
