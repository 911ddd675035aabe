# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What noun phrases and places mean in a scene: which objects, which goal, which point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.geometry.judging import is_inside, is_resting_on
from replan_agent.geometry.layouts import instead_of
from replan_agent.geometry.relations import symmetry_deg
from replan_agent.geometry.towers import foot_of, why_unsteady

from ..dictionary import is_tower
from ..phrases import OPPOSITE, Command, NounPhrase, Place, Relation
from ..readings import one_of
from . import arrangements
from .referents import Rule, meant, one, pair, several
from .said_before import Discourse, cannot, which

BEINGS = {Relation.UPRIGHT: Predicate.UPRIGHT, Relation.EMPTY: Predicate.CLEAR,
          Relation.HELD: Predicate.HOLDING, Relation.TURNED: Predicate.TURNED,
          Relation.STATE: Predicate.IS}
_RELATED = {r: Predicate(r.value) for r in (Relation.NEAR, *OPPOSITE)}
SUPPORTING = (Relation.IN, Relation.ON, Relation.TO)
WASTE = frozenset({'rubbish', 'garbage', 'trash', 'waste'})  # what is in a bin, if it is moved


@dataclass
class PlaceMeaning:
    """Reads noun phrases and places in the context's scene."""

    context: Discourse
    decided: Sequence[Goal] = ()  # what was read earlier in the task
    handled: Sequence[str | None] = ()  # what its completed steps moved
    replaced: dict[str, str] = field(default_factory=dict)  # what goes where which other one is
    left_out: dict[str, tuple[Goal, ...]] = field(default_factory=dict)  # by conditions, and why

    @property
    def scene(self) -> Scene:
        return self.context.scene

    @property
    def settled(self) -> list[str]:
        """What was chosen earlier in the task, and is not mentioned so far."""
        chosen = (*self.handled, *(g.object for g in self.decided))
        return [n for n in chosen if n and n not in self.context.all_mentioned()]

    def _thing(self, name: str | None) -> SceneObject:
        thing = self.scene.get(name or '')
        assert thing is not None
        return thing

    def _only(self, command: Command) -> str:
        """The one thing of a command that takes one. Raises Unclear."""
        names = self._names(command.things)
        if len(names) > 1:
            raise which('which one? The gripper holds one object at a time.', names, command.span)
        return names[0]

    def _names(self, phrases: Sequence[NounPhrase], of_several: bool = False) -> list[str]:
        """The objects of the phrases. `of_several`: "two cubes" gives all that it may be."""
        names: list[str] = []
        for phrase in phrases:
            check_moved(phrase)
            names += (several(phrase, self.context).named if of_several and phrase.is_several
                      else self._meant(one_of(phrase)))
        names = list(dict.fromkeys(names))
        self.context.mentioned.append(tuple(names))
        return names

    def _meant(self, phrase: NounPhrase) -> tuple[str, ...]:
        """The objects of a phrase that is one or all of them."""
        return meant(phrase, self.context, is_loose, self.settled)

    def _template(self, place: Place, name: str) -> Goal | None:
        """The goal that a place means for one object; None if it depends on an object."""
        scene, relation = self.scene, place.relation
        if relation in SUPPORTING:
            return self._support(place, name)
        if relation in BEINGS:
            into = self._landmark(place.landmarks[0], name) if place.landmarks else None
            return Goal(BEINGS[relation], target=into, degrees=place.degrees,
                        state=place.direction)
        if relation in _RELATED:
            target = self._landmark(place.landmarks[0], name, relation)
            self.context.side = relation, target
            sees = (place.viewpoint or self.context.viewpoint) if (
                relation is not Relation.NEAR) else ''
            self.context.guesses.append(relation.value)
            return Goal(_RELATED[relation], target=target, viewpoint=sees,
                        distance=place.distance_m)
        if relation is Relation.BETWEEN:
            first, second = pair(place, self.context)
            return Goal(Predicate.BETWEEN, target=first, second=second)
        if relation is Relation.DOWN:
            return Goal(Predicate.ON, target=arrangements.table_of(scene).name)
        if relation in (Relation.AWAY, Relation.DISCARDED):
            waste = relation is Relation.DISCARDED
            self.context.guesses += [] if waste else [relation.value]
            return Goal(Predicate.IN, target=arrangements.container_for(scene, waste))
        if not name:
            return None
        if relation is Relation.AT:
            return Goal(Predicate.AT, position=arrangements.on_table(place.point, scene))
        if relation is Relation.BACK:
            return self._where_it_was(place, name)
        self.context.guesses.append(place.direction or relation.value)
        names = pair(place, self.context) if relation is Relation.HALFWAY else [
            self._landmark(phrase, name) for phrase in place.landmarks]
        landmarks = [*map(self._thing, names)]
        if relation is Relation.WHERE:
            return self._replacing(place, name, landmarks[0])
        return Goal(Predicate.AT, position=arrangements.spot(
            self._thing(name), place, landmarks, self.context))

    def _replacing(self, place: Place, name: str, landmark: SceneObject) -> Goal:
        """The goal that puts a thing where another one is, or was before a swap."""
        self.replaced[name] = landmark.name
        if self.replaced.get(landmark.name) == name:
            return self._where_it_was(place, name)
        before = self.context.start.get(landmark.name)
        if before is not None and before.position != landmark.position:
            raise which(f'where {landmark.name} is now, or where it was? Name the place')
        return instead_of(self._thing(name), landmark, self.scene)

    def _support(self, place: Place, name: str) -> Goal:
        inside = place.relation is Relation.IN
        phrase = place.landmarks[0]
        named = self._last_named() if inside and phrase.pronoun in ('it', 'there') else None
        target = named or one(
            _near_it(phrase, name), self.context, (lambda o: o.is_container) if inside else None,
            (name,))
        self._check_it(place, target)
        self._note_landmark(target, name)
        if self._thing(target).is_container:
            return Goal(Predicate.IN, target=target)
        if inside and phrase.pronoun != 'there':
            containers = [o.name for o in self.scene.objects if o.is_container]
            raise cannot(f'{name or "nothing"} cannot be put in {target}: it is not a container; '
                         f'containers here: {", ".join(containers) or "none"}')
        return Goal(Predicate.ON, target=target)

    def _check_possible(self, goal: Goal) -> None:
        """Raises Unclear if no look can tell how it is turned, or if it would not stay there."""
        thing, below = (self.scene.get(name or '') for name in (goal.object, goal.target))
        if goal.predicate is Predicate.TURNED and thing and symmetry_deg(thing) is None:
            raise cannot(f'{thing.name} is round and looks the same after a turn, so it cannot be '
                         'judged')
        rests = goal.predicate in (Predicate.ON, Predicate.STACKED) and not goal.negated
        why = why_unsteady(thing, below) if rests and thing and below else ''
        if why:
            raise cannot(f'{goal.object} would not stay on {goal.target}: {why}',
                         Cause.WOULD_NOT_STAY)

    def _note_landmark(self, target: str, name: str) -> None:
        self.context.landmarks.append(target)
        if target == name:
            raise cannot(f'{name} cannot be placed on itself, or beside itself')

    def _check_it(self, place: Place, target: str) -> None:
        """Raises Unclear for "the cube in the bowl, then the can on it": on the cube, or in it?"""
        below = next((self._thing(n) for n in self.context.landmarks[-1:]), None)
        if below is None or place.relation is not Relation.ON or (
                place.landmarks[0].pronoun != 'it'):
            return
        thing = self._thing(target)
        if is_inside(thing, below) or target != below.name and is_loose(below) and not (
                why_unsteady(None, below) or is_resting_on(thing, below, self.scene)):
            raise which("which one is 'it'?", (target, below.name), place.landmarks[0].text)

    def _last_named(self, fits: Rule = lambda o: o.is_container) -> str | None:
        """What was named last and fits: of bowls and bins, that is what is emptied or filled."""
        named = [*self.context.landmarks, *(n for g in self.context.mentioned[-1:] for n in g)]
        return next((n for n in reversed(named) if fits(self._thing(n))), None)

    def _landmark(self, phrase: NounPhrase, name: str, relation: Relation | None = None) -> str:
        other, landmark = self.context.side or (None, '')
        if (phrase.pronoun == 'it' and relation in OPPOSITE and OPPOSITE[relation] is other
                and self.context.landmarks[-1:] == [landmark]):
            self.context.landmarks.append(landmark)
            return landmark  # "A to the left of the bowl, B to the right of it"
        said = [g[-1] for g in self.context.mentioned[-1:] if len(g) == 1]
        said += self.context.landmarks[-1:]
        if phrase.pronoun == 'it' and len({n for n in said if n != name}) > 1:
            raise which(f'which one is {phrase.text!r}?', said, phrase.text)
        target = one(_near_it(phrase, name), self.context, apart_from=(name,))
        if is_tower(phrase):  # beside a tower is beside the foot of it
            target = foot_of(self._thing(target), self.scene).name
        self._note_landmark(target, name)
        return target

    def _where_it_was(self, place: Place, name: str) -> Goal:
        """The goal that puts a thing where it was before this task, or where another one was."""
        other = self._landmark(place.landmarks[0], name) if place.landmarks else name
        was, now = self.context.start.get(other), self.scene.get(other)
        unmoved = was == now and self.scene.held != other
        if was is None or self.context.start.held == other or unmoved:
            raise which(f'where should {name} go? It is not known where {other} was before this '
                        'task')
        return instead_of(self._thing(name), was, self.context.start)


def _near_it(phrase: NounPhrase, name: str) -> NounPhrase:
    """ "the nearest container", or the one "nearest to it", is nearest to the thing that goes."""
    itself = NounPhrase(name, (name,), definite=False) if name else None
    return replace(phrase, ranks=tuple(
        replace(r, landmark=itself) if r.word in ('near', 'far') and (
            r.landmark is None or itself and r.landmark.pronoun == 'it') else r
        for r in phrase.ranks))


def check_moved(phrase: NounPhrase) -> None:
    """Raises Unclear for "the tower", as things are moved one by one, "the rubbish", "its"."""
    if phrase.words and set(phrase.words) <= WASTE or phrase.text.startswith(('its ', 'their ')):
        raise which(f'which ones are {phrase.text!r}? Say it with their names')
    if len(phrase.words) == 1 and is_tower(phrase) and not phrase.ranks:
        raise cannot(f'{phrase.text!r} cannot be moved as a whole; name the things in it, or say '
                     '"take the tower apart"')
