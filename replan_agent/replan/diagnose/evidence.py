# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Facts about a failure, from its evidence and the scenes before and after it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import Predicate
from replan_agent.domain.hand import have_let_go
from replan_agent.domain.recovery import FailureCase
from replan_agent.domain.scene import CLEAR, Scene, SceneObject, Shape, was_felt
from replan_agent.domain.scene_changes import moved_m as shift_m
from replan_agent.domain.skill import FELT, Reason
from replan_agent.domain.skill_effect import EffectKind
from replan_agent.geometry.judging import UPRIGHT, is_inside, is_resting_on, judge
from replan_agent.geometry.out_of_sight import may_be_one, same_colour, unseen
from replan_agent.geometry.outlines import apart_m
from replan_agent.geometry.room.free_place import FINGER_EDGE_M, is_on_top, stands_on
from replan_agent.geometry.situation import step_object
from replan_agent.geometry.support import explains_m, footprint, is_guessed, is_near, is_rough
from replan_agent.text.shown_text import listed

NOT_SEEN = 'something that is not seen'
MOVES = (Cause.NOT_WHERE_SEEN, Cause.OBJECT_MOVED)
LESS_SLIPPERY = 'something lighter and less slippery'
HAND_M = 0.12  # the hand reaches this far to the sides of where it works
NEARER_M = 0.01
FAULTS = frozenset({Cause.GRIPPER_BLOCKED, Cause.GRIPPER_BROKEN})
STOPPED_EARLY_M = 0.008  # fingers that stand this much wider than the object did not reach it
FELT_OFF_M = 0.05  # where a contact is felt is mostly as exact as this
PRESSED_M = 0.03  # so close to what is pushed, or moved, a contact is one with it
FINGERS_APART_M = 0.003  # fingers that closed on nothing are closer than this
STAYED_M, SAME_M = 0.006, 0.0005  # what fingers squeeze out moves farther
ROLLS = (Shape.SPHERE, Shape.CYLINDER)
BELOW_THE_WAY_M = 0.20  # what slips out falls this close to the way of the hand


def failed_object(case: FailureCase) -> SceneObject | None:
    """The object that the failed step acts on, as it was seen before."""
    return step_object(case.step, case.before, case.skill) if case.step else None


def was_seen(case: FailureCase) -> bool:
    """Whether the scene before the step shows its object, and does not only remember it."""
    return failed_object(case) not in unseen(case.before)


def fresh_look(case: FailureCase) -> Scene | None:
    """The scene after the failure; None without a fresh look."""
    return case.after if case.after and not case.after.stale else None


def moved_m(case: FailureCase) -> float | None:
    """How far (m) the object moved between the two looks; None if unknown."""
    thing, after = failed_object(case), fresh_look(case)
    now = after.get(thing.name) if thing and after else None
    return shift_m(thing, now) if thing and now else None


def moved_before(case: FailureCase) -> bool:
    """Whether the object moved before the fingers closed, and not where a contact was felt.

    What slipped before slides away from the slightest touch; what has any shape may spin on,
    and open fingers may set it off.
    """
    evidence = case.attempt.evidence
    stopped = evidence.get('contact') or case.attempt.cause is Cause.HELD_UP
    touched = stopped and _felt_at(case, case.handled or '', HAND_M)
    thing = failed_object(case)
    slides = thing is not None and thing.pieces and (
        not stopped or in_task(case, Cause.NOT_WHERE_SEEN))
    return not (touched or may_be_pushed(case) or slides or in_task(case, Cause.SLIPPED_IN_LIFT))


def may_be_pushed(case: FailureCase) -> bool:
    """Whether the fingers may have moved it: no look shows that it was gone before they closed."""
    return case.attempt.evidence.get('there', False) is None


def may_have_touched(case: FailureCase) -> bool:
    """Whether fingers that closed without it may have touched it: they stand apart, it is not
    where it was, or no look shows it now, or a part of it. They slide off what has any shape:
    also off what they closed on before."""
    thing, now = failed_object(case), _seen_after(case, case.handled)
    if thing is None or now is None or case.after is None:
        return False
    return (case.attempt.evidence.get('gripper_width', 0.0) > FINGERS_APART_M
            or min(thing.confidence, now.confidence) < CLEAR or now in unseen(case.after)
            or bool(thing.pieces and closed_before(case))
            or math.dist(thing.position, now.position) > (SAME_M if thing.pieces else STAYED_M))


