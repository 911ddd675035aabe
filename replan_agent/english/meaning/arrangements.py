"""Where things go when a sentence does not name the spot: rows, stacks, the bin."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import name_words
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.domain.skill_effect import FLAT_ON_TOP
from replan_agent.geometry.judging import is_inside, is_resting_on
from replan_agent.geometry.room.free_place import is_free, is_on_top
from replan_agent.geometry.support import footprint

from ..dictionary import fits, is_named
from .ranks import volume
from .said_before import Discourse

ROW_GAP_M = 0.03
ROWS_X_M = (0.50, 0.45, 0.55, 0.40, 0.60, 0.35, 0.65, 0.30)
ROW_SHIFTS_M = (0.0, 0.05, -0.05, 0.10, -0.10, 0.15, -0.15)


def _height(thing: SceneObject) -> float:
    return thing.top_z - thing.bottom_z


def kind_of(thing: SceneObject) -> str:
    """What it is called, without its number and colour: "cube", "apple"."""
    return next((w for w in reversed(name_words(thing.name)) if not w.isdigit()), thing.name)


SORT_KEYS: Mapping[str, Callable[[SceneObject], Any]] = {
    'colour': lambda o: o.colour, 'shape': lambda o: o.shape.value, 'kind': kind_of,
    'size': volume,
    'size_up': volume, 'size_down': lambda o: -volume(o), 'height': _height,
    'height_up': _height, 'height_down': lambda o: -_height(o)}
_OPPOSITE = {'left': 'right', 'right': 'left', 'forward': 'back', 'back': 'forward'}
OF_THE_ARM = frozenset({'away', 'closer'})  # from the robot, whoever looks


def table_of(scene: Scene) -> SceneObject:
    if scene.table is None:
        raise Unclear(Reason.OBJECT_NOT_FOUND, 'no table is seen',
                      cause=Cause.PRECONDITION_FAILED)
    return scene.table


def on_table(point: tuple[float, float] | None, scene: Scene) -> tuple[float, float]:
    """The point (m), if the table is below it."""
    assert point is not None
    table = table_of(scene)
    if not is_on_top(table, point, 0.0):
        spans = ', '.join(f'{axis} {c - h:.2f} to {c + h:.2f}' for axis, c, h in
                          zip('xy', table.position, table.half_extents_in_base()))
        raise Unclear(Reason.WORKSPACE_VIOLATION, f'it would fall: ({point[0]:.2f}, '
                      f'{point[1]:.2f}) is not over the {table.name}, which spans {spans} m')
    return point


def tidy_target(scene: Scene) -> str:
    """Where loose things belong: the only container, or the only bin of several."""
    containers = [o for o in scene.objects if o.is_container]
    bins = [o for o in containers if o.shape is Shape.BIN]
    only = containers if len(containers) == 1 else bins
    if len(only) == 1:
        return only[0].name
    names = [o.name for o in containers]
    if not names:
        raise Unclear(Reason.OBJECT_NOT_FOUND, 'there is no bowl or bin to put things away in',
                      cause=Cause.NO_CONTAINER)
    raise Unclear(Reason.AMBIGUOUS_OBJECT, f'into which one: {", ".join(names)}?', names)


def bin_of(scene: Scene) -> str:
    """The only bin: what is thrown away goes nowhere else."""
    fitting = [o for o in scene.objects if o.is_container and fits('bin', o)]
    bins = [o.name for o in fitting if is_named(['bin'], o)] or [o.name for o in fitting]
    if not bins:
        raise Unclear(Reason.OBJECT_NOT_FOUND, 'there is no bin to throw things into: where '
                      'should it go?', cause=Cause.NO_CONTAINER)
    if len(bins) > 1:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'into which one: {", ".join(bins)}?', bins)
    return bins[0]


def word_for(direction: str, viewpoint: str) -> str:
    """The direction as the arm's own word (`domain/skill_effect.py`)."""
    own = {'away': 'forward', 'closer': 'back', 'near': 'back'}.get(direction, direction)
    turned = viewpoint == 'person' and direction not in OF_THE_ARM
    return _OPPOSITE.get(own, own) if turned else own


def instead_of(thing: SceneObject, other: SceneObject, scene: Scene) -> Goal:
    """The goal that puts a thing where the other one is now."""
    if scene.held == other.name:
        return Goal(Predicate.HOLDING, thing.name)
    below = next((o for o in scene.without([thing.name, other.name]) if o.is_container
                  and is_inside(other, o)), None)
    if below is not None:
        return Goal(Predicate.IN, thing.name, below.name)
    below = next((o for o in scene.without([thing.name, other.name])
                  if o.shape is not Shape.TABLE and is_resting_on(other, o)), None)
    if below is not None:
        return Goal(Predicate.ON, thing.name, below.name)
    return Goal(Predicate.AT, thing.name, position=(other.position[0], other.position[1]))


def row(things: Sequence[SceneObject], key: Callable[[SceneObject], Any], context: Discourse
        ) -> Mapping[str, tuple[float, float]]:
    """A spot (x, y, m) for each in a row from left to right, by the key and then as they stand."""
    sign = -1.0 if context.viewpoint == 'person' else 1.0
    order = sorted(things, key=lambda o: (key(o), -sign * o.position[1]))
    gaps = [footprint(a) + footprint(b) + ROW_GAP_M for a, b in zip(order, order[1:])]
    offsets = [sum(gaps[:i]) - sum(gaps) / 2 for i in range(len(order))]
    names = {o.name for o in things}
    table_of(context.scene)
    others = replace(context.scene, objects=tuple(context.scene.without(names)))
    for x, shift in itertools.product(ROWS_X_M, ROW_SHIFTS_M):
        spots = {o.name: (x, round(sign * (shift - off), 4)) for o, off in zip(order, offsets)}
        if all(is_free(o, spots[o.name], others) for o in order):
            return spots
    raise Unclear(Reason.TARGET_OCCUPIED, f'there is no room for a row of {len(things)}')


def bottom_up(things: Sequence[SceneObject]) -> list[str]:
    """An order to stack them: flat tops below, the widest first."""
    order = sorted(things, key=lambda o: (o.shape not in FLAT_ON_TOP, -min(o.size[:2])))
    if any(o.shape not in FLAT_ON_TOP for o in order[:-1]):
        wrong = next(o.name for o in order if o.shape not in FLAT_ON_TOP)
        raise Unclear(Reason.BAD_ARGUMENTS, f'nothing can stand on {wrong}')
    return [o.name for o in order]
