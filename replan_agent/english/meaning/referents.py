# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which objects of the scene a noun phrase means.

Left and right are those of the viewpoint (`geometry/relations.py`). Near and far without a
landmark are from the robot's base.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Concatenate, ParamSpec, TypeVar

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import DIRECTED, Goal, Predicate
from replan_agent.domain.kinds import NOT, Word, is_cube, is_loose, is_thing
from replan_agent.domain.reading import inventory
from replan_agent.domain.refusals import Open, Unclear
from replan_agent.domain.scene import CLEAR, Scene, SceneObject
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.judging import judge, resting_on
from replan_agent.geometry.out_of_sight import MAY_BE_ONE_M, may_be_one, same_colour, unseen_gap_m
from replan_agent.geometry.relations import side
from replan_agent.geometry.support import is_upright
from replan_agent.geometry.towers import below_it, foot_of, is_stacked, tower_of

from .. import dictionary
from ..dictionary import check_known, fits, is_named, is_only_for, is_tower, word
from ..phrases import CHOICE, OPPOSITE, NounPhrase, Place, Rank, Relation
from .arrangements import is_in_part, kind_of
from .ranks import BY_PLACE, PLACE_TIE_M, SIZES, chosen
from .said_before import Discourse, missing, pronoun, which

Rule = Callable[[SceneObject], bool]
EDGES, TABLE = ('middle', 'left edge', 'right edge'), NounPhrase('the table', ('table',))
COUNTED = {'exactly': Quantity.EXACTLY, 'all_but': Quantity.EXACTLY,
           'at_least': Quantity.AT_LEAST, 'at_most': Quantity.AT_MOST}
_DESCRIBES = {Relation.FROM: Predicate.ON, **{r: Predicate(r.value) for r in (
    Relation.IN, Relation.ON, Relation.NEAR, *OPPOSITE)}}
P = ParamSpec('P')
Found = TypeVar('Found')


def _asking(find: Callable[Concatenate[NounPhrase, P], Found]
            ) -> Callable[Concatenate[NounPhrase, P], Found]:
    """The same; a refusal says which phrase it is about."""
    @functools.wraps(find)
    def found(phrase: NounPhrase, /, *args: P.args, **more: P.kwargs) -> Found:
        try:
            return find(phrase, *args, **more)
        except (Open, Unclear) as why:
            why.about = why.about or phrase.text
            raise

    return found


def meant(phrase: NounPhrase, context: Discourse, prefer: Rule | None = None,
          settled: Sequence[str] = ()) -> tuple[str, ...]:
    """The objects of a phrase that means one, or all of several. Raises Unclear."""
    if not phrase.is_several:
        return (one(phrase, context, prefer, settled=settled),)
    things = several(phrase, context)
    if things.quantity is Quantity.ALL:
        return things.names(context.scene)
    if things.count != len(things.named):
        raise which(f'which ones are {phrase.text!r}?', things.named, phrase.text)
    return things.named


def whole(phrase: NounPhrase, context: Discourse) -> list[str]:
    """The objects of a phrase; of a tower, all of its things."""
    names = meant(phrase, context)
    return [*names] if not is_tower(phrase) else [
        o.name for top in context.scene.objects if top.name in names
        for o in tower_of(top, context.scene)]


# One thing

@_asking
def one(phrase: NounPhrase, context: Discourse, prefer: Rule | None = None,
        apart_from: Sequence[str] = (), settled: Sequence[str] = ()) -> str:
    """The one object that the phrase means. Raises Unclear.

    `settled` are names that earlier steps chose: after the leftmost cube was lifted, another one
    is. `apart_from`, and what does not pass `prefer`, are chosen only if nothing else fits.
    """
    if phrase.quantity == CHOICE:
        raise which(f'which one: {phrase.text}?', [
            n for p in phrase.listed for n in meant(p, context)], phrase.text)
    if phrase.is_several:
        names = several(phrase, context).names(context.scene)
        if len(names) != 1:
            raise which(f'which one of {phrase.text!r}?', names)
        return names[0]
    if phrase.quantity == 'no' or phrase.quantity != 'some' and (phrase.count or 1) > 1:
        raise which(f'how many? {phrase.text!r} does not say one thing')
    if phrase.pronoun:
        named = _named_before(phrase, context)
        context.guesses += [phrase.text] * (len(named) > 1)  # "one of them"
        return preferred([o for o in context.scene.objects if o.name in named],
                         prefer or is_thing)[0].name
    phrase = described(replace(phrase, places=()), phrase.places)  # "on the far left" is a rank
    known = exact_name(phrase, context.scene) or _settled(phrase, context, settled)
    if known is not None:
        return known
    fitting = candidates(phrase, context)
    if prefer is not None:
        fitting = [o for o in fitting if prefer(o) or not is_only_for(phrase.words, o)]
    if phrase.quantity == 'other' and phrase.definite and not (
            set(apart_from) & {o.name for o in fitting}):
        _check_contrast(phrase, context)
    gone = _left_out(phrase, context)  # "any cube but not the red one"
    fitting = [o for o in fitting if o.name not in gone]
    fitting = _narrowed(phrase, fitting, context, prefer or is_thing, apart_from)
    is_any = phrase.quantity == 'some' or (phrase.quantity == 'other' and not phrase.definite)
    if not is_any or not fitting:
        return only_one(phrase, fitting, context.scene)
    if len(fitting) > 1:
        context.guesses.append(phrase.text)
    fresh = preferred(fitting, lambda o: o.name not in context.all_mentioned())
    return min(fresh, key=lambda o: math.hypot(*o.position[:2])).name


