# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Things that a look does not show: which are believed to be still there, and where.

One rule for all looks. A belief ends as soon as the contrary is seen:

- What something in front hides stays at its last place for a while; what carries something, too.
- What was in a container, or was let go above one, is in it: things do not leave a container by
  themselves. It is at its last place, or at another one near it that nobody can see into, or
  turned and buried below or beside other contents. What was let go may lie on any of its sides
  and anywhere in the container, behind a wall for example. This ends if there is no such place,
  if it may be seen elsewhere under a new name, or if the container is gone, tipped over or
  somewhere else.
- What has no shape of its own, or is a sliver, beside something of its colour was a part of that.
  Of a container only its walls are parts: what lies between them is a thing.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import CLEAR, Scene, SceneObject, Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.domain.things import Quantity

from .judging import RIM_MARGIN_M, is_inside, is_resting_on, supports
from .outlines import beyond_m, gap_m, parts
from .room.container_room import STRIDE_M, WALL_M
from .support import in_own_frame, surface_height, weight_xy

UPON_M = 0.006  # an underside this close to a top lies on it
SLID_M = 0.05  # what comes in after a thing pushes it aside no farther than this
CARRIED_OFF_M = 0.05  # a container that is farther away may have been emptied
PART_GAP_M, SLIVER_M, DOT_M = 0.01, 0.009, 0.001
MAY_BE_ONE_M = 0.06  # so far apart, parts of one thing may be seen beside what hides it
ACROSS_M = 0.03  # beside what lies across a thing, so much of it is in its shadow
GROWN, AS_LONG = 1.3, 0.25  # of two parts of one thing: longer than each, as long as both,
LONGER = 1.15  # and longer than the longer one was
SMALL_PIECE, TINY_PIECE = 0.5, 0.1  # share of the size of the whole
AT_WALL_M, STRIP_M, ABOVE_RIM_M = 0.025, 0.03, 0.01  # of a strip of a wall: place, width, top
PUSHED_M, IN_LINE, ROD = 0.1, 0.95, 1.8  # a push goes no farther; cosine; length by width
WENT_M, SHOVED_M = 0.15, 0.21  # between two looks; what is as large may have been pushed there
SEEN_NOW_S = 0.2  # what was last seen earlier than this is believed, not seen
TAKEN_SHARE = 0.4  # a place of which others take more than this is not free
SHADES = ('white', 'grey', 'black')  # in a shadow, each may look like the next one
_INSIDE = np.array(list(itertools.product((-0.4, 0.0, 0.4), repeat=3)))  # shares of the size


@dataclass(frozen=True)
class Sight:
    """What the cameras say of a place: whether something in front hides all of it, and whether
    they see past it, so that nothing is there. The defaults are those of a perception that sees
    everything."""

    is_hidden: Callable[[SceneObject], bool] = lambda thing: False
    sees_past: Callable[[SceneObject], bool] = lambda thing: True


def still_there(before: Scene, now: Scene, sight: Sight, hidden_keep_s: float
                ) -> tuple[SceneObject, ...]:
    """The things of the scene before that the look now does not show, where they should be."""
    unseen = [o for o in before.objects if o.shape is not Shape.TABLE and now.get(o.name) is None]
    hidden = {o.name for o in unseen if o.name != before.held and sight.is_hidden(o)}
    gone = [o for o in unseen if o.name == before.held
            or not _was_a_part(o, now, o.name in hidden)]
    kept = [o for o in gone if o.name in hidden and now.stamp - o.seen_at <= hidden_keep_s
            or o.name != before.held and _is_lain_on(o, now)]
    for thing in gone:
        known = replace(now, objects=(*now.objects, *kept))
        if thing.movable and known.get(thing.name) is None:
            place = _in_its_container(thing, before, known, sight)
            kept += [place] if place is not None else []
    return tuple(kept)


def _is_lain_on(thing: SceneObject, now: Scene) -> bool:
    """Whether something is seen to lie at its height, where without it there is only air."""
    return now.table is not None and any(
        o.bottom_z > now.table.top_z + UPON_M and abs(o.bottom_z - thing.top_z) < UPON_M
        and surface_height(thing, *weight_xy(o)) is not None and not supports(o, now)
        for o in now.movable() if o.name not in (thing.name, now.held))


