# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What moves along with a part, and what must be moved first: a latch, which is a part of it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from replan_agent import Cause, Pose, Reason, Scene, SceneObject, SkillResult, failed
from replan_agent.geometry.judging import load
from replan_agent.geometry.outlines import gap_m, parts

from .joint import Joint, Jointed, JointKind

LATCH_SHARES = 0.95, 0.85  # of its way: so far it is turned, or as far as the arm can
TOUCH_M = 0.002
LEAST_STEP_M = 0.005  # between places at which a part is compared with what may stand in its way
LEAST_TURN = np.radians(20)  # a latch that turns less to one side opens to the other


@dataclass(frozen=True)
class Move:
    """A part that is moved by so much along its joint, and the scene in which that begins."""

    scene: Scene
    part: Jointed
    by: float


def moves_to(scene: Scene, part: Jointed, by: float) -> Iterator[tuple[Move, ...]]:
    """Ways to move a part with a hand that stays at its handle.

    A latch is turned first, to either side, and back in the end.
    """
    latch = scene.get(part.latch)
    if not isinstance(latch, Jointed) or latch.joint is None:
        yield (Move(scene, part, by),)
        return
    turns = [end - latch.joint.state for end in (latch.joint.high, latch.joint.low)]
    for share in LATCH_SHARES:
        for turn in (share * t for t in turns if abs(t) > LEAST_TURN):
            free = moved_along(scene, latch, turn)
            moved = moved_along(free, part, by)
            back = moved.get(latch.name)
            assert isinstance(back, Jointed)
            yield Move(scene, latch, turn), Move(free, part, by), Move(moved, back, -turn)


def moving_with(scene: Scene, part: Jointed) -> set[str]:
    """The names of the part and of what moves along with it: its handle, its latch, its load."""
    return {part.name, part.handle, part.latch, *(o.name for o in load(part, scene))}


def moved_along(scene: Scene, part: Jointed, by: float) -> Scene:
    """The scene after the joint moved."""
    joint, names = part.joint, moving_with(scene, part)
    assert joint is not None
    now = []
    for thing in scene.objects:
        if thing.name in names:
            thing = replace(thing, pose=joint.moved(thing.pose, by))
            if isinstance(thing, Jointed) and thing.joint is not None:
                own = thing.joint
                thing = replace(thing, joint=replace(own, state=own.state + by) if (
                    thing.name == part.name) else _carried(own, joint, by))
        now.append(thing)
    return replace(scene, objects=tuple(now))


def _carried(own: Joint, joint: Joint, by: float) -> Joint:
    """A joint on a part, after the part moved."""
    point = np.array(own.point)
    if joint.kind is JointKind.SLIDE:
        return replace(own, point=tuple((point + by * np.array(joint.axis)).tolist()))
    turn = joint.turned(by)
    return replace(own, axis=tuple((turn @ own.axis).tolist()),
                   point=tuple((joint.point + turn @ (point - joint.point)).tolist()))


def in_the_way(scene: Scene, part: Jointed, by: float) -> SkillResult | None:
    """A failure if something stands where the part, its handle or its load will go."""
    joint, its, own = part.joint, scene.get(part.part_of), (part.name, part.handle, part.latch)
    assert joint is not None
    names = moving_with(scene, part)
    still = scene.without({part.part_of, *names})
    for share in _shares([o for o in scene.objects if o.name in names], joint, by):
        moving = [o for o in moved_along(scene, part, share * by).objects if o.name in names]
        hit = [other.name for other in still if any(meet(o, other) for o in moving)]
        caught = [o.name for o in moving if its and o.name not in own and meet(o, its)]
        if hit or caught:
            said = (f'{", ".join(hit)} stands in the way of {part.name}' if hit else
                    f'{", ".join(caught)} in {part.name} meets {part.part_of}')
            return failed(Reason.PATH_BLOCKED, f'{said}, {joint.shown(share * by)} along its '
                          'way', 'planning', cause=Cause.APPROACH_BLOCKED,
                          blockers=tuple(hit or caught))
    return None


def _shares(moving: list[SceneObject], joint: Joint, by: float) -> list[float]:
    """Shares of the way that leave nothing out: no part moves by more than it is thick."""
    step = max(LEAST_STEP_M, min(min(o.size) for o in moving))
    farthest = max(abs(by) * float(np.linalg.norm(joint.way(Pose((*corner, 0.0)))))
                   for o in moving for part in parts(o) for corner in part.outline)
    return np.linspace(0, 1, math.ceil(farthest / step) + 1)[1:].tolist()


def meet(one: SceneObject, other: SceneObject) -> bool:
    return any(a.bottom_z < b.top_z - TOUCH_M and b.bottom_z < a.top_z - TOUCH_M
               and gap_m([a], [b]) < TOUCH_M for a in parts(one) for b in parts(other))