def _settled(phrase: NounPhrase, context: Discourse, settled: Sequence[str]) -> str | None:
    """What earlier steps chose, if it fits by what does not change when objects move."""
    lasting = candidates(replace(phrase, places=()), context) if settled else []
    if phrase.ranks and SIZES.issuperset(rank.word for rank in phrase.ranks):
        largest = _ranked(phrase, lasting, context)
        lasting = [o for o in lasting if o in largest or not is_upright(o)]
    return next((n for n in settled if any(o.name == n for o in lasting)), None)


def exact_name(phrase: NounPhrase, scene: Scene) -> str | None:
    """The object with exactly this name: "red_cube", "the red_cube", "bowl" without "the"."""
    if phrase.ranks or phrase.places or phrase.quantity:
        return None
    name, written = '_'.join(phrase.words), ' '.join(phrase.words)
    numbered = any(w.isdigit() for w in phrase.words)
    return next((known for known in scene.names() if known.lower() == written and (
        not written.isalpha() or not phrase.definite) or known.lower() == name and numbered), None)


def preferred(things: list[SceneObject], rule: Rule) -> list[SceneObject]:
    """Those that pass the rule, or all if none does."""
    return [o for o in things if rule(o)] or things


def _is_fragment(thing: SceneObject, others: Sequence[SceneObject], scene: Scene) -> bool:
    """Whether it is seen in part, beside a larger one of its colour: it may be a part of that."""
    return thing.confidence < CLEAR and any(
        same_colour(o.colour, thing.colour) and unseen_gap_m(o, thing, scene) < MAY_BE_ONE_M
        and math.prod(o.size) > math.prod(thing.size) for o in others if o is not thing)


def only_one(phrase: NounPhrase, fitting: list[SceneObject], scene: Scene) -> str:
    """The name of the only one that fits. Raises Unclear if there are none or several."""
    if len(fitting) == 1:
        return fitting[0].name
    if not fitting:
        holder = dictionary.CONTAINERS & set(phrase.words)
        there = ' at the place that is said' if phrase.places else ''
        raise missing(f'nothing in the scene matches {phrase.text!r}{there}; {inventory(scene)}',
                      Cause.NO_CONTAINER if holder else None, phrase.text)
    parts = ' They may be parts of one, of which something hides the rest.' * all(
        same_colour(o.colour, fitting[0].colour) and o.confidence < CLEAR
        or any(may_be_one(o, other, scene) for other in fitting if other is not o)
        for o in fitting)
    raise which(f'which one is {phrase.text!r}? Say its name or colour, or a word like leftmost, '
                f'nearest, biggest.{parts}', [o.name for o in fitting])


