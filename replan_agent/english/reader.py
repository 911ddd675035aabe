# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reads a task in English: its orders in the scene, or why there are none."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from replan_agent.agent.ports import SceneAfter
from replan_agent.domain import goals_in_force
from replan_agent.domain.goal import Goal
from replan_agent.domain.orders import Order, final_goals
from replan_agent.domain.plan import PlanRequest
from replan_agent.domain.pose import Pose
from replan_agent.domain.reading import Reading, Wording
from replan_agent.domain.refusals import Open, Unclear
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.geometry.goal_check import meanings
from replan_agent.geometry.goal_words import Saying, left_alone_in_words, quoted, sentence

from .dictionary import COLOURS, GROUPS, KINDS, STATES, TOWERS, split, unknown_words, word
from .meaning.place_meaning import SUPPORTING
from .meaning.placements import attached
from .meaning.referents import candidates, meant
from .meaning.said_before import Discourse, cannot, missing
from .nearest_words import is_foreign, is_known, similar_sentences, suggestion
from .phrases import CHOICE, Command, NounPhrase, Relation, Verb, is_bare
from .readings import Commands, asks_for_nothing, phrases, readings
from .said_later import Groups, Read, SaidLater, remarks
from .stages import called, fitting, or_else, read_calls, read_orders, wished

NOT_JUDGED = ('no', 'exactly', 'at_least', 'at_most', 'all_but', CHOICE)
# These say what something is like, or name anything: what is not seen may be meant, too.
_SAYS_LITTLE = frozenset((*'object thing thingy item piece one stuff round square flat container '
                          'clear free other same'.split(), *STATES, *GROUPS, *TOWERS))
_NO_THINGS = frozenset({Shape.TABLE, Shape.WALL, Shape.BOWL, Shape.BIN})
MANNER = ('slowly', 'slow', 'gently', 'carefully', 'quickly', 'fast')


