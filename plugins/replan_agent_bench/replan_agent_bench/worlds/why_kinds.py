# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random tables with one lasting trouble each: the cause is true by construction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace

import numpy as np

from replan_agent.domain.cause import Cause
from replan_agent.domain.piece import Piece
from replan_agent.domain.scene import Shape
from replan_agent.domain.shape import CONTAINER_FLOOR_M
from replan_agent.domain.task_result import FinalReason
from replan_agent.robot.mujoco.scene.mesh_pieces import extents
from replan_agent.robot.mujoco.scene.scene_spec import Colour, ObjectSpec
from replan_agent_bench.suite import DrawnRow

from . import lasting, scenes
from .blocked.blocked_scenes import beside, box
from .confusions import Confusion, about_another, put_before_take
from .faults import aborted, stops_short, unturned
from .judges import All, Held, InBowl, Judge, PlacedAt, StackedOn
from .lasting import Lasts
from .object_sets import SetThing

NEAR_M = (0.40, 0.58)
APART_M = 0.18
OTHERS = ('blue', 'green', 'yellow', 'purple')
BIN_M, BOWL_M = 0.14, 0.11  # meshes up to this have room in a bin of this suite, in its bowl
GLASS = (0.12, 0.12, 0.008)
ALWAYS = 1000

Rng = np.random.Generator


@dataclass(frozen=True)
class WhyCase:
    """A task that meets a trouble; `objects` start with the thing it is about.

    `causes` are the true ones: of domain/cause.py, or how the task ends where no attempt is made.
    `blame` are the things that are truly to blame. `rounds`: how many troubles there are, each
    with an advice of its own. `drawn`: the target before the trouble changed it, if it did.
    """

    objects: tuple[ObjectSpec, ...]
    task: str
    judge: Judge
    causes: frozenset[str]
    blame: tuple[str, ...] = ()
    lasting: tuple[Lasts, ...] = ()
    confusion: Confusion | None = None
    rounds: int = 1
    drawn: ObjectSpec | None = None

    @property
    def target(self) -> ObjectSpec:
        return self.objects[0]


_MESHES: ContextVar[Sequence[SetThing]] = ContextVar('meshes', default=())


@dataclass(frozen=True)
class WhyKind(DrawnRow[WhyCase]):
    """A kind of trouble."""

    episodes: int = 20

    def case_with(self, things: Sequence[SetThing], seed: int) -> WhyCase:
        """The case of a seed; half of the targets are one of the things, if there are any."""
        token = _MESHES.set(things)
        try:
            return self.case(seed)
        finally:
            _MESHES.reset(token)


def _causes(*causes: Cause | FinalReason) -> frozenset[str]:
    return frozenset(cause.value for cause in causes)


BLOCKED = _causes(Cause.BOXED_IN, Cause.APPROACH_BLOCKED)
FAR = _causes(Cause.BEYOND_REACH, Cause.JUST_OUT_OF_REACH)
AWAY = _causes(Cause.TAKEN_AWAY, Cause.LOST_FROM_VIEW)
HIT = _causes(Cause.UNEXPECTED_CONTACT, Cause.HELD_UP)
BLIND = _causes(FinalReason.PERCEPTION_LOST, Cause.NO_FRESH_LOOK, Cause.SEEN_TOO_LONG_AGO)
NOT_CARRIED = _causes(Cause.TOO_HEAVY)