def _narrowed(phrase: NounPhrase, fitting: list[SceneObject], context: Discourse, prefer: Rule,
              apart_from: Sequence[str]) -> list[SceneObject]:
    """Those that the phrase means rather than the others that fit it."""
    fitting = [o for o in fitting if not _is_fragment(o, fitting, context.scene)]
    for rule in (lambda o: o.name not in apart_from, prefer, lambda o: is_named(phrase.words, o),
                 lambda o: is_named(phrase.words[-1:], replace(o, name=kind_of(o), colour=''))):
        fitting = preferred(fitting, rule)
    if 'one' in phrase.words and (apart_from or context.mentioned):
        said = apart_from or context.mentioned[-1]  # "the red ball ... the green one"
        said = [*said[-1:], *(context.landmarks[-1:] if apart_from else ())]  # or like its target
        named = [o for o in context.scene.objects if o.name in said]
        fitting = preferred(fitting, lambda o: any(
            o.shape is other.shape and is_cube(o) is is_cube(other) for other in named))
    if any(rank.word in BY_PLACE for rank in phrase.ranks):
        names = [o.name for o in fitting]
        at_first = _ranked(phrase, [o for o in context.start.objects if o.name in names], context)
        if context.start != context.scene and {o.name for o in at_first} & context.all_mentioned():
            raise which(f'which one is {phrase.text!r}, after what was moved before?', names)
        fitting = preferred(fitting, lambda o: o.name not in context.all_mentioned())
    fitting = _ranked(phrase, fitting, context)
    if not phrase.ranks and any(p.relation is Relation.ON and p.landmarks and is_tower(
            p.landmarks[0]) for p in phrase.places):  # "the cube on the tower" is the one on top
        return preferred(fitting, lambda o: not resting_on(o, context.scene))
    return fitting


def _ranked(phrase: NounPhrase, fitting: list[SceneObject], context: Discourse
            ) -> list[SceneObject]:
    """Those that its superlatives and sizes choose."""
    for rank in phrase.ranks if fitting else ():
        to = [one(rank.landmark, context)] if rank.landmark else []
        context.landmarks += to
        fitting = chosen(rank, phrase, fitting, context, *to or [''])
    return fitting


def _named_before(phrase: NounPhrase, context: Discourse) -> tuple[str, ...]:
    """What a pronoun means. Raises Unclear for "it in the kitchen" if it is not there."""
    named = pronoun(phrase, context)
    for place in phrase.places:
        if place.relation is not Relation.FROM and not all(
                _is_at(o, place, context) for o in context.scene.objects if o.name in named):
            raise which(f'what does {phrase.text!r} mean? It is not there now.', named)
    return named


def _check_contrast(phrase: NounPhrase, context: Discourse) -> None:
    """Raises Unclear if "the other bowl" follows no first one."""
    said = {*context.all_mentioned(), *context.landmarks, context.scene.held}
    fitting = candidates(replace(phrase, quantity=''), context)
    if fitting and not said & {o.name for o in fitting}:
        raise _apart_from_what(phrase, fitting)


def _apart_from_what(phrase: NounPhrase, fitting: Iterable[SceneObject]) -> Unclear:
    return which(f'{phrase.text!r}: apart from what?', [o.name for o in fitting])


# Several things

@_asking
def several(phrase: NounPhrase, context: Discourse, at: Callable[[str], bool] = lambda n: False
            ) -> Things:
    """The objects that the phrase means, as a quantity; `at`: is one where it should go?"""
    said: tuple[Word, ...] = ()
    without: set[str] = set()
    if phrase.pronoun:
        names = _named_before(phrase, context)
    elif phrase.listed:
        names = tuple(dict.fromkeys(one(p, context) for p in phrase.listed))
    else:
        phrase = described(replace(phrase, places=()), phrase.places)
        if phrase.quantity == 'others':
            return _the_others(phrase, context, at)
        fitting, without = _fitting(phrase, context, at)
        names, said = tuple(o.name for o in fitting), tuple(map(word, phrase.words))
        if not names or (phrase.count is not None and not phrase.words):
            only_one(phrase, [], context.scene)
    quantity, wanted = phrase.quantity, phrase.count or 2 * (phrase.quantity == 'both')
    if quantity in ('all', 'exactly', 'at_least') and wanted > len(names) or (
            quantity == 'all_but' and wanted >= len(names)):
        raise missing(f'{phrase.text!r}: {"seen is" if context.scene.may_hide else "there are"} '
                      f'only {len(names)} ({", ".join(names)})', Cause.TOO_FEW)
    if quantity in COUNTED:
        count = len(names) - wanted if quantity == 'all_but' else wanted
        return Things(COUNTED[quantity], count, said, names, tuple(sorted(without)))
    if wanted and wanted != len(names):
        raise which(f'which {wanted}? {phrase.text!r} fits {len(names)}.', names)
    lasting = not (phrase.ranks or phrase.places or quantity in ('both', 'rest', 'other')
                   or phrase.count or not dictionary.PASSING.isdisjoint(phrase.words))
    return Things(words=said if lasting else (), named=names,
                  without=tuple(sorted(without)) if lasting else ())


