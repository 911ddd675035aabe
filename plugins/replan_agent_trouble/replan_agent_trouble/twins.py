# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The troubles of the tabletop, drawn at random: twins that look alike, one of them impossible.

What is true of a trouble is true by construction. Both twins of a seed take the same numbers
from the generator, so they begin with the same scene but for what makes one impossible.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from replan_agent_bench.suite import find
from replan_agent_bench.worlds import scenes
from replan_agent_bench.worlds.blocked.blocked_scenes import STARTS_ABOVE_M, beside, box
from replan_agent_bench.worlds.judges import Held, InBowl, Truth
from replan_agent_bench.worlds.lasting import Lasts
from replan_agent_bench.worlds.why_kinds import KINDS, NEAR_M, WhyCase
from replan_agent_contact.contact_rows import locked_drawer
from replan_agent_contact.furnished_world import FurnishedWorld

from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec

from .case import Case
from .hanoi import hanoi
from .happenings import GONE, bumped, let_go, no_camera, pushed_once, put_elsewhere

Rng = np.random.Generator
FAR_M, FAR_RAD = (0.94, 1.02), (-0.58, -0.40)  # where the table goes on, and no arm reaches
MOVED_M = (0.05, 0.08)
CARRIED_KG = (1.0, 1.6)
GREASY, GREASY_KG = 0.04, 0.35  # a firm grip holds it
NARROW_M = (0.045, 0.065)
LOOSE_KG, STUCK_KG = 0.15, 5.0
PULLED_M = (0.80, 0.84)
INSIDE_M, BIN_HIGH_M = 0.11, 0.06  # of a bin
STIFF_N = (4.0, 6.0)
DARK_S = 3.0
BUMPED_DEG = (1.0, 2.5)  # 2 to 5 cm where things stand
PLACES_M, FREE_M = (0.36, 0.62), 0.14  # where things may be put


@dataclass(frozen=True)
class Twins:
    """A trouble: `draw` gives the twin that can be done (True), or the one that cannot."""

    name: str
    about: str
    draw: Callable[[Rng, bool], Case]
    both: bool = True

    def case(self, seed: int, solvable: bool) -> Case:
        return self.draw(np.random.default_rng(seed), solvable)


def _of(kind: str, rng: Rng) -> WhyCase:
    """A case of the suite `why`, in which all troubles last."""
    return find(KINDS, kind).draw(rng)


def _case(of: WhyCase, causes: str, *lasting: Lasts, **target: object) -> Case:
    """The case with other troubles, and with another target."""
    changed = replace(of.target, **target)  # type: ignore[arg-type]
    return Case((changed, *of.objects[1:]), of.task, of.judge, frozenset(causes.split()), lasting)


def _free_place(rng: Rng, of: WhyCase) -> tuple[float, float, float]:
    """Where the target may stand instead (m), in reach and away from all that is there."""
    x, y = scenes.point_away(rng, [o.position[:2] for o in of.objects], FREE_M, PLACES_M)
    return x, y, of.target.size[2] / 2 + 0.002


def _far_place(rng: Rng, of: WhyCase) -> tuple[float, float, float]:
    away, bearing = rng.uniform(*FAR_M), rng.uniform(*FAR_RAD)
    return (float(away * math.cos(bearing)), float(away * math.sin(bearing)),
            of.target.size[2] / 2 + 0.002)


def moved(rng: Rng, solvable: bool) -> Case:
    of = _of('moved', rng)
    name, turn, away = of.target.name, rng.uniform(-math.pi, math.pi), rng.uniform(*MOVED_M)
    far = _far_place(rng, of)
    if solvable:
        return _case(of, 'moved', pushed_once(name, float(turn), float(away)))
    return _case(of, 'moved taken_away out_of_reach', put_elsewhere(name, far, 'descend'))


def taken(rng: Rng, solvable: bool) -> Case:
    of = _of('taken', rng)
    name, there = of.target.name, _free_place(rng, of)
    if solvable:
        return _case(of, 'moved taken_away', put_elsewhere(name, there))
    return _case(of, 'taken_away not_seen', put_elsewhere(name, GONE))


def exchanged(rng: Rng, solvable: bool) -> Case:
    of = _of('exchanged', rng)
    name, other, there = of.target.name, of.objects[-1].name, _free_place(rng, of)
    both = 'exchanged moved taken_away' if solvable else 'exchanged taken_away not_seen'
    return _case(of, both, put_elsewhere(name, there if solvable else GONE, instead=other))


def slips(rng: Rng, solvable: bool) -> Case:
    of = _of('slippery', rng)
    if solvable:
        return _case(of, 'slips', friction=GREASY, mass=GREASY_KG)
    return _case(of, 'slips too_heavy')


