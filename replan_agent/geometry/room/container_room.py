# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where in a container there is room for a thing: from outlines and heights, cell by cell.

The inside of a container is a map of heights: its floor, its walls, and the tops of what is in
it. A thing that comes down from above stops at the highest cell below one of its parts. So it
stands on the floor where that is free, else on what is there. If neither is possible it is heaped:
it is let go where it sinks between what is there and the walls. Its centre stays below the rim.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from replan_agent.domain.pose import FloatArray
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.shape import BOWL_FLOOR_SHARE, CONTAINER_FLOOR_M, CONTAINER_WALL_M, ROUND
from replan_agent.text.shown_text import listed

from ..judging import LOW, RIM_MARGIN_M, is_inside
from ..outlines import Part, extents_m, long_axis_yaw, parts
from ..support import is_guessed, up_alignment, weight_xy
from .height_cells import CELL_M, cells, heights_at, stops_at

STRIDE_M = 0.008  # between the places that are tried
WALL_M = CONTAINER_WALL_M + 0.001  # thickness to allow for a wall
PLAY_M = 0.006  # distance to keep from the walls, where there is room for it
SLIDES = 0.5  # what lies on a bowl's slope slides to about half as high, unless it spans it
ROLLING = 0.25  # share of a bowl that balls may cover and still roll aside for the next thing
BESIDE_M = 0.005  # free space between two neighbours
HAND_GAP_M = 0.003  # free space around the hand
ON_FLOOR_M = 0.010  # a thing this close to the floor stands on it
LEVEL_M, DROP_M = 0.006, 0.025  # places that differ by less in height are equally good
SUPPORT_M = 0.006  # what is this close below carries too
LEAST_CARRIED = 0.3  # share of the outline
APART_M = 0.016  # places closer together than this are the same
OFF_CENTRE = 0.3  # share of its half width that its weight may be off the middle of its support
UPRIGHT, SQUARE_M = 0.999, 0.001
TURNS, MOST_TURNS = 8, 36  # the second for what fits in a few directions only
LEANS = 0.5  # share of a bowl's radius in which the centre of a leaning thing must be
DISCS = ((0.5, 0.0), (0.8, 0.067), (1.0, 0.2))  # of a ball: widths and undersides, shares of it
SLIM = 0.5  # share of a bowl's width that a leaning thing may be wide
SINKS_M = 0.006  # in a heap its centre may be this far above the rim: it settles further
LEAST_SUNK = 0.3  # share of its height that is below the rim at the least
MOST_ABOVE = 0.5  # share of its outline that may be above the rim's height, on others or outside


@dataclass(frozen=True)
class Slot:
    """A place for a thing's centre (x, y, m): turned by `turn` (rad), its bottom on `rest_z`.

    `release_z` is how low its bottom can be brought: higher if the hand would touch the walls.
    """

    x: float
    y: float
    turn: float
    rest_z: float
    release_z: float

    def of(self, thing: SceneObject) -> SceneObject:
        """The thing in this place."""
        x, y, _ = thing.position
        return replace(thing, pose=thing.pose.turned(self.turn).moved(
            self.x - x, self.y - y, self.rest_z - thing.bottom_z))