def became_one(before: Scene, now: Scene, at_once: bool = True) -> set[str]:
    """The things of the scene before that turn out to be parts of another one.

    They are not seen any more. The other one, of their colour, is longer and now at their place;
    or it has grown by them and was beside them, or below what lay across both; or it is lifted or
    moved from there, or from beside another part, in the moment (`at_once`) in which they are
    missed first, and a thing of its own would be seen; or the hand held it, and they were in the
    air. Or they had no shape of their own, and were tiny pieces beside it, or it is as long as
    both were: what lay across it is gone.
    What the hand held is one with what lies elsewhere at once, though nothing brought it there.
    """
    found: dict[str, set[str]] = {}  # the parts of each whole

    def is_of(part: SceneObject, whole: SceneObject) -> bool:
        other = before.get(whole.name)
        if whole.is_container or not same_colour(whole.colour, part.colour):
            return False
        if part.name == before.held:
            irregular = Shape.IRREGULAR in (part.shape, whole.shape)
            return at_once and now.held is None and irregular and (
                other is None or math.dist(other.position, whole.position) > CARRIED_OFF_M
                and max(whole.size) > LONGER * max(other.size))
        if other is None:
            return False
        one, rest, length = (max(o.size[:2]) for o in (part, other, whole))
        together = math.dist(part.position[:2], other.position[:2]) + (one + rest) / 2
        near, fits = unseen_gap_m(part, other, before), all(
            a <= b + PART_GAP_M for a, b in zip(sorted(part.size), sorted(whole.size)))
        carried = whole.name == before.held or before.table and not supports(other, before)
        if carried and not supports(part, before):  # it hung beside it
            return near <= (length + PART_GAP_M if fits else ACROSS_M)
        if length > LONGER * max(rest, together / GROWN) and fits and near <= ACROSS_M:
            return True
        shapeless = part.shape is Shape.IRREGULAR or part.confidence < CLEAR
        is_piece = shapeless or whole.shape is Shape.IRREGULAR and (
            math.prod(part.size) < SMALL_PIECE * math.prod(whole.size))
        moved = math.dist(other.position, whole.position) > CARRIED_OFF_M
        along = at_once and is_piece and length > LONGER * one and near <= PART_GAP_M
        if whole.name == now.held:
            near = min([near, *(unseen_gap_m(part, o, before) for o in gone  # or beside a part
                                if o.name in found.get(whole.name, ()))])
            in_line = _in_line(part, other)  # one of two such rods is not gone alone
            far_m = length if shapeless and fits else ACROSS_M if in_line else PART_GAP_M
            stays = before.table and beyond_m(parts(part), before.table) < -PUSHED_M and (
                in_line or part.shape in (Shape.BOX, Shape.IRREGULAR))  # pushed, or let go
            return along or at_once and (
                shapeless and near <= ACROSS_M or bool(stays) and near <= far_m)
        cleared = at_once and other.confidence < CLEAR <= whole.confidence  # nothing hides it now
        if moved and along or cleared and near <= 0 or (
                math.prod(part.size) < TINY_PIECE * math.prod(whole.size)) and (
                part.confidence < CLEAR and near <= PART_GAP_M
                or _was_a_part(part, replace(now, objects=(whole,)))):
            return True
        middle = replace(part, shape=Shape.SPHERE, size=(DOT_M,) * 3, pieces=())
        if (not moved or length > LONGER * rest) and length > LONGER * one and (
                gap_m(parts(whole), parts(middle)) <= 0):
            return True
        longer = max(one, rest)
        return (part.shape is Shape.IRREGULAR and gap_m(parts(whole), parts(part)) <= PART_GAP_M
                and together > GROWN * longer and length > LONGER * longer
                and abs(length - together) <= AS_LONG * together)

    gone = [o for o in before.movable() if now.get(o.name) is None]
    seen = [o for o in now.movable() if now.stamp - o.seen_at <= SEEN_NOW_S]
    for _, whole, part in itertools.product(gone, seen, gone):
        if part.name not in found.get(whole.name, ()) and is_of(part, whole):
            found.setdefault(whole.name, set()).add(part.name)
    return set().union(*found.values())


def _in_line(*rods: SceneObject) -> bool:
    """Whether both are long, and lie in one line."""
    between = np.subtract(rods[0].position, rods[1].position)
    return all(max(o.size) > ROD * sorted(o.size)[1]
               and abs(o.pose.rotation[:, int(np.argmax(o.size))] @ between)
               > IN_LINE * np.linalg.norm(between) for o in rods)


