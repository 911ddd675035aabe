# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a sentence claims, checked against the log: every name, every number, who did what.

A form is a pattern of our sentences, and what is true instead if it is untrue. A number that no
form covers is `unchecked`: a new kind of sentence needs a form here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.scene import (
    CONTAINERS,
    FLATTEST_SEEN_M,
    NARROWEST_SEEN_M,
    UNSEEN,
    was_felt,
)
from replan_agent.domain.skill import Reason
from replan_agent.execute.heavy import GRAVITY
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.geometry.room.hand_room import PLAY_M

from .facts import HAND_M, Facts

MOVED_M = 0.008
CLOSED_M = 0.003
WALLS_M = 0.03  # what both walls of a container take at most
ABOUT = 0.25  # a width of which a hidden side is a guess
REACH_M = 0.03  # reach depends on the grasp: this much more or less
UNITS = 'mm|cm|m|kg|N·m|N|°|degrees|s|%|x|×'
NUMBER = re.compile(rf'(?<![\w.])-?\d+(?:\.\d+)?(?=\s?(?:{UNITS})(?!\w))')
NAME = re.compile(r'\b[a-z]+(?:_[a-z0-9]+)+\b(?!=)')
N = r'(-?\d+(?:\.\d+)?)'
NAMES = r'((?:[a-z]\w*, )*[a-z]\w*(?: and [a-z]\w*)?)'
METRES = {'mm': 0.001, 'cm': 0.01, 'm': 1.0}
_KNOWN = {word.value for kind in (Cause, Reason) for word in kind} | {
    'top_down', 'ground_truth', *(spec.name for spec in standard_skills().specs())}

Match = re.Match[str]
Check = Callable[[Facts, Match], str]


@dataclass(frozen=True)
class Checked:
    """What was found in a sentence: what is untrue, and the numbers that nothing checks."""

    untrue: tuple[str, ...]
    unchecked: tuple[str, ...]


def check(text: str, facts: Facts) -> Checked:
    """Check every claim of a text."""
    untrue = [f'{name!r}: there is no such thing' for name in NAME.findall(text)
              if name not in facts.log.names and name not in _KNOWN and not was_felt(name)
              and not name.startswith(facts.log.world.arm.frame(''))]
    covered: set[int] = set()
    for pattern, wrong_of in FORMS.items():
        for match in re.finditer(pattern, text):
            wrong = wrong_of(facts, match)
            covered.update(range(*match.span()))
            untrue += [f'"{match[0]}": {wrong}'] if wrong else []
    unchecked = tuple(text[max(0, m.start() - 30):m.end() + 12] for m in NUMBER.finditer(text)
                      if m.start() not in covered)
    return Checked(tuple(untrue), unchecked)


def listed(text: str) -> list[str]:
    return re.split(r', | and ', text)


def _said(match: Match) -> float:
    """The first number of a match."""
    return float(next(group for group in match.groups() if group and re.fullmatch(N, group)))


def _mm(value: float) -> str:
    return f'truly {1000 * value:.0f} mm'


def _unless(true: bool, otherwise: str) -> str:
    return '' if true else otherwise


def _length(said: float, true: Iterable[float], facts: Facts) -> str:
    """'' if the length (m) is one of the true ones."""
    values = [*true]
    if any(facts.is_near(said, value) for value in values):
        return ''
    return _mm(min(values, key=lambda value: abs(value - said))) if values else 'nothing like it'


def _too_far(facts: Facts, match: Match) -> str:
    said, (low, high) = float(match[1]) * METRES[match[2]], facts.reach()
    least, most = (facts.away() - reach + sign * (facts.half() + REACH_M)
                   for reach, sign in ((high, -1), (low, 1)))
    return _unless(0 < said and least <= said <= most,
                   f'the arm reaches {low:.2f} to {high:.2f} m there')


def _within(facts: Facts, match: Match) -> str:
    low, high = facts.reach()
    return _unless(low - 0.10 <= float(match[1]) <= high,
                   f'the arm reaches {low:.2f} to {high:.2f} m there')


def _pulls(facts: Facts, match: Match) -> str:
    spec, said = facts.spec(match[1] or ''), float(match[2] or match[4]) / GRAVITY
    as_kg = match[3] or match[5]
    if as_kg and abs(float(as_kg) - said) > 0.02:
        return f'{said:.2f} kg pull so'
    return _unless(said <= 1.1 * spec.mass + 0.1 or facts.is_stuck(spec),
                   f'truly {spec.mass:.2f} kg')