def _fitting(phrase: NounPhrase, context: Discourse, at: Callable[[str], bool]
             ) -> tuple[list[SceneObject], set[str]]:
    """The objects that the phrase fits, and those that it leaves out."""
    fitting = preferred(candidates(phrase, context), is_loose)
    if fitting and phrase.words[:1] == ('thing',) and not is_loose(fitting[0]):
        raise which(f'only what holds things is {phrase.text!r}: is it meant?',
                    [o.name for o in fitting])
    fitting = _ranked(phrase, fitting, context)
    without = _left_out(phrase, context) | {  # what stays there counts
        n for n in context.left_alone if phrase.quantity not in COUNTED or not at(n)}
    if phrase.quantity in ('rest', 'other'):
        without |= (context.all_mentioned() | context.left_alone) or {
            o.name for o in fitting if at(o.name)}
        if not without:
            raise _apart_from_what(phrase, fitting)
        if set(phrase.words) <= {'thing'}:  # not what is like a target: "the others on the plate"
            kinds = {kind_of(o) for o in context.scene.objects if o.name in context.landmarks}
            fitting = preferred(fitting, lambda o: kind_of(o) not in kinds)
    left = [o for o in fitting if o.name not in without]
    if fitting and not left:
        raise missing(f'{phrase.text!r}: nothing is left, because '
                      f'{", ".join(o.name for o in fitting)} are the exceptions')
    return left, without


def _the_others(phrase: NounPhrase, context: Discourse, at: Callable[[str], bool]) -> Things:
    """ "the red cube ... and the others": of its kind, or all. Raises Unclear if these differ."""
    everything = several(replace(phrase, quantity='rest', words=('thing',)), context, at)
    alike = [o.name for o in candidates(phrase, context) if o.name in everything.named]
    if len(alike) > 1 and set(alike) != set(everything.named):
        raise which(f'what are {phrase.text!r}: only {", ".join(alike)}?', everything.named)
    return everything


def _left_out(phrase: NounPhrase, context: Discourse) -> set[str]:
    """The objects that the phrase excepts."""
    return {name for inner in phrase.without for name in whole(spared(inner), context)}


def spared(phrase: NounPhrase) -> NounPhrase:
    """What a ban or exception is about: "don't touch any cube", "except a cube" is all of them."""
    if phrase.quantity == 'some' and (phrase.definite or phrase.pronoun):
        raise which(f'{phrase.text!r} stays: which one?')
    return replace(phrase, quantity='all') if phrase.quantity in ('some', CHOICE) else phrase


def pair(place: Place, context: Discourse) -> tuple[str, str]:
    """The two objects of "between"."""
    names = [n for p in place.landmarks for n in meant(p, context)]
    if len(names) != 2:
        raise which('between which two?', names)
    return names[0], names[1]


# What is so

def is_any(phrase: NounPhrase) -> bool:
    """Whether one that fits is enough, or so many: "a cube", "cubes", "two cubes"."""
    return phrase.quantity in ('some', 'exactly', 'at_least', 'at_most') or not (
        phrase.quantity or phrase.definite or phrase.called or phrase.pronoun)


def found_there(phrase: NounPhrase, context: Discourse) -> tuple[list[str], list[str]]:
    """The things at the last place of the phrase, and those that it says should be. May ask."""
    said, scene = replace(phrase, places=phrase.places[:-1]), context.scene
    fitting = candidates(said, context)
    if not fitting:
        return [], []
    names = [o.name for o in _ranked(said, preferred(fitting, is_thing), context)] if is_any(
        said) else meant(said, context)
    there = [o.name for o in scene.objects if o.name in names and all(
        _is_at(o, place, context) for place in phrase.places[-1:])]
    return there, [n for n in names if n not in there and not (is_any(said) and there)]


# What the words fit

def described(phrase: NounPhrase, places: Sequence[Place]) -> NounPhrase:
    """The phrase with places that describe it; "on the left" is a rank, of several a half."""
    ranked = [p for p in places if p.relation is Relation.ASIDE or p.direction in EDGES or (
        p.direction in ('left side', 'right side') and not phrase.is_several)]
    if any(p.negated for p in ranked):
        raise which(f'which ones are not there? {phrase.text!r} does not say; for example "on the '
                    'right half of the table"')
    ranks = tuple(Rank('near', TABLE) if p.sure and p.direction == 'middle' else  # of the table
                  Rank(p.direction.split()[0]) for p in ranked)
    others = tuple(p for p in places if p not in ranked)
    return replace(phrase, ranks=(*phrase.ranks, *ranks), places=(*phrase.places, *others))


