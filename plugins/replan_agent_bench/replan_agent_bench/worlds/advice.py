# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Carries an advice out in the world: what its words say, done to what they name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.domain.scene import CONTAINERS, Shape
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec

from .claims import NAMES, Match, N, listed
from .facts import Facts
from .judges import StackedOn
from .why_kinds import FAR, WhyCase

EASY_M = [(0.46, y / 20) for y in (0, -2, 2, -4, 4, -6, 6)]  # places, the easiest first
FROM_EDGE_M = 0.2
FLAT = 0.6  # as high as this share of its width: no camera sees a cube in it
GRIPPY = 1.0  # friction of rubber
ROOM_M = 0.15  # more room than this around a thing is no better

Act = Callable[[WhyCase, Facts, Match], WhyCase | None]


def carried_out(case: WhyCase, text: str, facts: Facts) -> WhyCase | None:
    """The case after somebody did what the text says; None if that cannot be done here."""
    for pattern, act in _ACTS.items():
        match = re.search(pattern, text)
        if match:
            return act(case, facts, match)
    return None


def ways(case: WhyCase, text: str, facts: Facts) -> list[WhyCase]:
    """The case after each way to do what the text says: of "A, or B" each alone."""
    return list(filter(None, (carried_out(case, one, facts)
                              for one in re.split('[,;] or ', text))))


def sound(case: WhyCase) -> WhyCase:
    """The case without its trouble: its own thing in reach, and nothing that is to blame."""
    if isinstance(case.judge, StackedOn):
        case = _flattened(case)
    plain = replace(case, lasting=(), confusion=None, objects=(case.drawn or case.target, *(
        o for o in case.objects[1:] if o.name not in case.blame)))
    return _in_the_open(plain, case.target.name) if case.causes == FAR else plain


def _changed(case: WhyCase, name: str, **values: object) -> WhyCase:
    return replace(case, objects=tuple(replace(o, **values)  # type: ignore[arg-type]
                                       if o.name == name else o for o in case.objects))


def _without(case: WhyCase, names: Sequence[str]) -> WhyCase:
    return _repaired(replace(case, objects=tuple(
        o for o in case.objects if o.name not in names)), *names)


def _repaired(case: WhyCase, *parts: str) -> WhyCase:
    """The case after somebody mended these parts; what was glued is free."""
    return replace(case, lasting=tuple(t for t in case.lasting if t.part not in parts),
                   objects=tuple(replace(o, fixed=o.fixed and o.name not in parts)
                                 for o in case.objects))


def _spec(case: WhyCase, name: str) -> ObjectSpec:
    return next(o for o in case.objects if o.name == name)


def _nearer(case: WhyCase, facts: Facts, match: Match) -> WhyCase | None:
    x, y, z = facts.at(facts.thing)
    if z < 0:
        return None  # "at this height" is below the table
    share = float(match[1]) / math.hypot(x, y)
    put = _changed(case, facts.thing, position=(share * x, share * y, None))
    return replace(put, lasting=tuple(t for t in case.lasting
                                      if not (t.once and t.part == facts.thing)))


def _in_the_open(case: WhyCase, name: str) -> WhyCase:
    """The thing where it has the most room: the first of several places that is as good."""
    others = [o.position[:2] for o in case.objects if o.name != name]
    place = max(EASY_M, key=lambda at: min([ROOM_M, *(math.dist(at, xy) for xy in others)]))
    return _changed(case, name, position=(*place, None))


def _cleared(case: WhyCase, facts: Facts, match: Match) -> WhyCase:
    named = listed(next(filter(None, match.groups())))
    return _without(case, sorted({true for name in named for true in facts.meanings(name)}
                                 - {case.target.name}))


def _lighter(case: WhyCase, facts: Facts, match: Match) -> WhyCase:
    named = re.findall(rf'{N} kg', facts.result.why)
    mass = _spec(case, facts.thing).mass
    return _changed(case, facts.thing, mass=min([mass, *map(float, named)]) / 2)