def _load(facts: Facts, said: float) -> str:
    true = facts.log.world.arm.max_load_kg
    return _unless(abs(said - true) <= 0.01, f'the arm carries {true:g} kg')


def _carries(facts: Facts, match: Match) -> str:
    said, spec = _said(match), facts.spec(facts.meant(match[1]))
    if wrong := _load(facts, said):
        return wrong
    held = 'held back' in match[0] and bool(facts.struck())
    return _unless(spec.mass > said or bool(match[1]) and facts.is_stuck(spec) or held,
                   f'it weighs {spec.mass:.2f} kg')


def _hardly_rose(facts: Facts, match: Match) -> str:
    heights = facts.track(facts.thing)[:, 2]
    rose = float(heights.max() - heights[0])
    return _unless(rose < float(match[1]) / 100 + facts.near_m, f'it rose, {_mm(rose)}')


def _wide(facts: Facts, match: Match) -> str:
    low, *_, high = sorted(facts.extents(facts.thing))
    return _unless(low - facts.near_m <= _said(match) / 1000 <= high + facts.near_m,
                   f'{_mm(low)} to {1000 * high:.0f} mm')


def _across(facts: Facts, match: Match) -> str:
    true = min(facts.from_above(match[1])) if match[5] else facts.narrowest(match[1])
    share = ABOUT if match[2] else 0.05
    return _unless(facts.is_near(float(match[3]) / 1000, true, share), _mm(true))


def _moved(facts: Facts, match: Match) -> str:
    name, said = facts.meant(match[1]), float(match[3]) * METRES[match[4]]
    part_m = max(facts.spec(name).size) / 2 if match[2] else 0.0  # each look shows another side
    return '' if part_m and np.any(np.abs(facts.shift(name) - said) < part_m) else _length(
        said, facts.shift(name), facts)


def _closed(facts: Facts, match: Match) -> str:
    widths = facts.widths()
    return _unless(bool((np.maximum.accumulate(widths) - widths > CLOSED_M).any()),
                   'they never closed')


def _slides(facts: Facts, match: Match) -> str:
    if not facts.fingers_on_it():
        return 'the fingers did not touch it'
    return _closed(facts, match) or _load(facts, _said(match))


def _by_another(facts: Facts, match: Match) -> str:
    name = facts.meant(match[1])
    return _unless(facts.by_another(name), f'nobody touched {name}')


def _came_close(facts: Facts, match: Match) -> str:
    still = [name for name in listed(match[1]) if facts.shift(name, True).max() < MOVED_M]
    return f'{still[0]} did not move' if still else ''


def _still(facts: Facts, match: Match) -> str:
    moved = 0.0 if match[1] in ('fingers', 'it') else float(facts.shift(match[1]).max())
    return _unless(moved < 2 * MOVED_M or match[1].startswith(facts.log.world.arm.frame('')),
                   _mm(moved))


def _fell(facts: Facts, match: Match) -> str:
    name = facts.meant(match[1])
    return _unless(facts.shift(name, True).max() > MOVED_M, f'{name} did not move')


def _now_at(facts: Facts, match: Match) -> str:
    name, said = facts.meant(match[1]), [float(match[k]) for k in (3, 4, 5)]
    away = float(np.linalg.norm(facts.track(name) - np.array(said), axis=1).min())
    part_m = max(facts.spec(name).size) / 2 if match[2] else 0.0  # a part of it is there
    return _unless(away < 0.01 + facts.near_m + part_m, f'{_mm(away)} from there')


def _in_the_way(facts: Facts, match: Match) -> str:
    for meant in map(facts.meanings, listed(next(filter(None, match.groups())))):
        if not meant or meant & (facts.blame | facts.touched() | {'table'}):
            continue
        away, name = min((_away(facts, name), name) for name in meant)
        if away > HAND_M:
            return f'{name} is {1000 * away:.0f} mm away'
    return ''


def _away(facts: Facts, name: str) -> float:
    """How far (m) a thing is from where the hand works."""
    if name == facts.thing:
        return 1.0
    return (math.dist(facts.at(name)[:2], facts.place) - max(facts.spec(name).size) / 2
            if facts.place else min(facts.gaps(name, facts.thing)))


def _gap(facts: Facts, match: Match) -> str:
    before = re.search(rf'{NAMES} stands? in the way', match.string[:match.start()])
    names = {true for name in listed(before[1] if before else '')
             for true in facts.meanings(name)} - {facts.thing, 'table'}
    if facts.place or not names:
        return ''
    return _length(float(match[1]) * METRES[match[2]],
                   [gap for name in names for gap in facts.gaps(name, facts.thing)], facts)


