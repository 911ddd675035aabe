"""What noun phrases and places mean in a scene: which objects, which goal, which point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose, is_thing
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Scene, SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.things import Quantity
from replan_agent.geometry.judging import is_inside, is_resting_on
from replan_agent.geometry.room.steady import why_unsteady

from ..dictionary import KINDS
from ..joined import one_of
from ..noun_rules import COLOURS
from ..nouns import TOWERS
from ..phrases import NounPhrase, Place, Relation
from . import arrangements, table_spots
from .clusters import neighbours, pairs
from .ranks import foot_of
from .referents import candidates, one, pair, several
from .said_before import Discourse

_RELATED = {Relation.NEAR: Predicate.NEAR, Relation.LEFT_OF: Predicate.LEFT_OF,
            Relation.RIGHT_OF: Predicate.RIGHT_OF, Relation.IN_FRONT_OF: Predicate.IN_FRONT_OF,
            Relation.BEHIND: Predicate.BEHIND}
_ACROSS = {Relation.LEFT_OF: Relation.RIGHT_OF, Relation.RIGHT_OF: Relation.LEFT_OF,
           Relation.IN_FRONT_OF: Relation.BEHIND, Relation.BEHIND: Relation.IN_FRONT_OF}
SUPPORTING = (Relation.IN, Relation.ON, Relation.TO)


@dataclass
class PlaceMeaning:
    """Reads noun phrases and places in the context's scene, which the caller moves on.

    `start` is the scene at first. `fixed` are positions that were decided earlier in the task:
    "to the left" is from where the object was then. `picked` and `put` say what completed steps
    chose.
    """

    context: Discourse
    start: Scene
    fixed: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    turns: Mapping[str, float] = field(default_factory=dict)  # yaws (degrees) decided earlier
    stacks: Mapping[str, str] = field(default_factory=dict)  # what stands on what, decided earlier
    ends: Mapping[str, Goal] = field(default_factory=dict)  # what ends in or on what, the same
    picked: Sequence[str] = ()
    put: Callable[[str], Sequence[str]] = lambda thing: ()
    replaced: dict[str, str] = field(default_factory=dict)  # what goes where which other one is
    not_done: list[Goal] = field(default_factory=list)  # why conditions left commands out

    @property
    def scene(self) -> Scene:
        return self.context.scene

    def _name(self, phrase: NounPhrase) -> str:
        check_tower(phrase)
        name = one(phrase, self.context, is_loose, settled=self.picked)
        self.context.mentioned.append((name,))
        return name

    def _names(self, phrases: Sequence[NounPhrase], of_several: bool = False) -> list[str]:
        """The objects of the phrases. `of_several`: "two cubes" gives all that it may be."""
        names: list[str] = []
        for phrase in phrases:
            check_tower(phrase)
            phrase = phrase if of_several else one_of(phrase)
            names += (self._all_of(phrase, of_several) if phrase.is_several
                      else [one(phrase, self.context, is_loose, settled=self.picked)])
        names = list(dict.fromkeys(names))
        self.context.mentioned.append(tuple(names))
        return names

    def _there(self, phrases: Sequence[NounPhrase]) -> tuple[NounPhrase, ...]:
        """Without "all red cubes" if there are none, but others of the list are there."""
        missing = [p for p in phrases if p.quantity == 'all' and p.words and not p.pronoun
                   and COLOURS | KINDS.keys() >= set(p.words) and not candidates(p, self.context)]
        if not missing or len(missing) == len(phrases):
            return tuple(phrases)
        self.context.missing += [p.text for p in missing]
        return tuple(p for p in phrases if p not in missing)

    def _others(self, things: Sequence[SceneObject]) -> list[SceneObject]:
        """All other things on the table."""
        return [o for o in self.scene.objects if is_thing(o) and o not in things]

    def _is_among_themselves(self, phrase: NounPhrase, place: Place) -> bool:
        """Whether it says "every cube next to another cube", "all cubes next to a cube"."""
        beside = place.landmarks[0] if place.relation is Relation.NEAR else None
        return beside is not None and place.distance_m is None and (
            beside.words == phrase.words and not beside.definite or beside.quantity in (
                'other', 'at_least', 'some') and beside.words in (phrase.words, ('one',))) and (
                    beside.count or 1) == 1 and not (beside.ranks or beside.places)

    def _next_to_each_other(self, phrase: NounPhrase) -> tuple[list[Goal], tuple[str, ...]]:
        names = self._all_of(phrase, of_several=False)
        if len(names) < 2:
            raise Unclear(Reason.BAD_ARGUMENTS, f'next to what? {names[0]} is the only one')
        things = [self._thing(n) for n in names]
        spots = self.fixed if set(names) <= set(self.fixed) else neighbours(
            things, self._others(things), self.context)
        goals = [Goal(Predicate.AT, n, position=spots[n]) for n in names]
        return [*goals, *self._near_goals(pairs(things, spots, self.context))], names

    def _near_goals(self, found: Sequence[tuple[SceneObject, SceneObject]]) -> list[Goal]:
        """What the spots are for: a thing may be at its spot, within 3 cm, and not be near."""
        return [Goal(Predicate.NEAR, one.name, other.name) for one, other in found]

    def _holding(self, phrase: NounPhrase, other: NounPhrase) -> list[str]:
        """What they are in now, so that "the other bowl" is the one that they are not in."""
        things = candidates(phrase, self.context)
        meant = candidates(replace(other, quantity=''), self.context)
        found = [o.name for o in meant if any(is_resting_on(thing, o) for thing in things
                                              if thing.name != o.name)]
        if found and len(found) == len(meant):
            raise Unclear(Reason.OBJECT_NOT_FOUND, f'{other.text!r}: there is only {found[0]}; '
                          'which one is meant?')
        return found

    def _meant(self, phrase: NounPhrase) -> tuple[str, ...]:
        """The objects of a phrase that is one or all of them."""
        return (several(phrase, self.context).names(self.scene) if phrase.is_several
                else (one(phrase, self.context, is_loose, settled=self.picked),))

    def _all_of(self, phrase: NounPhrase, of_several: bool) -> tuple[str, ...]:
        things = several(phrase, self.context)
        counted = things.quantity is not Quantity.ALL
        names = things.named if counted else things.names(self.scene)
        if counted and not of_several and things.count != len(names):
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which ones are {phrase.text!r}? It could be '
                          f'{", ".join(names)}', names)
        return names

    def _thing(self, name: str) -> SceneObject:
        thing = self.scene.get(name)
        assert thing is not None
        return thing

    def _template(self, place: Place, name: str) -> tuple[Goal | None, tuple[float, float] | None]:
        """The goal without its object, or the position that a place means for one object."""
        scene, relation = self.scene, place.relation
        if relation in SUPPORTING:
            return self._support(place, name), None
        if relation in _RELATED:
            target = self._landmark(place.landmarks[0], name, relation)
            self.context.side = relation, target
            sees = self.context.viewpoint if relation is not Relation.NEAR else ''
            self.context.guesses.append(relation.value)
            return Goal(_RELATED[relation], target=target, viewpoint=sees,
                        distance=place.distance_m), None
        if relation is Relation.BETWEEN:
            first, second = pair(place, self.context)
            return Goal(Predicate.BETWEEN, target=first, second=second), None
        if relation is Relation.DOWN:
            return Goal(Predicate.ON, target=arrangements.table_of(scene).name), None
        if relation is Relation.AWAY:
            self.context.guesses.append(relation.value)
            return Goal(Predicate.IN, target=arrangements.tidy_target(scene)), None
        if relation is Relation.DISCARDED:
            return Goal(Predicate.IN, target=arrangements.bin_of(scene)), None
        if not name:
            return None, None
        if relation is Relation.AT:
            return None, arrangements.on_table(place.point, scene)
        if name in self.fixed:
            return None, self.fixed[name]
        return self._spot(place, name)

    def _spot(self, place: Place, name: str) -> tuple[Goal | None, tuple[float, float] | None]:
        """What a place means that depends on where the object is."""
        relation, thing = place.relation, self._thing(name)
        if relation is Relation.BACK:
            return self._where_it_was(name), None
        self.context.guesses.append(place.direction or relation.value)
        if relation is Relation.ASIDE and not place.sure and place.distance_m is None:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'where is that? Say "10 cm to the '
                          f'{place.direction}", or "on the {place.direction} side of the table"')
        if relation is Relation.ASIDE:
            return None, table_spots.aside(thing, place, self.context)
        if relation is Relation.ZONE and not place.landmarks:
            return None, table_spots.zone(thing, place, self.context)
        if relation is Relation.HALFWAY:
            first, second = map(self._thing, pair(place, self.context))
            return None, table_spots.midpoint(thing, first, second, self.context)
        if relation in (Relation.TOWARDS, Relation.APART_FROM, Relation.ZONE, Relation.WHERE):
            landmark = self._thing(self._landmark(place.landmarks[0], name))
            if relation is Relation.WHERE:
                return self._replacing(name, landmark, place.direction == 'was'), None
            if relation is Relation.ZONE:
                return None, table_spots.beyond(thing, landmark, self.context)
            return None, table_spots.step(thing, place, landmark, self.context)
        raise Unclear(Reason.BAD_ARGUMENTS, f'where should {name} go? Say in, on or next to what')

    def _replacing(self, name: str, landmark: SceneObject, was: bool) -> Goal:
        """The goal that puts a thing where another one is, or was before the task or a swap."""
        self.replaced[name] = landmark.name
        swaps = self.replaced.get(landmark.name) == name
        scene = self.start if swaps or was else self.scene
        before = self.start.get(landmark.name)
        if not (swaps or was) and before is not None and before.position != landmark.position:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'where {landmark.name} is now, or where it '
                          f'was? Say "where it was", or name the place')
        other = scene.get(landmark.name) or landmark
        return arrangements.instead_of(self._thing(name), other, scene)

    def _support(self, place: Place, name: str) -> Goal:
        inside = place.relation is Relation.IN
        prefer = (lambda o: o.is_container) if inside else None
        settled = self.put(name) if name else ()
        target = self._container_said(place) or one(_near_it(place.landmarks[0], name),
                                                    self.context, prefer, (name,), settled)
        self._check_it(place, target)
        self.context.landmarks.append(target)
        if target == name:
            raise Unclear(Reason.BAD_ARGUMENTS, f'{name} cannot be placed on itself')
        if self._thing(target).is_container:
            return Goal(Predicate.IN, target=target)
        if inside:
            containers = [o.name for o in self.scene.objects if o.is_container]
            raise Unclear(Reason.BAD_ARGUMENTS, f'{name or "nothing"} cannot be put in {target}: '
                          'it is not a container; containers here: '
                          f'{", ".join(containers) or "none"}')
        check_stays(self.scene.get(name), self._thing(target))
        return Goal(Predicate.ON, target=target)

    def _check_it(self, place: Place, target: str) -> None:
        """Raises Unclear for "the cube in the bowl, then the can on it": on the cube, or in it?"""
        below = next((self._thing(n) for n in self.context.landmarks[-1:]), None)
        is_it = place.relation is Relation.ON and place.landmarks[0].pronoun == 'it'
        if is_it and below is not None and is_inside(self._thing(target), below):
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f"which one is 'it': {target}, which is then "
                          f'in {below.name}, or {below.name} itself?', (target, below.name))
        beside = below is not None and target != below.name and is_loose(below) and not (
            why_unsteady(None, below) or is_resting_on(self._thing(target), below))
        if is_it and below is not None and beside:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f"which one is 'it': {target} or "
                          f'{below.name}?', (target, below.name))

    def _container_said(self, place: Place) -> str | None:
        """ "in it", "in there": the bowl or bin that was named last."""
        pronoun = place.landmarks[0].pronoun
        if place.relation is not Relation.IN or pronoun not in ('it', 'there'):
            return None
        return self._container_named(self.context.skipped if pronoun == 'there' else ())

    def _container_named(self, skipped: Sequence[str] = ()) -> str | None:
        """The bowl or bin that was named last: only that can be emptied or filled."""
        named = [*skipped, *self.context.landmarks,
                 *(n for g in self.context.mentioned[-1:] for n in g)]
        return next((n for n in reversed(named) if self._thing(n).is_container), None)

    def _landmark(self, phrase: NounPhrase, name: str, relation: Relation | None = None) -> str:
        other, landmark = self.context.side or (None, '')
        if (phrase.pronoun == 'it' and relation in _ACROSS and _ACROSS[relation] is other
                and self.context.landmarks[-1:] == [landmark]):
            self.context.landmarks.append(landmark)
            return landmark  # "A to the left of the bowl, B to the right of it"
        said = [g[-1] for g in self.context.mentioned[-1:] if len(g) == 1]
        said += self.context.landmarks[-1:]
        if phrase.pronoun == 'it' and len({n for n in said if n != name}) > 1:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which one is {phrase.text!r}: '
                          f'{" or ".join(dict.fromkeys(said))}?', said)
        target = one(_near_it(phrase, name), self.context, apart_from=(name,))
        if TOWERS & set(phrase.words):  # beside a tower is beside the foot of it
            target = foot_of(self._thing(target), self.scene).name
        self.context.landmarks.append(target)
        if target == name:
            raise Unclear(Reason.BAD_ARGUMENTS, f'{name} cannot be placed next to itself')
        return target

    def _where_it_was(self, name: str) -> Goal:
        if name in self.ends:
            return self.ends[name]
        was, now = self.start.get(name), self.scene.get(name)
        unmoved = was == now and self.scene.held != name
        if was is None or self.start.held == name or unmoved:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'where should {name} go? It is not known '
                          'where it was before this task')
        return arrangements.instead_of(was, was, self.start)


def _near_it(phrase: NounPhrase, name: str) -> NounPhrase:
    """ "the nearest container", or the one "nearest to it", is nearest to the thing that goes."""
    itself = NounPhrase(name, (name,), definite=False) if name else None
    return replace(phrase, ranks=tuple(
        replace(r, landmark=itself) if r.word in ('near', 'far') and (
            r.landmark is None or itself and r.landmark.pronoun == 'it') else r
        for r in phrase.ranks))


def check_stays(thing: SceneObject | None, below: SceneObject) -> None:
    """Raises Unclear if it, or anything, would not stay on the other one."""
    why = why_unsteady(thing, below)
    if why:
        raise Unclear(Reason.BAD_ARGUMENTS, f'{thing.name if thing else "nothing"} would not stay '
                      f'on {below.name}: {why}')


def check_tower(phrase: NounPhrase) -> None:
    """Raises Unclear for "the tower": things are moved one by one."""
    if len(phrase.words) == 1 and phrase.words[0] in TOWERS and not phrase.ranks:
        raise Unclear(Reason.BAD_ARGUMENTS, f'{phrase.text!r} cannot be moved as a whole; name '
                      'the things in it, or say "take the tower apart"')