def _target(rng: Rng, at: scenes.Point, across_m: float = math.inf) -> ObjectSpec:
    """Something that the arm takes with ease; a mesh is no wider (m) than that, as it may lie."""
    kind, side, things = int(rng.integers(3)), float(rng.uniform(0.032, 0.048)), _MESHES.get()
    if things and rng.integers(2):
        mesh, pieces = next((mesh, pieces) for mesh, pieces in _drawn(rng, things)
                            if math.hypot(*sorted(extents(pieces))[1:]) < across_m)
        return ObjectSpec('red_object', Shape.IRREGULAR, extents(pieces), Colour.named('red'),
                          (*at, None), (0.0, 0.0, float(rng.uniform(-math.pi, math.pi))),
                          mesh.mass_of(pieces), mesh.friction, pieces=pieces)
    if kind == 0:
        return scenes.cube('red_cube', side, at, rng)
    high = float(rng.uniform(0.05, 0.09))
    if kind == 1:
        return scenes.thing('red_box', (side, side + 0.02, high), at, rng)
    return scenes.thing('red_cylinder', (side, side, high), at, rng, Shape.CYLINDER)


def _drawn(rng: Rng, things: Sequence[SetThing]) -> Iterator[tuple[SetThing, tuple[Piece, ...]]]:
    """The things in a random order, with their pieces."""
    return ((things[k], things[k].pieces()) for k in rng.permutation(len(things)))


def _others(rng: Rng, taken: list[scenes.Point], most: int = 2) -> tuple[ObjectSpec, ...]:
    """Up to `most` things that have nothing to do with it."""
    found = []
    for colour in OTHERS[:int(rng.integers(most + 1))]:
        taken.append(scenes.point_away(rng, taken, APART_M, NEAR_M))
        found.append(scenes.cube(f'{colour}_cube', float(rng.uniform(0.03, 0.05)), taken[-1], rng))
    return tuple(found)


def _pick(rng: Rng, causes: frozenset[str], change: Callable[[ObjectSpec], ObjectSpec] | None
          = None, at: scenes.Point | None = None, **more: object) -> WhyCase:
    at = at or scenes.point(rng, NEAR_M)
    drawn = _target(rng, at)
    red = change(drawn) if change else drawn
    case = WhyCase((red, *_others(rng, [at])), f'pick up the {_words(red)}', Held(red.name),
                   causes, drawn=drawn)
    return _alone(replace(case, **more), 0.10)  # type: ignore[arg-type]


def _alone(case: WhyCase, within_m: float) -> WhyCase:
    """The case without what has nothing to do with it and is that close to the target."""
    target = case.target
    return replace(case, objects=tuple(o for o in case.objects if o is target or math.dist(
        o.position[:2], target.position[:2]) > within_m))


def _words(thing: ObjectSpec) -> str:
    return thing.name.replace('_', ' ')


def _with(case: WhyCase, *more: ObjectSpec) -> WhyCase:
    """The case with further things, which are to blame."""
    names = tuple(o.name for o in more)
    return replace(case, objects=(*case.objects, *more), blame=(*case.blame, *names))


def _xy(thing: ObjectSpec) -> scenes.Point:
    return thing.position[0], thing.position[1]


def _beyond(rng: Rng) -> WhyCase:
    away, bearing = rng.uniform(0.94, 1.02), -rng.uniform(0.40, 0.58)  # where a camera sees it
    return _pick(rng, FAR, at=(away * math.cos(bearing), away * math.sin(bearing)))


def _roof(rng: Rng, case: WhyCase, name: str, **more: object) -> WhyCase:
    """A fixed slab just above the target: no way from above, and none from the side."""
    red = case.target
    (x, y), yaw = _xy(red), float(rng.uniform(-1.5, 1.5))
    gap = float(rng.uniform(0.012, 0.03))
    slab = replace(box(name, (x, y, yaw), GLASS, on=red.size[2] + gap, fixed=True), **more)  # type: ignore[arg-type]
    return _with(case, slab)


def _under_a_slab(rng: Rng) -> WhyCase:
    return _roof(rng, _pick(rng, BLOCKED), 'grey_slab')


def _under_glass(rng: Rng) -> WhyCase:
    return _roof(rng, _pick(rng, HIT), 'white_glass', unseen=True)


