# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The diagnosis of a failure from its evidence: the cause, the severity and the remedy.

Each function starts from the default of the reason (`DEFAULT_DIAGNOSIS`). `docs/recovery.md` lists
the causes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import (
    DEFAULT_DIAGNOSIS,
    AttemptStage,
    Category,
    Diagnosis,
    Kind,
    Severity,
)
from replan_agent.domain.hand import slid_in_grip
from replan_agent.domain.ik_report import IKReport, Reachability
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import CLEAR, FLATTEST_SEEN_M, NARROWEST_SEEN_M, Shape, was_felt
from replan_agent.domain.scene_changes import MOVED_M
from replan_agent.domain.skill import FELT, FailedStage, Reason
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.steps.forecast import Forecast
from replan_agent.geometry.support import is_guessed, is_near
from replan_agent.text.shown_text import listed

from . import evidence as seen
from .disturbances import LARGER, disturbed, dropped, fallen, full, gone, has_moved, misplaced
from .hardware import gripper_fault, that_stays

REPEATED = 2  # after this many earlier failures of the same kind, the same step does not help
WITHIN_PUSH_M = 0.10  # the stretched hand reaches this far beyond a grasp from above
REACH_MARGIN_M = 0.02  # within the bound on the reach there may still be no posture

OF_ROOM = (Cause.APPROACH_BLOCKED, Cause.NO_FREE_SPOT, Cause.TARGET_OCCUPIED, Cause.CONTAINER_FULL,
           Cause.DOES_NOT_FIT, Cause.NOT_WHERE_PUT)  # in a container that does not stand upright
ELSEWHERE = 'another grasp, or the object elsewhere'
EMPTY_PLAN = Diagnosis(Severity.CRITICAL, Category.LOGIC, Kind.UNDERSPECIFIED,
                       cause=Cause.EMPTY_PLAN, remedy='an answer with at least one step, as calls '
                       'of skills; or another model, or the planner search')
UNMET_GOAL = Diagnosis(Severity.HIGH, Category.LOGIC, Kind.UNDERSPECIFIED, cause=Cause.GOAL_UNMET)

Reading = Callable[[FailureCase, Diagnosis], Diagnosis]


def diagnose(case: FailureCase) -> Diagnosis:
    """The diagnosis of a failure. A repeated failure is worse than the first."""
    attempt = case.attempt
    if attempt.reason not in {reason.value for reason in Reason}:
        unmet = replace(UNMET_GOAL, cause=attempt.cause or UNMET_GOAL.cause, remedy=(
            f'{listed(names)} left alone while the arm works, once it is brought back'
            if attempt.cause is Cause.UNDONE_BY_ANOTHER and (names := seen.unmet(case)) else ''))
        return unmet if attempt.stage is AttemptStage.GOAL else EMPTY_PLAN
    reason = Reason(attempt.reason)
    default = DEFAULT_DIAGNOSIS[reason]
    start = replace(default, stage=attempt.failed_stage, cause=attempt.cause or default.cause)
    known = _KNOWN.get(attempt.cause) if attempt.cause else None
    reading = known or _READINGS.get(reason)
    found = reading(case, start) if reading else start
    if known is None and (attempt.evidence.get('contact')
                          or attempt.cause is Cause.UNEXPECTED_CONTACT):
        found = _contact(case, found)
    found = _not_with_an_empty_hand(case, that_stays(case, found))
    if found.cause in OF_ROOM and (tipped := seen.tipped(case)):
        found = replace(found, cause=Cause.WOULD_NOT_STAY, remedy=f'{tipped} set upright')
    if helps := attempt.evidence.get('would_help'):  # the skill knows it
        found = replace(found, remedy=str(helps))
    if found.proved or attempt.evidence.get('proved_impossible'):
        return replace(found, proved=True, kind=Kind.STRUCTURAL)
    if found.severity is Severity.MEDIUM and seen.repeats(case, found.cause) >= REPEATED:
        return replace(found, severity=Severity.HIGH)
    return found


def _not_with_an_empty_hand(case: FailureCase, found: Diagnosis) -> Diagnosis:
    """A step that needs something in the hand is not retried after the hand lost it."""
    needs_held = case.skill is not None and case.skill.needs_held
    if needs_held and found.severity is Severity.MEDIUM and seen.lost_from_hand(case):
        return replace(found, severity=Severity.HIGH)
    return found