def _does_not_fit(facts: Facts, match: Match) -> str:
    outer = facts.spec(match[1]).size[:2]
    inner = [float(match[k]) / 1000 for k in (4, 5) if match[k]]
    wrong = [_length(float(match[k]) / 1000, facts.from_above(facts.target), facts)
             for k in (2, 3)]
    wrong += [_mm(side) for side, said in zip(outer, inner) if not side - WALLS_M <= said <= side]
    return next(filter(None, wrong), '')


def _fills(facts: Facts, match: Match) -> str:
    bins = [p.spec for p in facts.log.world.placed if p.spec.shape in CONTAINERS]
    for name in filter(None, map(facts.true, listed(match[1]))):
        if not any(math.dist(facts.at(name)[:2], facts.at(c.name)[:2]) < max(c.size) / 2
                   for c in bins):
            return f'{name} is in no container'
    return ''


def _astray(facts: Facts, match: Match) -> str:
    forward = facts.log.world.arm.kinematics.forward
    ends = [forward(goal)[:3, 3] for goal in facts.log.goals]
    return _length(float(match[1]) / 1000, [math.dist(end, tool) for end in ends
                                            for tool in facts.tools()[::5]], facts)


def _no_look(facts: Facts, match: Match) -> str:
    blind = facts.log.times[-1] - facts.log.last_look
    return _unless(blind > float(match[1]) - 3.0, f'the last look is {blind:.0f} s old')


def _point(facts: Facts, match: Match) -> str:
    known = [facts.at(p.spec.name)[:2] for p in facts.log.world.placed]
    known += [facts.place] if facts.place else []
    said = float(match[1]), float(match[2])
    return _unless(any(math.dist(said, at) < 0.01 + facts.near_m for at in known),
                   'nothing is there')


def _unseen(facts: Facts, match: Match) -> str:
    unseen = {p.spec.name for p in facts.log.world.placed if p.spec.unseen}
    ever = 'touched' not in match.string  # "stands in the way": it was felt before
    return _unless(bool(unseen & facts.touched(ever)), 'the arm touched nothing unseen')


def _fingers_at(facts: Facts, match: Match) -> str:
    """In the attempt; what was felt may have been felt in an earlier one."""
    said = np.array([float(match[k]) for k in (1, 2, 3)])
    away = np.linalg.norm(facts.tools(match[0].startswith('felt')) - said, axis=1)
    return _length(0.0, away - 0.005, facts)


