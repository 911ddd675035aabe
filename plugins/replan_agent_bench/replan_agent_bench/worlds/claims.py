"""What a sentence claims, checked against the log: every name, every number, who did what.

A form is a pattern of our sentences and what must be true for it. A number that no form covers is
`unchecked`: a new kind of sentence needs a form here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np

from replan_agent.arms.arm_model import ArmModel
from replan_agent.domain.cause import Cause
from replan_agent.domain.failure import Attempt
from replan_agent.domain.skill import Reason
from replan_agent.domain.task_result import TaskResult
from replan_agent.execute.skills.standard import standard_skills
from replan_agent.robot.mujoco.scene.scene_spec import ObjectSpec

from .physics_log import PhysicsLog, Told

MOVED_M = 0.008
HAND_M = 0.12  # what stands closer than this to where the hand works may be in its way
CLOSED_M = 0.003
REACH_M = 0.03  # reach depends on the grasp: this much more or less
UNITS = 'mm|cm|m|kg|N·m|N|°|degrees|s|%|x|×'
NUMBER = re.compile(rf'(?<![\w.])-?\d+(?:\.\d+)?(?=\s?(?:{UNITS})(?!\w))')
NAME = re.compile(r'\b[a-z]+(?:_[a-z0-9]+)+\b(?!=)')
N = r'(-?\d+(?:\.\d+)?)'
NAMES = r'((?:[a-z]\w*, )*[a-z]\w*(?: and [a-z]\w*)?)'
_KNOWN = {word.value for kind in (Cause, Reason) for word in kind} | {
    'top_down', *(spec.name for spec in standard_skills().specs())}


@dataclass(frozen=True)
class Facts:
    """The truth behind the sentences of one result. `told` is the attempt that they are about."""

    log: PhysicsLog
    result: TaskResult
    told: Told
    target: str  # the thing that the task is about
    blame: frozenset[str] = frozenset()
    near_m: float = 0.005  # how exact a length must be; with a camera 0.010

    @property
    def attempt(self) -> Attempt:
        return self.told.attempt

    @property
    def thing(self) -> str:
        """What the failed step is about: 'it', 'the object', 'the target'."""
        named = (self.true(value) for value in self.attempt.args.values()
                 if isinstance(value, str))
        return next((name for name in named if name and name != 'table'), self.target)

    @property
    def place(self) -> tuple[float, float] | None:
        """The point that the failed step is about."""
        x, y = (self.attempt.args.get(axis) for axis in ('x', 'y'))
        return (float(x), float(y)) if x is not None and y is not None else None

    def true(self, name: str) -> str:
        """The true name of what is called so; '' if nothing is. An own name comes first."""
        meant = self.log.names.get(name, set())
        return name if name in meant or name == 'table' else min(meant, default='')

    def spec(self, name: str) -> ObjectSpec:
        return next(p.spec for p in self.log.world.placed if p.spec.name == self.true(name))

    def is_near(self, said: float, true: float, share: float = 0.05) -> bool:
        return abs(said - true) <= max(self.near_m, share * abs(true))

    def at(self, name: str) -> tuple[float, float, float]:
        return self.log.position(self.true(name), self.end)

    @property
    def end(self) -> np.ndarray:
        return [*self.log.during(-1.0, self.told.until)][-1]

    def shift(self, name: str, whole: bool = False) -> np.ndarray:
        """How far (m) it is now from where it was in this attempt, or ever."""
        true = self.true(name)
        fixed = not true or true == 'table' or self.spec(true).fixed
        return np.zeros(1) if fixed else self.log.shifts(
            true, 0.0 if whole else self.told.since, self.told.until)

    def by_another(self, name: str) -> bool:
        return any(h.what == 'another' and h.name == self.true(name) and h.time <= self.told.until
                   for h in self.log.happened)

    def fault(self, part: str) -> bool:
        return any(h.what == 'fault' and h.name == part for h in self.log.happened)

    def touched(self) -> set[str]:
        """What the arm touched so far."""
        return {t.body for t in self.log.touches if t.time <= self.told.until}


Check = Callable[[Facts, re.Match[str]], str]
_FORMS: list[tuple[re.Pattern[str], Check]] = []


def form(pattern: str) -> Callable[[Check], Check]:
    def added(check: Check) -> Check:
        _FORMS.append((re.compile(pattern), check))
        return check
    return added


@dataclass(frozen=True)
class Checked:
    """What was found in a sentence: what is untrue, and the numbers that nothing checks."""

    untrue: tuple[str, ...]
    unchecked: tuple[str, ...]


def check(text: str, facts: Facts) -> Checked:
    """Check every claim of a text."""
    untrue = [f'{name!r}: there is no such thing' for name in NAME.findall(text)
              if name not in facts.log.names and name not in _KNOWN
              and not name.startswith(facts.log.world.arm.frame(''))]
    covered: set[int] = set()
    for pattern, checked in _FORMS:
        for match in pattern.finditer(text):
            wrong = checked(facts, match)
            covered.update(range(*match.span()))
            untrue += [f'"{match[0]}": {wrong}'] if wrong else []
    unchecked = tuple(text[max(0, m.start() - 30):m.end() + 12] for m in NUMBER.finditer(text)
                      if m.start() not in covered)
    return Checked(tuple(untrue), unchecked)


def _mm(value: float) -> str:
    return f'truly {1000 * value:.0f} mm'


def _length(said: float, true: Iterable[float], facts: Facts) -> str:
    """'' if the length (m) is one of the true ones."""
    values = list(true)
    if any(facts.is_near(said, value) for value in values):
        return ''
    return _mm(min(values, key=lambda value: abs(value - said))) if values else 'nothing like it'


def _extents(facts: Facts, name: str) -> list[float]:
    """The widths (m) of a thing: along its axes, and across."""
    x, y, z = facts.spec(name).size
    return [x, y, z, math.hypot(x, y)]


@form(rf'the target is {N} m from the base|it is {N} m away')
def _distance(facts: Facts, match: re.Match[str]) -> str:
    said = float(match[1] or match[2])
    at = facts.place or facts.at(facts.thing)[:2]
    true, wide = math.hypot(*at), max(facts.spec(facts.thing).size) / 2
    return '' if abs(said - true) <= wide + 0.01 else _mm(true)


@form(rf'{N} m (?:more than the arm reaches|too far)')
def _too_far(facts: Facts, match: re.Match[str]) -> str:
    said = float(match[1])
    away = math.hypot(*(facts.place or facts.at(facts.thing)[:2]))
    wide = max(facts.spec(facts.thing).size) / 2
    low, high = reach_m(facts.log.world.arm, round(facts.at(facts.thing)[2], 2))
    if said < 0.005:
        return 'that is nothing'
    ok = away - high - wide - REACH_M <= said <= away - low + wide + REACH_M
    return '' if ok else f'the arm reaches {low:.2f} to {high:.2f} m there'


@form(rf'within {N} m of the base')
def _within(facts: Facts, match: re.Match[str]) -> str:
    low, high = reach_m(facts.log.world.arm, round(facts.at(facts.thing)[2], 2))
    ok = low - 0.10 <= float(match[1]) <= high
    return '' if ok else f'the arm reaches {low:.2f} to {high:.2f} m there'


@cache
def reach_m(arm: ArmModel, height: float) -> tuple[float, float]:
    """How far (m) the tool gets from the base at a height: pointing down, and in any way."""
    rng = np.random.default_rng(0)
    low, high = arm.limits.lower, arm.limits.upper
    down = free = 0.0
    for _ in range(20000):
        q = np.zeros(arm.joint_count)
        for k in (1, 3, 5):
            q[k] = rng.uniform(low[k], high[k])
        tool = arm.kinematics.forward(q)
        if abs(tool[2, 3] - height) < 0.02:
            away = math.hypot(*tool[:2, 3])
            free = max(free, away)
            down = max(down, away) if tool[2, 2] < -0.96 else down
    return down, free


@form(rf'(\w+) is {N} mm across at its narrowest( as it lies)?|it is {N} mm across( as it lies)?')
def _narrowest(facts: Facts, match: re.Match[str]) -> str:
    size = facts.spec(facts.true(match[1]) if match[1] else facts.thing).size
    return _length(float(match[2] or match[4]) / 1000,
                   [min(size[:2] if match[3] or match[5] else size)], facts)


@form(rf'and {N} mm high')
def _high(facts: Facts, match: re.Match[str]) -> str:
    return _length(float(match[1]) / 1000, _extents(facts, facts.thing), facts)


@form(rf'(?:opens|narrower than) {N} mm')
def _opens(facts: Facts, match: re.Match[str]) -> str:
    return _length(float(match[1]) / 1000, [facts.log.world.arm.hand.max_width_m], facts)


@form(rf'(\w+) weighs {N} kg(?: \({N} N felt in the hand\))?')
def _weighs(facts: Facts, match: re.Match[str]) -> str:
    true = facts.spec(match[1]).mass
    ok = abs(float(match[2]) - true) <= max(0.1, 0.1 * true)
    return '' if ok else f'truly {true:.2f} kg'


@form(rf'(?:(\w+) is stuck, or )?heavier than the {N} kg that the arm carries'
      rf'|more than the {N} kg that the arm carries')
def _carries(facts: Facts, match: re.Match[str]) -> str:
    said, true = float(match[2] or match[3]), facts.log.world.arm.max_load_kg
    if abs(said - true) > 0.01:
        return f'the arm carries {true:g} kg'
    spec = facts.spec(match[1] or facts.thing)
    stuck = bool(match[1]) and facts.fault(spec.name)
    return '' if spec.mass > said or stuck else f'it weighs {spec.mass:.2f} kg'


@form(rf'{N} N do not hold (\w+): it slid through the fingers')
def _not_held(facts: Facts, match: re.Match[str]) -> str:
    widths = facts.log.widths(facts.told.since, facts.told.until)
    closed = widths.max() - widths.min() > CLOSED_M
    return '' if closed else 'the fingers did not close'


@form(rf'They carried {N} N \({N} kg\), and it is heavier than that(?: \(friction about {N}\))?')
def _carried(facts: Facts, match: re.Match[str]) -> str:
    spec = facts.spec(facts.thing)
    if float(match[2]) > 1.05 * spec.mass:
        return f'it weighs {spec.mass:.2f} kg'
    said = float(match[3]) if match[3] else spec.friction
    return '' if abs(said - spec.friction) < max(0.01, 0.4 * spec.friction) else (
        f'friction {spec.friction:.3f}')


@form(rf'feels {N} N·m \(threshold {N}\)')
def _feels(facts: Facts, match: re.Match[str]) -> str:
    return '' if facts.touched() else 'the arm touched nothing'


@form(rf'within {N} cm: (\w+)')
def _hardly_rose(facts: Facts, match: re.Match[str]) -> str:
    rises = [facts.log.position(facts.true(match[2]), q)[2]
             for q in facts.log.during(facts.told.since, facts.told.until)]
    rose = max(rises) - rises[0]
    return '' if rose < float(match[1]) / 100 + facts.near_m else f'it rose, {_mm(rose)}'


@form(rf'the fingers stand {N} mm apart|(?:stopped|did not move) at {N} mm'
      rf'|the pads were {N} mm apart after closing|{N} mm after the lift'
      rf'|(?:closed|opened) to {N} mm|the gripper is blocked at {N} mm')
def _width(facts: Facts, match: re.Match[str]) -> str:
    said = float(next(filter(None, match.groups()))) / 1000
    return _length(said, facts.log.widths(facts.told.since, facts.told.until), facts)


@form(rf'which is {N} mm wide|told to close on {N} mm|where {N} mm were expected')
def _wide(facts: Facts, match: re.Match[str]) -> str:
    said = float(next(filter(None, match.groups()))) / 1000
    low, *_, high = sorted(_extents(facts, facts.thing))
    ok = low - facts.near_m <= said <= high + facts.near_m
    return '' if ok else f'{_mm(low)} to {1000 * high:.0f} mm'


@form(r'[Tt]he fingers closed|the gripper closed')
def _fingers_closed(facts: Facts, match: re.Match[str]) -> str:
    widths = facts.log.widths(facts.told.since, facts.told.until)
    return '' if widths.max() - widths[-1] > CLOSED_M or (
        np.diff(widths) < -CLOSED_M / 10).any() else 'they never closed'


@form(r'closed(?: to [\d.]+ mm)? beside (\w+)')
def _beside(facts: Facts, match: re.Match[str]) -> str:
    arm, name = facts.log.world.arm, facts.true(match[1])
    away = min(math.dist(arm.kinematics.forward(q[:arm.joint_count])[:2, 3],
                         facts.log.position(name, q)[:2])
               for q in facts.log.during(facts.told.since, facts.told.until))
    return '' if away < HAND_M else f'{name} is {1000 * away:.0f} mm away'


@form(rf'at ([xy])={N} m is outside the workspace, {N} to {N} m')
def _outside(facts: Facts, match: re.Match[str]) -> str:
    return _length(float(match[2]), [facts.at(facts.thing)['xy'.index(match[1])]], facts)


@form(rf'(\w+) (?:was )?moved {N} (mm|cm)')
def _moved_by(facts: Facts, match: re.Match[str]) -> str:
    said = float(match[2]) / (1000 if match[3] == 'mm' else 100)
    name = facts.thing if match[1] == 'it' else match[1]
    return _length(said, facts.shift(name), facts)


@form(r'(\w+) was (?:taken away|moved|carried off|exchanged)'
      r'|([Aa]nother agent|[Ss]ome(?:body|one))')
def _by_another(facts: Facts, match: re.Match[str]) -> str:
    name = match[1] if match[1] and match[1] != 'it' else facts.thing
    return '' if facts.by_another(name) else f'nobody touched {name}'


@form(rf'{NAMES} came close')
def _came_close(facts: Facts, match: re.Match[str]) -> str:
    still = [name for name in _listed(match[1]) if facts.shift(name, True).max() < MOVED_M]
    return f'{still[0]} did not move' if still else ''


@form(r'(\w+)(?:, which)? did not move')
def _still(facts: Facts, match: re.Match[str]) -> str:
    moved = 0.0 if match[1] in ('fingers', 'it') else float(facts.shift(match[1]).max())
    return _mm(moved) if moved > 2 * MOVED_M else ''


@form(r'(\w+) (?:fell|rolled|slid)\b(?! through)')
def _fell(facts: Facts, match: re.Match[str]) -> str:
    name = facts.thing if match[1] == 'it' else match[1]
    return '' if facts.shift(name, True).max() > MOVED_M else f'{name} did not move'


@form(r'(\w+) is (?:now )?at ' + rf'\({N}, {N}, {N}\) m')
def _now_at(facts: Facts, match: re.Match[str]) -> str:
    name = facts.thing if match[1] == 'it' else match[1]
    said = [float(match[k]) for k in (2, 3, 4)]
    true = [facts.log.position(facts.true(name), q)
            for q in facts.log.during(facts.told.since, facts.told.until)]
    away = min(math.dist(said, at) for at in true)
    return '' if away < 0.01 + facts.near_m else f'{_mm(away)} from there'


@form(rf'{NAMES} stands? in the way|taken by {NAMES}|the arm touched (?!something){NAMES}'
      rf'|{NAMES} (?:out of the way|somewhere else)|is [\d.]+ mm inside ([a-z]\w*)')
def _in_the_way(facts: Facts, match: re.Match[str]) -> str:
    for name in map(facts.true, _listed(next(filter(None, match.groups())))):
        if not name or name in facts.blame or name == 'table':
            continue
        away = (math.dist(facts.at(name)[:2], facts.place) - max(facts.spec(name).size) / 2
                if facts.place else facts.log.gap(name, facts.thing, facts.told.until)
                if name != facts.thing else 1.0)
        if away > HAND_M and name not in facts.touched():
            return f'{name} is {1000 * away:.0f} mm away'
    return ''


@form(rf', {N} (mm|cm) (?:from it|away)')
def _gap(facts: Facts, match: re.Match[str]) -> str:
    said = float(match[1]) / (1000 if match[2] == 'mm' else 100)
    before = re.search(rf'{NAMES} stands? in the way', match.string[:match.start()])
    names = list(filter(None, map(facts.true, _listed(before[1])))) if before else []
    if facts.place or not names:
        return ''
    return _length(said, [facts.log.gap(names[0], facts.thing, facts.told.until)], facts)


@form(rf'{NAMES} (?:leaves? no place|fills? (?:it|\w+))')
def _fills(facts: Facts, match: re.Match[str]) -> str:
    inside = [p.spec for p in facts.log.world.placed if p.spec.shape.value in ('bin', 'bowl')]
    for name in filter(None, map(facts.true, _listed(match[1]))):
        if not any(math.dist(facts.at(name)[:2], facts.at(c.name)[:2]) < max(c.size) / 2
                   for c in inside):
            return f'{name} is in no container'
    return ''


@form(r'something (?:is there )?that is not seen|something unseen')
def _unseen(facts: Facts, match: re.Match[str]) -> str:
    unseen = {p.spec.name for p in facts.log.world.placed if p.spec.unseen}
    return '' if unseen & facts.touched() else 'the arm touched nothing unseen'


@form(r'the gripper does not close|check the gripper')
def _gripper(facts: Facts, match: re.Match[str]) -> str:
    return '' if facts.fault('gripper') else 'the gripper is sound'


@form(r'the controller aborted')
def _controller(facts: Facts, match: re.Match[str]) -> str:
    return '' if facts.fault('controller') else 'the controller is sound'


@form(rf'perception is lost(?: \(lost_after={N}s\))?|no look succeeded|gives no picture')
def _blind(facts: Facts, match: re.Match[str]) -> str:
    return '' if facts.fault('camera') else 'the camera works'


@form(rf'the tool {N} mm and {N} degrees off its goal')
def _astray(facts: Facts, match: re.Match[str]) -> str:
    arm = facts.log.world.arm
    ends = [arm.kinematics.forward(goal) for goal in facts.log.goals]
    tools = [arm.kinematics.forward(q[:arm.joint_count])
             for q in facts.log.during(facts.told.since, facts.told.until)]
    off = [math.dist(goal[:3, 3], tool[:3, 3]) for goal in ends for tool in tools[::5]]
    return _length(float(match[1]) / 1000, off, facts)


@form(rf'no look succeeded for {N}s \(lost_after={N}s\)')
def _no_look(facts: Facts, match: re.Match[str]) -> str:
    blind = facts.log.times[-1] - facts.log.last_look
    return '' if blind > float(match[1]) - 3.0 else f'the last look is {blind:.0f} s old'


@form(rf'at \({N}, {N}\)')
def _point(facts: Facts, match: re.Match[str]) -> str:
    said = float(match[1]), float(match[2])
    known = [facts.place] if facts.place else []
    known += [facts.at(p.spec.name)[:2] for p in facts.log.world.placed]
    return '' if any(math.dist(said, at) < 0.01 + facts.near_m for at in known) else (
        'nothing is there')


@form(rf'\({N} x {N} mm\)')
def _sides(facts: Facts, match: re.Match[str]) -> str:
    wrong = [_length(float(match[k]) / 1000, _extents(facts, facts.target), facts) for k in (1, 2)]
    return next(filter(None, wrong), '')


def _listed(text: str) -> list[str]:
    return re.split(r', | and ', text)
