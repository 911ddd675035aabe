# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identity from one picture to the next: objects keep their names and sizes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import CLEAR, SceneObject, Shape
from replan_agent.geometry.judging import is_inside
from replan_agent.geometry.out_of_sight import AT_WALL_M, same_colour
from replan_agent.geometry.support import SURE, is_upright
from replan_agent.perceive.camera.fitting import Fitted
from replan_agent.perceive.camera.naming import KnownName, base_name, kind, named
from replan_agent.perceive.camera.standing import taller
from replan_agent.perceive.camera.whole_things import is_part_of_wall
from replan_agent.perceive.looks.in_hand import AIR_M, NEAR_M, inside, is_beside
from replan_agent.perceive.looks.registering import framed, turn_between

SAME_PLACE_M = 0.04
SAME_THING_M = 0.12  # an irregular thing that moved may look like a box or a cylinder
UNMOVED_M = 0.02  # a poor view may be this far off: more than MOVED_M, which compares what is kept
PUSHED_M = 0.01  # a container that is seen so far from its place took along what is in it
ON_SURFACE_M, MOST_POINTS = 0.005, 0.9  # of a known shape that is partly covered
CUT_M = 0.015  # shorter than before
LYING = 0.3  # sine of the angle between its longest side and the table, at most
SMALL_PART = 0.6  # of the box around a known thing
LEAST_POINTS = 0.15  # of a fit: so many are on each known thing that it shows a part of
HEAPED_M, LEAST_WALL = 0.05, 0.3  # of a container: what is in it above its rim; its walls' share
SAME_SIZES_M = 0.02  # all sides together: what differs by less may be a bar now, and was a box
OTHER_KIND_M = 0.10  # distance added for a different kind
_ROLLS = {Shape.BOX, Shape.CYLINDER}  # what lies high, with its underside hidden, may be either
REMEMBERED_S = 60.0  # robot time: what was last seen longer ago is not taken for what is seen now