def _between_walls(rng: Rng) -> WhyCase:
    side, at = float(rng.uniform(0.034, 0.044)), scenes.point(rng, NEAR_M)
    yaw, high = float(rng.uniform(-0.7, 0.7)), side * float(rng.uniform(0.95, 1.15))
    frame = (*at, yaw)
    red = box('red_cube', frame, side)
    walls = []
    for k in range(4):
        x, y, _ = beside(frame, k, side / 2 + float(rng.uniform(0.003, 0.007)) + 0.005)
        walls.append(box(f'{("grey", "black", "brown", "white")[k]}_wall',
                         (x, y, yaw + k * math.pi / 2), (0.01, side + 0.004, high),
                         shape=Shape.WALL, fixed=True))
    case = WhyCase((red, *_others(rng, [at])), 'pick up the red cube', Held('red_cube'), BLOCKED)
    return _with(case, *walls)


def _too_wide(rng: Rng) -> WhyCase:
    x, y, z = map(float, rng.uniform(0.095, 0.13, 3))
    return _pick(rng, _causes(Cause.TOO_WIDE), lambda red: replace(
        red, name='red_box', shape=Shape.BOX, size=(x, y, z), mass=0.4, pieces=()))


def _too_heavy(rng: Rng) -> WhyCase:
    return _pick(rng, NOT_CARRIED, lambda red: replace(red, mass=float(rng.uniform(4.5, 8.0)),
                                                       friction=1.2))


def _slippery(rng: Rng) -> WhyCase:
    return _pick(rng, NOT_CARRIED | _causes(Cause.SLIPPED_IN_LIFT), lambda red: replace(
        red, mass=float(rng.uniform(0.3, 0.6)), friction=float(rng.uniform(0.008, 0.02))))


def _glued(rng: Rng) -> WhyCase:
    case = _pick(rng, NOT_CARRIED, lambda red: replace(red, fixed=True))
    return replace(case, lasting=(lasting.glued(case.target.name),))


def _moved(rng: Rng) -> WhyCase:
    case = _pick(rng, _causes(Cause.OBJECT_MOVED), lambda red: red if red.shape
                 is not Shape.CYLINDER else replace(red, name='red_box', shape=Shape.BOX))
    return replace(case, lasting=(lasting.shoved(
        case.target.name, float(rng.uniform(-1.0, 1.0)), float(rng.uniform(0.05, 0.08))),))


def _taken(rng: Rng) -> WhyCase:
    case = _pick(rng, AWAY)
    return replace(case, lasting=(lasting.carried_off(case.target.name),))


def _exchanged(rng: Rng) -> WhyCase:
    case = _pick(rng, AWAY | _causes(Cause.TOOK_ANOTHER, Cause.NEIGHBOUR_ARRIVED))
    other = replace(case.target, name='orange_' + case.target.name.split('_')[1],
                    colour=Colour.named('orange'), position=(-0.2, 0.55, None))
    case = _with(case, other)
    return replace(case, lasting=(lasting.carried_off(case.target.name, other.name),))


def _fallen(rng: Rng) -> WhyCase:
    at = (float(rng.uniform(0.1, 0.3)), float(rng.choice([-1, 1]) * rng.uniform(0.55, 0.59)))
    case = _pick(rng, AWAY | _causes(Cause.FELL, Cause.OBJECT_MOVED), at=at)
    return replace(case, lasting=(lasting.pushed_off(case.target.name),))


def _rolled(rng: Rng) -> WhyCase:
    side = float(rng.uniform(0.04, 0.06))
    case = _pick(rng, AWAY | FAR | _causes(Cause.FELL, Cause.OBJECT_MOVED), lambda red: replace(
        red, name='red_ball', shape=Shape.SPHERE, size=(side, side, side), pieces=()))
    return replace(case, lasting=(lasting.rolled(
        'red_ball', float(rng.uniform(-math.pi, math.pi)), float(rng.uniform(0.3, 0.5))),))