def _narrower(case: WhyCase, facts: Facts, match: Match) -> WhyCase:
    size = _spec(case, facts.thing).size
    share = 0.6 * (float(match[1]) / 1000 if match[1] else min(size)) / min(size)
    return _changed(case, facts.thing, size=tuple(share * side for side in size))


def _from_edge(case: WhyCase, facts: Facts, match: Match) -> WhyCase:
    x, y, z = _spec(case, facts.thing).position
    share = min(1.0, FROM_EDGE_M / math.dist((x, y), EASY_M[0]))
    return _changed(case, facts.thing, position=(x + share * (EASY_M[0][0] - x),
                                                 y + share * (EASY_M[0][1] - y), z))


def _larger(case: WhyCase, facts: Facts, match: Match) -> WhyCase:
    for one in [o for o in case.objects if o.shape in CONTAINERS]:
        case = _changed(case, one.name, size=tuple(1.6 * side for side in one.size))
    return case


def _flattened(case: WhyCase) -> WhyCase:
    """Something flat in the place of a ball, as wide as what it is to carry."""
    ball = next(o for o in case.objects if o.shape is Shape.SPHERE)
    wide = max(ball.size[0], *case.target.size[:2])
    flat = replace(ball, name=ball.name.replace('ball', 'box'), shape=Shape.BOX,
                   size=(wide, wide, FLAT * wide), position=(*ball.position[:2], None))
    return replace(case, objects=tuple(flat if o is ball else o for o in case.objects),
                   task=case.task.replace('ball', 'box'),
                   judge=StackedOn(case.target.name, flat.name))


# The first that fits is done.
_ACTS: dict[str, Act] = {
    rf'within {N} m of the base': _nearer,
    'what the arm touched': lambda c, f, m: _without(c, sorted(  # a person sees what that is
        f.touched() - {c.target.name, 'table'})),
    r'that is not seen|and is not seen|what holds the arm': lambda c, f, m: _without(
        c, [o.name for o in c.objects if o.unseen]),  # a person sees it
    rf'{NAMES} (?:out of the way|somewhere else|taken out|away)|{NAMES} fills? it'
    rf'|the arm touched (?!something){NAMES}': _cleared,
    'something lighter and less slippery': lambda c, f, m: _changed(
        _lighter(c, f, m), f.thing, friction=GRIPPY),
    'rougher fingers': lambda c, f, m: _changed(c, f.thing, friction=GRIPPY),
    r'(\w+) left alone': lambda c, f, m: _repaired(c, f.meant(m[1])),
    r'([a-z]\w*) (?:brought back|put back|set free)|puts (\w+) back': lambda c, f, m: _repaired(
        c, f.meant(m[1] or m[2])),
    'sets it free': lambda c, f, m: _repaired(c, f.thing),
    r'gripper': lambda c, f, m: _repaired(c, 'gripper'),
    r'where the camera sees it|\b(?:view|sight|hides|hidden)\b': lambda c, f, m: replace(
        _in_the_open(c, f.thing),
        lasting=tuple(t for t in c.lasting if t.seen is None)),
    r'camera|picture': lambda c, f, m: _repaired(c, 'camera'),
    r'the same fault came again|controller|check the (?:arm|joint)': lambda c, f, m: _repaired(
        c, 'controller', 'gripper'),
    'something lighter': _lighter,
    rf'something narrower(?: than {N} mm)?|a smaller thing': _narrower,
    r'farther from the edge': _from_edge,
    r'the object elsewhere|another orientation or place|inside the workspace':
        lambda c, f, m: _in_the_open(c, f.thing),
    r'a larger container': _larger,
    r'something flat': lambda c, f, m: _flattened(c),
    r'\b(?:model|plan)\b': lambda c, f, m: replace(c, confusion=None),
    # What the arm itself should do: it gets another try.
    'force|speed|fresh look|better look|way to approach|another grasp|same motion|find it|pick it|'
    'push it|put .* down': lambda c, f, m: c,
}