class Tracks:
    """Remembers every object under its first name."""

    def __init__(self, names: Sequence[KnownName] = ()) -> None:
        self._names = names
        self._known: dict[str, SceneObject] = {}
        self._turn_seen: dict[str, SceneObject] = {}  # the last look that showed how it is turned
        self._clear: set[str] = set()  # those that one look showed whole
        self._in_parts: set[str] = set()  # those of which something hid the middle
        self.replaced: set[str] = set()  # not seen since something else was seen in their place

    @property
    def known(self) -> tuple[SceneObject, ...]:
        return tuple(self._known.values())

    def get(self, name: str) -> SceneObject | None:
        return self._known.get(name)

    def note(self, thing: SceneObject) -> None:
        """Remember the current state of this object."""
        self._known[thing.name] = thing
        self._clear |= {thing.name} if thing.confidence >= CLEAR else set()
        if not thing.turn_unknown:
            self._turn_seen[thing.name] = thing

    @property
    def seen_whole(self) -> frozenset[str]:
        """The names of the objects that some look showed whole."""
        return frozenset(self._clear)

    def rename(self, name: str, new: str) -> SceneObject:
        """Rename an object; it keeps the new name."""
        thing = replace(self._known.pop(name), name=new)
        if name in self._turn_seen:
            self._turn_seen[new] = replace(self._turn_seen.pop(name), name=new)
        self.note(thing)
        return thing

    def identify(self, fits: Sequence[Fitted], apart_from: str | None = None,
                 sees_past: Callable[[SceneObject], bool] = lambda thing: True,
                 ) -> tuple[SceneObject, ...]:
        """The fitted objects with their names. `apart_from` is handled elsewhere.

        `sees_past` says whether a camera sees through a place: then a thing is not there.
        """
        known = [thing for thing in self.known if thing.name != apart_from]
        pairs = matched(known := _carried_along(known, fits), fits)
        things = {i: self._turned(known[k], merged(known[k], fits[i], sees_past) if not is_covered(
            known[k], fits[i], sees_past) else replace(
                known[k], seen_at=fits[i].thing.seen_at, confidence=min(
                    fits[i].confidence, CLEAR / 2)))  # of the whole: it is a part that is seen
            for k, i in pairs}
        things |= {i: replace(things[i], colour=known[k].colour) for k, i in pairs
                   if same_colour(known[k].colour, things[i].colour)}  # a shadow is not paint
        new = [i for i in range(len(fits)) if i not in things]
        things |= zip(new, self._with_new_names([fits[i].thing for i in new]))
        shown, was = {t.name for t in things.values()}, {known[k].name: known[k] for k, _ in pairs}
        self.replaced = {o.name for o in known if o.name not in shown and (
            o.name in self.replaced or any(_came_into(o, fits[i], was.get(thing.name))
                                           for i, thing in things.items()))}
        for thing in things.values():
            self.note(thing)
        return tuple(things[i] for i in range(len(fits)))

    def in_parts(self, fits: Sequence[Fitted], let_go: str) -> list[list[Fitted]]:
        """The fits that can only be parts of one thing: of what the hand just let go, and of what
        was in parts then.

        They are where it is, of its colour, and nothing else of that colour is near.
        """
        found = []
        for thing in (o for o in self.known if o.name in {let_go, *self._in_parts}):
            others = [o for o in self.known if o is not thing
                      and same_colour(o.colour, thing.colour)]
            parts = [fit for fit in fits if not fit.thing.is_container and is_beside(thing, fit)
                     and all(math.dist(o.position, fit.thing.position) > SAME_THING_M
                             for o in others)]
            if len(parts) == 1 or any(max(f.thing.size) > max(thing.size) - CUT_M for f in parts):
                self._in_parts.discard(thing.name)  # nothing hides its middle any more
            elif parts:
                self._in_parts.add(thing.name)
                found.append(parts)
        return found

    def told_apart(self, fits: Sequence[Fitted]) -> list[Fitted]:
        """The fits; one that shows parts of several known things becomes one fit for each.

        A known thing that another fit shows, or that was told apart already, is not used again.
        What is seen whole is one thing, unless each of those was seen whole before.
        """
        shown = self.would_match([fit for fit in fits if not _may_be_several(fit)])
        free = [thing for thing in self.known if thing not in shown]
        found: list[Fitted] = []
        for fit in fits:
            parts = _parts_of_known(free, fit)
            if fit.confidence >= CLEAR and not self._clear.issuperset(p.thing.name for p in parts):
                parts = [fit]
            names = {part.thing.name for part in parts}
            free = [thing for thing in free if thing.name not in names]
            found += parts
        return found

    def without_pieces(self, fits: Sequence[Fitted]) -> list[Fitted]:
        """The fits, but no new ones that are only a piece of a known thing.

        A hand in front of a bin leaves a corner that looks like a thing of its own. One in front
        of a thing of any shape cuts it in two: the larger part is taken for it, the other is near.
        """
        pairs = matched(self.known, fits)
        cut = [self.known[k] for k, i in pairs if self.known[k].pieces
               and fits[i].confidence < CLEAR
               and fits[i].thing.seen_at - self.known[k].seen_at <= REMEMBERED_S]
        known = {i for _, i in pairs}
        return [fit for i, fit in enumerate(fits) if i in known or not any(
            is_part_of_wall(fit, thing) for thing in self.known if thing.is_container) and (
                fit.confidence >= CLEAR or not any(
                    same_colour(thing.colour, fit.thing.colour)
                    and np.mean(inside(thing, fit.points, NEAR_M)) >= MOST_POINTS
                    for thing in cut))]

    def made_whole(self, fits: Sequence[Fitted], sees_past: Callable[[SceneObject], bool]
                   ) -> list[Fitted]:
        """The fits; those that are all in the place of one known thing are that thing, if it was
        seen whole before and nothing is seen past it: one look cuts it in two.
        """
        found = list(fits)
        for known in self.known:
            parts = [fit for fit in found if known.name in self._clear and not known.is_container
                     and not fit.thing.is_container and fit.looks == 1
                     and same_colour(known.colour, fit.thing.colour)
                     and fit.thing.seen_at - known.seen_at <= REMEMBERED_S
                     and np.mean(inside(known, fit.points, ON_SURFACE_M)) >= MOST_POINTS]
            if len(parts) > 1 and not sees_past(known):
                largest = max(parts, key=lambda fit: fit.segment.size)
                found = [fit for fit in found if fit not in parts] + [replace(
                    largest, thing=replace(known, seen_at=largest.thing.seen_at),
                    points=np.concatenate([fit.points for fit in parts]))]
        return found

    def _turned(self, known: SceneObject, now: SceneObject) -> SceneObject:
        """The object as seen now, with its yaw counted on from earlier looks if it has any shape.

        A box is `_turned_like` before. The others are the same in every turn.
        """
        if Shape.IRREGULAR not in (known.shape, now.shape):
            return now
        if now.pieces == known.pieces:  # this look shows no more than where it is
            return replace(now, turn_unknown=known.turn_unknown or (
                now.pose.distance_to(known.pose) >= UNMOVED_M))
        before = self._turn_seen.get(known.name, known)
        turn = turn_between(before, now, before.pose.distance_to(now.pose) > UNMOVED_M
                            ) if before.pieces and now.pieces else None
        return framed(now, before.pose.yaw + turn.angle) if turn and turn.sure else replace(
            now, turn_unknown=True)

    def would_match(self, fits: Sequence[Fitted]) -> list[SceneObject]:
        """The known objects that these fits show."""
        return [self.known[k] for k, _ in matched(self.known, fits)]

    def _with_new_names(self, things: Sequence[SceneObject]) -> list[SceneObject]:
        """Names for new objects; numbers continue after known objects of the same kind."""
        taken = set(self._known)
        result = []
        for thing in named(things, self._names):
            base = base_name(thing, self._names)
            if any(name == base or name.startswith(f'{base}_') for name in self._known):
                numbers = (f'{base}_{i}' for i in itertools.count(2))
                name = next(name for name in numbers if name not in taken)
                thing = replace(thing, name=name)
            taken.add(thing.name)
            result.append(thing)
        return result


