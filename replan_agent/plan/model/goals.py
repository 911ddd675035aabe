# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the words of a task say beside a model: the goal, and the question that they leave."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from replan_agent.agent.ports import Reader
from replan_agent.domain.context import Context
from replan_agent.domain.goal import DIRECTED, FOR_MODELS, MEASURED, RELATIONS, Goal, Predicate
from replan_agent.domain.kinds import ReadWord
from replan_agent.domain.plan import PlanProblem, PlanRequest, ReplyKind
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.domain.skill import Reason
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.goal_check import is_length, meanings
from replan_agent.geometry.relations import VIEWPOINTS
from replan_agent.text.shown_text import one_line

from ..search.search import Search
from ..search.search_planner import SearchPlanner
from .other_readings import is_other_reading

MOST_GOALS = 50
LONGEST_FIELDS = 200  # characters
BY_WORDS, MAY_MEAN = 'by the words of the task it is', 'the words of the task may also mean'


@dataclass(frozen=True)
class ByWords:
    """The goals in the task's words. `choices` as in a Reading."""

    goals: tuple[Goal, ...]
    is_only: bool = True  # the words allow no other reading
    choices: frozenset[str] | None = frozenset()
    left_alone: tuple[str, ...] = ()


def goals_by_words(request: PlanRequest, ctx: Context, reader: Reader) -> ByWords | None:
    """The goals in the task's words; None if the grammar or the scene cannot tell.

    What is said relative to a place ("to the left") can be told only before anything has moved.
    """
    alone = PlanRequest(request.task, request.scene, request.skills)
    ctx.check()
    reply, reading = SearchPlanner(reader).plan_and_reading(alone, ctx)
    is_told = reply.goals or reply.kind in (ReplyKind.STEPS, ReplyKind.DONE)
    if reading is None or reading.not_seen or reading.calls or not is_told:
        return None
    if reading.guesses and request.completed:
        return None
    return ByWords(reply.goals, reading.is_only, reading.choices, reply.left_alone)


def question_in_words(request: PlanRequest, reader: Reader) -> str:
    """What the grammar would ask about the task in this scene; '' if nothing.

    "The cube" among three is a question, "a cube" leaves the choice to the planner. What the
    grammar does not understand is for the model. Once a person has said more, or the task is
    under way, nothing is asked here.
    """
    if request.goals or request.completed or request.context.get('hints'):
        return ''
    alone = PlanRequest(request.task, request.scene, request.skills)
    try:
        why = SearchPlanner(reader).read(alone, Search(alone.skills)).refusal
    except NotUnderstood:
        return ''
    except Open as question:
        return str(question) if reader.wording(request.task, request.scene).is_known else ''
    except Unclear as unclear:
        why = unclear
    which = why is not None and why.reason is Reason.AMBIGUOUS_OBJECT and len(why.candidates) > 1
    return str(why) if which else ''


def settled(named: Sequence[Goal], by_words: ByWords | None, scene: Scene
            ) -> tuple[tuple[Goal, ...], str]:
    """The goals to judge, and a remark if they are not those that the planner named."""
    if by_words is None or not by_words.goals:
        return tuple(named), ''
    words = by_words.goals
    if not named or meanings(named, scene) == meanings(words, scene):
        return words, ''
    if not by_words.is_only and is_other_reading(named, words, by_words.choices, scene):
        return tuple(named), (f'{MAY_MEAN} {_listed(words)}; the '
                              f'planner named {_listed(named)}, and this is judged')
    return words, (f'the planner named {_listed(named)} as the goal; {BY_WORDS} '
                   f'{_listed(words)}, and this one is judged')


def read_goals(arguments: Mapping[str, Any], scene: Scene, read: ReadWord
               ) -> tuple[tuple[Goal, ...], tuple[PlanProblem, ...]]:
    """The goals that a model gave, and the problems of those that cannot be used."""
    entries = arguments.get('goals')
    if entries is None:
        return (), (_problem(_Misnamed(f'set_goal needs `goals`, a list; {_got(arguments)}')),)
    if not isinstance(entries, list) or len(entries) > MOST_GOALS:
        return (), (_problem(f'goals must be a list of at most {MOST_GOALS}'),)
    goals: list[Goal] = []
    problems: list[PlanProblem] = []
    for number, entry in enumerate(entries, 1):
        found = list(_goal_problems(entry, scene, read))
        problems += [_problem(why, f'goal {number}: ') for why in found]
        if not found:
            goals.append(_goal(entry, read))
    return tuple(goals), tuple(problems)