def _hidden(rng: Rng) -> WhyCase:
    case = _pick(rng, _causes(Cause.NOT_IN_SCENE))
    (x, y), red = _xy(case.target), case.target
    away = max(1.0, math.hypot(*sorted(red.size)[1:]) / 0.09)  # as shares of a small thing's
    screen = box('orange_box', (x + 0.055 * away, y + 0.03 * away, 0.5), (0.02, 0.10, 0.16),
                 mass=0.3)
    return replace(_with(case, screen), lasting=(
        lasting.hidden(case.target.name, screen.name),))


def _shadow(rng: Rng) -> WhyCase:
    case = _pick(rng, _causes(Cause.LOST_FROM_VIEW, Cause.VERIFICATION_FAILED),
                 at=scenes.point(rng, (0.48, 0.60)))
    return replace(case, lasting=(lasting.shadow(case.target.name),))


def _full(rng: Rng) -> WhyCase:
    """A bin that things fill to its rim; they are too heavy to be taken out."""
    at = scenes.point(rng, NEAR_M)
    spot = scenes.point_away(rng, [at], 0.22, NEAR_M)
    red, yaw = _target(rng, at, BIN_M), float(rng.uniform(-0.7, 0.7))
    inner, high = max(float(rng.uniform(0.09, 0.11)), math.hypot(*sorted(red.size)[1:])
                      + 0.02 if red.pieces else 0.0), 0.06
    bin_ = ObjectSpec('bin', Shape.BIN, (inner + 0.01, inner + 0.01, high), Colour.named('grey'),
                      (*spot, None), (0.0, 0.0, yaw), mass=0.4)
    filling = [box(f'{colour}_box', beside((*spot, yaw), 2 * k, inner / 4),
                   (inner / 2 - 0.003, inner - 0.006, high - CONTAINER_FLOOR_M),
                   on=CONTAINER_FLOOR_M, mass=4.0) for k, colour in enumerate(('blue', 'green'))]
    case = WhyCase((red, bin_), f'put the {_words(red)} in the bin', InBowl(red.name, 'bin'),
                   _causes(Cause.CONTAINER_FULL, Cause.NO_FREE_SPOT, Cause.TARGET_OCCUPIED))
    return _with(case, *filling)


def _placed(rng: Rng, causes: frozenset[str]) -> tuple[WhyCase, scenes.Point]:
    at = scenes.point(rng, NEAR_M)
    x, y = (round(v, 3) for v in scenes.point_away(rng, [at], 0.2, NEAR_M))
    red = _target(rng, at)
    return WhyCase((red,), f'place the {_words(red)} at ({x}, {y})',
                   PlacedAt(red.name, (x, y)), causes), (x, y)


def _place_taken(rng: Rng) -> WhyCase:
    case, at = _placed(rng, _causes(Cause.TARGET_OCCUPIED))
    side, high = map(float, rng.uniform((0.04, 0.05), (0.07, 0.12)))
    return _with(case, box('grey_block', (*at, float(rng.uniform(-0.7, 0.7))), (side, side, high),
                           fixed=True))


def _tower(rng: Rng) -> WhyCase:
    """Something is to stand on a ball."""
    at = scenes.point(rng, NEAR_M)
    spot, side = scenes.point_away(rng, [at], 0.2, NEAR_M), float(rng.uniform(0.05, 0.07))
    red = _target(rng, at)
    ball = box('blue_ball', (*spot, 0.0), side, shape=Shape.SPHERE, mass=0.3)
    case = WhyCase((red,), f'stack the {_words(red)} on the blue ball',
                   StackedOn(red.name, 'blue_ball'),
                   _causes(Cause.WOULD_NOT_STAY, Cause.FELL, Cause.NOT_WHERE_PUT))
    return _with(case, ball)