def closed_before(case: FailureCase) -> list[Attempt]:
    """The attempts before in which the fingers closed on the object."""
    return [a for a in case.earlier
            if case.acted_on(a.args) == case.handled and 'closed_width' in a.evidence]


def was_reached(case: FailureCase) -> bool:
    """Whether fingers closed at the object before, and this step asks for one kind of grasp."""
    return bool(case.effect.value('grasp', case.attempt.args)) and any(
        case.acted_on(a.args) == case.handled and 'gripper_width' in a.evidence
        for a in case.earlier)


def vanished(case: FailureCase) -> bool:
    """Whether the object was seen before and is no longer seen."""
    thing = failed_object(case)
    return bool(thing and case.after and case.after.get(thing.name) is None)


def taken_away(case: FailureCase) -> bool:
    """Whether the object is gone, or where neither the arm nor a slip brings it."""
    thing, after = failed_object(case), fresh_look(case)
    if thing is None or after is None or after.held == thing.name:
        return False
    now, carried = after.get(thing.name), case.before.held == thing.name
    return now is None or has_left(case, thing.name) or (
        carried and _off_the_way_m(case, now) > BELOW_THE_WAY_M)


def has_left(case: FailureCase, name: str) -> bool:
    """Whether something was seen on the table, or above it, and is not there any more."""
    old, now, table = case.before.get(name), _seen_after(case, name), case.before.table
    return old is not None and (now is None or table is not None and is_on_top(
        table, old.position[:2], 0.0) and not is_on_top(table, now.position[:2], 0.0))


def below_table(case: FailureCase) -> SceneObject | None:
    """The object as the last look shows it, if that is below the top of the table."""
    thing, table = _seen_after(case, case.handled) or failed_object(case), case.before.table
    return thing if thing and table and thing.top_z < table.top_z else None


def fell_off(case: FailureCase) -> bool:
    """Whether it lies where a fall brings it: no farther from the table's edge than below it."""
    thing, table = below_table(case), case.before.table
    return bool(thing and table and is_on_top(
        table, thing.position[:2], edge_m=thing.bottom_z - table.top_z))


def met_itself(case: FailureCase) -> bool:
    """Whether the fingers stop on the object itself, as far as torques, widths and looks tell."""
    thing, felt = failed_object(case), case.attempt.evidence
    places = [felt['felt_at']] if felt.get('felt_at') else []
    near_m = PRESSED_M if case.effect.slides or thing is None else explains_m(thing)
    if case.attempt.cause is Cause.GRIPPER_BLOCKED:  # it is between them, if they closed
        arms = [look.arm for look in (case.before, case.after) if look and look.arm]
        width = felt.get('gripper_width', arms[-1].gripper_width if arms else 0.0)
        closed = width > felt.get('grasp', {}).get('opening_mm', math.inf) / 1000
        places, near_m = [arm.tcp.position for arm in arms if closed], near_m + width / 2
    return bool((case.effect.takes or case.effect.slides) and thing and moved_m(case) is not None
                and any(is_near(thing, at, near_m) for at in places))


def may_be_itself(case: FailureCase) -> bool:
    """Whether a contact may be one with what the fingers push, with something of any shape, or
    that slid before, that they are at, or with a part of what is taken that no look shows."""
    things = failed_object(case), _seen_after(case, case.handled)
    elsewhere = case.effect.takes and in_task(case, Cause.CLOSED_ON_AIR) > 0  # than looks show
    return elsewhere or may_be_set_down(case) or _arrived_like_it(case) or any(
        thing is not None and _may_be_felt(case, thing) for thing in things)


def may_be_set_down(case: FailureCase) -> bool:
    """Whether what the hand holds may have met something: the table, if how far it hangs down is a
    guess, or anything, if only the pads feel that it is there."""
    if FELT in case.attempt.evidence:
        names, sure = touched(case)
        return not (names and sure)
    held, arm, table = case.before.in_hand, case.before.arm, case.before.table
    tool = case.attempt.evidence.get('tool_at')
    guessed = held and (held.pieces or held.name in _arrived(case))
    return bool(held and guessed and arm and table and tool and (
        tool[2] - arm.tcp.position[2] + held.bottom_z < table.top_z + FELT_OFF_M))


def may_have_closed_on_another(case: FailureCase) -> bool:
    """Whether the object is not seen any more, no look showed it between the fingers, and another
    was brought there: the fingers may have closed on that."""
    changes = case.changes
    return vanished(case) and case.attempt.evidence.get('there') is not True and any(
        name in changes.arrived or changes.moved[name] > HAND_M for name in arrivals(case))


