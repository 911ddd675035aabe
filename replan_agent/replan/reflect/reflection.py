# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Why a step failed, in a sentence with numbers, and what to change: by rules, no model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.context import Context
from replan_agent.domain.failure import Diagnosis
from replan_agent.domain.pose import Pose
from replan_agent.domain.recovery import AS_PLANNED, FailureCase, Fix, Reflection, Remembered
from replan_agent.domain.scene import CLEAR, SceneObject, Shape, was_felt
from replan_agent.domain.skill import FELT, Reason
from replan_agent.geometry.outlines import apart_m
from replan_agent.geometry.support import is_rough
from replan_agent.replan.diagnose import evidence as seen
from replan_agent.replan.diagnose.error_types import error_type
from replan_agent.text.shown_text import listed, told

from .adjustments import Changes, next_change, tried_changes, was_tried

CLOSE_M = 0.03  # less free space than this to a neighbour is tight for fingers

# A look at the scene or a check of the plan could have shown these.
FORESEEABLE = frozenset({
    Cause.BEYOND_REACH, Cause.JUST_OUT_OF_REACH, Cause.TOO_WIDE, Cause.TARGET_OCCUPIED,
    Cause.NO_FREE_SPOT, Cause.CONTAINER_FULL, Cause.DOES_NOT_FIT, Cause.NOT_IN_SCENE,
    Cause.HAND_FULL, Cause.HAND_EMPTY, Cause.BOXED_IN,
    Cause.APPROACH_BLOCKED, Cause.NEAR_EDGE, Cause.BAD_ARGUMENTS, Cause.UNKNOWN_SKILL,
    Cause.WORKSPACE_VIOLATION, Cause.AMBIGUOUS_OBJECT, Cause.UNCLEAR_WORDS, Cause.PLACE_NOT_SAID,
    Cause.TWO_PLACES, Cause.NO_CONTAINER, Cause.TOO_FEW, Cause.EMPTY_PLAN})


class RuleReflector:
    """Reads diagnosis and evidence. Each further failure suggests a change not tried yet."""

    def reflect(self, case: FailureCase, remembered: Sequence[Remembered], deep: bool,
                ctx: Context) -> Reflection:
        diagnosis = case.attempt.diagnosis
        assert diagnosis is not None  # recorded attempts are diagnosed
        sentence = _SENTENCES.get(diagnosis.cause)
        return Reflection(
            error_type=error_type(case.attempt.reason),
            root_cause=(sentence(case) if sentence else '') or case.attempt.reason_detail,
            contributing_factors=_factors(case, remembered),
            fix=_fix(case, diagnosis, remembered),
            preventable=diagnosis.cause in FORESEEABLE or any(
                known.is_trusted for known in remembered))


def _slipped(case: FailureCase) -> str:
    place, reason = f'it {seen.where(case, _name(case))}', case.attempt.reason
    if reason in (Reason.UNREACHABLE.value, Reason.WORKSPACE_VIOLATION.value):
        where = ('the arm does not reach it any more' if reason == Reason.UNREACHABLE.value
                 else 'is outside the workspace now')
        return f'{_name(case)} slipped from the fingers, or was taken, and {where}: {place}'
    if reason == Reason.GRASP_MISSED.value and not case.attempt.evidence.get('there'):
        return f'{_name(case)} slipped before, and slid on, was pushed, or was taken: {place}'
    if reason == Reason.GRASP_MISSED.value:
        unsure = ', as before, or was taken' * seen.taken_away(case)
        return f'{_name(case)} slipped out between the closing fingers{unsure}: {place}'
    closed, now = (case.attempt.evidence.get(key) for key in ('closed_width', 'gripper_width'))
    felt = {'force': case.attempt.evidence.get('force_n')}
    how = _in_words(case, {name: value for role in ('force', 'speed')
                           if (name := case.effect.roles().get(role)) and (
                               value := felt.get(role) or _argument(case, name)) is not None}, ' ')
    widths = (f': the pads were {closed * 1000:.1f} mm apart after closing and '
              f'{now * 1000:.1f} mm after the lift' if closed is not None and now is not None
              else '')
    if case.attempt.evidence.get('proved_impossible'):
        return case.attempt.reason_detail
    far = seen.taken_away(case) or (seen.moved_m(case) or 0.0) > seen.BELOW_THE_WAY_M
    return (f'{_name(case)} was held {how or "in the hand"} and slipped out'
            f'{", or was taken," * far} during the lift{widths}' + f'; {place}' * far)


