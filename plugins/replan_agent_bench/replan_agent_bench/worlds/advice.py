"""Carries an advice out in the world: what its words say, done to what they name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec

from .claims import NAMES, Facts, N
from .why_kinds import WhyCase

ROOM_M = (0.46, 0.0)  # an easy place
FROM_EDGE_M = 0.2

Act = Callable[[WhyCase, Facts, re.Match[str]], WhyCase | None]
_ACTS: list[tuple[re.Pattern[str], Act]] = []


def advice(pattern: str) -> Callable[[Act], Act]:
    def added(act: Act) -> Act:
        _ACTS.append((re.compile(pattern), act))
        return act
    return added


def carried_out(case: WhyCase, text: str, facts: Facts) -> WhyCase | None:
    """The case after somebody did what the text says; None if that cannot be done here."""
    for pattern, act in _ACTS:
        match = pattern.search(text)
        if match:
            return act(case, facts, match)
    return None


def _changed(case: WhyCase, name: str, **values: object) -> WhyCase:
    return replace(case, objects=tuple(replace(o, **values)  # type: ignore[arg-type]
                                       if o.name == name else o for o in case.objects))


def _without(case: WhyCase, names: Sequence[str]) -> WhyCase:
    return _repaired(replace(case, objects=tuple(
        o for o in case.objects if o.name not in names)), *names)


def _repaired(case: WhyCase, *parts: str) -> WhyCase:
    return replace(case, lasting=tuple(t for t in case.lasting if t.part not in parts))


def _named(facts: Facts, text: str) -> list[str]:
    return [true for name in re.split(r', | and ', text) if (true := facts.true(name))
            and true != 'table']


def _spec(case: WhyCase, name: str) -> ObjectSpec:
    return next(o for o in case.objects if o.name == name)


@advice(rf'within {N} m of the base')
def _nearer(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase | None:
    x, y, z = facts.at(facts.thing)
    if z < 0:
        return None  # "at this height" is below the table
    share = float(match[1]) / math.hypot(x, y)
    put = _changed(case, facts.thing, position=(share * x, share * y, None))
    return replace(put, lasting=tuple(t for t in case.lasting
                                      if not (t.once and t.part == facts.thing)))


@advice(rf'{NAMES} (?:out of the way|somewhere else|taken out|away)|{NAMES} fills? it'
        rf'|the arm touched (?!something){NAMES}')
def _cleared(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _without(case, _named(facts, next(filter(None, match.groups()))))


@advice(r'([a-z]\w*) (?:brought|put) back|puts it back')
def _back(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _repaired(case, facts.true(match[1] or '') or facts.thing)


@advice(r'gripper')
def _gripper(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _repaired(case, 'gripper')


@advice(r'camera|picture')
def _camera(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _repaired(case, 'camera')


@advice(r'\b(?:view|sight|hides|hidden)\b')
def _view(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return replace(case, lasting=tuple(t for t in case.lasting if t.seen is None))


@advice(r'the same fault came again|controller|check the (?:arm|joint)')
def _arm(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _repaired(case, 'controller', 'gripper')


@advice(r'that is not seen|what holds the arm')
def _unseen(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _without(case, [o.name for o in case.objects if o.unseen])  # a person sees it


@advice(r'something lighter')
def _lighter(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    named = re.findall(rf'{N} kg', facts.result.why)
    mass = _spec(case, facts.thing).mass
    return _changed(case, facts.thing, mass=min([mass, *map(float, named)]) / 2)


@advice(rf'something narrower(?: than {N} mm)?|a smaller thing')
def _narrower(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    size = _spec(case, facts.thing).size
    share = 0.6 * (float(match[1]) / 1000 if match[1] else min(size)) / min(size)
    return _changed(case, facts.thing, size=tuple(share * side for side in size))


@advice(r'farther from the edge')
def _from_edge(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    x, y, z = _spec(case, facts.thing).position
    away = math.dist((x, y), ROOM_M)
    share = min(1.0, FROM_EDGE_M / away)
    return _changed(case, facts.thing, position=(x + share * (ROOM_M[0] - x),
                                                 y + share * (ROOM_M[1] - y), z))


@advice(r'the object elsewhere|another orientation or place')
def _elsewhere(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return _changed(case, facts.thing, position=(*ROOM_M, None))


@advice(r'a larger container')
def _larger(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    bins = [o for o in case.objects if o.shape.value in ('bin', 'bowl')]
    for one in bins:
        case = _changed(case, one.name, size=tuple(1.6 * side for side in one.size))
    return case


@advice(r'\b(?:model|plan)\b')
def _model(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return replace(case, confusion=None)


# What the arm itself should do: it gets another try.
@advice('force|speed|fresh look|better look|way to approach|another grasp|same motion|find it|'
        'pick it|push it|put .* down')
def _again(case: WhyCase, facts: Facts, match: re.Match[str]) -> WhyCase:
    return case