def _goal_problems(entry: Any, scene: Scene, read: ReadWord) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield 'must be an object with a predicate'
        return
    predicates = [p.value for p in FOR_MODELS]
    if 'predicate' not in entry:
        yield _Misnamed(f'needs `predicate`, one of {", ".join(predicates)}; {_got(entry)}')
        return
    if entry['predicate'] not in predicates:
        yield f'predicate must be one of {", ".join(predicates)}'
        return
    predicate = Predicate(entry['predicate'])
    needed = [] if predicate in (Predicate.HOME, Predicate.HOLDING) else ['object']
    needed += ['target'] if predicate in RELATIONS else []
    needed += ['second'] if predicate is Predicate.BETWEEN else []
    for key in ('object', 'target', 'second'):
        name = entry.get(key)
        if key == 'object' and entry.get('things') is not None:
            yield from _things_problems(entry['things'], scene, read)
        elif key in needed and name is None:
            yield _Misnamed(f'{predicate.value} needs `{key}`; {_got(entry)}')
        elif name is not None and name not in scene.names():
            yield (f'{key} is not in the scene, which has: {", ".join(scene.names())}; name '
                   'goals about other things once they are seen')
    if 'target' in needed and entry.get('object') is not None and entry['object'] in (
            entry.get('target'), entry.get('second')):
        yield f'{predicate.value} needs two different objects'
    if predicate is Predicate.AT and not all(_is_finite(entry.get(k)) for k in ('x', 'y')):
        yield 'at needs x and y, finite numbers in metres'
    if predicate is Predicate.TURNED and not _is_finite(entry.get('degrees')):
        yield 'turned needs degrees, a finite number'
    if predicate in DIRECTED and entry.get('viewpoint', 'arm') not in VIEWPOINTS:
        yield f'viewpoint must be one of {", ".join(VIEWPOINTS)}'
    if predicate in MEASURED and not is_length(entry.get('distance', 1.0)):
        yield 'distance must be a length in metres: the gap between the two'


def _things_problems(things: Any, scene: Scene, read: ReadWord) -> Iterator[str]:
    quantities = [q.value for q in Quantity]
    if not isinstance(things, dict) or things.get('quantity') not in quantities:
        yield f'things must be an object with a quantity, one of {", ".join(quantities)}'
        return
    count = things.get('count', 0)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= MOST_GOALS:
        yield f'things: count must be a whole number from 0 to {MOST_GOALS}'
    lists = [things.get(key, []) for key in ('words', 'without')]
    if not all(isinstance(v, list) and all(isinstance(w, str) for w in v) for v in lists):
        yield 'things: words and without must be lists of texts'
    elif not Things(words=tuple(map(read, lists[0]))).names(scene):
        yield f'things: nothing in the scene is a {" ".join(lists[0]) or "thing without words"}'


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1e6 and math.isfinite(value)  # the comparison first: ints have no limit


def _goal(entry: Mapping[str, Any], read: ReadWord) -> Goal:
    """The goal, with the fields that its predicate uses."""
    predicate, things = Predicate(entry['predicate']), entry.get('things')
    if predicate is Predicate.HOME:
        return Goal(predicate)
    at = (float(entry['x']), float(entry['y'])) if predicate is Predicate.AT else None
    return Goal(
        predicate, None if things else entry.get('object'),
        entry['target'] if predicate in RELATIONS else None, at,
        entry['second'] if predicate is Predicate.BETWEEN else None,
        float(entry['degrees']) if predicate is Predicate.TURNED else None,
        entry.get('viewpoint', 'arm') if predicate in DIRECTED else '',
        entry.get('negated') is True,
        _things(things, read) if things else None,
        distance=float(entry['distance']) if predicate in MEASURED and 'distance' in entry
        else None)


def _things(entry: Mapping[str, Any], read: ReadWord) -> Things:
    named, without = (tuple(map(str, entry.get(key, ()))) for key in ('named', 'without'))
    return Things(Quantity(entry['quantity']), entry.get('count', 0),
                  tuple(map(read, entry.get('words', ()))), named, without)


def _listed(goals: Sequence[Goal]) -> str:
    return ', '.join(map(str, goals))


class _Misnamed(str):
    """A sentence about a field that is missing or has another name."""


def _got(given: Mapping[str, Any]) -> str:
    """The names of the fields that a model gave."""
    names = ', '.join(f'`{key}`' for key in given)
    return f'got {one_line(names, LONGEST_FIELDS) or "nothing"}'


def _problem(detail: str, where: str = '') -> PlanProblem:
    return PlanProblem(Reason.BAD_ARGUMENTS, where + detail,
                       is_misnamed=isinstance(detail, _Misnamed))