def _retreat(rng: Rng) -> WhyCase:
    """The hand cannot leave what it put down, and has something else to do."""
    case, at = _placed(rng, HIT | BLOCKED | _causes(Cause.NO_WAY_OUT))
    blue = scenes.cube('blue_cube', 0.04, scenes.point_away(
        rng, [at, _xy(case.target)], 0.2, NEAR_M), rng)
    bar = replace(box('white_glass', (-0.15, -0.55, 0.0), 0.02, fixed=True), unseen=True)
    return replace(_with(case, bar), objects=(case.target, blue, bar), judge=All((
        case.judge, Held(blue.name))), task=f'{case.task}, then pick up the blue cube',
        lasting=(lasting.barred('white_glass'),))


def _posture(rng: Rng) -> WhyCase:
    """Beside the foot of the arm: every posture that leads there is inside the arm itself."""
    away, bearing = rng.uniform(0.096, 0.102), rng.uniform(-0.28, 0.28)
    side = float(rng.uniform(0.026, 0.032))
    return _pick(rng, BLOCKED | _causes(Cause.NO_POSTURE), lambda red: replace(
        red, name='red_cube', shape=Shape.BOX, size=(side, side, side), mass=0.03, pieces=()),
        at=(away * math.cos(bearing), away * math.sin(bearing)))


def _pane(rng: Rng) -> WhyCase:
    """Tall glass around the target at three sides and above: the arm meets it on its way."""
    case = _alone(_pick(rng, HIT), 0.30)
    (x, y), yaw = _xy(case.target), float(rng.uniform(-0.5, 0.5))
    panes = [replace(box(f'white_pane{k}', beside((x, y, yaw), k, 0.16), (0.008, 0.3, 0.35),
                         shape=Shape.WALL, fixed=True), unseen=True,
                     rpy=(0.0, 0.0, yaw + k * math.pi / 2)) for k in range(4)]
    roof = replace(box('white_glass', (x, y, yaw), (0.3, 0.3, 0.008), on=0.35, fixed=True),
                   unseen=True)
    return _with(case, *panes, roof)


def _abort(rng: Rng) -> WhyCase:
    return _pick(rng, _causes(Cause.CONTROLLER_ERROR),
                 lasting=(lasting.every_motion(aborted(float(rng.uniform(0.2, 0.8)))),))


def _joint(rng: Rng) -> WhyCase:
    """The first joint does not turn."""
    bearing = float(rng.choice([-1, 1]) * rng.uniform(0.35, 0.7))
    away = float(rng.uniform(*NEAR_M))
    return _pick(rng, _causes(Cause.NOT_TURNED, Cause.OFF_TARGET, Cause.TURNED_WRONG),
                 at=(away * math.cos(bearing), away * math.sin(bearing)),
                 lasting=(lasting.every_motion(unturned(0)),))


def _stuck(rng: Rng) -> WhyCase:
    return _pick(rng, _causes(Cause.GRIPPER_BLOCKED, Cause.GRIPPER_BROKEN), lasting=(
        lasting.every_grasp(stops_short(float(rng.uniform(0.062, 0.08)))),))


def _dark(rng: Rng) -> WhyCase:
    return _pick(rng, BLIND, lasting=(lasting.dark(int(rng.integers(0, 3))),))


def _old(rng: Rng) -> WhyCase:
    return _pick(rng, BLIND, lasting=(lasting.old(int(rng.integers(0, 3))),))


def _frozen(rng: Rng) -> WhyCase:
    case = _pick(rng, BLIND | _causes(Cause.CLOSED_ON_AIR))
    red = case.target
    x, y = scenes.point_away(rng, [_xy(o) for o in case.objects], 0.15, NEAR_M)
    return replace(case, lasting=(lasting.frozen(red.name, (x, y, red.size[2] / 2 + 0.002)),))