def _argument(case: FailureCase, name: str) -> Any:
    """The value of an argument of the failed step: as given, else the skill's default."""
    default = case.skill.argument_schema(name).get('default') if case.skill else None
    return case.attempt.args.get(name, default)


def _moved(case: FailureCase) -> str:
    attempt, moved = case.attempt, seen.moved_m(case) or 0.0
    looks = case.before, case.after or case.before
    about = 'about ' * any(o and is_rough(o) for look in looks for o in [
        look.get(case.handled or '')])
    return f'{_name(case)} moved {about}{100 * moved:.1f} cm after it was seen, ' + (
        'and the fingers closed on nothing' if attempt.reason == Reason.GRASP_MISSED.value else
        'and slipped from the fingers' if 'closed_width' in attempt.evidence else
        'before the fingers closed')


def _air(case: FailureCase) -> str:
    width = case.attempt.evidence.get('gripper_width')
    closed = f' to {width * 1000:.1f} mm' if width is not None else ''
    return f'the fingers closed{closed} on nothing where {_name(case)} is seen'


def _contact(case: FailureCase) -> str:
    if 'closed_width' in case.attempt.evidence:
        return (f'something holds {_name(case)} or the arm back in the lift: '
                f'{case.attempt.reason_detail}')
    names, sure = seen.touched(case)
    perhaps = 'something, perhaps ' if names and not sure else ''
    return (f'the arm touched {perhaps}{listed(names) or seen.NOT_SEEN}: '
            f'{case.attempt.reason_detail}')


def _undecided(case: FailureCase) -> str:
    name, width = _name(case), case.attempt.evidence.get('gripper_width', 0.0)
    if case.attempt.reason == Reason.GRASP_MISSED.value:
        return (f'the fingers closed to {width * 1000:.1f} mm and do not hold {name}: whether '
                'they missed it, or it slid out, is not known')
    if held := seen.may_be_in_hand(case):
        return f'the hand holds {held}, and whether that is {name} is not known'
    if seen.may_be_set_down(case):
        inside = case.before.held or case.attempt.evidence.get(FELT)
        return f'the arm, or {inside} in it, touched something, and what is not known'
    if not case.attempt.evidence.get('contact') and (parts := seen.may_be_parts(case)):
        return (f'no grasp of {name} is free, and whether {listed(parts)} is a part of it is not '
                'known')
    return f'the arm touched something, and whether that is {name} is not known'


def _changed(case: FailureCase) -> str:
    """What was moved in front of the arm while it was on its way."""
    target, moved = seen.target_name(case), seen.target_moved_m(case)
    if moved is not None:
        return f'{target} was moved {moved * 100:.1f} cm after it was seen'
    arrived = seen.arrivals(case)
    return f'{listed(arrived[:3])} came close to where the hand works' if arrived else ''


def _gone(case: FailureCase) -> str:
    thing = case.before.get(case.handled or '')
    rolls = ', or it rolls' * bool(thing and thing.shape in (*seen.ROLLS, Shape.IRREGULAR))
    return f'{_name(case)} was taken away{rolls}: it {seen.where(case, _name(case))}'


def _lost(case: FailureCase) -> str:
    told_by = (Reason.OBJECT_NOT_FOUND, Reason.VERIFICATION_FAILED)  # in their own words
    target = seen.target_name(case)
    if target in case.changes.gone:
        return f'{target} is not seen any more: {case.attempt.reason_detail}'
    return '' if case.attempt.reason in told_by else f'{_name(case)} is not seen any more'