def _came_into(place: SceneObject, seen: Fitted, before: SceneObject | None) -> bool:
    """Whether something of another colour is in the place of a thing, and was not before."""
    was_there = before is not None and inside(place, np.array([before.position]), NEAR_M)[0]
    return not (was_there or seen.thing.is_container or same_colour(
        place.colour, seen.thing.colour)) and bool(
            np.mean(inside(place, seen.points, NEAR_M)) >= MOST_POINTS)


def _carried_along(known: list[SceneObject], fits: Sequence[Fitted]) -> list[SceneObject]:
    """The known things; what is in a container that was pushed is where that took it."""
    for around, fit in [(known[k], fits[i]) for k, i in matched(known, fits)]:
        off = np.subtract(fit.thing.position, around.position)
        as_large = np.allclose(sorted(fit.thing.size), sorted(around.size), atol=ON_SURFACE_M)
        if around.is_container and as_large and np.linalg.norm(off) > PUSHED_M:
            known = [replace(o, pose=o.pose.moved(*map(float, off)))
                     if o is not around and is_inside(o, around) else o for o in known]
    return known


def matched(known: Sequence[SceneObject], fits: Sequence[Fitted]) -> list[tuple[int, int]]:
    """Pairs (known, fit) of the same object, the surest first."""
    costs = sorted((cost, k, i) for k, thing in enumerate(known) for i, seen in enumerate(fits)
                   if (cost := _difference(thing, seen)) < math.inf)
    pairs: list[tuple[int, int]] = []
    for _, k, i in costs:
        if all(k != pair[0] and i != pair[1] for pair in pairs):
            pairs.append((k, i))
    return pairs


def _difference(known: SceneObject, seen: Fitted) -> float:
    """How different the two are (m); infinite if they cannot be the same."""
    thing = seen.thing
    any_shape = Shape.IRREGULAR in (known.shape, thing.shape)
    alike = known.is_container == thing.is_container or any_shape
    in_colour = same_colour(known.colour, thing.colour)
    if not alike or not (known.is_container or in_colour):
        return math.inf
    same_kind = kind(known) == kind(thing)
    sizes = sum(abs(a - b) for a, b in zip(sorted(known.size), sorted(thing.size)))
    high = float(seen.points[:, 2].min()) > thing.top_z - seen.top + AIR_M
    # Something of any shape may be lifted out of its place, however high.
    axes = 2 if any_shape and in_colour else 3
    away = math.dist(known.position[:axes], thing.position[:axes])
    if not same_kind and thing.confidence >= CLEAR and away > (
            SAME_THING_M if any_shape else SAME_PLACE_M) and not (
            sizes <= SAME_SIZES_M and (any_shape or known.shape is thing.shape
                                       or high and _ROLLS == {known.shape, thing.shape})) and not (
            any_shape and in_colour and _is_cut_short(known, seen)):
        return math.inf
    near_m = SAME_THING_M if known.pieces else SAME_PLACE_M  # the hand hid a part of a bowl
    if known.is_container != thing.is_container and not (
            in_colour and (away <= near_m or _explains(known, seen) or high)):  # in the hand
        return math.inf
    return math.dist(known.position, thing.position) + sizes * thing.confidence + (
        0 if same_kind else OTHER_KIND_M)


def _may_be_several(seen: Fitted) -> bool:
    return seen.thing.shape is Shape.IRREGULAR and seen.looks == 1