def _wrong_model(rng: Rng) -> WhyCase:
    """The model takes another thing than the one that is asked for, or plans in a wrong order."""
    at = scenes.point(rng, NEAR_M)
    points = [at, scenes.point_away(rng, [at], 0.2, NEAR_M)]
    bowl = scenes.point_away(rng, points, 0.2, NEAR_M)
    red, blue = _target(rng, at, BOWL_M), scenes.cube('blue_cube', 0.04, points[1], rng)
    wrong = about_another(red.name, blue.name) if rng.integers(2) else put_before_take
    return WhyCase((red, blue, scenes.bowl(bowl)), f'put the {_words(red)} in the bowl',
                   InBowl(red.name, 'bowl'),
                   _causes(Cause.WRONG_OBJECT, Cause.HAND_EMPTY, Cause.TOOK_ANOTHER,
                           Cause.GOAL_UNMET), confusion=Confusion(wrong, ALWAYS))


def _two(rng: Rng) -> WhyCase:
    """Two of the troubles at once: each is a true answer, and both must be mended."""
    case = _between_walls(rng) if rng.integers(2) else _under_a_slab(rng)
    heavy = replace(case.target, mass=float(rng.uniform(4.5, 8.0)), friction=1.2)
    return replace(case, objects=(heavy, *case.objects[1:]), rounds=2,
                   causes=case.causes | NOT_CARRIED, drawn=case.drawn or case.target)


KINDS = (
    WhyKind('beyond', 'beyond reach', '0.94 to 1.02 m from the base', _beyond),
    WhyKind('slab', 'blocked by one', 'a fixed slab just above it', _under_a_slab),
    WhyKind('walls', 'blocked by four', 'fixed walls at all sides, 3 to 7 mm away',
            _between_walls),
    WhyKind('glass', 'blocked, unseen', 'clear glass just above it', _under_glass),
    WhyKind('wide', 'too wide', '95 to 130 mm in every direction', _too_wide),
    WhyKind('heavy', 'too heavy', '4.5 to 8 kg', _too_heavy),
    WhyKind('slippery', 'too slippery', 'friction 0.01 to 0.02, 0.3 to 0.6 kg', _slippery),
    WhyKind('glued', 'glued', 'glued to the table', _glued),
    WhyKind('moved', 'moved', 'pushed aside whenever the hand comes down', _moved),
    WhyKind('taken', 'taken away', 'carried off while the hand is on its way', _taken),
    WhyKind('exchanged', 'exchanged', 'another thing stands there now', _exchanged),
    WhyKind('fallen', 'fallen', 'pushed over the edge of the table', _fallen),
    WhyKind('rolled', 'rolled away', 'a ball that rolls off when the hand comes', _rolled),
    WhyKind('hidden', 'hidden by another', 'no look shows it', _hidden),
    WhyKind('shadow', "hand's shadow", 'no look shows it below the hand', _shadow),
    WhyKind('full', 'container full', 'heavy things fill the bin', _full),
    WhyKind('occupied', 'place taken', 'a fixed block stands there', _place_taken),
    WhyKind('tower', 'tower unstable', 'it is to stand on a ball', _tower),
    WhyKind('retreat', 'retreat blocked', 'glass above the hand, which has more to do', _retreat),
    WhyKind('posture', 'no posture', 'beside the foot of the arm', _posture),
    WhyKind('pane', 'contact on the way', 'glass around it, 16 cm away', _pane),
    WhyKind('abort', 'controller aborts', 'in every motion', _abort),
    WhyKind('joint', 'joint does not turn', 'the first one, in every motion', _joint),
    WhyKind('stuck', 'gripper stuck', 'the fingers stop short', _stuck),
    WhyKind('dark', 'camera off', 'no picture from the first to third look on', _dark),
    WhyKind('old', 'camera stale', 'old pictures from the first to third look on', _old),
    WhyKind('frozen', 'camera frozen', 'the first picture for ever', _frozen),
    WhyKind('model', 'model wrong', 'every plan takes another thing or has a wrong order',
            _wrong_model),
    WhyKind('two', 'two at once', 'blocked and too heavy', _two),
)