def unseen_gap_m(one: SceneObject, other: SceneObject, scene: Scene) -> float:
    """How far (m) they are from each other, less what lies across both and may hide the rest."""
    along, gap = np.subtract(other.position, one.position), gap_m(parts(other), parts(one))
    long_m = float(np.linalg.norm(along)) or DOT_M
    across = [float(np.abs(along @ o.pose.rotation) @ o.size) / long_m
              for o in scene.movable() if o not in (one, other)
              and all(gap_m(parts(o), parts(each)) <= ACROSS_M for each in (one, other))]
    return 0.0 if gap <= max(across, default=0.0) else gap


def may_be_one(one: SceneObject, other: SceneObject, scene: Scene) -> bool:
    """Whether two things of one colour may be parts of one: seen in part, with nothing seen
    between them, or of any shape, and close together."""
    if not scene.may_hide or not same_colour(one.colour, other.colour):
        return False
    in_part = any(o.confidence < CLEAR for o in (one, other))
    return (in_part and unseen_gap_m(one, other, scene) < MAY_BE_ONE_M) or bool(
        one.pieces or other.pieces) and gap_m(parts(one), parts(other)) < PART_GAP_M


def seen_as_others(seen: Mapping[str, Scene], first: Mapping[str, Scene], now: Scene
                   ) -> dict[str, str]:
    """The names (`seen`: the last scene with each) that no thing has now, and its new name.

    '': it was a part, or a container's floor. A new name (`first`: the first scene with each) is
    one for each, of its colour, that no look showed beside it and that came up where it may be;
    or that of what it is a part of in a container: there it is, whatever is seen of it.
    """
    found, free = {}, [o for o in now.objects if o.name in first]
    for name, scene in seen.items():
        thing = scene.get(name)
        if thing is None or now.get(name) is not None:
            continue
        new = [o for o in free if same_colour(o.colour, thing.colour)
               and first[o.name].stamp > scene.stamp
               and (scene.held == name or _may_have_come_to(thing, o, first[o.name]))][:1]
        free = [o for o in free if o not in new]
        new = new or [o for o in _beside_in_container(thing, scene, now)
                      if _was_a_part(thing, replace(now, objects=(o,)))]
        if new or _was_a_part(thing, now) or _may_be_floor(thing, now):
            found[name] = new[0].name if new else ''
    return found


def _beside_in_container(thing: SceneObject, scene: Scene, now: Scene) -> list[SceneObject]:
    """What is seen now in the container in which the thing was last."""
    around = [o for o in scene.objects if o.is_container and scene.held != thing.name
              and is_inside(thing, o) and (here := now.get(o.name)) is not None
              and math.dist(o.position, here.position) <= CARRIED_OFF_M]
    return [o for o in now.movable() if now.stamp - o.seen_at <= SEEN_NOW_S
            and any(is_inside(o, now.get(c.name) or c) for c in around)]


def _may_have_come_to(thing: SceneObject, new: SceneObject, first: Scene) -> bool:
    """Whether it may be what was first seen under another name: near, or in its container."""
    there = first.get(new.name) or new
    alike = all(abs(a - b) <= PART_GAP_M for a, b in zip(sorted(thing.size), sorted(new.size)))
    far_m = SHOVED_M if alike else WENT_M
    return math.dist(thing.position[:2], there.position[:2]) <= far_m or any(
        is_inside(there, o) and is_inside(thing, o) for o in first.objects if o.is_container)


def not_seen_again(goals: Iterable[Goal], seen: Mapping[str, Scene], now: Scene
                   ) -> list[SceneObject]:
    """What the goals are about, was seen before, and is nowhere now; as it was last seen.

    It is one of "all things", or was last on or in what should be clear: it may still be there,
    or on the floor. `seen` has the last scene with each thing.
    """
    goals = [goal for goal in goals if not goal.negated]
    every = [goal for goal in goals if goal.things and goal.things.quantity is Quantity.ALL]
    targets = [part.object for goal in goals if goal.predicate is Predicate.CLEAR
               for part in goal.named(now)]
    found = []
    for name, scene in seen.items():
        thing = scene.get(name)
        if thing is None or not thing.movable or now.get(name) is not None:
            continue
        below = [o for target in targets if target != name and (o := scene.get(target or ''))]
        if any(scene.held == name or is_resting_on(thing, o, scene) for o in below) or any(
                part.object == name for goal in every for part in goal.named(scene)):
            found.append(thing)
    return found