def _jammed(case: FailureCase) -> str:
    closed, expected = (case.attempt.evidence.get(k) for k in ('closed_width', 'expected_width'))
    if closed is None or expected is None:
        return ''
    return (f'the fingers stop at {closed * 1000:.0f} mm and stay there without {_name(case)}, '
            f'which is seen to be {expected * 1000:.0f} mm wide')


def _blocked(case: FailureCase) -> str:
    names, thing = seen.blockers(case), seen.failed_object(case)
    table = case.before.table.name if case.before.table else ''
    at = case.effect.point(case.attempt.args)
    if not names or names == (table,) and case.effect.takes:
        place = f'({at[0]:.3f}, {at[1]:.3f})' if at else seen.target_name(case)
        bring = f'bring {_name(case)} to {place}' if case.before.held and place else ''
        return f'no free way for the arm to {bring or _name(case)} is found' + (
            f': arm or hand would touch the {table}' if case.attempt.blockers == (table,) and (
                case.attempt.reason == Reason.IN_COLLISION.value) else
            f': {case.attempt.reason_detail}' if names or bring else
            ': the fingers stop on it' if seen.met_itself(case) else '')
    who = seen.things_in_words(names)
    stand = f'{who} {"stand" if " and " in who else "stands"} in the way'
    if at is not None:
        stand += f' of the hand where {_name(case)} should go, at ({at[0]:.3f}, {at[1]:.3f})'
        thing = replace(thing, pose=Pose((*at, 0.0), thing.pose.quaternion)) if thing else None
    else:
        stand += f' of {_name(case)}'
    gaps = [_apart(thing, other) for other in map(case.before.get, names)
            if thing and thing.confidence >= CLEAR and other and other.shape is not Shape.TABLE
            and not was_felt(other.name)]
    return f'{stand}, {min(gaps)[1]}' if gaps else stand


def _apart(thing: SceneObject, other: SceneObject) -> tuple[float, str]:
    """How far (m) the other is from the thing, and in words. What is above may hide it."""
    beside, above = apart_m(thing, other), other.bottom_z - thing.top_z
    if above > beside:
        return above, 'above it'
    far = f'{beside * 100:.1f} cm from' if beside > 0 or not other.pieces else 'around or above'
    return beside, f'{far} it'  # the camera guesses what is hidden inside a thing of any shape


def _far(case: FailureCase) -> str:
    ik = case.attempt.ik
    if ik is None or ik.out_of_reach_m is None:
        return ''
    if seen.below_table(case) is not None:
        return f'{_fell(case)}, where the arm does not reach'
    what = 'the target is' if seen.was_seen(case) else f'{_name(case)} was seen'
    return (f'{what} {math.hypot(*ik.target.position[:2]):.2f} m from the base, '
            f'{_short(ik.out_of_reach_m)} more than the arm reaches' + (
                ' with this grasp' if case.effect.takes else ''))


def _fell(case: FailureCase) -> str:
    thing, table = seen.below_table(case), case.before.table
    if thing is None or table is None or case.attempt.cause is Cause.FELL:  # told by its skill
        return ''
    below = table.top_z - thing.bottom_z
    return f'{thing.name} is not on the {table.name}: it lies {below:.2f} m below its top'


def _short(metres: float) -> str:
    """A length that is never told as none."""
    return f'{metres:.2f} m' if metres >= 0.01 else f'{max(1000 * metres, 0.1):.1f} mm'


