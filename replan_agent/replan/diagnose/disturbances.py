# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What somebody else did while the arm was at work: moved, put beside, taken away, filled."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Diagnosis, Kind, Severity
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.text.shown_text import listed

from . import evidence as seen

LARGER = 'a larger container, or a smaller thing'
OFTEN = 2  # earlier times that it moved


def disturbed(case: FailureCase, start: Diagnosis) -> Diagnosis | None:
    """What was moved in front of the arm, as the looks before and after show; None if nothing."""
    own, target = seen.moved_m(case), seen.target_moved_m(case)
    untouched = case.effect.takes and 'closed_width' not in case.attempt.evidence
    if untouched and own is not None and own >= MOVED_M:
        return has_moved(case, start, own)
    if target is not None:
        return replace(start, cause=Cause.TARGET_MOVED, remedy=_target_back(case) or (
            f'a fresh look: {seen.target_name(case)} was moved {target * 100:.1f} cm'))
    arrived = seen.arrivals(case)
    return replace(start, cause=Cause.NEIGHBOUR_ARRIVED, remedy=(
        f'a fresh look: {listed(arrived[:3])} came close meanwhile')) if arrived else None


def has_moved(case: FailureCase, start: Diagnosis, moved: float) -> Diagnosis:
    """It is not where it was seen. If that comes again and again, another look is no help."""
    cause, before = seen.MOVES[seen.moved_before(case)], seen.in_task(case, *seen.MOVES)
    slides = f', or {seen.LESS_SLIPPERY}' * (cause is Cause.NOT_WHERE_SEEN)
    return replace(start, cause=cause, remedy=(
        f'{case.handled} left alone while the arm works{slides}: it moved {before + 1} times'
        if before >= OFTEN else f'a fresh look: it moved {moved * 100:.1f} cm'))


def misplaced(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """The object was released, and it is not where it should be."""
    filled, target = seen.overflowing(case), seen.target_moved_m(case)
    if target is not None:
        return replace(start, cause=Cause.TARGET_MOVED, remedy=_target_back(case) or (
            f'pick it up and put it down where {seen.target_name(case)} is now: it was moved '
            f'{target * 100:.1f} cm'))
    if seen.target_name(case) in case.changes.gone:
        return replace(start, cause=Cause.LOST_FROM_VIEW, remedy=_target_back(case))
    if filled:
        return full(case, start, filled)
    if seen.taken_away(case):
        return gone(case, start)
    if case.attempt.cause is Cause.DOES_NOT_FIT:
        return replace(start, kind=Kind.STRUCTURAL, cause=Cause.DOES_NOT_FIT, remedy=LARGER)
    return replace(start, cause=Cause.NOT_WHERE_PUT, remedy='pick it up and put it down again')


def _target_back(case: FailureCase) -> str:
    """That the target is brought back, if it left the table; '' if it is on it."""
    name = seen.target_name(case) or ''
    return f'{name} brought back: it {seen.where(case, name)}' * seen.has_left(case, name)


def dropped(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """It is not in the hand any more. More force is an advice as long as there is more."""
    before = sum(a.diagnosis is not None and a.diagnosis.cause is Cause.SLIPPED_IN_CARRY
                 and a.evidence.get('held') == case.before.held for a in case.earlier)
    return replace(start, cause=Cause.SLIPPED_IN_CARRY, remedy=(
        'pick it again with more force or less speed' if before < OFTEN else
        f'{case.before.held} left in the hand, if somebody takes it; or {seen.LESS_SLIPPERY}'))


def full(case: FailureCase, start: Diagnosis, names: tuple[str, ...]) -> Diagnosis:
    return replace(start, kind=Kind.STRUCTURAL, cause=Cause.CONTAINER_FULL,
                   remedy='another container, or room in '
                   f'{seen.target_name(case) or "this one"}' + (
                       f': {listed(names)} fill{"s" * (len(names) == 1)} it' if names else ''))


def gone(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """That somebody took it is said only if nothing else explains that it is not seen."""
    name = case.handled or 'it'
    if (case.after is None or case.after.get(name) is None) and seen.may_be_unseen(case):
        return replace(start, severity=Severity.HIGH, cause=Cause.LOST_FROM_VIEW,
                       remedy='find it again first')
    if seen.fell_off(case):
        return fallen(case, start)
    where = 'in the hand' if 'held_at' in case.attempt.evidence else 'alone'
    taken = case.before.held == name and not seen.has_left(case, name)  # it can be picked again
    return replace(start, severity=Severity.HIGH, cause=Cause.TAKEN_AWAY, remedy=(
        f'{name} left {where} while the arm works' if taken else
        f'{name} brought back, or another one: it {seen.where(case, name)}'))


def fallen(case: FailureCase, start: Diagnosis) -> Diagnosis:
    return replace(start, severity=Severity.HIGH, cause=Cause.FELL, kind=Kind.STRUCTURAL,
                   remedy=f'a person who puts {case.handled} back on the table')