def _contact(case: FailureCase, found: Diagnosis) -> Diagnosis:
    """The joints felt something: what, if the look after it shows that.

    If the fingers came closer together during the lift, the jolt came from the object itself,
    unless that was stuck before and has not moved.
    """
    found = replace(found, severity=Severity.MEDIUM, kind=Kind.TRANSIENT)
    moved_m = seen.moved_m(case)
    stuck = moved_m is not None and moved_m < MOVED_M and any(
        a.evidence.get('stuck') for a in seen.closed_before(case))
    if slid_in_grip(case.attempt.evidence) and not stuck:
        return _slipped(case, found)
    if (moved := disturbed(case, found)) is not None:
        return moved
    if seen.slipped_from_pads(case) and not seen.is_where_it_should_be(case):
        return _slipped(case, found)
    if seen.met_itself(case) and 'closed_width' not in case.attempt.evidence:
        return _on_itself(case, found)
    if seen.may_be_itself(case):
        return replace(found, cause=Cause.NOT_DECIDED, remedy='a better view of '
                       f'{case.handled or case.attempt.evidence.get(FELT)}')
    (touched, sure), target = seen.touched(case), seen.target_name(case)
    return replace(found, cause=Cause.UNEXPECTED_CONTACT, remedy=(
        f'a better view of {target}, or more room around it' if target in touched else
        _set_free(case) or (in_the_way(case, listed(touched), sure) if touched else
                            in_the_way(case))))


def _set_free(case: FailureCase) -> str:
    """What helps if something holds what the hand closed on, or was felt; '' if it is open."""
    felt = any(was_felt(o.name) for o in case.before.objects)
    if 'closed_width' not in case.attempt.evidence:
        return ''
    return (in_the_way(case, f'what may be there and is not seen, or what holds {case.handled},')
            if felt else f'{case.handled} set free, if something holds it; or more room around it')


def _on_itself(case: FailureCase, found: Diagnosis) -> Diagnosis:
    return replace(found, severity=Severity.HIGH, cause=Cause.PUSH_FELL_SHORT, remedy=(
        f'{case.handled} set free, if something holds it; or something lighter'
        )) if case.effect.slides else replace(found, cause=Cause.APPROACH_BLOCKED, remedy=(
            f'a better view of {case.handled}: the fingers stop on it'))


def in_the_way(case: FailureCase, what: str = seen.NOT_SEEN, sure: bool = True) -> str:
    """What to do about something that the arm feels: no look shows it, or it has a name."""
    at = ', '.join(f'{v:.2f}' for v in case.attempt.evidence.get('tool_at', ()))
    what = what if sure else f'what the arm touched, perhaps {what},'
    return f'{what} out of the way of the arm' + (
        f': the fingers were at ({at}) m when it was felt' if at else '')