class Room:
    """The inside of an upright container, with what is in it except for some things."""

    def __init__(self, container: SceneObject, scene: Scene | None = None,
                 without: Iterable[str] = ()) -> None:
        self.container = container
        self.floor_z = container.bottom_z + CONTAINER_FLOOR_M
        others = scene.without({container.name, *without}) if scene is not None else ()
        near = math.hypot(*container.size[:2])
        self.inside = [o for o in others if o.shape is not Shape.TABLE
                       and math.dist(o.position[:2], container.position[:2]) < near
                       and o.top_z > self.floor_z + 0.001 and not is_inside(container, o)]

    @property
    def names(self) -> tuple[str, ...]:
        """What is in the container, or on it."""
        over = min(self.container.size[:2]) / 2
        return tuple(o.name for o in self.inside if is_inside(o, self.container)
                     or math.dist(o.position[:2], self.container.position[:2]) < over)

    def inner_m(self) -> tuple[float, float]:
        """Length and width (m) at the rim."""
        long, short = max(self.container.size[:2]), min(self.container.size[:2])
        return long - 2 * WALL_M, short - 2 * WALL_M

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        """The cells' centres: in the container's frame (n, m, 2), and in the base frame."""
        counts = [max(1, round(side / CELL_M)) for side in self.container.size[:2]]
        u, v = ((np.arange(n) - (n - 1) / 2) * CELL_M for n in counts)
        own = np.stack(np.meshgrid(u, v, indexing='ij'), axis=-1)
        c, s = math.cos(self.container.pose.yaw), math.sin(self.container.pose.yaw)
        return own, own @ np.array([[c, s], [-s, c]]) + self.container.position[:2]

    @cached_property
    def _tops(self) -> FloatArray:
        """Height (m) of the contents at each cell; -inf where there are none."""
        return self._heights(self.inside)

    @cached_property
    def _rests(self) -> FloatArray:
        """The same, as far as something can rest on it: in a bowl, balls roll aside."""
        balls = [o for o in self.inside if o.shape is Shape.SPHERE]
        area = sum(math.pi * (o.size[0] / 2) ** 2 for o in balls)
        if self.container.shape is not Shape.BOWL or area > ROLLING * math.prod(self.inner_m()):
            return self._tops
        return self._heights([o for o in self.inside if o not in balls])

    def _heights(self, things: Iterable[SceneObject]) -> FloatArray:
        base, found = self._points[1], np.full(self._points[1].shape[:2], -math.inf)
        for part in (p for o in things for p in parts(o)):
            low, high = part.outline.min(axis=0), part.outline.max(axis=0)
            near = ((base >= low - BESIDE_M) & (base <= high + BESIDE_M)).all(axis=-1)
            covered = near.copy()
            covered[near] = part.outside_m(base[near]) <= BESIDE_M
            found[covered] = np.maximum(found[covered], part.top_z)
        return found

    def _floor(self, share: float) -> FloatArray:
        """Height (m) of the empty container within its walls. `share`: of a bowl's slope."""
        return self.floor_z + share * self._slope_m(self._points[0])

    def _slope_m(self, points: FloatArray) -> FloatArray:
        """How far (m) a bowl's slope is above its floor, at own points (..., 2); else 0."""
        rim, high = min(self.container.size[:2]) / 2, self.container.size[2]
        out = np.linalg.norm(points, axis=-1) + CONTAINER_WALL_M - BOWL_FLOOR_SHARE * rim
        up = np.minimum(out / (rim - BOWL_FLOOR_SHARE * rim), self.container.shape is Shape.BOWL)
        return np.maximum(0.0, up * high - CONTAINER_FLOOR_M)

    def _stops(self, tops: FloatArray, share: float, own: Sequence[Part], at: FloatArray
               ) -> FloatArray:
        """How low it gets between such contents: on the slope by its outline, not by cells."""
        return np.asarray(np.max([stops_at(tops, own, at), *(
            self.floor_z - part.bottom_z + share * self._slope_m(
                at[:, None] + part.outline).max(axis=1) for part in own)], axis=0))

    @cached_property
    def _is_wall(self) -> NDArray[np.bool_]:
        own, half = self._points[0], np.array(self.container.size[:2]) / 2 - WALL_M
        if self.container.shape is Shape.BOWL:
            return np.asarray(np.hypot(own[..., 0], own[..., 1]) > half.min())
        return np.asarray((np.abs(own) > half).any(axis=-1))

    def places(self, thing: SceneObject, hand: Sequence[Part] = ()) -> Iterator[Slot]:
        """Places for a thing that comes in this pose, turned about the vertical, the best first.

        Low ones come first, then those where the hand gets deep, then those near a corner or
        wall: they leave the most room for the next thing. Heaped ones come only without others.
        """
        ways = ((TURNS, False), (MOST_TURNS, False), (TURNS, True))
        tried = ([f for turn in self._turns(thing, count)
                  if (f := self._at_turn(thing, turn, hand, heaped)) is not None]
                 for count, heaped in ways)
        found = next(filter(None, tried), None)
        if found is None:
            return
        ranks, rows = (np.concatenate(each) for each in zip(*found))
        taken: list[Slot] = []
        for k in np.lexsort(ranks.T[::-1]):
            place = Slot(*map(float, rows[k]))
            if all(math.dist((place.x, place.y), (t.x, t.y)) >= APART_M
                   or abs(math.remainder(place.turn - t.turn, math.tau)) > 0.1 for t in taken):
                taken.append(place)
                yield place

    def place(self, thing: SceneObject) -> Slot | None:
        """A good place for the thing without a hand; None if there is none. Fast."""
        fold = _fold(thing)
        for count, heaped in ((TURNS, False), (MOST_TURNS, False), (TURNS, True)):
            turns = {round(turn % fold, 3): turn for turn in reversed(self._turns(thing, count))}
            for turn in sorted(turns.values(), key=abs):
                if (found := self._at_turn(thing, turn, None, heaped)) is not None:
                    ranks, rows = found
                    return Slot(*map(float, rows[np.lexsort(ranks.T[::-1])[0]]))
        return None

    def _turns(self, thing: SceneObject, count: int) -> list[float]:
        """Along the container's sides and between, the smallest turns first."""
        along = self.container.pose.yaw - long_axis_yaw(thing)
        found = [math.remainder(along + k * math.tau / count, math.tau) for k in range(count)]
        return sorted(found, key=abs)

    def _at_turn(self, thing: SceneObject, turn: float, hand: Sequence[Part] | None, heaped: bool
                 ) -> tuple[FloatArray, FloatArray] | None:
        """The ranks (n, 6) and the fields (n, 5) of the places at one turn; None if none.

        Without a hand (None) only the lowest ones, and it is let go where it rests.
        """
        yaw, low, rim = self.container.pose.yaw, thing.bottom_z, self.container.top_z
        own = [p.placed(turn - yaw, thing.position, (0, 0), -low) for p in parts(thing)]
        if thing.shape is Shape.SPHERE:
            own = [replace(own[0], outline=own[0].outline * wide, bottom_z=thing.size[2] * up)
                   for wide, up in DISCS]
        outline = np.concatenate([p.outline for p in own])
        if heaped:
            at, rest = self._heaped(thing, own, self._well_inside(thing, outline))
        else:
            at, rest = self._standing(thing, turn, own, self._within_walls(outline), hand is None)
        if not len(at):
            return None
        release = rest
        if hand is not None:
            rims = np.where(self._is_wall, rim, np.maximum(self._floor(1.0), self._tops))
            free = stops_at(rims, own, at) if heaped else self._stops(self._tops, 1.0, own, at)
            grips = [p.placed(turn - yaw, thing.position, (0, 0), -low) for p in hand]
            release = np.maximum(free, stops_at(rims, grips, at) + HAND_GAP_M)
        x, y = (at @ np.array([[math.cos(yaw), math.sin(yaw)], [-math.sin(yaw), math.cos(yaw)]])
                + self.container.position[:2]).T
        tight = np.maximum(outline.max(axis=0) + at, -outline.min(axis=0) - at) > (
            np.array(self.container.size[:2]) / 2 - WALL_M - PLAY_M + 1e-6)
        corner = np.abs(at / (np.array(self.container.size[:2]) / 2)).sum(axis=1)
        if self.container.shape is Shape.BOWL and spans(thing, self.container):
            corner = -corner  # it lies on two sides of the slope: lowest in the middle
        turns = np.full(len(at), turn)
        ranks = np.column_stack([
            np.round((rest - self.floor_z) / LEVEL_M), np.round((release - rest) / DROP_M),
            tight.sum(axis=1), -np.round(corner, 1), np.abs(turns), np.hypot(x, y)])
        return ranks, np.column_stack([x, y, turns, rest, release])

    def _standing(self, thing: SceneObject, turn: float, own: Sequence[Part], at: FloatArray,
                  only_lowest: bool) -> tuple[FloatArray, FloatArray]:
        """Where it stands on the floor or on what carries it, and how high."""
        low, rim = thing.bottom_z, self.container.top_z
        wide = spans(thing, self.container)  # then the slope of an empty bowl holds it all around
        rest = self._stops(self._rests, 1.0 if wide else SLIDES, own, at)
        on_floor = rest <= self.floor_z + (
            LOW[False] * (rim - self.floor_z) if wide and not self.names else ON_FLOOR_M)
        fits = rest + np.where(on_floor, 0.0, thing.position[2] - low) < rim - RIM_MARGIN_M
        if only_lowest and (fits & on_floor).any():
            fits &= on_floor
        if self.container.shape is Shape.BIN and (fits & ~on_floor).any():
            fits[fits] &= on_floor[fits] | self._carried(thing, turn, own, at[fits], rest[fits])
        return at[fits], rest[fits]

    def _heaped(self, thing: SceneObject, own: Sequence[Part], at: FloatArray
                ) -> tuple[FloatArray, FloatArray]:
        """Where it sinks between things and walls, and about how high: their mean height."""
        tall, rim = thing.top_z - thing.bottom_z, self.container.top_z
        below_it = np.unique(np.concatenate([cells(p) for p in own]), axis=0)
        heights = np.where(self._is_wall, rim, np.maximum(self._floor(SLIDES), self._rests))
        below = np.nan_to_num(heights_at(heights, below_it, at), neginf=rim)
        rest = below.mean(axis=1)
        sunk = np.clip((rim - rest) / max(tall, 1e-6), 0.0, 1.0)
        fits = ((rest + thing.position[2] - thing.bottom_z <= rim + SINKS_M)
                & (sunk >= LEAST_SUNK) & (rest <= rim - RIM_MARGIN_M)
                & ((below >= rim - RIM_MARGIN_M).mean(axis=1) <= MOST_ABOVE))
        settled = np.minimum(rest, rim - LEVEL_M - (thing.position[2] - thing.bottom_z))
        return at[fits], settled[fits]

    def _within_walls(self, outline: FloatArray) -> FloatArray:
        """Points (n, 2, own frame) to which an outline around the origin can be moved."""
        low, high = outline.min(axis=0), outline.max(axis=0)
        half = np.array(self.container.size[:2]) / 2 - WALL_M
        least, most = -half - low, half - high
        if (least > most).any():
            return np.empty((0, 2))
        play = np.minimum(PLAY_M, (most - least) / 2)
        steps = [sorted({a, *np.linspace(a + p, b - p, 3 + 2 * int((b - a) / STRIDE_M / 2)), b})
                 for a, b, p in zip(least, most, play)]
        found = np.stack(np.meshgrid(*steps, indexing='ij'), axis=-1).reshape(-1, 2)
        if self.container.shape is Shape.BOWL:
            away = np.hypot(*(found[:, None] + outline).transpose(2, 0, 1)).max(axis=1)
            found = found[away <= half.min()]
        return found

    def _well_inside(self, thing: SceneObject, outline: FloatArray) -> FloatArray:
        """Points (n, 2, own frame) where a thing of this outline falls into the container.

        In a bowl a slim thing may lean over the rim: then it tips to the inside.
        """
        if self.container.shape is not Shape.BOWL or (
                extents_m(thing)[1] > SLIM * self.inner_m()[1]):
            return self._within_walls(outline)
        half = min(self.container.size[:2]) / 2 * LEANS
        steps = np.linspace(-half, half, 1 + 2 * math.ceil(half / STRIDE_M))
        found = np.stack(np.meshgrid(steps, steps, indexing='ij'), axis=-1).reshape(-1, 2)
        found = found[np.hypot(found[:, 0], found[:, 1]) <= half]
        corners = found[:, None] + outline
        over = np.hypot(corners[..., 0], corners[..., 1]) > self.inner_m()[1] / 2
        end = (over[..., None] * outline).sum(axis=1)  # the direction of what is over the rim
        other_end = (end[:, None] * outline).sum(axis=-1) <= 0
        return found[~(over & other_end).any(axis=1)]

    def _carried(self, thing: SceneObject, turn: float, own: Sequence[Part], at: FloatArray,
                 rest: FloatArray) -> NDArray[np.bool_]:
        """Whether what is below carries a thing that does not stand on the floor."""
        heights = np.maximum(self._floor(1.0), self._tops)
        angle = turn - self.container.pose.yaw
        c, s = math.cos(angle), math.sin(angle)
        weight = (np.asarray(weight_xy(thing)) - thing.position[:2]) @ np.array([[c, s], [-s, c]])
        below_it = np.unique(np.concatenate([cells(p) for p in own]), axis=0)
        carries = heights_at(heights, below_it, at) >= (rest - SUPPORT_M)[:, None]
        middle = (carries[..., None] * below_it).sum(axis=1) * CELL_M / np.maximum(
            carries.sum(axis=1), 1)[:, None]
        half = min(np.ptp(below_it, axis=0)) * CELL_M / 2
        return np.asarray((carries.mean(axis=1) >= LEAST_CARRIED)
                          & (np.linalg.norm(middle - weight, axis=1) <= OFF_CENTRE * half))