_SENTENCES: Mapping[Cause | None, Callable[[FailureCase], str]] = {
    Cause.SLIPPED_IN_LIFT: _slipped, Cause.OBJECT_MOVED: _moved, Cause.CLOSED_ON_AIR: _air,
    Cause.NOT_DECIDED: _undecided, Cause.NOT_WHERE_SEEN: lambda case: (
        f'{_name(case)} is not where it was seen: it {seen.where(case, _name(case))}, and whether '
        'it slipped, was moved or was taken is not known'),
    Cause.UNEXPECTED_CONTACT: _contact, Cause.BOXED_IN: _blocked,
    Cause.APPROACH_BLOCKED: _blocked, Cause.BEYOND_REACH: _far, Cause.JUST_OUT_OF_REACH: _far,
    Cause.TARGET_MOVED: _changed, Cause.NEIGHBOUR_ARRIVED: _changed, Cause.TAKEN_AWAY: _gone,
    Cause.GRIPPER_BROKEN: _jammed, Cause.GRIPPER_BLOCKED: _jammed, Cause.FELL: _fell,
    Cause.SLIPPED_IN_CARRY: lambda case: (case.attempt.reason != Reason.GRASP_SLIPPED.value) * (
        f'{_name(case)} slipped from the fingers, or was taken: {case.attempt.reason_detail}'),
    Cause.WOULD_NOT_STAY: lambda case: (name := seen.tipped(case)) and (
        f'{name} does not stand upright: {_name(case)} would not stay in it'),
    Cause.NEAR_EDGE: lambda case: (
        f'{_name(case)} lies at the edge of the table: {case.attempt.reason_detail}'),
    Cause.TOOK_ANOTHER: lambda case: case.after is not None and case.after.held and (
        f'the hand holds {case.after.held}, not {_name(case)}') or '',
    Cause.LOST_FROM_VIEW: _lost, Cause.PUSH_FELL_SHORT: lambda case: seen.met_itself(case) * (
        f'{_name(case)} does not move when the hand presses on it: {case.attempt.reason_detail}'),
}


def _factors(case: FailureCase, remembered: Sequence[Remembered]) -> tuple[str, ...]:
    """What may have contributed to the failure."""
    thing, found = seen.failed_object(case), []
    if thing is not None:
        found += _surroundings(case, thing)
        if thing.confidence < CLEAR:
            found.append(f'{thing.name} is seen with a confidence of only {thing.confidence:.2f}')
    cause = case.attempt.diagnosis.cause if case.attempt.diagnosis else None
    same = sum(a.diagnosis is not None and a.diagnosis.cause == cause for a in case.earlier)
    if same:
        found.append(f'it failed for the same cause {same} time{"s" * (same > 1)} before')
    if remembered:
        best = remembered[0]
        found.append(f'met before: "{best.fix.message}" worked {best.worked} of '
                     f'{best.worked + best.failed} times')
    return tuple(found)


def _surroundings(case: FailureCase, thing: SceneObject) -> list[str]:
    away, hand = math.hypot(*thing.position[:2]), case.before.hand
    found = [f'{thing.name} is {away:.2f} m from the base, near the end of the reach'
             ] if hand and hand.stretched_m[0] < away < hand.stretched_m[1] else []
    near = ((other.name, apart_m(thing, other)) for other in case.before.without([thing.name])
            if other.shape is not Shape.TABLE)
    return found + [f'{name} is only {m * 100:.1f} cm away' for name, m in near if m < CLOSE_M]


def _fix(case: FailureCase, diagnosis: Diagnosis, remembered: Sequence[Remembered]) -> Fix | None:
    """The fix that memory trusts and this step has not tried, else the rules' next change."""
    for known in remembered:
        if known.is_trusted and known.fix.changes and not was_tried(
                known.fix.changes, tried_changes(case)):
            return known.fix
    if (change := next_change(case)) is not None:
        how = _in_words(case, change, ', ') or 'as planned, without a change'
        return Fix(f'{case.attempt.skill} {_name(case)} {how}', change,
                   '' if change else AS_PLANNED)
    return Fix(diagnosis.remedy) if diagnosis.remedy else None


def _in_words(case: FailureCase, change: Changes, between: str) -> str:
    """The arguments in words, by the role that each plays; without a role, by its name."""
    words = {argument: _ROLE_WORDS[role] for role, argument in case.effect.roles().items()
             if role in _ROLE_WORDS}
    speed = case.effect.roles().get('speed')
    return between.join(words.get(name, f'with {name} {{}}').format(
        f'{value:.0%}' if name == speed else told(value)) for name, value in change.items())


_ROLE_WORDS = {'force': 'with {} N', 'speed': 'at {} of the usual speed',
               'grasp': 'with a {} grasp', 'turn': 'with the fingers turned by {}°'}


def _name(case: FailureCase) -> str:
    thing = seen.failed_object(case)
    return thing.name if thing else 'the object'