def _arrived_like_it(case: FailureCase) -> bool:
    """Whether what arrived near the contact in this task has its colour, so may be the object."""
    thing, felt = failed_object(case), case.attempt.evidence
    at = felt.get('felt_at', felt.get('tool_at'))
    if thing is None or not at or not case.before.may_hide or case.before.held == thing.name:
        return False
    arrived = _arrived(case)
    return any(same_colour(o.colour, thing.colour) and is_near(o, at, HAND_M)
               for look in (case.before, case.after) if look
               for o in look.movable() if o.name in arrived and o is not thing)


def _arrived(case: FailureCase) -> set[str]:
    """The names that were seen for the first time after a failure of this task."""
    before = [a.evidence.get('changes', {}) for a in case.earlier]
    return {*case.changes.arrived, *(n for changes in before for n in changes.get('arrived', ()))
            } - {name for changes in before for name in changes.get('gone', ())}


def may_be_in_hand(case: FailureCase) -> str:
    """What the hand holds, if it may be the object by a new name: of its colour, and the object
    is not clearly seen anywhere else."""
    thing, held = failed_object(case), case.after and case.after.in_hand
    if not thing or not held or held.name not in _arrived(case) - {thing.name}:
        return ''
    now = _seen_after(case, thing.name)
    return held.name if case.before.may_hide and same_colour(thing.colour, held.colour) and (
        now is None or now.confidence < CLEAR) else ''


def _may_be_felt(case: FailureCase, thing: SceneObject) -> bool:
    """Whether a contact may be one with the thing of the step, as this look shows it."""
    felt = case.attempt.evidence
    tool = felt.get('tool_at', ())
    at = felt.get('felt_at', tool) if felt.get('felt_sure', True) else tool
    if not at or 'closed_width' in felt:
        return False
    at_it = bool(tool) and is_near(thing, tool, PRESSED_M)
    if not case.effect.takes:
        return at_it and case.effect.slides
    beside = is_guessed(thing) and at[2] <= thing.top_z
    any_shape = bool(thing.pieces) or any(  # or of another width than it is seen to have
        a.diagnosis and a.diagnosis.cause not in FAULTS and 'expected_width' in a.evidence and abs(
            a.evidence['closed_width'] - a.evidence['expected_width']) > STOPPED_EARLY_M
        for a in closed_before(case))
    within_m = HAND_M if thing.confidence < CLEAR else max(
        max(thing.size) / 2 * beside,
        FELT_OFF_M * (any_shape and at[2] <= thing.top_z + explains_m(thing)))
    is_loose = any_shape or in_task(case, Cause.SLIPPED_IN_LIFT) > 0
    return at_it and is_loose or within_m > 0 and is_near(thing, at, within_m)


def touched(case: FailureCase) -> tuple[list[str], bool]:
    """What else was touched, and whether that is sure: what moved, or is seen whole, where it was
    felt. If that is nothing, or the arm touched something here before, what is seen near there; if
    where it was felt is not sure, near the hand, as high as the lowest of it or of what it holds.
    """
    felt, own = case.attempt.evidence, {case.handled, case.before.held}
    sure, held, arm = felt.get('felt_sure', True), case.before.in_hand, case.before.arm
    at = felt.get('felt_at' if sure else 'tool_at')
    hangs_m = arm.tcp.position[2] - held.bottom_z if held and arm else 0.0
    moved = [name for name in case.changes.moved if _felt_at(case, name)]
    if not at:
        return moved, sure
    others = [o for o in case.before.objects if o.name not in own
              and not was_felt(o.name) and o.shape is not Shape.TABLE]
    there = [o.name for o in others if sure and o.confidence >= CLEAR
             and is_near(o, at, explains_m(o)) and not _felt_here_before(case)]
    return moved or there or [o.name for o in others if is_near(
        o, at, FELT_OFF_M if sure else HAND_M) and (
            sure or o.top_z + explains_m(o) > at[2] - hangs_m)], bool(moved and sure or there)


def _felt_here_before(case: FailureCase) -> bool:
    """Whether the arm touched something before with the fingers where they are now."""
    at = case.attempt.evidence.get('tool_at', (math.inf,) * 3)
    return any(math.dist(a.evidence.get('tool_at', (0.0,) * 3), at) < PRESSED_M
               for a in case.earlier if a.diagnosis and a.diagnosis.cause in (
                   Cause.UNEXPECTED_CONTACT, Cause.NO_WAY_OUT))