def _no_way_out(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """The hand could not leave what it put down; or it did not let go, because it could not."""
    names, felt = seen.things_in_words(seen.blockers(case)), case.attempt.evidence.get('contact')
    kind = Kind.TRANSIENT if felt or seen.lost_from_hand(case) else Kind.STRUCTURAL
    return replace(start, cause=Cause.NO_WAY_OUT, kind=kind, remedy=(
        f'{names} out of the way of the hand' if names else in_the_way(case) if felt else
        'another place, with more room above it'))


def _missed(case: FailureCase, start: Diagnosis) -> Diagnosis:
    moved, there = seen.moved_m(case), case.attempt.evidence.get('there')
    thing = seen.failed_object(case)
    if seen.taken_away(case):
        slid = seen.in_task(case, Cause.SLIPPED_IN_LIFT)  # it may slide on by itself
        moves = thing and thing.pieces and seen.may_be_pushed(case) or (
            seen.vanished(case) and seen.in_task(case, *seen.MOVES))
        return gone(case, start) if not (slid or there or moves) else _shot_out(
            case, start, Cause.SLIPPED_IN_LIFT if slid and there is not False
            else Cause.NOT_WHERE_SEEN)
    if moved is not None and moved >= MOVED_M:
        by_others = seen.in_task(case, *seen.MOVES) and not seen.in_task(
            case, Cause.SLIPPED_IN_LIFT)
        return has_moved(case, start, moved) if not there else replace(
            start, cause=Cause.NOT_WHERE_SEEN if by_others else Cause.SLIPPED_IN_LIFT,
            remedy=f'another grasp, or {seen.LESS_SLIPPERY}')
    if moved is None:
        return replace(start, cause=Cause.CLOSED_ON_AIR, remedy='a fresh look')
    if seen.may_have_touched(case):
        part = thing is not None and thing.confidence < CLEAR
        return replace(start, cause=Cause.NOT_DECIDED, remedy=(
            f'a better view of {case.handled}: the camera sees a part of it, so its place is a '
            'guess' if part else
            f'another grasp, or a better view of {case.handled}, or {seen.LESS_SLIPPERY}'))
    return replace(start, category=Category.VALIDATION, cause=Cause.CLOSED_ON_AIR, remedy=(
        'a person who checks the camera and the fingers: the object is seen where they hold none'
        if seen.in_task(case, Cause.CLOSED_ON_AIR) >= REPEATED else
        'another grasp, or a better look: the fingers closed on nothing where it is seen'))


def _slipped(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """A grasp that held at first and then lost the object; or that never closed on it."""
    if not case.effect.takes and not case.before.held:
        return replace(start, remedy='another hold of it')
    if not case.effect.takes:
        return gone(case, start) if seen.taken_away(case) else dropped(case, start)
    if (held := case.after and case.after.held) and held != case.acted_on(case.attempt.args):
        if seen.may_be_in_hand(case):
            return replace(start, severity=Severity.HIGH, cause=Cause.NOT_DECIDED,
                           remedy=f'a better view of {held}')
        return replace(start, severity=Severity.HIGH, cause=Cause.TOOK_ANOTHER,
                       remedy=f'put {held} down first')
    if (fault := gripper_fault(case, start)) is not None:
        return fault
    if seen.may_have_closed_on_another(case):
        return _shot_out(case, start, Cause.NOT_WHERE_SEEN)
    if seen.taken_away(case):  # a slip explains that as well as somebody does
        slid = slid_in_grip(case.attempt.evidence)
        return _shot_out(case, start) if slid else gone(case, start)
    moved, moves = seen.moved_m(case) or 0.0, seen.in_task(case, *seen.MOVES)
    if (moves and moved >= MOVED_M and case.attempt.evidence.get('there', True) is not True
            and not seen.in_task(case, Cause.SLIPPED_IN_LIFT)):
        return has_moved(case, start, moved)  # again, maybe before the fingers closed
    pulled = any('contact' in a.evidence for a in seen.closed_before(case))
    firmest = any(a.evidence.get('firmest') and case.acted_on(a.args) == case.handled
                  for a in (case.attempt, *case.earlier))
    free = f'{case.handled} set free, if something '
    proved = case.attempt.evidence.get('proved_impossible')  # by its sides, not by its weight
    return replace(start, severity=Severity.HIGH if proved else start.severity, remedy=(
        f'{free}holds it; ' * pulled + 'rougher fingers, or ' * bool(proved) + (
            seen.LESS_SLIPPERY if proved or firmest else 'more force or less speed')),
                   cause=Cause.SLIPPED_IN_LIFT)


def _shot_out(case: FailureCase, start: Diagnosis, cause: Cause = Cause.SLIPPED_IN_LIFT
              ) -> Diagnosis:
    return replace(start, severity=Severity.HIGH, cause=cause,
                   remedy=f'{case.handled} brought back, or {seen.LESS_SLIPPERY}')


def _unreachable(case: FailureCase, start: Diagnosis) -> Diagnosis:
    ik, thing = case.attempt.ik, seen.failed_object(case)
    proved = ik is not None and ik.reachability is Reachability.PROVED_UNREACHABLE
    too_far = ik.out_of_reach_m or 0.0 if ik is not None and proved else 0.0
    if (lost := _lost(case, start, too_far)) is not start:
        return lost
    if case.effect.value('grasp', case.attempt.args):  # one kind of grasp says little of others
        return replace(start, cause=Cause.NO_POSTURE, remedy=ELSEWHERE)
    if ik is not None and proved and ik.out_of_reach_m is not None and not (
            thing is not None and case.effect.takes and not is_near(
                thing, ik.target.position, seen.HAND_M)):  # a hand far from it, for this grasp
        near = ik.out_of_reach_m <= WITHIN_PUSH_M
        return replace(start, proved=True, remedy=reach_remedy(ik, seen.was_seen(case)),
                       cause=Cause.JUST_OUT_OF_REACH if near else Cause.BEYOND_REACH)
    if thing is not None and seen.near_edge(thing, case.before):
        return replace(start, cause=Cause.NEAR_EDGE, proved=proved,
                       remedy='the object farther from the edge of the table')
    return replace(start, cause=Cause.NO_POSTURE, proved=proved, remedy=(
        'another orientation or place: no joint angles within the limits give this one' if proved
        else ELSEWHERE))


def _lost(case: FailureCase, start: Diagnosis, too_far: float = 0.0) -> Diagnosis:
    """What lies below the table, or far away after a slip; the start if it does not."""
    below, far = seen.below_table(case), too_far > WITHIN_PUSH_M
    if (below or far) and seen.in_task(case, Cause.SLIPPED_IN_LIFT):
        return replace(_shot_out(case, start), proved=True)
    return start if below is None else replace(fallen(case, start), cause=Cause.FELL if (
        seen.fell_off(case)) else Cause.NOT_WHERE_SEEN if seen.in_task(case, *seen.MOVES)
        else Cause.BEYOND_REACH if far else start.cause)


def reach_remedy(ik: IKReport, now: bool = True) -> str:
    """Where the target should be, in numbers. The report says how far it is too far."""
    away = math.hypot(*ik.target.position[:2])
    too_far = ik.out_of_reach_m or 0.0
    within = max(0.0, math.floor((away - too_far - REACH_MARGIN_M) * 100) / 100)
    return (f'any point within {within:.2f} m of the base at this height '
            f'(it {"is" if now else "was seen"} {away:.2f} m away, {too_far:.2f} m too far)')


def _blocked(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """No grasp is free, or no way leads there: which objects are in the way."""
    names, thing, table = seen.blockers(case), seen.failed_object(case), case.before.table
    names = () if table and names == (table.name,) else names  # nobody takes that away
    boxed = case.attempt.reason == Reason.IN_COLLISION.value and case.effect.takes
    if boxed and seen.was_reached(case):  # so this says something of one kind of grasp
        return replace(start, cause=Cause.NO_POSTURE, remedy=ELSEWHERE)
    if not names and (may_be := {*seen.may_be_parts(case)}.intersection(case.attempt.blockers)):
        return replace(start, cause=Cause.NOT_DECIDED, remedy=(
            f'a better view of {case.handled}: {listed(sorted(may_be))} may be a part of it'))
    if names:
        felt = next((a.evidence.get('tool_at', ()) for a in reversed(case.earlier) if a.diagnosis
                     and a.diagnosis.cause is Cause.UNEXPECTED_CONTACT), ())
        where = (f': it was felt with the fingers at ({", ".join(f"{v:.2f}" for v in felt)}) m'
                 if felt and any(map(was_felt, names)) else '')
        return replace(start, cause=Cause.BOXED_IN if boxed else Cause.APPROACH_BLOCKED,
                       remedy=f'{seen.things_in_words(names)} out of the way{where}')
    if thing is not None and seen.near_edge(thing, case.before):
        return replace(start, cause=Cause.NEAR_EDGE,
                       remedy='the object farther from the edge of the table')
    return replace(start, cause=Cause.APPROACH_BLOCKED, remedy=(
        f'another {"grasp: held like this," if case.attempt.blockers else "place:"} the hand has '
        'no room there' if case.before.held else
        'the object elsewhere, or lying in another way: there is no room for the arm'))


def _occupied(case: FailureCase, start: Diagnosis) -> Diagnosis:
    names = [name for name in seen.blockers(case) if name != seen.target_name(case)]
    if start.cause is Cause.CONTAINER_FULL:
        return full(case, start, tuple(names))
    if not names:
        return replace(start, cause=Cause.NO_FREE_SPOT, remedy='another place, or room there')
    return replace(start, cause=Cause.TARGET_OCCUPIED,
                   remedy=f'{seen.things_in_words(names)} somewhere else')


def _unverified(case: FailureCase, start: Diagnosis) -> Diagnosis:
    if start.cause is Cause.FELL:
        return replace(start, kind=Kind.STRUCTURAL, remedy='a person who puts it back')
    if start.cause is Cause.PUSH_WENT_TOO_FAR:
        return replace(start, kind=Kind.STRUCTURAL,
                       remedy='pick it up and put it down: it slides or rolls on')
    if seen.vanished(case):
        taken = case.effect.takes  # an object that was put down cannot be put down again
        return replace(start, cause=Cause.LOST_FROM_VIEW, remedy='find it again first',
                       severity=Severity.MEDIUM if taken else start.severity)
    if start.cause is Cause.PUSH_FELL_SHORT:
        along = case.attempt.evidence.get('along')
        so_far = '' if along is None else f': it moved {along * 100:.1f} cm'
        return replace(start, remedy=f'push it the rest of the way{so_far}')
    return misplaced(case, start) if case.before.held and seen.moved_m(case) is not None else start


def _missing(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """A missing object that the step depends on is critical."""
    start, about = replace(start, severity=Severity.CRITICAL), case.acted_on(case.attempt.args)
    into = start.cause is Cause.NO_CONTAINER or case.effect.kind is EffectKind.PUT_IN and not (
        case.before.get(seen.target_name(case) or ''))
    used = [case.before.held, *case.attempt.args.values(),
            *(name for goal in case.goals for name in (goal.object, goal.target))]
    there = ', '.join(o.name for o in case.before.objects if o.is_container == into
                      and (into or o.movable) and o.name not in used)
    if start.cause is Cause.NO_CONTAINER:
        return replace(start, remedy=f'use a container that is seen: {there}' if there else (
            'a bowl or a bin on the table, or a place that you name: "next to ...", "to the left '
            'of ..."'))
    if (few := start.cause is Cause.TOO_FEW) or start.cause is Cause.PRECONDITION_FAILED:
        return replace(start, remedy='ask for as many as are seen' * few)  # or not as it says
    met = about is not None and any(  # in its scene it was there
        case.acted_on(a.args) == about and a.stage is AttemptStage.EXECUTE
        and a.reason != Reason.OBJECT_NOT_FOUND.value for a in case.earlier)
    return replace(start, cause=Cause.LOST_FROM_VIEW if met else Cause.NOT_IN_SCENE,
                   remedy='the object where the camera sees it' + (
                       f', if it is not smaller than {NARROWEST_SEEN_M * 1000:.0f} mm and not '
                       f'lower than {FLATTEST_SEEN_M * 1000:.0f} mm'
                       if case.before.may_hide and not met else '') + (
                       f', or one that is seen: {there}' if there else ''))


def _fixed(case: FailureCase, start: Diagnosis) -> Diagnosis:
    """What the task wants moved cannot be moved; a camera takes what is long for a wall."""
    walls = case.before.may_hide and any(o.shape is Shape.WALL for o in case.before.objects)
    return start if start.cause is not Cause.PRECONDITION_FAILED else replace(start, remedy=(
        'a person who moves it, or another thing' + walls * ': a long one is seen as a wall'))


# What a question asks for. Only if several things fit, it is which one.
_ANSWERS: Mapping[Cause | None, str] = {
    Cause.UNCLEAR_WORDS: 'the task in words that answer this question',
    Cause.PLACE_NOT_SAID: 'say where it should go, for example "in the bowl", "next to the bin", '
                          '"10 cm to the left"',
    Cause.TWO_PLACES: 'name one place, or say "then" between the two',
}


def _precondition(case: FailureCase, start: Diagnosis) -> Diagnosis:
    attempt, held = case.attempt, case.before.held
    if attempt.cause is Cause.DOES_NOT_FIT:
        return replace(start, kind=Kind.STRUCTURAL, proved=True, cause=Cause.DOES_NOT_FIT,
                       remedy=LARGER)
    if attempt.cause is Cause.TOO_WIDE and attempt.stage is AttemptStage.PLAN:
        return replace(start, kind=Kind.STRUCTURAL, proved=True, category=Category.VALIDATION,
                       remedy='a smaller thing, that fits there and between the fingers; a larger '
                              'container alone does not help')
    narrowest, widest = (attempt.evidence.get(k) for k in ('narrowest_width', 'widest_width'))
    if narrowest is not None:
        fits, thing = f' than {widest * 1000:.0f} mm' if widest else '', seen.failed_object(case)
        about = 'about ' * (case.before.may_hide or thing is not None and is_guessed(thing))
        helps = (f'something narrower{fits}: it is {about}{narrowest * 1000:.0f} mm across as it '
                 'lies')
        if attempt.evidence.get('fits_on_edge'):
            helps += '; or the object on its edge'
        if narrow := widest and narrowest < widest and attempt.cause is not Cause.TOO_WIDE:
            helps = 'the object lying or standing in another way, with two sides for the fingers'
        return replace(start, category=Category.VALIDATION, proved=True, remedy=helps,
                       cause=Cause.PRECONDITION_FAILED if narrow else Cause.TOO_WIDE)
    if attempt.cause is Cause.CONTAINER_FULL:
        return full(case, start, seen.blockers(case))
    if attempt.cause is Cause.NO_FREE_SPOT:
        return replace(start, remedy='fewer things there, or a larger place')
    done = case.effect.takes and held and held == case.acted_on(attempt.args)
    if done or attempt.cause is Cause.ALREADY_SO:
        return replace(start, severity=Severity.LOW, cause=Cause.ALREADY_SO)
    misuse = Forecast(case.before, held).misuse(case.skill) if case.skill else None
    if misuse is Cause.HAND_FULL:
        return replace(start, cause=Cause.HAND_FULL, remedy=f'put {held} down first')
    if misuse is Cause.HAND_EMPTY:
        return replace(start, severity=Severity.CRITICAL, category=Category.DEPENDENCY,
                       cause=Cause.HAND_EMPTY, remedy='pick something up first')
    return start


_CONTROLLER_REMEDIES: Mapping[Cause, str] = {
    Cause.CONTROLLER_ERROR: "a look at the arm's controller: it ended the motion",
    Cause.HELD_UP: 'clear away what holds the arm',
    Cause.TRAJECTORY_REFUSED: 'a motion from where the arm is',
    Cause.GRIPPER_BLOCKED: 'a look at the gripper: the fingers stopped on their way',
    Cause.OFF_TARGET: 'the same motion again: the arm ended beside its goal',
    Cause.TURNED_WRONG: 'the same motion again: the hand ended turned the wrong way',
    Cause.NOT_TURNED: 'the same motion again: a joint did not turn',
}


def _controller(case: FailureCase, start: Diagnosis) -> Diagnosis:
    assert start.cause is not None  # every reason has a default
    outside = replace(start, category=Category.ENVIRONMENT)
    if case.effect.takes and seen.taken_away(case):
        return gone(case, outside)
    if seen.met_itself(case):
        return _on_itself(case, outside)
    held_up = start.cause is Cause.HELD_UP
    if held_up and (moved := disturbed(case, outside)) is not None:
        return moved
    helps = _set_free(case) if held_up else ''
    return replace(start, remedy=helps or _CONTROLLER_REMEDIES.get(start.cause, ''))


_KNOWN: Mapping[Cause, Reading] = {
    Cause.NO_WAY_OUT: _no_way_out, Cause.TARGET_OCCUPIED: _occupied,
    Cause.TOO_HEAVY: lambda case, start: _shot_out(case, start, Cause.NOT_WHERE_SEEN) if (
        seen.may_have_closed_on_another(case)) else replace(
        start, severity=Severity.HIGH, category=Category.VALIDATION,
        remedy='something lighter, or a person who lifts it or sets it free'),
    Cause.WOULD_NOT_STAY: lambda case, start: replace(
        start, kind=Kind.STRUCTURAL, remedy='something flat, level and wide enough below it')}
_READINGS: Mapping[Reason, Reading] = {
    Reason.GRASP_MISSED: _missed, Reason.GRASP_SLIPPED: _slipped,
    Reason.UNREACHABLE: _unreachable, Reason.IN_COLLISION: _blocked,
    Reason.WORKSPACE_VIOLATION: lambda case, start: _lost(case, replace(
        start, remedy='the object, and the place for it, inside the workspace')),
    Reason.PATH_BLOCKED: _blocked, Reason.TARGET_OCCUPIED: _occupied,
    Reason.VERIFICATION_FAILED: _unverified, Reason.OBJECT_NOT_FOUND: _missing,
    Reason.BAD_ARGUMENTS: _fixed,
    Reason.PRECONDITION_FAILED: _precondition, Reason.CONTROLLER_ABORTED: _controller,
    Reason.TIMEOUT: lambda case, start: replace(
        start, cause=Cause.TOOK_TOO_LONG, remedy='more time, or fewer and shorter motions'
        ) if case.step else replace(start, cause=Cause.PLAN_TOOK_TOO_LONG, remedy=(
            'more time for a plan (agent.replan_timeout), or a smaller task')),
    Reason.STALE_SCENE: lambda case, start: replace(
        start, remedy='a fresh look', cause=Cause.SEEN_TOO_LONG_AGO if case.attempt.failed_stage
        is not FailedStage.POSTCONDITION else Cause.NO_FRESH_LOOK),
    Reason.AMBIGUOUS_OBJECT: lambda case, start: replace(start, remedy=_ANSWERS.get(
        start.cause, 'say which one, by its name, its colour or its place')),
}
