# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps that lead nowhere: no further goal is met, and the scene shows why."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from replan_agent.domain.scene import Scene, Shape
from replan_agent.domain.scene_changes import SceneChanges
from replan_agent.domain.skill import find_spec
from replan_agent.domain.suggested_plan import SuggestedPlan
from replan_agent.domain.task_view import Guidance, TaskView
from replan_agent.geometry.judging import goals_met, is_inside, is_resting_on, judge, seen_in

IDLE_STEPS = 6  # three picks and places without a gain
NEAR_M = 0.15  # an object this close to an object of the task may be in its way
CAME_BACK = 'came back to where things had been before'
IRRELEVANT = 'moved only objects that have nothing to do with the task'

Arrangement = frozenset[tuple[str, str]]


def leads_nowhere(view: TaskView) -> Guidance | None:
    """Steps that met no further goal: they only came back, or moved what does not matter."""
    scenes = [s for s in view.scenes if not s.stale]
    known, recent = scenes[:-IDLE_STEPS], scenes[-IDLE_STEPS:]
    if not known or not (view.goals or view.suggested_plan):
        return None
    progress = _progress(view, scenes)
    if max(progress[len(known):]) > max(progress[:len(known)]):
        return None
    seen, moved = {_arrangement(s) for s in known}, _moved([known[-1], *recent])
    if moved and all(_arrangement(s) in seen for s in recent):
        how = CAME_BACK
    elif moved and not moved & _relevant_objects(view, known[-1]):
        how = IRRELEVANT
    else:
        return None
    unmet = ', '.join(str(g) for g in view.goals if judge(g, view.now) is not True)
    found = Guidance('no_progress', f'the last {IDLE_STEPS} steps {how}, and met no further goal. '
                     f'Work towards {unmet or "the task"} directly, or in another way.',
                     about=f'{how}: {unmet}')
    return None if view.was_told(found) else found


def _progress(view: TaskView, scenes: Sequence[Scene]) -> list[int]:
    """How many goals are met in each scene, plus the finished stages of the suggested plan."""
    suggested_plan = view.suggested_plan or SuggestedPlan(())
    suggested_plan = SuggestedPlan(tuple(replace(g, done=False) for g in suggested_plan.goals))
    counts = []
    for scene in scenes:
        suggested_plan = seen_in(suggested_plan, scene)
        counts.append(goals_met(view.goals, scene) + sum(g.done for g in suggested_plan.goals))
    return counts


def _arrangement(scene: Scene) -> Arrangement:
    """What is held, and what rests on or in what."""
    return frozenset([(scene.held or '', 'held')] + [
        (o.name, below.name) for o in scene.movable() for below in scene.objects
        if below.name != o.name and (is_inside(o, below) or is_resting_on(o, below, scene))])


def _moved(scenes: Sequence[Scene]) -> set[str]:
    return {name for before, after in pairwise(scenes) for name in before.names()
            if after.held == name or name in SceneChanges.between(before, after).moved}


def _relevant_objects(view: TaskView, scene: Scene) -> set[str]:
    """The objects of the task, its goals and its failures, and those that may be in their way."""
    suggested = view.suggested_plan.goals if view.suggested_plan else ()
    said = [view.task, *map(str, view.goals), *(f'{g.text} {g.goal}' for g in suggested)]
    said += [name for attempt in view.attempts
             for name in attempt.objects(find_spec(view.skills, attempt.skill))]
    words = _words(' '.join(said))
    meant = {part.object for goal in view.goals for part in goal.named(scene)}
    own = [o for o in scene.objects if o.name in meant or words & _words(o.name)]
    return {o.name for o in own} | {
        o.name for o in scene.objects for mine in own if mine.shape is not Shape.TABLE
        and (math.dist(o.position, mine.position) < NEAR_M or is_inside(o, mine))}


def _words(text: str) -> set[str]:
    return set(re.findall(r'[a-z]+', text.lower()))