def _felt_at(case: FailureCase, name: str, within_m: float = PRESSED_M) -> bool:
    felt, looks = case.attempt.evidence, (case.before, case.after)
    at = felt.get('felt_at') if felt.get('felt_sure', True) else None
    return not at or any(o and is_near(o, at, within_m)
                         for o in (look.get(name) for look in looks if look))


def may_be_unseen(case: FailureCase) -> bool:
    """Whether an object that is not seen any more may be there: it was seen in part, was in a
    container, or something of its colour is near, which may be it."""
    thing, after = failed_object(case), fresh_look(case)
    return thing is not None and after is not None and after.may_hide and (
        thing.confidence < CLEAR or any(
            is_inside(thing, o) if o.is_container else
            same_colour(thing.colour, o.colour) and apart_m(thing, o) < HAND_M
            for o in after.movable()))


def _off_the_way_m(case: FailureCase, thing: SceneObject) -> float:
    """How far (m, seen from above) an object is from the way of the hand; 0 if unknown.

    The way since it was last held, if that is known, and if it does not roll.
    """
    if case.after is None or case.after.arm is None or case.before.arm is None:
        return 0.0
    start, end = case.before.arm.tcp.position, case.after.arm.tcp.position
    released = case.attempt.reason == Reason.VERIFICATION_FAILED.value  # it was held until then
    last = end if released else case.attempt.evidence.get('held_at', start)
    (ax, ay), (bx, by) = (start if thing.shape in ROLLS else last)[:2], end[:2]
    length = math.hypot(bx - ax, by - ay)
    x, y = thing.position[0] - ax, thing.position[1] - ay
    along = (x * (bx - ax) + y * (by - ay)) / length ** 2 if length > 1e-6 else 0.0
    share = min(1.0, max(0.0, along))
    return math.hypot(x - share * (bx - ax), y - share * (by - ay))


def lost_from_hand(case: FailureCase) -> bool:
    """Whether the hand held something before the step and is seen without it after it."""
    after = fresh_look(case)
    return bool(case.before.held and after and after.held != case.before.held)


def slipped_from_pads(case: FailureCase) -> bool:
    """Whether it left pads that came closer then: those that stayed, or opened, held nothing."""
    old, now = case.before.arm, case.after.arm if case.after else None
    return lost_from_hand(case) and (old is None or now is None or (
        now.gripper_width < old.gripper_width
        and have_let_go(old.gripper_width, now.gripper_width)))


def tipped(case: FailureCase) -> str:
    """The container that something should get into, if it does not stand upright; else ''."""
    thing = (fresh_look(case) or case.before).get(target_name(case) or '')
    into = case.effect.kind is EffectKind.PUT_IN or any(
        goal.predicate is Predicate.IN and goal.target == target_name(case) for goal in case.goals)
    return thing.name if thing and thing.is_container and into and (
        thing.pose.rotation[2, 2] < UPRIGHT) else ''


def is_where_it_should_be(case: FailureCase) -> bool:
    """Whether the step's object rests at the step's target, although the step failed."""
    thing, target = _seen_after(case, case.handled), _seen_after(case, target_name(case))
    point = case.effect.point(case.attempt.args)
    if thing and point is not None:
        return math.dist(thing.position[:2], point) <= footprint(thing)
    return bool(thing and target and case.after and is_resting_on(thing, target, case.after))


def unmet(case: FailureCase) -> list[str]:
    """The objects of the goals that the scene contradicts."""
    return [*dict.fromkeys(part.object for goal in case.goals for part in goal.named(case.before)
                           if part.object and judge(part, case.before) is False)]


def target_name(case: FailureCase) -> str | None:
    """The object that the step puts something on or in, or pushes something to."""
    return case.effect.name('target', case.attempt.args)


def target_moved_m(case: FailureCase) -> float | None:
    """How far (m) the target was moved between the looks; None if it was not."""
    return case.changes.moved.get(target_name(case) or '')


def arrivals(case: FailureCase) -> tuple[str, ...]:
    """Objects that came close to where the hand works between the looks, the nearest first."""
    changes, found, thing = case.changes, [], case.before.get(case.handled or '')
    own = (target_name(case), *(thing.states.along if thing and thing.states else ()))  # a handle
    for name in (*changes.arrived, *changes.moved):
        now, old = _seen_after(case, name), case.before.get(name)
        if now is None or name in own:
            continue
        away, where = min((math.dist(now.position[:2], at), at) for at in _places(case))
        nearer = old is None or away < math.dist(old.position[:2], where) - NEARER_M
        if nearer and away - footprint(now) < HAND_M:
            found.append((away, name))
    return tuple(name for _, name in sorted(found))


