"""Which objects of the scene a noun phrase means.

Left and right are those of the viewpoint (`geometry/relations.py`). Near and far without a
landmark are from the robot's base.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import DIRECTED, Goal, Predicate
from replan_agent.domain.kinds import NOT, is_cube, is_loose, is_thing
from replan_agent.domain.refusals import Open, Unclear
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.domain.things import Quantity, Things
from replan_agent.geometry.judging import judge, resting_on
from replan_agent.geometry.relations import side
from replan_agent.geometry.support import is_upright

from ..dictionary import is_named, is_only_for, words
from ..nouns import TOWERS
from ..phrases import CHOICE, NounPhrase, Place, Relation
from .arrangements import kind_of
from .counts import all_but, at_most, check_count
from .one_of_many import exact_name, only_one, preferred
from .place_readings import described
from .ranks import BY_PLACE, PLACE_TIE_M, SIZES, foot_of, is_stacked, ranked, tower_of
from .said_before import Discourse, pronoun
from .words_now import STATES, check_known, fits_now

Rule = Callable[[SceneObject], bool]


def one(phrase: NounPhrase, context: Discourse, prefer: Rule | None = None,
        apart_from: Sequence[str] = (), settled: Sequence[str] = ()) -> str:
    """The one object that the phrase means. Raises Unclear.

    `settled` are names that earlier steps of the task chose for this phrase: after the leftmost
    cube was lifted, another one is the leftmost. `apart_from` are chosen only if nothing else
    fits, and so are objects that do not pass `prefer`.
    """
    _check_choice(phrase)
    if phrase.is_several:
        names = several(phrase, context).names(context.scene)
        if len(names) != 1:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which one of {phrase.text!r}? It could be '
                          f'{", ".join(names)}', names)
        return names[0]
    if phrase.quantity == 'no' or phrase.quantity != 'some' and (phrase.count or 1) > 1:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'how many? {phrase.text!r} does not say one thing')
    if phrase.pronoun:
        named = pronoun(phrase, context)
        _check_there(phrase, named, context)
        if phrase.quantity == 'some' and len(named) > 1:  # "one of them"
            context.guesses.append(phrase.text)
            named = tuple(o.name for o in preferred(
                [o for o in context.scene.objects if o.name in named], prefer or is_thing))
        return named[0]
    phrase = described(replace(phrase, places=()), phrase.places)  # "on the far left" is a rank
    exact = exact_name(phrase, context.scene)
    if exact is not None:
        return exact
    fitting = candidates(phrase, context)
    if prefer is not None:
        fitting = [o for o in fitting if prefer(o) or not is_only_for(phrase.words, o)]
    lasting = candidates(phrase, context, lasting=True)
    if phrase.ranks and SIZES.issuperset(rank.word for rank in phrase.ranks):
        largest = ranked(phrase, lasting, context.scene, context.viewpoint,
                         lambda landmark: _said(landmark, context))
        lasting = [o for o in lasting if o in largest or not is_upright(o)]
    chosen = next((n for n in settled if any(o.name == n for o in lasting)), None)
    if chosen is not None:
        return chosen
    if phrase.quantity == 'other' and phrase.definite and not (
            set(apart_from) & {o.name for o in fitting}):
        _check_contrast(phrase, context)
    if phrase.without:  # "any cube but not the red one"
        gone = _left_out(phrase, context)
        fitting = [o for o in fitting if o.name not in gone]
    fitting = _narrowed(phrase, fitting, context, prefer or is_thing, apart_from)
    is_any = phrase.quantity == 'some' or (phrase.quantity == 'other' and not phrase.definite)
    if is_any and fitting:
        if phrase.quantity == 'some' and phrase.count not in (None, len(fitting)):  # of the two
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{phrase.text!r}: there are {len(fitting)}',
                          [o.name for o in fitting])
        if len(fitting) > 1:
            context.guesses.append(phrase.text)
        fresh = preferred(fitting, lambda o: o.name not in context.all_mentioned())
        return min(fresh, key=lambda o: math.hypot(*o.position[:2])).name
    return only_one(phrase, fitting, context.scene)


def _narrowed(phrase: NounPhrase, fitting: list[SceneObject], context: Discourse, prefer: Rule,
              apart_from: Sequence[str]) -> list[SceneObject]:
    """Those that the phrase means rather than the others that fit it."""
    fitting = preferred(fitting, lambda o: o.name not in apart_from)
    fitting = preferred(fitting, prefer)
    fitting = preferred(fitting, lambda o: is_named(phrase.words, o))
    if 'one' in phrase.words and (apart_from or context.mentioned):
        said = apart_from or context.mentioned[-1]  # "the red ball ... the green one"
        said = [*said[-1:], *(context.landmarks[-1:] if apart_from else ())]  # or like its target
        named = [o for o in context.scene.objects if o.name in said]
        fitting = preferred(fitting, lambda o: any(
            o.shape is other.shape and is_cube(o) is is_cube(other) for other in named))
    if any(rank.word in BY_PLACE for rank in phrase.ranks):  # where it is now says nothing
        fitting = preferred(fitting, lambda o: o.name not in context.all_mentioned())
    fitting = ranked(phrase, fitting, context.scene, context.viewpoint,
                     lambda landmark: _said(landmark, context))
    if any(p.relation is Relation.ON and p.landmarks and TOWERS & set(p.landmarks[0].words)
           for p in phrase.places):  # "the cube on the tower" is the one on top
        fitting = preferred(fitting, lambda o: not resting_on(o, context.scene)) if (
            not phrase.ranks) else fitting
    return fitting


def _check_there(phrase: NounPhrase, named: Sequence[str], context: Discourse) -> None:
    """Raises Unclear for "it in the kitchen" if it is not there."""
    for place in phrase.places:
        if place.relation is not Relation.FROM and not all(
                _is_at(o, place, context) for o in context.scene.objects if o.name in named):
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{", ".join(named)} is not there now: what '
                          f'does {phrase.text!r} mean?', named)


def _said(landmark: NounPhrase, context: Discourse) -> str:
    name = one(landmark, context)
    context.landmarks.append(name)
    return name


def _check_contrast(phrase: NounPhrase, context: Discourse) -> None:
    """Raises Unclear if "the other bowl" follows no first one."""
    said = {*context.all_mentioned(), *context.landmarks, context.scene.held}
    names = [o.name for o in candidates(replace(phrase, quantity=''), context)]
    if names and not said & set(names):
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{phrase.text!r}: apart from what? It could be '
                      f'{", ".join(names)}', names)


def several(phrase: NounPhrase, context: Discourse, at: Callable[[str], bool] = lambda n: False
            ) -> Things:
    """The objects that the phrase means, as a quantity. Raises Unclear.

    `at` says whether an object is already where it should go ("the rest", "the other one").
    """
    if phrase.pronoun and phrase.quantity and not context.mentioned and not phrase.count:
        phrase = replace(phrase, pronoun='', words=('thing',))  # "both of them in the bowl"
    if phrase.pronoun:
        return _named_before(phrase, context)
    phrase = described(replace(phrase, places=()), phrase.places)
    if phrase.quantity == 'others':
        return _the_others(phrase, context, at)
    fitting, without = _fitting(phrase, context, at)
    names = tuple(o.name for o in fitting)
    if not names or (phrase.count is not None and not phrase.words):
        only_one(phrase, [], context.scene)
    if phrase.quantity == 'all_but':
        return all_but(phrase, names, without)
    if phrase.quantity == 'at_most':
        return at_most(phrase, names, at, without)
    check_count(phrase, names)
    if phrase.quantity in ('exactly', 'at_least'):
        return Things(Quantity(phrase.quantity), phrase.count or 0, words(*phrase.words),
                      names,
                      tuple(sorted(without)))
    lasting = not (phrase.ranks or phrase.places or phrase.quantity in ('both', 'rest', 'other')
                   or phrase.count or not (TOWERS | STATES.keys()).isdisjoint(phrase.words))
    return Things(words=words(*phrase.words) if lasting else (), named=names,
                  without=tuple(sorted(without)) if lasting else ())


def _named_before(phrase: NounPhrase, context: Discourse) -> Things:
    """ "them", "both of them", "two of them"."""
    named = pronoun(phrase, context)
    _check_there(phrase, named, context)
    count = 2 if phrase.quantity == 'both' else phrase.count
    if phrase.quantity in ('exactly', 'at_least') and count and len(named) > count:
        return Things(Quantity(phrase.quantity), count, named=named)
    if count and len(named) != count:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which {count} of {", ".join(named)}?', named)
    return Things(named=named)


def _fitting(phrase: NounPhrase, context: Discourse, at: Callable[[str], bool]
             ) -> tuple[list[SceneObject], set[str]]:
    """The objects that the phrase fits, and those that it leaves out."""
    fitting = preferred(candidates(phrase, context), is_loose)
    if phrase.ranks:
        fitting = ranked(phrase, fitting, context.scene, context.viewpoint,
                         lambda landmark: _said(landmark, context))
    without = _left_out(phrase, context) | context.left_alone
    if phrase.quantity in ('rest', 'other'):
        without |= (context.all_mentioned() | context.left_alone) or {
            o.name for o in fitting if at(o.name)}
        if not without:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{phrase.text!r}: apart from what? It '
                          f'could be {", ".join(o.name for o in fitting)}',
                          [o.name for o in fitting])
    if phrase.quantity in ('rest', 'other') and set(phrase.words) <= {'thing'}:
        fitting = _not_like_targets(fitting, context)
    left = [o for o in fitting if o.name not in without]
    if fitting and not left:
        raise Unclear(Reason.OBJECT_NOT_FOUND, f'{phrase.text!r}: nothing is left, because '
                      f'{", ".join(o.name for o in fitting)} are the exceptions',
                      cause=Cause.PRECONDITION_FAILED)
    return left, without


def _not_like_targets(things: list[SceneObject], context: Discourse) -> list[SceneObject]:
    """Without what is like the places that were named: "the others on the white plate"."""
    kinds = {kind_of(o) for o in context.scene.objects if o.name in context.landmarks}
    return preferred(things, lambda o: kind_of(o) not in kinds)


def _the_others(phrase: NounPhrase, context: Discourse, at: Callable[[str], bool]) -> Things:
    """ "the red cube ... and the others": of its kind, or all. Raises Unclear if these differ."""
    everything = several(replace(phrase, quantity='rest', words=('thing',)), context, at)
    alike = [o.name for o in candidates(phrase, context) if o.name in everything.named]
    if len(alike) > 1 and set(alike) != set(everything.named):
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'what are {phrase.text!r}: {", ".join(alike)}, or '
                      f'everything else: {", ".join(everything.named)}?', everything.named)
    return everything


def _left_out(phrase: NounPhrase, context: Discourse) -> set[str]:
    """The objects that the phrase excepts."""
    found: set[str] = set()
    for inner in phrase.without:
        names = several(inner, context).names(context.scene) if inner.is_several else (
            one(inner, context),)
        if inner.quantity == 'exactly' and inner.count != len(names):
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which {inner.count} of {", ".join(names)} '
                          'should be left out?', names)
        if TOWERS & set(inner.words):  # "everything but the tower": all of it
            names = tuple(o.name for o in context.scene.objects if any(
                o in tower_of(top, context.scene) for top in context.scene.objects
                if top.name in names))
        found |= set(names)
    return found


def _check_choice(phrase: NounPhrase) -> None:
    if phrase.quantity == CHOICE:
        raise Open(f'which one: {phrase.text}? Say one of them')


def candidates(phrase: NounPhrase, context: Discourse, lasting: bool = False) -> list[SceneObject]:
    """The objects that the words and places of the phrase fit; ranks are not applied.

    `lasting`: only by what does not change when objects move.
    """
    scene = context.scene
    if any(word.startswith(NOT) for word in phrase.words):
        check_known(phrase, scene)
    fitting = [o for o in scene.objects if all(fits_now(w, o, scene) for w in phrase.words)]
    if phrase.ranks or phrase.quantity in ('all', 'rest', 'other'):
        fitting = [o for o in fitting if is_thing(o)]
    if phrase.quantity == 'other' and not phrase.plural:
        said = context.all_mentioned() or {scene.held or ''}
        rest = [o for o in fitting if o.name not in said]
        fitting = [o for o in rest if o.name not in context.landmarks] or rest
    if not lasting:
        for place in phrase.places:
            fitting = [o for o in fitting if _is_at(o, place, context) or (
                (phrase.quantity == 'all' or phrase.plural) and _is_above(o, place, context))]
    return fitting


def _is_above(thing: SceneObject, place: Place, context: Discourse) -> bool:
    """Whether a thing is in a pile on a landmark: "everything on the red cube", "on the table"."""
    if place.relation is not Relation.ON or place.negated or TOWERS & set(
            place.landmarks[0].words):
        return False
    below = context.scene.get(one(place.landmarks[0], context, apart_from=(thing.name,)))
    if below is None or below.is_container:
        return False
    return any(o.name != thing.name and thing in resting_on(o, context.scene)
               and (_is_at(o, place, context) or _is_above(o, place, context))
               for o in context.scene.objects if is_loose(o))


def _is_at(thing: SceneObject, place: Place, context: Discourse) -> bool:
    """Whether a thing is at a place that describes it."""
    if place.negated:
        return not _is_at(thing, replace(place, negated=False), context)
    landmark = place.landmarks[0] if len(place.landmarks) == 1 else None
    if landmark is not None and landmark.quantity == 'some' and (
            place.relation in _DESCRIBES and not TOWERS & set(landmark.words)):
        any_of = candidates(replace(landmark, quantity=''), context)  # "next to a ball"
        return any(_is_at(thing, replace(place, landmarks=(NounPhrase(o.name, (o.name,)),)),
                          context) for o in any_of if o.name != thing.name)
    if place.relation is Relation.UNDER:
        above = context.scene.get(one(place.landmarks[0], context, apart_from=(thing.name,)))
        return above in resting_on(thing, context.scene)
    if place.relation is Relation.ASIDE:
        return True  # "on the left": a rank, see `readings`
    if place.relation is Relation.BETWEEN:
        ends = pair(place, context)
        goal = Goal(Predicate.BETWEEN, thing.name, ends[0], second=ends[1])
        return judge(goal, context.scene) is True
    if place.relation is Relation.WITH:
        return _holds(thing, place.landmarks[0], context)
    if place.relation is Relation.ZONE:
        return _is_in_part(thing, place, context)
    predicate = _DESCRIBES.get(place.relation)
    if predicate is None:
        return False
    if not place.landmarks:  # "lift the top block off": whatever it is on
        return place.relation is Relation.FROM
    if TOWERS & set(place.landmarks[0].words):
        return is_stacked(thing, context.scene) and _is_in_tower(thing, place, context)
    name = one(place.landmarks[0], context, apart_from=(thing.name,))
    if name == thing.name:
        return False
    below = context.scene.get(name)
    if predicate is Predicate.IN and below is not None and not below.is_container:
        predicate = Predicate.ON  # "if the plate is empty"
    viewpoint = context.viewpoint if predicate in DIRECTED else ''
    if viewpoint:
        there, origin = below, side(predicate.value, viewpoint)
        assert there is not None
        offset = [thing.position[i] - there.position[i] for i in (0, 1)]
        return offset[0] * origin[0] + offset[1] * origin[1] > PLACE_TIE_M
    return judge(Goal(predicate, thing.name, name), context.scene) is True


def _holds(thing: SceneObject, phrase: NounPhrase, context: Discourse) -> bool:
    """Whether all that the phrase means are in or on it; as many as it says; any for "an egg"."""
    inside = resting_on(thing, context.scene)
    meant = candidates(phrase, context)
    if not meant:
        only_one(phrase, [], context.scene)
    held = [o in inside for o in meant if o.name != thing.name]
    if phrase.quantity in ('exactly', 'at_least', 'at_most'):
        count = phrase.count or 1
        return {'exactly': sum(held) == count, 'at_least': sum(held) >= count,
                'at_most': sum(held) <= count}[phrase.quantity]
    if phrase.quantity in ('all', 'both') or (phrase.definite and not phrase.quantity):
        return bool(held) and all(held)
    return any(held)


def _is_in_tower(thing: SceneObject, place: Place, context: Discourse) -> bool:
    phrase = place.landmarks[0]
    if phrase.count:
        raise Unclear(Reason.AMBIGUOUS_OBJECT, f'which ones are {phrase.text!r}?')
    check_known(phrase, context.scene)
    tops = ranked(phrase, candidates(phrase, context), context.scene, context.viewpoint,
                  lambda landmark: _said(landmark, context))
    return foot_of(thing, context.scene) in [foot_of(top, context.scene) for top in tops]


def _is_in_part(thing: SceneObject, place: Place, context: Discourse) -> bool:
    """Whether it is in that half or corner of the table."""
    table = context.scene.table
    ways = [_PARTS[word] for word in place.direction.split() if word in _PARTS]
    if table is None or not ways or place.landmarks:
        return False
    off = [thing.position[i] - table.position[i] for i in (0, 1)]
    return is_thing(thing) and all(
        off[0] * x + off[1] * y > PLACE_TIE_M for x, y in (
            side(part, context.viewpoint) for part in ways))


_PARTS = {'left': 'left_of', 'right': 'right_of', 'near': 'in_front_of', 'far': 'behind'}
_DESCRIBES = {
    Relation.IN: Predicate.IN, Relation.ON: Predicate.ON, Relation.FROM: Predicate.ON,
    Relation.NEAR: Predicate.NEAR, Relation.LEFT_OF: Predicate.LEFT_OF,
    Relation.RIGHT_OF: Predicate.RIGHT_OF, Relation.IN_FRONT_OF: Predicate.IN_FRONT_OF,
    Relation.BEHIND: Predicate.BEHIND}


def pair(place: Place, context: Discourse) -> tuple[str, str]:
    """The two objects of "between"."""
    if len(place.landmarks) == 2:
        first, second = (one(p, context) for p in place.landmarks)
        return first, second
    names = several(place.landmarks[0], context).names(context.scene)
    if len(names) != 2:
        raise Unclear(Reason.AMBIGUOUS_OBJECT,
                      f'between which two of {", ".join(names)}?', names)
    return names[0], names[1]