FORMS: dict[str, Check] = {
    rf'the target is {N} m from the base|it is {N} m away': lambda f, m: _unless(
        f.is_away(_said(m)), _mm(f.away())),
    rf'was seen {N} m (?:from the base|away)': lambda f, m: _unless(
        f.is_away(_said(m), True), _mm(f.away())),
    rf'{N} (mm|m) (?:more than the arm reaches|too far)': _too_far,
    rf'within {N} m of the base': _within,
    rf'(\w+) is (about )?{N} mm across(?! inside)( at its narrowest)?( as it lies)?': _across,
    rf'does not fit in (\w+): as it lies it is {N} x {N} mm, and \w+ is {N}(?: x {N})? mm'
    r' (?:across )?inside': _does_not_fit,
    rf'on its edge it would be {N} mm across': lambda f, m: _length(
        float(m[1]) / 1000, [f.narrowest(f.thing)], f),
    rf'(?:the fingers were|felt with the fingers) at \({N}, {N}, {N}\) m': _fingers_at,
    rf'and {N} mm high': lambda f, m: _length(float(m[1]) / 1000, f.extents(f.thing), f),
    rf'if it is not (smaller) than {N} mm|and not lower than {N} mm': lambda f, m: _length(
        _said(m) / 1000, [NARROWEST_SEEN_M if m[1] else FLATTEST_SEEN_M], f),
    rf'opens {N} mm': lambda f, m: _length(
        float(m[1]) / 1000, [f.log.world.arm.hand.max_width_m], f),
    rf'{N} mm of it to pass its sides': lambda f, m: _unless(
        float(m[1]) == round(PLAY_M * 1000), _mm(PLAY_M)),
    rf'narrower than {N} mm': lambda f, m: _length(
        float(m[1]) / 1000 + PLAY_M, [f.log.world.arm.hand.max_width_m], f),
    rf'\({N} x {N} mm\)': lambda f, m: next(filter(None, (
        _length(float(m[k]) / 1000, f.from_above(f.target), f) for k in (1, 2))), ''),
    rf'(\w+) pulls at the hand with {N} N(?:, as {N} kg do)?'
    rf'|They carried {N} N \({N} kg\)': _pulls,
    rf'(it|\w+) is stuck, (?:held back, )?or heavier than the {N} kg that the arm carries'
    rf'|(?<!or )(?:heavier|more) than the {N} kg that the arm carries': _carries,
    rf'\w+ slides in the fingers that raise it: it is slippery, stuck, held back, or '
    rf'heavier than the {N} kg that the arm carries': _slides,
    rf'{N} N do not hold (\w+): it slid through the fingers|slipped out': lambda f, m: _unless(
        f.thing in f.touched(), 'the fingers did not touch it'),
    rf'was held with {N} N(?: at {N}% of the usual speed)?': lambda f, m: _unless(any(
        abs(float(m[1]) - force) < 1 for force in f.log.forces), 'never so much'),
    rf'unexpected contact: \w+ feels {N} N·m \(threshold {N}\)': lambda f, m: _unless(
        bool(f.struck()) or 'closed_width' in f.attempt.evidence and f.is_stuck(f.spec(f.thing)),
        'the arm touched nothing but its object'),
    rf'does not rise by {N} cm': _hardly_rose,
    rf'(?:stops?|stopped|did not move) at {N} mm|{N} mm after the lift'
    rf'|the pads were {N} mm apart after closing|(?:closed|opened) to {N} mm'
    rf'|the gripper is blocked at {N} mm|to and fro after 3 s \(width {N} mm\)':
        lambda f, m: _length(_said(m) / 1000, f.widths(), f),
    rf'blocked at {N} mm on its way to {N} mm': lambda f, m: _unless(
        f.is_gripper_blocked(), 'the fingers touched nothing but their object'),
    rf'which is seen to be {N} mm wide|where {N} mm were expected': _wide,
    r'(?<!before )[Tt]he fingers closed|the gripper closed': _closed,
    rf'at ([xy])={N} m is outside the workspace, {N} to {N} m': lambda f, m: _length(
        float(m[2]), [f.at(f.thing)['xy'.index(m[1])]], f),
    rf'(\w+) (?:was )?moved (about )?{N} (mm|cm)': _moved,
    r'(\w+) was (?:taken away|moved)(?! or was taken is not known)'
    r'|[Aa]nother agent|[Ss]ome(?:body|one)': _by_another,
    rf'{NAMES} came close': _came_close,
    r'(\w+)(?:, which)? did not move': _still,
    r'(\w+) (?:fell|rolled|slid)\b(?! through)': _fell,
    rf'(\w+) is (?:now )?at (about )?\({N}, {N}, {N}\) m': _now_at,
    rf'at \({N}, {N}\)': _point,
    rf'it lies {N} m below its top': lambda f, m: _unless(
        abs(float(m[1]) + f.at(f.thing)[2]) <= f.half() + 0.05, _mm(-f.at(f.thing)[2])),
    rf'(\w+) rose {N} mm of {N} mm': lambda f, m: _length(
        float(m[2]) / 1000, f.track(m[1])[:, 2] - f.track(m[1])[0, 2], f),
    rf'{NAMES} stands? in the way|taken by {NAMES}|the arm touched (?!something){NAMES}'
    rf'|{NAMES} (?:out of the way|somewhere else)|is [\d.]+ mm inside ([a-z]\w*)': _in_the_way,
    rf', {N} (mm|cm) (?:from it|above it|away)': _gap,
    rf'{NAMES} (?:leaves? no place|fills? (?:it|\w+))': _fills,
    rf'something (?:is there )?that is not seen|something unseen|{UNSEEN}\d+': _unseen,
    r'(?:stay|stayed) there without|check the gripper': lambda f, m: _unless(
        f.fault('gripper'), 'the gripper is sound'),
    r'the controller aborted': lambda f, m: _unless(
        f.fault('controller'), 'the controller is sound'),
    rf'the tool {N} mm and {N} degrees off its goal': _astray,
    rf'perception is lost(?: \(lost_after={N}s\))?|no look succeeded|gives no picture':
        lambda f, m: _unless(f.fault('camera'), 'the camera works'),
    rf'no look succeeded for {N}s \(lost_after={N}s\)': _no_look,
}