def overflowing(case: FailureCase) -> tuple[str, ...]:
    """What is in the container that did not take the object; empty if that is not the cause."""
    thing, target = _seen_after(case, case.handled), _seen_after(case, target_name(case))
    if thing is None or target is None or not target.is_container or case.after is None:
        return ()
    others = [o for o in case.after.without([thing.name, target.name]) if is_inside(o, target)]
    full = any(is_resting_on(thing, o, case.after) or o.top_z >= target.top_z for o in others)
    return tuple(o.name for o in others) if full else ()


def _seen_after(case: FailureCase, name: str | None) -> SceneObject | None:
    after = fresh_look(case)
    return after.get(name or '') if after else None


def _places(case: FailureCase) -> list[tuple[float, float]]:
    """Where the hand works in this step: at the object, at the target, where it is now."""
    named = (case.before.get(name or '')
             for name in (case.acted_on(case.attempt.args), target_name(case)))
    places = [o.position[:2] for o in named if o is not None and o.shape is not Shape.TABLE]
    point = case.effect.point(case.attempt.args)
    hand = case.after.arm.tcp.position[:2] if case.after and case.after.arm else None
    return [*places, *(at for at in (point, hand) if at is not None)] or [(0.0, 0.0)]


def where(case: FailureCase, name: str) -> str:
    """Where the last look shows the thing, in words: "is at ..."; "about": it may see a part."""
    now = (case.after or case.before).get(name)
    if now is None:
        return 'is not seen any more'
    return f'is at {"about " * is_rough(now)}({", ".join(f"{v:.2f}" for v in now.position)}) m'


def blockers(case: FailureCase) -> tuple[str, ...]:
    """The objects that are in the way, as the failure names them; the main one first.

    What is so close to an object that no finger fits between is in the way of a hand that takes
    it, too. Never what the step acts on, or puts something into. The table counts only if nothing
    else is in the way.
    """
    thing, target = failed_object(case), target_name(case) if case.before.held else None
    own = {thing.name if thing else '', case.before.held, target, *may_be_parts(case)}
    found = [o for o in map(case.before.get, case.attempt.blockers) if o and o.name not in own]
    others = [o for o in found if o.shape is not Shape.TABLE]
    hand = case.before.hand
    if thing is not None and hand is not None and others and case.effect.takes:
        others += [o for o in case.before.objects if o not in others and o.name not in own
                   and o.shape is not Shape.TABLE and o.bottom_z < thing.top_z
                   and not is_inside(thing, o) and apart_m(thing, o) < hand.finger_m]
    return tuple(o.name for o in others or found)


def may_be_parts(case: FailureCase) -> list[str]:
    """What may be a part of the object that the step takes."""
    thing = failed_object(case)
    return [] if thing is None or not case.effect.takes else [
        o.name for o in case.before.movable() if o is not thing
        and may_be_one(thing, o, case.before)]


def things_in_words(names: Sequence[str]) -> str:
    """Things by name. What was felt and not seen has no name that people know."""
    seen = [name for name in names if not was_felt(name)]
    return listed([*seen, *([NOT_SEEN] if len(seen) < len(names) else [])])


def near_edge(thing: SceneObject, scene: Scene) -> bool:
    """Whether the object is so close to the table's edge that it must not be pushed there."""
    return scene.table is not None and not stands_on(
        thing, scene.table, thing.position[:2], edge_m=FINGER_EDGE_M)


def in_task(case: FailureCase, *causes: Cause) -> int:
    """How often a step with the same object failed for one of these before, in this task."""
    about = case.acted_on(case.attempt.args)
    return sum(case.acted_on(a.args) == about and a.diagnosis is not None
               and a.diagnosis.cause in causes for a in case.earlier)


def repeats(case: FailureCase, cause: Cause | None) -> int:
    """How often the same step failed before for the same cause, in this plan."""
    now = case.attempt
    return sum(a.skill == now.skill and case.acted_on(a.args) == case.acted_on(now.args)
               and a.plan_version == now.plan_version
               and a.diagnosis is not None and a.diagnosis.cause == cause for a in case.earlier)
