"""The goal that a model names, compared with the words of the task."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replan_agent.domain.context import Context
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.plan import PlanProblem, PlanRequest, ReplyKind
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason

from .stub import StubPlanner

MOST_GOALS = 50
_RELATIONS = frozenset({Predicate.ON, Predicate.IN, Predicate.STACKED})


def goals_by_words(request: PlanRequest) -> tuple[Goal, ...] | None:
    """The goals in the task's words; None if the grammar or the scene cannot tell."""
    alone = PlanRequest(request.task, request.scene, request.skills)
    reply = StubPlanner().plan(alone, Context())
    understood = (reply.kind in (ReplyKind.STEPS, ReplyKind.DONE)
                  or reply.reason is Reason.UNKNOWN_SKILL)
    return reply.goals if understood else None


def settled(named: Sequence[Goal], by_words: tuple[Goal, ...] | None, scene: Scene
            ) -> tuple[tuple[Goal, ...], str]:
    """The goals to judge, and a remark if they are not those that the model named."""
    if not by_words:
        return tuple(named), ''
    if not named or _meanings(named, scene) == _meanings(by_words, scene):
        return by_words, ''
    return by_words, (f'the model named {_listed(named)} as the goal; by the words of the task '
                      f'it is {_listed(by_words)}, and this one is judged')


def read_goals(arguments: Mapping[str, Any], scene: Scene
               ) -> tuple[tuple[Goal, ...], tuple[PlanProblem, ...]]:
    """The goals that a model gave, and the problems of those that cannot be used."""
    entries = arguments.get('goals')
    if not isinstance(entries, list) or len(entries) > MOST_GOALS:
        return (), (_problem(f'goals must be a list of at most {MOST_GOALS}'),)
    goals: list[Goal] = []
    problems: list[PlanProblem] = []
    for number, entry in enumerate(entries, 1):
        found = list(_goal_problems(entry, scene))
        problems += [_problem(f'goal {number}: {why}') for why in found]
        if not found:
            goals.append(_goal(entry))
    return tuple(goals), tuple(problems)


def _goal_problems(entry: Any, scene: Scene) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield 'must be an object with a predicate'
        return
    predicates = [p.value for p in Predicate]
    if entry.get('predicate') not in predicates:
        yield f'predicate must be one of {", ".join(predicates)}'
        return
    predicate = Predicate(entry['predicate'])
    needed = [] if predicate in (Predicate.HOME, Predicate.HOLDING) else ['object']
    needed += ['target'] if predicate in _RELATIONS else []
    for key in ('object', 'target'):
        name = entry.get(key)
        if key in needed and name is None:
            yield f'{predicate.value} needs {key}'
        elif name is not None and name not in scene.names():
            yield (f'{key} is not in the scene, which has: {", ".join(scene.names())}; name '
                   'goals about other things once they are seen')
    if predicate is Predicate.AT and not all(_is_finite(entry.get(k)) for k in ('x', 'y')):
        yield 'at needs x and y, finite numbers in metres'


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1e6 and math.isfinite(value)  # the comparison first: ints have no limit


def _goal(entry: Mapping[str, Any]) -> Goal:
    predicate = Predicate(entry['predicate'])
    if predicate is Predicate.HOME:
        return Goal(predicate)
    if predicate is Predicate.AT:
        return Goal(predicate, entry['object'],
                    position=(float(entry['x']), float(entry['y'])))
    target = entry['target'] if predicate in _RELATIONS else None
    return Goal(predicate, entry.get('object'), target)


def _meanings(goals: Sequence[Goal], scene: Scene) -> set[tuple[Any, ...]]:
    """The goals in a form where goals that are judged the same way are equal."""
    meanings = set()
    for goal in goals:
        predicate, target = goal.predicate, scene.get(goal.target or '')
        if predicate in _RELATIONS and target is not None:
            predicate = Predicate.IN if target.is_container else Predicate.ON
        where = tuple(round(v, 2) for v in goal.position) if goal.position else None
        meanings.add((predicate, goal.object, goal.target, where))
    return meanings


def _listed(goals: Sequence[Goal]) -> str:
    return ', '.join(map(str, goals))


def _problem(detail: str) -> PlanProblem:
    return PlanProblem(Reason.BAD_ARGUMENTS, detail)
