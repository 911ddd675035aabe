# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Answers about what is seen. What the scene does not show is said to be unknown, or believed."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.agent.ports import Reader
from replan_agent.domain.kinds import is_thing
from replan_agent.domain.reading import Remark, RemarkKind
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.goal_words import spoken
from replan_agent.geometry.judging import is_inside, support_below
from replan_agent.geometry.out_of_sight import unseen
from replan_agent.geometry.relations import is_near
from replan_agent.text.shown_text import listed

MAY_HIDE = ' Something may be hidden from the camera.'


def seen_answer(remark: Remark, scene: Scene, reader: Reader, said: Sequence[tuple[str, ...]]
                ) -> str:
    """The answer to a question about the scene."""
    if remark.kind is RemarkKind.HELD:
        return _held(scene)
    hidden = MAY_HIDE if scene.may_hide else ''
    try:
        if remark.kind is RemarkKind.IS:
            return _is_so(remark, scene, reader, said, hidden)
        found = _things(remark, scene, reader, said)
    except Unclear as why:
        return f'I do not see {why.not_seen}.{hidden}' if why.not_seen else f'I cannot tell: {why}'
    except (NotUnderstood, Open) as why:
        return f'I cannot tell: {why}'
    if remark.kind is RemarkKind.WHERE:
        lines = [_where(thing, scene) for thing in found]
        return ' '.join(lines) if lines else f'I do not see {remark.thing}.{hidden}'
    old = unseen(scene)
    names = [thing.name for thing in found if thing not in old]
    believed = ''.join(f' {_where(thing, scene)}' for thing in found if thing in old)
    is_count = remark.kind is RemarkKind.COUNT
    if names:
        return f'I see {f"{len(names)}: " * is_count}{_told(names)}.{believed}'
    return f'I see {"none" if is_count else "nothing there"}.{believed or hidden}'


def _things(remark: Remark, scene: Scene, reader: Reader, said: Sequence[tuple[str, ...]]
            ) -> list[SceneObject]:
    if remark.kind is RemarkKind.SEEN:
        return [o for o in scene.objects if is_thing(o)]
    names = reader.fitting(remark.thing or 'everything', scene, said)
    there = reader.fitting(f'a thing {remark.place}', scene, said) if remark.place else names
    return [o for o in scene.objects if o.name in names and o.name in there]


def _is_so(remark: Remark, scene: Scene, reader: Reader, said: Sequence[tuple[str, ...]],
           hidden: str) -> str:
    there, gone = reader.is_there(remark.thing, remark.place, scene, said)
    lines = [_where(o, scene) for o in scene.objects
             if o.name in gone or o.name in there and o in unseen(scene)]
    if not gone:
        return f'I believe so. {" ".join(lines)}' if lines else f'Yes: {_told(there)}.'
    return f'{f"Only {_told(there)}" if there else "No"}. {" ".join(lines)}{hidden}'


def _held(scene: Scene) -> str:
    if scene.held is None and scene.arm is None:
        return 'I do not know whether I hold something.'
    return f'I hold {spoken(scene.held)}.' if scene.held else 'I hold nothing.'


def _where(thing: SceneObject, scene: Scene) -> str:
    name = spoken(thing.name).capitalize()
    if thing.name == scene.held:
        return f'{name} is in my hand.'
    below = support_below(thing, scene)
    on = (f'{"in" if is_inside(thing, below) else "on"} {spoken(below.name)}' if below is not None
          else 'there, but I do not see what carries it')
    if thing in unseen(scene):
        return (f'I do not see {spoken(thing.name)} now: it was last seen '
                f'{scene.stamp - thing.seen_at:.0f} s ago, and I believe that it is {on}.')
    x, y, _ = thing.position
    near = [o.name for o in scene.without([thing.name, scene.held or ''])
            if is_thing(o) and o is not below and is_near(thing, o)]
    beside = f', next to {_told(near)}' if near else ''
    return f'{name} is {on}{beside}, at ({x:.2f}, {y:.2f}) m.'


def _told(names: Sequence[str]) -> str:
    return listed([*map(spoken, names)])