class EnglishReader:
    """Reads the tasks that the grammar understands. `viewpoint` says whose left is meant."""

    similar, word = staticmethod(similar_sentences), staticmethod(word)
    remarks = staticmethod(remarks)

    def __init__(self, viewpoint: str = 'arm') -> None:
        self.viewpoint = viewpoint

    def read(self, request: PlanRequest, after: SceneAfter) -> Reading:
        """What the task means in the scene. Raises NotUnderstood, Open or Unclear.

        All of its readings are tried. Those that lead to the same goals here are one.
        """
        return self._read(replace(request, scene=request.scene.seen()), after, self.said_in_order)

    def _read(self, request: PlanRequest, after: SceneAfter,
              said: Callable[[Sequence[Order], Scene], str]) -> Reading:
        skills = [skill.name for skill in request.skills]
        found: dict[object, tuple[Reading, Commands]] = {}
        refused: list[tuple[Reading, Commands]] = []
        why: Open | Unclear | None = None
        for commands in (way for parsed in readings(request.task, request.scene, skills)
                         for way in attached(wished(parsed, request.skills))):
            try:
                reading = (read_calls(commands, request, self.viewpoint)
                           or read_orders(commands, request, self.viewpoint, after))
            except (Open, Unclear) as error:
                why = why or error
                continue
            if reading.refusal is None or reading.stops_to_look:
                found.setdefault(_outcome(reading, request), (reading, commands))
            else:
                refused.append((reading, commands))
        if not found:
            why = refused[0][0].refusal if refused else why
            if isinstance(why, Unclear):
                why.choices = tuple(said(way, request.scene) for way in why.ways)
            if not refused and why is not None:
                raise why
        reading, commands = _only_one(found, request, said) if found else refused[0]
        return reading if reading.calls else self._in_force(reading, commands, request, after)

    def fitting(self, phrase: str, scene: Scene, said: Groups = ()) -> tuple[str, ...]:
        return fitting(phrase, scene, self.viewpoint, said)

    def is_there(self, thing: str, place: str, scene: Scene, said: Groups = ()
                 ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of the things that are meant, those at the place, and those that should be there too."""
        there, gone = list[str](), list[str]()
        parts = phrases(thing, scene)
        at = phrases(f'a thing {place}', scene)[0].places if place else ()
        spots = [*at, *(p for part in parts for p in part.places)]
        unknown = NOT_JUDGED if place else (*NOT_JUDGED, 'rest', 'other', 'others')
        if any(p.quantity in unknown or p.without for p in parts) or any(
                p.negated or p.relation is Relation.ASIDE for p in spots) or (
                    len(parts) > 1 and len(spots) > len(at)):
            raise cannot(f'I can not answer that; {thing!r} is not sure. Name things and a place, '
                         'without a number, "no", "not" or "other"')
        placed = self.fitting(f'a thing {place}', scene, said) if place else scene.names()
        for part in parts:
            context = Discourse(scene, self.viewpoint, list(said))
            is_any = not (part.ranks or part.pronoun or place and (
                part.is_several or part.definite)) and part.quantity in ('', 'some', 'all')
            names = [o.name for o in candidates(part, context)] if is_any else meant(part, context)
            if not names:
                raise missing(f'nothing matches {part.text!r}', None, part.text)
            here = [n for n in names if n in placed]
            there += here
            gone += [n for n in names if n not in here and not (is_any and here)]
        return tuple(there), tuple(gone)

    def amending(self, scene: Scene, read: Read, mentioned: Groups = ()) -> SaidLater:
        return SaidLater(scene, self.viewpoint, read, mentioned)

    def wording(self, task: str, scene: Scene) -> Wording:
        return Wording(suggestion(task, scene),
                       tuple(word for word in MANNER if word in task.lower().split()),
                       is_foreign(task, scene), asks_for_nothing(task),
                       all(is_known(w, scene) for w in split(task[:1000]) if w.isalpha()))

    def mentions(self, task: str) -> tuple[str, ...]:
        """The noun phrases of the task, each once, in order. Raises NotUnderstood."""
        return tuple(dict.fromkeys(p.text for p in _phrases(readings(task)[0]) if not p.pronoun))

    def said(self, goals: Iterable[Goal], scene: Scene, left_alone: Sequence[str] = (),
             stages: Sequence[Goal] = ()) -> str:
        """The goals as a sentence that is read as the same goals in the scene, after `stages`."""
        first = ''.join(f'{self._said(goal, scene, True)}, then ' for goal in stages)
        last = ', and '.join(self._said(goal, scene, bool(first)) for goal in goals)
        return sentence(first + last + left_alone_in_words(
            called(name, scene) for name in left_alone))

    def said_in_order(self, orders: Iterable[Order], scene: Scene) -> str:
        """The same for the goals of each order, one after the other."""
        return sentence(', then '.join(', and '.join(
            self._said(g, scene, True) for g in order.goals) for order in orders if order.goals))

    def _said(self, goal: Goal, scene: Scene, follows: bool = False) -> str:
        """In plain words if these are read so; else with names as they are written."""
        in_words = functools.partial(called, scene=scene)
        ways = [Saying(True, name, one_by_one, follows).of(goal)
                for name, one_by_one in ((in_words, None), (quoted, None), (quoted, scene))]
        return next((said for said in ways if self._means(said, goal, scene)), ways[0])

    def _means(self, said: str, goal: Goal, scene: Scene) -> bool:
        reading = or_else(None, lambda: self._read(
            PlanRequest(said, scene, ()),
            lambda order, scene, left_alone, imagined=False: scene, lambda *_: ''))
        return reading is not None and reading.refusal is None and meanings(final_goals(
            reading.orders, scene), scene, 3) == meanings([goal], scene, 3)

    def _in_force(self, reading: Reading, commands: Commands, request: PlanRequest,
                  after: SceneAfter) -> Reading:
        """The reading, or the goals in force; or what is seen of it, if any order will do."""
        task, scene = request.task, request.scene
        in_part = (scene.may_hide and is_in_any_order(task, commands)
                   and not suggestion(task, scene) and not goals_in_force.may_hold_unseen(request))
        if goals_in_force.is_decided(request, reading, any(c.condition for c in commands)):
            return goals_in_force.use_goals_in_force(request, reading, in_part)
        if in_part and reading.refusal is not None:
            return self._in_part(reading, commands, request, after)
        return reading

    def _in_part(self, reading: Reading, commands: Commands, request: PlanRequest,
                 after: SceneAfter) -> Reading:
        """The task, read as if all were there, then what is seen; else the reading as it is."""
        gone: dict[str, str] = {}
        scene, first = request.scene, reading
        while reading.refusal is not None:
            thing = stand_in(reading.refusal.not_seen, commands, scene)
            if thing is None:
                asked = reading.refusal.candidates  # a question about things that are there
                return reading if asked and gone.keys().isdisjoint(asked) else first
            gone[thing.name] = reading.refusal.not_seen
            scene = replace(scene, objects=(*scene.objects, thing))
            try:
                reading = read_orders(commands, replace(request, scene=scene), self.viewpoint,
                                      functools.partial(after, imagined=True))
            except Unclear:
                return first
        return goals_in_force.begin_with_what_is_seen(reading, gone, request.scene)


def _outcome(reading: Reading, request: PlanRequest) -> object:
    """What a reading leads to: readings that lead to the same are one."""
    return (reading.calls, reading.left_alone,
            meanings(final_goals(reading.orders, request.scene), request.scene),
            tuple(o.movement for o in reading.orders if o.movement is not None))


def _only_one(found: Mapping[object, tuple[Reading, Commands]], request: PlanRequest,
              said: Callable[[Sequence[Order], Scene], str]) -> tuple[Reading, Commands]:
    """The reading; if there are several, the one with the goals in force. Raises Open."""
    scene, in_force = request.scene, meanings(request.goals, request.scene)
    several = [(final_goals(one[0].orders, scene), one) for one in found.values()]
    fit = [(goals, one) for goals, one in several if goals and meanings(goals, scene) <= in_force]
    if len(several) > 1 and not fit:
        about = [' and '.join(f'"{c.text}"' for c in one[1] if c.condition) for _, one in several]
        asked = ' or '.join(', '.join(map(str, goals)) or 'nothing' for goals, _ in several)
        if all(about) and len({*about}) == len(about):
            about.sort(key=len, reverse=True)
            asked = f'the condition is about {", or only about ".join(about)}'
        raise Open(f'what is meant: {asked}?', choices=[
            said(reading.orders, scene) for _, (reading, _) in several])
    return max(fit or several, key=lambda pair: len(pair[0]))[1]


# A task for several things, of which some are not seen: the others need not wait for them

def is_in_any_order(task: str, commands: Sequence[Command]) -> bool:
    """Whether it says of several things, and no more, in or on what each should go."""
    plain = all(c == Command(Verb.PUT, c.text, c.things, c.places) and len(c.places) == 1
                and c.places[0].relation in SUPPORTING and not any(p.plural for p in c.things)
                for c in commands)
    named = all(is_bare(p) and not p.pronoun and not set(p.words) <= COLOURS
                and _SAYS_LITTLE.isdisjoint(p.words) for p in _phrases(commands))
    return (plain and named and sum(len(command.things) for command in commands) > 1
            and re.search(r'\bfirst\b', task.lower()) is None)  # the parse does not keep it


def _phrases(commands: Sequence[Command]) -> list[NounPhrase]:
    return [p for command in commands for p in (
        *command.things, *(p for place in command.places for p in place.landmarks))]


def stand_in(said: str, commands: Sequence[Command], scene: Scene) -> SceneObject | None:
    """A thing for words that nothing here fits; its place and its size mean nothing.

    None if they do not name a thing that should move, or name a container: what fits into it?
    """
    phrase = next((p for command in commands for p in command.things if p.text == said), None)
    if phrase is None or unknown_words(phrase, scene):
        return None
    colours = [word for word in phrase.words if word in COLOURS]
    kinds = [KINDS[word] for word in phrase.words if word in KINDS]
    thing = SceneObject('_'.join(phrase.words), Shape.BOX, (0.04,) * 3, Pose((0.0, 0.0, -1.0)),
                        ''.join(colours[:1]))
    odd = len(colours) > 1 or len(kinds) > 1 or any(
        kind.shapes & _NO_THINGS and not kind.fits(thing) for kind in kinds)
    return None if odd or thing.name in scene.names() else thing