def believed(goals: Iterable[Goal], scene: Scene) -> list[SceneObject]:
    """The things that the goals are about and that the scene has only by belief: not seen now."""
    names = {part.object for goal in goals for part in goal.named(scene)}
    return [o for o in unseen(scene) if o.name in names]


def unseen(scene: Scene) -> list[SceneObject]:
    """What the scene has only by belief: none if the perception never says when it saw a thing."""
    old = [o for o in scene.objects if scene.stamp - o.seen_at > SEEN_NOW_S]
    return old if len(old) < len(scene.objects) else []


def is_at_wall(thing: SceneObject, container: SceneObject) -> bool:
    """Whether it is as narrow as a strip of a container's wall, and where that wall is."""
    own = np.abs(in_own_frame(container, thing.position)[:2])
    half = np.asarray(container.size[:2]) / 2
    off = (float(np.hypot(*own)) - half.min() if container.shape is Shape.BOWL
           else float((own - half).max()))
    return (abs(off) <= AT_WALL_M and min(thing.size) <= STRIP_M
            and thing.top_z <= container.top_z + ABOVE_RIM_M)


def _was_a_part(thing: SceneObject, now: Scene, is_hidden: bool = False) -> bool:
    """Whether it is no thing of its own, but a part of something that is seen beside it.

    What is hidden now may still be a thing of its own, if the other one is not at its place.
    """
    is_sliver = min(thing.size) < SLIVER_M

    def is_of(other: SceneObject) -> bool:
        gap = gap_m(parts(other), parts(thing))
        if other.is_container:
            return gap <= AT_WALL_M and (is_sliver or is_at_wall(thing, other))
        return gap <= PART_GAP_M and (
            is_sliver or thing.shape is Shape.IRREGULAR and not (is_hidden and gap > 0))

    return any(is_of(o) for o in now.objects
               if same_colour(o.colour, thing.colour) and o.shape is not Shape.TABLE)


def _may_be_floor(thing: SceneObject, now: Scene) -> bool:
    """Whether it has no shape of its own, in a container of its colour: that may be its floor."""
    return thing.shape is Shape.IRREGULAR and any(
        o.is_container and same_colour(o.colour, thing.colour) and is_inside(thing, o)
        for o in now.objects)


def _in_its_container(thing: SceneObject, before: Scene, now: Scene, sight: Sight
                      ) -> SceneObject | None:
    """The thing in the container in which it was or above which it was let go; None if neither."""
    was_in = is_above if thing.name == before.held else is_inside
    for earlier in before.objects:
        container = now.get(earlier.name)
        if (earlier.name == thing.name or not earlier.is_container or container is None
                or math.dist(earlier.position, container.position) > CARRIED_OFF_M
                or not was_in(thing, earlier)
                or any(same_colour(o.colour, thing.colour) and before.get(o.name) is None
                       and not is_inside(o, container) for o in now.objects)):
            continue  # a new thing of its colour outside: part of a cube may look like a bar
        dx, dy, dz = (b - a for a, b in zip(earlier.position, container.position))
        there = replace(thing, pose=thing.pose.moved(dx, dy, dz))
        return next((place for place in _places(there, container) if not sight.sees_past(place)
                     and not _is_taken(place, now, container)), None) or _buried(
            there, container, now, sight, _lying(there) if thing.name == before.held else ())
    return None


def _lying(thing: SceneObject) -> tuple[SceneObject, ...]:
    """The thing on each of its sides, as it may lie after a fall."""
    return tuple(replace(thing, pose=Pose.from_rpy(*thing.position, *turn), turn_unknown=True)
                 for turn in itertools.product((0.0, math.pi / 2), repeat=3))