def heavy(rng: Rng, solvable: bool) -> Case:
    of, light = _of('heavy', rng), float(rng.uniform(*CARRIED_KG))
    return _case(of, '', mass=light) if solvable else _case(of, 'too_heavy')


def dropped(rng: Rng, solvable: bool) -> Case:
    of = _of('taken', rng)
    name = of.target.name
    if solvable:
        return _case(of, 'dropped slips', let_go(name))
    return _case(of, 'dropped slips taken_away not_seen', let_go(name),
                 put_elsewhere(name, GONE, 'dropped'))


def wide(rng: Rng, solvable: bool) -> Case:
    of, narrow = _of('wide', rng), float(rng.uniform(*NARROW_M))
    x, _, z = of.target.size
    return _case(of, '', size=(x, narrow, z)) if solvable else _case(of, 'too_wide')


def place_taken(rng: Rng, solvable: bool) -> Case:
    of = _of('occupied', rng)
    if not solvable:
        return _case(of, 'place_taken')
    case = _case(of, 'place_taken')
    loose = [replace(o, fixed=False, mass=LOOSE_KG) for o in of.objects[1:]]
    return replace(case, objects=(of.target, *loose))


def far(rng: Rng, solvable: bool) -> Case:
    """A bar across the arm: near enough to be pulled closer, or not."""
    away, bearing = rng.uniform(*(PULLED_M if solvable else FAR_M)), rng.uniform(*FAR_RAD)
    bar = scenes.thing('red_bar', (0.03, 0.12, 0.03), (
        away * math.cos(bearing), away * math.sin(bearing)), rng)
    bar = replace(bar, rpy=(0.0, 0.0, float(bearing + rng.uniform(-0.15, 0.15))))
    return Case((bar,), 'pick up the red bar', Held('red_bar'), frozenset({'out_of_reach'}))


def boxed_in(rng: Rng, solvable: bool) -> Case:
    """Four boxes around a cube leave no room for a finger; they are loose, or screwed down."""
    (x, y), yaw = scenes.point(rng, (0.42, 0.56)), float(rng.uniform(-0.7, 0.7))
    frame, side = (x, y, yaw), 0.04
    around = []
    for k, colour in enumerate(scenes.NEIGHBOURS):
        bx, by, _ = beside(frame, k, side + 0.012)
        around.append(box(f'{colour}_box', (bx, by, yaw + k * math.pi / 2), (side, 0.06, side),
                          on=-STARTS_ABOVE_M, fixed=not solvable, mass=0.08))
    return Case((box('red_cube', frame, side, mass=0.06), *around), 'pick up the red cube',
                Held('red_cube'), frozenset({'blocked'}))


def full(rng: Rng, solvable: bool) -> Case:
    """Heavy boxes in a bin: at two sides of it, or all over it."""
    at = scenes.point(rng, NEAR_M)
    spot = scenes.point_away(rng, [at], 0.22, NEAR_M)
    side, yaw = float(rng.uniform(0.032, 0.038)), float(rng.uniform(-0.7, 0.7))
    thick = 0.018 if solvable else INSIDE_M / 2 - 0.003
    boxes = [box(f'{colour}_box', beside((*spot, yaw), 2 * k, (INSIDE_M - thick) / 2 - 0.001),
                 (thick, INSIDE_M - 0.006, 0.05), on=CONTAINER_FLOOR_M, mass=STUCK_KG)
             for k, colour in enumerate(('blue', 'green'))]
    return Case((box('red_cube', (*at, yaw), side, mass=0.06), _bin(spot, yaw), *boxes),
                'put the red cube in the bin', InBowl('red_cube', 'bin'),
                frozenset() if solvable else frozenset({'full', 'place_taken'}), own=('bin',))


def covered(rng: Rng, solvable: bool) -> Case:
    """A board lies on the bin; it is loose, or fixed."""
    at = scenes.point(rng, NEAR_M)
    spot = scenes.point_away(rng, [at], 0.24, NEAR_M)
    side, yaw = float(rng.uniform(0.032, 0.042)), float(rng.uniform(-0.7, 0.7))
    board = box('blue_board', (*spot, yaw), (0.05, 0.16, 0.025), on=BIN_HIGH_M - STARTS_ABOVE_M,
                mass=LOOSE_KG, fixed=not solvable)
    return Case((box('red_cube', (*at, yaw), side, mass=0.06), _bin(spot, yaw), board),
                'put the red cube in the bin', InBowl('red_cube', 'bin'),
                frozenset({'blocked', 'place_taken'}), own=('bin',))


def _bin(at: tuple[float, float], yaw: float) -> ObjectSpec:
    across = INSIDE_M + 0.01
    return ObjectSpec('bin', Shape.BIN, (across, across, BIN_HIGH_M), Colour.named('grey'),
                      (*at, None), (0.0, 0.0, yaw), mass=0.6)


