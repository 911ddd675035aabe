"""Who is who from one picture to the next: names and sizes stay with their things."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from replan_agent.domain.pose import Pose
from replan_agent.domain.scene import SceneObject, Shape

from .fitting import Fit
from .naming import base_name, kind, named

SAME_PLACE_M = 0.04
UNMOVED_M = 0.02
CLEAR = 0.75  # confidence from which on a view is taken as that of the whole thing
OTHER_KIND_M = 0.10  # what another kind counts for, as a distance


class Tracks:
    """Remembers every thing under the name it got first."""

    def __init__(self) -> None:
        self._known: dict[str, SceneObject] = {}

    @property
    def known(self) -> tuple[SceneObject, ...]:
        return tuple(self._known.values())

    def get(self, name: str) -> SceneObject | None:
        return self._known.get(name)

    def note(self, thing: SceneObject) -> None:
        """Remember what is known of this thing now."""
        self._known[thing.name] = thing

    def rename(self, name: str, new: str) -> SceneObject:
        """The thing under a new name, which it keeps."""
        thing = replace(self._known.pop(name), name=new)
        self.note(thing)
        return thing

    def identify(self, fits: Sequence[Fit], apart_from: str | None = None,
                 ) -> tuple[SceneObject, ...]:
        """The fitted things under their names; `apart_from` is accounted for elsewhere."""
        known = [thing for thing in self.known if thing.name != apart_from]
        pairs = matched(known, fits)
        things = {i: merged(known[k], fits[i]) for k, i in pairs}
        strangers = [i for i in range(len(fits)) if i not in things]
        for i, thing in zip(strangers, self._named_anew([fits[i].thing for i in strangers])):
            things[i] = thing
        for thing in things.values():
            self.note(thing)
        return tuple(things[i] for i in range(len(fits)))

    def would_match(self, fits: Sequence[Fit]) -> list[SceneObject]:
        """The known things that these fits show."""
        return [self.known[k] for k, _ in matched(self.known, fits)]

    def _named_anew(self, things: Sequence[SceneObject]) -> list[SceneObject]:
        """Names for things not seen before, numbered on where their like is known already."""
        taken = set(self._known)
        result = []
        for thing in named(things):
            base = base_name(thing)
            if any(name == base or name.startswith(f'{base}_') for name in self._known):
                numbers = (f'{base}_{i}' for i in itertools.count(2))
                name = next(name for name in numbers if name not in taken)
                thing = replace(thing, name=name)
            taken.add(thing.name)
            result.append(thing)
        return result


def matched(known: Sequence[SceneObject], fits: Sequence[Fit]) -> list[tuple[int, int]]:
    """Pairs (known, fit) that are the same thing, the surest first."""
    costs = sorted((cost, k, i) for k, thing in enumerate(known) for i, seen in enumerate(fits)
                   if (cost := _difference(thing, seen)) < math.inf)
    pairs: list[tuple[int, int]] = []
    for _, k, i in costs:
        if all(k != pair[0] and i != pair[1] for pair in pairs):
            pairs.append((k, i))
    return pairs


def _difference(known: SceneObject, seen: Fit) -> float:
    """How unlike the two are (m); infinite when they cannot be the same."""
    thing = seen.thing
    alike = known.is_container == thing.is_container
    if not alike or (known.colour != thing.colour and not known.is_container):
        return math.inf
    distance = math.dist(known.position, thing.position)
    same_kind = kind(known) == kind(thing)
    if not same_kind and distance > SAME_PLACE_M and thing.confidence >= CLEAR:
        return math.inf
    sizes = sum(abs(a - b) for a, b in zip(sorted(known.size), sorted(thing.size)))
    return distance + sizes * thing.confidence + (0 if same_kind else OTHER_KIND_M)


def merged(known: SceneObject, seen: Fit) -> SceneObject:
    """The thing as seen now, with what was better known before where this view is poor."""
    thing = seen.thing
    clear = thing.confidence >= CLEAR and seen.bottom_seen
    if clear and (kind(known) == kind(thing) or known.confidence < CLEAR):
        return replace(_turned_like(thing, known), name=known.name)
    moved = math.dist(known.position[:2], thing.position[:2]) > UNMOVED_M
    rose = abs(known.top_z - thing.top_z) > UNMOVED_M
    if not moved and not rose:
        return replace(known, seen_at=thing.seen_at, confidence=thing.confidence)
    turned = _turned_like(thing, known).pose
    half_height = known.half_extents_in_base()[2]
    x, y, _ = thing.position
    upright = known.shape in (Shape.BOX, Shape.BIN) and thing.shape in (Shape.BOX, Shape.BIN)
    pose = Pose((x, y, float(thing.top_z - half_height)),
                turned.quaternion if upright else known.pose.quaternion)
    return replace(known, pose=pose, seen_at=thing.seen_at, confidence=thing.confidence)


def _turned_like(thing: SceneObject, known: SceneObject) -> SceneObject:
    """The same box with its axes named as before: a quarter turn swaps width and depth."""
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