def _buried(thing: SceneObject, container: SceneObject, now: Scene, sight: Sight,
            lying: Sequence[SceneObject]) -> SceneObject | None:
    """The thing at a place in the container that is not seen: on the floor as it may be `lying`
    after a fall, or below or beside other contents; None without any.

    However it lies there, a ball as wide as its least side, or as that of a common piece of it,
    is a part of it.
    """
    contents = [o for o in now.movable() if o.name != container.name and is_inside(o, container)]
    wide = float(np.median([np.ptp(piece.corners, axis=0).min() for piece in thing.pieces]
                           or [min(thing.size)]))
    low = container.bottom_z + CONTAINER_FLOOR_M
    ball = replace(thing, shape=Shape.SPHERE, size=(wide,) * 3, pieces=())
    for shape in (*lying, *([ball] if contents else [])):
        half = shape.half_extents_in_base()[:2]
        room = np.maximum(0.0, np.asarray(container.half_extents_in_base()[:2]) - WALL_M - half)
        axes = (container.position[i] + np.linspace(-room[i], room[i], 1 + math.ceil(
            2 * room[i] / max(wide, 2 * STRIDE_M))) for i in (0, 1))
        for x, y in sorted(itertools.product(*axes),
                           key=lambda at: math.dist(at, thing.position[:2])):
            dx, dy = x - thing.position[0], y - thing.position[1]
            place = replace(shape, pose=shape.pose.moved(dx, dy, low - shape.bottom_z))
            if (not _is_between_walls(np.subtract((x, y), container.position[:2]), room, container)
                    or not is_inside(place, container) or sight.sees_past(place)
                    or _is_taken(place, now, container)):
                continue
            if shape is not ball:
                return place
            if any(gap_m(parts(o), parts(place)) <= PART_GAP_M for o in contents):
                dz = 0.0 if is_inside(thing, container) else low - thing.bottom_z
                there = replace(thing, pose=thing.pose.moved(dx, dy, dz))
                return there if is_inside(there, container) else place
    return None


def is_above(thing: SceneObject, container: SceneObject) -> bool:
    """Whether it would be in the container if it fell straight down, or is in it."""
    fall_m = max(0.0, thing.bottom_z - container.bottom_z - CONTAINER_FLOOR_M)
    return is_inside(replace(thing, pose=thing.pose.moved(dz=-fall_m)), container)


def _places(thing: SceneObject, container: SceneObject) -> Iterator[SceneObject]:
    """The thing where it was, and at other places in the container, the nearest first."""
    low = container.bottom_z + CONTAINER_FLOOR_M - thing.bottom_z
    rises = np.arange(low, container.top_z - RIM_MARGIN_M - thing.bottom_z, 2 * STRIDE_M)
    aside = np.arange(-SLID_M, SLID_M + 1e-9, STRIDE_M)
    room = np.maximum(0.0, np.asarray(container.half_extents_in_base()[:2]) - WALL_M
                      - thing.half_extents_in_base()[:2])
    off = np.subtract(thing.position, container.position)[:2]
    moves = np.array([(0.0, 0.0, 0.0), *(
        m for m in itertools.product(aside, aside, rises)
        if math.hypot(*m[:2]) <= SLID_M and _is_between_walls(off + m[:2], room, container))])
    for move in moves[np.argsort(np.linalg.norm(moves, axis=1), kind='stable')]:
        place = replace(thing, pose=thing.pose.moved(*map(float, move)))
        if is_inside(place, container):
            yield place


def _is_between_walls(off: np.ndarray, room: np.ndarray, container: SceneObject) -> bool:
    """Whether what is so far off the container's middle is in none of its walls."""
    return bool(np.all(np.abs(off) <= room)) and (
        container.shape is not Shape.BOWL or math.hypot(*off) <= max(room))


def _is_taken(place: SceneObject, scene: Scene, container: SceneObject) -> bool:
    """Whether other contents of the container take so much of the place that it cannot be there.

    It may be a part of what is seen there in its own colour.
    """
    points = (_INSIDE * place.size) @ place.pose.rotation.T + place.position
    taken = np.zeros(len(points), dtype=bool)
    for other in scene.movable():
        if (not same_colour(other.colour, place.colour)
                and other.name not in (container.name, scene.held)):
            local = (points - other.position) @ other.pose.rotation
            for piece in other.pieces:
                taken |= np.all(local @ piece.planes[:, :3].T + piece.planes[:, 3] < 0, axis=1)
            if not other.pieces:
                taken |= np.all(np.abs(local) < np.asarray(other.size) / 2, axis=1)
    return bool(np.mean(taken) > TAKEN_SHARE)


def same_colour(word: str, other: str) -> bool:
    """Whether one thing may look like both: what is white is grey in a shadow."""
    if word in SHADES and other in SHADES:
        return abs(SHADES.index(word) - SHADES.index(other)) <= 1
    return word == other