def _fold(thing: SceneObject) -> float:
    """After which turn (rad) about the vertical the thing looks the same from above."""
    stands = abs(up_alignment(thing)) > UPRIGHT
    if thing.shape is Shape.SPHERE or stands and thing.shape in ROUND:
        return math.tau / MOST_TURNS
    is_square = stands and abs(thing.size[0] - thing.size[1]) < SQUARE_M
    return math.tau if thing.pieces else math.pi / 2 if is_square else math.pi


def does_not_fit(thing: SceneObject, container: SceneObject) -> str:
    """Why the thing does not fit into the empty container, in a sentence; '' if it fits."""
    if (room := Room(container)).place(thing) is not None:
        return ''
    (long, short), (inner_long, inner_short) = extents_m(thing), room.inner_m()
    inside = (f'{inner_short * 1000:.0f} mm across' if container.shape is Shape.BOWL
              else f'{inner_long * 1000:.0f} x {inner_short * 1000:.0f} mm')
    return (f'{thing.name} does not fit in {container.name}: as it lies it is '
            f'{long * 1000:.0f} x {short * 1000:.0f} mm, and {container.name} is {inside} inside')


def spans(thing: SceneObject, container: SceneObject) -> bool:
    """Whether the thing is too long for the container's floor: it may hang between the walls."""
    share = BOWL_FLOOR_SHARE if container.shape is Shape.BOWL else 1.0
    return extents_m(thing)[0] > share * (min(container.size[:2]) - 2 * WALL_M)


def no_room_left(thing: SceneObject, container: SceneObject, scene: Scene) -> str:
    """What fills a container that has no place for the thing, in a sentence."""
    names, (long, short) = Room(container, scene, [thing.name]).names, extents_m(thing)
    size = f' ({long * 1000:.0f} x {short * 1000:.0f} mm)' * (not is_guessed(thing))
    return (f'{container.name} is full: {listed(names) or "what is there"} '
            f'leave{"s" * (len(names) < 2)} no place for {thing.name}{size} below the rim')