def candidates(phrase: NounPhrase, context: Discourse) -> list[SceneObject]:
    """The objects that the words and places of the phrase fit; ranks are not applied."""
    scene = context.scene
    if phrase.called:
        return [o for o in scene.objects if o.name.lower() == phrase.called]
    if any(w.startswith(NOT) for w in phrase.words):
        check_known(phrase, scene)
    fitting = [o for o in scene.objects if all(fits(w, o, scene) for w in phrase.words)] or [
        o for o in scene.objects
        if all(fits(w, o, scene) or word(w).may_fit(o) for w in phrase.words)]
    if phrase.listed:  # "the leftmost of the cubes and the can"
        names = {n for p in phrase.listed for n in meant(p, context)}
        fitting = [o for o in fitting if o.name in names]
    if phrase.ranks or phrase.quantity in ('all', 'rest', 'other'):
        fitting = [o for o in fitting if is_thing(o)]
    if phrase.quantity == 'other' and not phrase.plural:
        said = context.all_mentioned() or {scene.held or ''}
        rest = [o for o in fitting if o.name not in said]
        fitting = [o for o in rest if o.name not in context.landmarks] or rest
    piles = phrase.quantity == 'all' or phrase.plural
    for place in phrase.places:
        fitting = [o for o in fitting if _is_at(o, place, context) or (
            piles and place.relation is Relation.ON and not place.negated
            and any(_is_at(below, place, context) for below in below_it(o, scene)))]
    return fitting


def _is_at(thing: SceneObject, place: Place, context: Discourse) -> bool:
    """Whether a thing is at a place that describes it."""
    if place.negated:
        return not _is_at(thing, replace(place, negated=False), context)
    relation, scene = place.relation, context.scene
    if relation in (Relation.ASIDE, Relation.ZONE):  # "on the left": a rank, see `described`
        return relation is Relation.ASIDE or is_thing(thing) and is_in_part(
            thing, place, context, PLACE_TIE_M)
    if relation is Relation.BETWEEN:
        first, second = pair(place, context)
        return judge(Goal(Predicate.BETWEEN, thing.name, first, second=second), scene) is True
    if not place.landmarks:  # "lift the top block off": whatever it is on
        return relation is Relation.FROM
    landmark = place.landmarks[0]
    if relation is Relation.WITH:
        return _holds(thing, landmark, context)
    predicate = _DESCRIBES.get(relation)
    if predicate is not None and is_tower(landmark):
        return is_stacked(thing, scene) and _is_in_tower(thing, landmark, context)
    if predicate is None and relation is not Relation.UNDER:
        return False
    if landmark.quantity == 'some':  # "next to a ball"
        others = candidates(replace(landmark, quantity=''), context)
    else:
        name = one(landmark, context, apart_from=(thing.name,))
        others = [o for o in scene.objects if o.name == name]
    return any(_is_related(thing, predicate, o, context) for o in others if o != thing)


def _is_related(thing: SceneObject, predicate: Predicate | None, other: SceneObject,
                context: Discourse) -> bool:
    if predicate is None:
        return other in resting_on(thing, context.scene)
    if predicate in DIRECTED:
        x, y = side(predicate.value, context.viewpoint)
        dx, dy = (thing.position[i] - other.position[i] for i in (0, 1))
        return dx * x + dy * y > PLACE_TIE_M
    if predicate is Predicate.IN and not other.is_container:
        predicate = Predicate.ON  # "if the plate is empty"
    found = judge(Goal(predicate, thing.name, other.name), context.scene)
    return found is True or found is None and predicate is Predicate.ON  # it may lean on it


def _holds(thing: SceneObject, phrase: NounPhrase, context: Discourse) -> bool:
    """Whether all that the phrase means are in or on it; as many as it says; any for "an egg"."""
    inside = {o.name for o in resting_on(thing, context.scene)}
    if phrase.quantity in ('some', 'no') or not (phrase.quantity or phrase.definite):
        there = any(o.name in inside for o in candidates(phrase, context))
        return there is (phrase.quantity != 'no')
    things = several(phrase if phrase.is_several else replace(phrase, quantity='all'), context)
    return things.verdict([n in inside for n in things.names(context.scene)]) is True


def _is_in_tower(thing: SceneObject, phrase: NounPhrase, context: Discourse) -> bool:
    if phrase.count:
        raise which(f'which ones are {phrase.text!r}?')
    check_known(phrase, context.scene)
    tops = _ranked(phrase, candidates(phrase, context), context)
    return foot_of(thing, context.scene) in [foot_of(top, context.scene) for top in tops]