def _parts_of_known(known: Sequence[SceneObject], seen: Fitted) -> list[Fitted]:
    """The fit, or a fit for each known thing of its colour whose surface it shows.

    What covers a tower may leave strips of two of its cubes that look like one thing. Each point
    belongs to one thing: the one that more of them show.
    """
    if not _may_be_several(seen):
        return [seen]
    near = [(thing, inside(thing, seen.points, ON_SURFACE_M)) for thing in known
            if thing.shape is not Shape.IRREGULAR and not thing.is_container
            and same_colour(thing.colour, seen.thing.colour)
            and seen.thing.seen_at - thing.seen_at <= REMEMBERED_S]
    left = np.ones(len(seen.points), dtype=bool)
    parts = []
    for thing, on_it in sorted(near, key=lambda pair: -np.count_nonzero(pair[1])):
        own = on_it & left
        if np.mean(own) >= LEAST_POINTS:
            left &= ~own
            parts.append(replace(seen, thing=replace(
                thing, confidence=CLEAR / 2, seen_at=seen.thing.seen_at),
                points=seen.points[own], bottom_seen=False))
    if len(parts) < 2 or np.mean(~left) < MOST_POINTS:
        return [seen]
    order = [thing.name for thing in known]
    return sorted(parts, key=lambda part: order.index(part.thing.name))


def merged(known: SceneObject, seen: Fitted,
           sees_past: Callable[[SceneObject], bool] = lambda thing: False) -> SceneObject:
    """The object as seen now; where this view is poor, what was known better before."""
    thing = seen.thing
    clear = thing.confidence >= CLEAR and seen.bottom_seen
    is_other = thing.seen_at - known.seen_at > REMEMBERED_S or is_larger(seen, known)
    if seen.looks > 1 or is_other:
        return replace(_turned_like(thing, known), name=known.name)
    smaller = np.subtract(sorted(known.size), sorted(thing.size)).max() > CUT_M
    if known.is_container and smaller and _shows_walls(known, seen):  # something hides the rest
        return replace(known, seen_at=thing.seen_at, confidence=thing.confidence)
    if whole := _whole(known, seen, sees_past) if _is_cut_short(known, seen) else None:
        return replace(whole, seen_at=thing.seen_at, confidence=thing.confidence)
    short_m = known.top_z - thing.top_z  # though it stands as low
    lower = clear and short_m > UNMOVED_M and abs(known.bottom_z - thing.bottom_z) <= UNMOVED_M
    if lower and is_upright(known) and is_upright(thing) and not sees_past(
            taller(known, short_m - known.size[2])):  # something hides its top, such as the hand
        clear = lower = False
    if thing.shape is Shape.IRREGULAR and not lower and _explains(known, seen) and not (
            known.pieces and sees_past(known)):
        return replace(known, seen_at=thing.seen_at)
    irregular = Shape.IRREGULAR in (known.shape, thing.shape)
    if clear and (kind(known) == kind(thing) or known.confidence < CLEAR or irregular or lower):
        return replace(_turned_like(thing, known), name=known.name)
    there = replace(known, seen_at=thing.seen_at, confidence=thing.confidence)
    if _explains(known, seen):
        return there
    if max(abs(short_m), math.dist(known.position[:2], thing.position[:2])) > UNMOVED_M:
        (x, y, _), half_height = thing.position, known.half_extents_in_base()[2]
        upright = known.shape in (Shape.BOX, Shape.BIN) and thing.shape in (Shape.BOX, Shape.BIN)
        turned = (_turned_like(thing, known) if upright else known).pose.quaternion
        lowest = thing.bottom_z + half_height  # if its top is hidden, it is higher than it looks
        there = replace(there, pose=Pose((x, y, float(max(thing.top_z - half_height, lowest))),
                                         turned))
    leans = irregular and float(np.percentile(seen.points[:, 2], 2)) < there.bottom_z - CUT_M
    return replace(thing, name=known.name) if leans else there


def _is_cut_short(known: SceneObject, seen: Fitted) -> bool:
    """Whether something nearer hides an end of a long thing: only its longest side is shorter."""
    thin, mid, far = np.subtract(sorted(known.size), sorted(seen.thing.size))
    return bool(seen.looks == 1 and seen.confidence < SURE and far > CUT_M
                and abs(thin) < CUT_M and abs(mid) < CUT_M
                and seen.thing.seen_at - known.seen_at <= REMEMBERED_S)