def locked(rng: Rng, solvable: bool) -> Case:
    """A drawer that is stiff, or locked."""
    drawn = locked_drawer(rng)
    (cabinet,) = drawn.values['furniture']
    stiff = float(rng.uniform(*STIFF_N))
    drawers = [{**drawer, 'locked': drawer.get('locked', False) and not solvable,
                'friction': round(stiff, 2)} for drawer in cabinet['drawers']]

    def judge(truth: Truth) -> str:
        assert isinstance(truth.world, FurnishedWorld)
        return '; '.join(drawn.judge(truth.world))

    return Case((), drawn.task, judge,
                frozenset() if solvable else frozenset({'locked'}),
                own=tuple(drawer['name'] for drawer in drawers),
                furniture={**drawn.values, 'furniture': [{**cabinet, 'drawers': drawers}]})


def camera_off(rng: Rng, solvable: bool) -> Case:
    """The camera is off for a while; meanwhile the thing is moved a little, or taken away."""
    of = _of('moved', rng)
    name, turn, away = of.target.name, rng.uniform(-math.pi, math.pi), rng.uniform(*MOVED_M)
    if solvable:
        return _case(of, 'camera moved', no_camera(DARK_S),
                     pushed_once(name, float(turn), float(away)))
    return _case(of, 'camera taken_away not_seen', no_camera(DARK_S),
                 put_elsewhere(name, GONE, 'descend'))


def camera_bumped(rng: Rng, solvable: bool) -> Case:
    """The camera was turned a little before; in one twin the thing is taken away as well."""
    of = _of('taken', rng)
    name = of.target.name
    turned = bumped(math.radians(float(rng.choice([-1, 1]) * rng.uniform(*BUMPED_DEG))))
    if solvable:
        return _case(of, 'camera', turned)
    return _case(of, 'camera taken_away not_seen', turned, put_elsewhere(name, GONE))


def bowl_moved(rng: Rng, solvable: bool) -> Case:
    """The bowl is moved, or taken away, while the arm brings the cube."""
    of = _of('taken', rng)
    at = of.target.position[:2]
    spot = scenes.point_away(rng, [at], 0.2, PLACES_M)
    x, y = scenes.point_away(rng, [at, spot], 0.17, PLACES_M)
    bowl = scenes.bowl(spot)
    there = (x, y, bowl.size[2] / 2 + 0.002) if solvable else GONE
    red = of.target
    return Case((red, bowl), f'put the {red.name.replace("_", " ")} in the bowl',
                InBowl(red.name, 'bowl'),
                frozenset({'moved', 'taken_away'} | (set() if solvable else {'not_seen'})),
                (put_elsewhere('bowl', there, 'carry', taking=False),), ('bowl',))


def nothing(rng: Rng, solvable: bool) -> Case:
    return _case(_of('taken', rng), '')


TWINS = (
    Twins('nothing', 'nothing goes wrong', nothing, both=False),
    Twins('moved_mid_pick', 'it is pushed 5 to 8 cm when the hand comes, or put out of reach',
          moved),
    Twins('taken_away', 'somebody takes it and puts it elsewhere, or keeps it', taken),
    Twins('exchanged', 'another thing stands there now; it is elsewhere, or gone', exchanged),
    Twins('dropped', 'the fingers lose it in the lift; it lies there, or is taken', dropped),
    Twins('slips', 'a firm grip holds it, or none does', slips),
    Twins('heavy', '1 to 1.6 kg, or 4.5 to 8 kg', heavy),
    Twins('wide', 'one side is narrow enough for the hand, or none is', wide),
    Twins('far', 'it can be pulled nearer, or is out of reach', far),
    Twins('boxed_in', 'what leaves the hand no room is loose, or fixed', boxed_in),
    Twins('place_taken', 'what stands there is loose, or fixed', place_taken),
    Twins('full', 'heavy boxes leave room in the bin, or none', full),
    Twins('covered', 'what lies on the bin is loose, or fixed', covered),
    Twins('bowl_moved', 'the bowl is put elsewhere, or taken away', bowl_moved),
    Twins('locked', 'a drawer is stiff, or locked', locked),
    Twins('hanoi_3', 'three blocks; nothing goes wrong', lambda rng, _: hanoi(rng, 3), both=False),
    Twins('hanoi_4', 'four blocks; nothing goes wrong', lambda rng, _: hanoi(rng, 4), both=False),
    Twins('camera_off', 'no picture for a while; then it is moved, or gone', camera_off),
    Twins('camera_bumped', 'the pictures are 2 to 5 cm off; it is there, or is taken away',
          camera_bumped),
)
