# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Options that slide things over the table: away, closer, or a whole row at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from replan_agent.domain.local_planning import LocalOption
from replan_agent.domain.plan import Step
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.domain.skill_effect import DIRECTIONS
from replan_agent.geometry.room.free_place import KeepAway, Point, is_outside
from replan_agent.geometry.steps.after_step import slid
from replan_agent.geometry.steps.slide import Slide, can_be_pushed, can_slide, row_objection

from .local_skills import LocalSkills, build_step
from .options import Proposal

SLIDES_M = (0.06, 0.12, 0.18)
ROW_SLIDES_M = (0.12, 0.18, 0.24)  # a row: its gaps close first
TOWARDS = -0.3  # a push whose cosine to the way out is less goes back towards the target
SAME_WAY_DEG = 15  # pushes in about the same direction have the same name


def sliding(thing: SceneObject, scene: Scene, kind: str, why: str, skills: LocalSkills,
            away_from: Point | None = None, keep_away: KeepAway = ()) -> Iterator[Proposal]:
    """Push an object over the table in each free direction, but not towards a point."""
    for step, slide in _pushes(thing, scene, skills, SLIDES_M):
        dx, dy = slide.direction
        gap = [a - b for a, b in zip(thing.position[:2], away_from or thing.position)]
        if dx * gap[0] + dy * gap[1] >= TOWARDS * math.hypot(*gap):
            yield from _slide(slide, scene, step, kind, why, keep_away)


def pushing_rows(thing: SceneObject, target: str, close: AbstractSet[str], scene: Scene,
                 skills: LocalSkills, keep_away: KeepAway = ()) -> Iterator[Proposal]:
    """Push an object against the target, or against another one that is `close` to it."""
    if skills.shift is None or not skills.shift.effect.along:
        return
    for step, slide in _pushes(thing, scene, skills, ROW_SLIDES_M, along=True):
        ends = slide.ends(scene.movable())
        names = [o.name for o in ends]
        if target not in names and not (names[0] in close and close & {*names[1:]}):
            continue
        clear = all(is_outside(end.position[:2], keep_away) for end in ends)
        if clear and not row_objection(slide, scene):
            option = LocalOption(
                f'{step.description} with its row by {slide.distance_m * 100:.0f} cm', 'push_row',
                (step,), None, object=thing.name,
                why=f'{thing.name} pushes {", ".join(names[1:])} along')
            yield Proposal(option, slid(scene, slide), ((step, scene),), slide.distance_m)


def _pushes(thing: SceneObject, scene: Scene, skills: LocalSkills,
            distances_m: Sequence[float], **how: object) -> Iterator[tuple[Step, Slide]]:
    """The pushes of an object: square to its sides, if it has any or slides along one only."""
    shift = skills.shift
    if shift is None:
        return
    side = thing.pose.rotation[:, 2 if thing.shape is Shape.CYLINDER else 0]
    veer = round((math.degrees(math.atan2(side[1], side[0])) + 45) % 90 - 45, 1)
    if veer and (thing.shape is Shape.BOX or not can_be_pushed(thing, scene)):
        how['veer'] = veer
    for word in DIRECTIONS:
        heading = shift.effect.heading(shift.effect.arguments(direction=word, **how))
        assert heading is not None  # the word is one of DIRECTIONS
        for distance in distances_m if can_be_pushed(thing, scene, heading) else ():
            yield build_step(shift, f'push {thing.name} {_where(heading)}', object=thing.name,
                             direction=word, distance=distance, **how), Slide(
                                 thing, heading, distance)


def _where(heading: Point) -> str:
    """The heading in words: the same for a thing that turned a little since."""
    off = math.degrees(math.atan2(heading[1], heading[0]))
    near = SAME_WAY_DEG * round(off / SAME_WAY_DEG) % 360
    words = {0: 'forward', 90: 'left', 180: 'back', 270: 'right'}
    return words.get(near, f'at {near} degrees')


def pulling(thing: SceneObject, scene: Scene, skills: LocalSkills) -> Iterator[Proposal]:
    """Drag an object towards the robot."""
    bring_closer = skills.bring_closer
    x, y, _ = thing.position
    away = max(math.hypot(x, y), 1e-9)
    if bring_closer is None or not can_be_pushed(thing, scene, (-x / away, -y / away)):
        return
    for distance in SLIDES_M:
        step = build_step(bring_closer, f'pull {thing.name} closer', object=thing.name,
                          distance=distance)
        yield from _slide(Slide(thing, (-x / away, -y / away), distance), scene, step,
                          'pull_closer', f'{thing.name} is {away:.2f} m away: bring it closer')


def _slide(slide: Slide, scene: Scene, step: Step, kind: str, why: str,
           keep_away: KeepAway = ()) -> Iterator[Proposal]:
    to = slide.moved.position[:2]
    if can_slide(scene, slide.thing, to) and is_outside(to, keep_away):
        option = LocalOption(f'{step.description} by {slide.distance_m * 100:.0f} cm', kind,
                             (step,), None, why=why, object=slide.thing.name)
        yield Proposal(option, slid(scene, slide), ((step, scene),), slide.distance_m)