def _whole(known: SceneObject, seen: Fitted, sees_past: Callable[[SceneObject], bool]
           ) -> SceneObject | None:
    """All of a lying thing of which an end is hidden, as long as it was, where nothing is seen
    past it and most points are on it. None if there is no such place, or it stands.
    """
    if float(np.mean(inside(known, seen.points, NEAR_M))) >= MOST_POINTS and not sees_past(known):
        return known
    thing = seen.thing
    own, now = (o.pose.rotation[:, int(np.argmax(o.size))] for o in (known, thing))
    if abs(own[2]) > LYING or abs(now[2]) > LYING:
        return None
    turn = math.atan2(now[1], now[0]) - math.atan2(own[1], own[0])
    spare, high = (max(known.size) - max(thing.size)) / 2, known.half_extents_in_base()[2]
    options: list[tuple[bool, float, int, SceneObject]] = []
    for flip, shift in itertools.product((0.0, math.pi), (spare, -spare)):
        x, y = (float(v) for v in np.add(thing.position[:2], shift * now[:2]))
        guess = replace(known, pose=Pose((x, y, float(thing.top_z - high)),
                                         known.pose.turned(turn + flip).quaternion))
        on_it = float(np.mean(inside(guess, seen.points, NEAR_M)))
        options.append((sees_past(guess), -on_it, len(options), guess))
    past, *_, best = min(options, key=lambda option: option[:3])
    return None if past else best


def is_covered(known: SceneObject, seen: Fitted, sees_past: Callable[[SceneObject], bool]) -> bool:
    """Whether a small part of a known thing of any shape is seen, and something hides the rest.

    That part may have a clear shape of its own; a guess of what is behind it may make it too
    large, too. Nothing is seen past its place: what became smaller, or was turned, leaves a gap.
    """
    share = math.prod(seen.thing.size) / math.prod(known.size)
    loose = seen.thing.shape is Shape.IRREGULAR or seen.confidence < CLEAR
    is_part = (known.shape is Shape.IRREGULAR and seen.looks == 1
               and seen.thing.seen_at - known.seen_at <= REMEMBERED_S
               and (share < SMALL_PART or share > 1 / SMALL_PART and loose))
    return (is_part and float(np.mean(inside(known, seen.points, NEAR_M))) >= MOST_POINTS
            and not sees_past(known))


def is_larger(seen: Fitted, known: SceneObject) -> bool:
    """Whether what is seen is too long to be a part of the known thing."""
    low, high = np.percentile(seen.points, (2, 98), axis=0)  # without strays
    return float((high - low).max()) > math.hypot(*known.size) + UNMOVED_M


def _explains(known: SceneObject, seen: Fitted) -> bool:
    """Whether a part of the known shape is seen where it was: something covers the rest."""
    if known.shape is Shape.IRREGULAR and seen.confidence > known.confidence:
        return False
    if known.is_container and not seen.thing.is_container:
        return _shows_walls(known, seen)
    return float(np.mean(inside(known, seen.points, ON_SURFACE_M))) >= MOST_POINTS


def _shows_walls(known: SceneObject, seen: Fitted) -> bool:
    """Whether the walls of a known container are seen at its place, and maybe what is in it."""
    T, half = known.pose.matrix(), np.asarray(known.size) / 2
    local = (seen.points - T[:3, 3]) @ T[:3, :3]
    off = (np.hypot(local[:, 0], local[:, 1]) - half[:2].max() if known.shape is Shape.BOWL
           else (np.abs(local[:, :2]) - half[:2]).max(axis=1))
    fits = (off < UNMOVED_M) & (local[:, 2] > -half[2] - ON_SURFACE_M) & (
        local[:, 2] < half[2] + HEAPED_M)
    walls = (off > -AT_WALL_M) & (local[:, 2] < half[2] + ON_SURFACE_M)
    return bool(np.mean(fits) >= MOST_POINTS and np.mean(fits & walls) >= LEAST_WALL)


def _turned_like(thing: SceneObject, known: SceneObject) -> SceneObject:
    """The same box with its axes as before: a quarter turn swaps width and depth."""
    if thing.shape not in (Shape.BOX, Shape.BIN) or known.shape is not thing.shape:
        return thing
    x, y, z = thing.size
    options = []
    for quarter in range(4):
        yaw = thing.pose.yaw + quarter * math.pi / 2
        size = (y, x, z) if quarter % 2 else (x, y, z)
        unlike = float(np.abs(np.subtract(size, known.size)).sum())
        turn = abs(math.remainder(yaw - known.pose.yaw, math.tau))
        options.append((round(unlike / 0.01), turn, size, yaw))
    _, _, size, yaw = min(options)
    return replace(thing, size=size, pose=Pose.from_rpy(*thing.position, yaw=yaw))
