# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is said about a task: an answer to its question, a correction, the same with another thing.

Each becomes a whole sentence, in which things have their names: it says what is meant by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from replan_agent.domain.cause import Cause
from replan_agent.domain.reading import Reading, Remark, RemarkKind
from replan_agent.domain.refusals import NotUnderstood, Open, Unclear
from replan_agent.domain.scene import Scene
from replan_agent.geometry.judging import judge
from replan_agent.text.shown_text import listed

from .dictionary import word_names
from .meaning.referents import exact_name, meant
from .meaning.said_before import Discourse, which
from .parser import parser
from .phrases import Command, NounPhrase, Relation, is_bare
from .readings import LONGEST_TASK, MOST_WORDS, like_before, parsed, phrases, readings
from .stages import REFUSED, called, fitting, or_else

Read = Callable[[str], Reading]
Groups = Sequence[tuple[str, ...]]
DESCRIBES = frozenset(
    'NOUN NOUNS NAME UNKNOWN COLOUR SHAPE SIZE SUPER SIDE'.split())  # after "no": no such thing
MOST_PAIRED = 5  # things of which two may be meant


def remarks(text: str, scene: Scene) -> tuple[Remark, ...]:
    """All readings of a remark; none if it is something else, such as an order."""
    words = parser().lexicon.tokens(text[:LONGEST_TASK], word_names(scene))[:2]
    none_of = words[1:] and 'NONE_OF' in words[0].categories and words[1].categories & DESCRIBES
    return tuple(r for r in or_else((), parsed, text, scene, 'remark')
                 if not none_of and (not r.order or _is_order(r.order, scene)))


@dataclass(frozen=True)
class SaidLater:
    """Makes another task of one and what is said about it in a scene. `read` reads it there.

    `mentioned` are the groups of things that were moved before, the last one last.
    """

    scene: Scene
    viewpoint: str
    read: Read
    mentioned: Groups = ()

    def amended(self, task: str, said: str, goes_on: bool = False) -> str:
        """The sentence that is meant; '' if the words say nothing about the task.

        Without a question that is open, only a correction says something about it; with
        `goes_on` also another thing or place: "now the green one".
        """
        question = self.question(task)
        for remark in sorted(remarks(said, self.scene), key=lambda remark: not remark.also):
            if remark.kind is not RemarkKind.CHANGE:
                continue
            try:
                for sentence in self._sentences(task, remark, question, goes_on):
                    if self._is_read(sentence, question):
                        return sentence
            except REFUSED:
                continue
        if question is None:
            return ''
        answer = said.lower().strip(' .!?')  # a whole choice, or words that only one of them has
        fit = [choice for choice in self.choices(task) if said == choice or (
            question.choices and f' {answer} ' in f' {choice.lower().strip(" .!?")} ')]
        return fit[0] if len(fit) == 1 else ''

    def referred(self, task: str) -> str:
        """The task, with names for what refers to things that were moved before: "it"."""
        for _ in range(MOST_WORDS):
            question = self.question(task)
            about = question.about if isinstance(question, Unclear) else ''
            if not about or not self.mentioned:
                break
            names = or_else((), self._meant, about, self.scene, self.mentioned)
            named = next((s for s in _replaced(task, about, self.listed(names))
                          if self._is_read(s, question)), '') if names else ''
            if not named:
                break
            task = named
        return task

    def question(self, task: str) -> Open | Unclear | None:
        """What the task leaves open here; None if nothing, or if it is not understood."""
        try:
            return self._finer(self.read(task).refusal)
        except (Open, Unclear) as why:
            return self._finer(why)
        except NotUnderstood:
            return None

    def choices(self, task: str) -> tuple[str, ...]:
        """Sentences that each say one of the things that the task may mean."""
        question = self.question(task)
        if question is None or question.choices:
            return question.choices if question else ()
        paired = (2,) if len(question.candidates) <= MOST_PAIRED else ()
        said = or_else((), phrases, question.about, self.scene)
        for size in paired if any(p.count == 2 for p in said) else (1, *paired):
            groups = combinations(question.candidates, size)
            found = tuple(filter(None, (self._answered(task, question, g) for g in groups)))
            if found:
                return found
        return ()

    def _answered(self, task: str, question: Open | Unclear, names: Sequence[str]) -> str:
        """The task with these names in place of the words that the question is about; or ''."""
        return next((s for s in _replaced(task, question.about, self.listed(names))
                     if self._is_read(s, question)
                     and ((more := self.question(s)) is None
                          or more.asks and len(names) == 1)), '')

    def _finer(self, why: Open | Unclear | None) -> Open | Unclear | None:
        """The question; of things that were moved before it asks which one is meant."""
        if not isinstance(why, Unclear) or why.candidates or not why.about or not self.mentioned:
            return why
        try:
            self._meant(why.about, self.scene, self.mentioned)
        except Unclear as finer:
            return finer if finer.candidates else why
        except REFUSED:
            pass
        return why

    def _is_read(self, sentence: str, before: Open | Unclear | None) -> bool:
        """Whether the sentence is understood, and leaves not the same question."""
        if not _is_order(sentence, self.scene):
            return False
        now = self.question(sentence)
        return now is None or str(now) != str(before)

    def _sentences(self, task: str, remark: Remark, question: Open | Unclear | None,
                   goes_on: bool) -> Iterator[str]:
        if remark.order:
            yield SaidLater(self.scene, self.viewpoint, self.read,
                           self.mentioned or self._moved(task)).referred(remark.order)
        elif question is not None and remark.number:
            said = self.choices(task)
            counted = str(remark.number) in ' '.join(said).split()  # "2 more or 2 in all?" "2"
            if remark.number <= len(said) and not counted:  # -1 is the last
                yield from said[remark.number - (remark.number > 0):][:1]
        elif question is not None and question.about and remark.thing and not remark.place:
            try:
                names = self._among(remark.thing, question.candidates)
            except Unclear as why:
                if why.candidates:  # it leaves a question of its own
                    yield from (s for s in _replaced(task, question.about, remark.thing)
                                if self._asks_among(s, question.candidates))
            else:
                yield from _replaced(task, question.about, self.listed(names))
        elif question is not None and question.cause is Cause.PLACE_NOT_SAID and (
                remark.place and not remark.thing):
            yield f'{task.rstrip(" .!?")} {remark.place}'  # it did not say where
        elif remark.denies or goes_on:
            yield from self._exchanged(task, remark, goes_on and not remark.denies,
                                       question is not None and question.asks)

    def _exchanged(self, task: str, remark: Remark, last_only: bool, is_open: bool
                   ) -> Iterator[str]:
        """The order with another thing or another place; `is_open`: it moved nothing yet."""
        commands = [c for c in readings(task, self.scene)[0] if c.things]
        if not commands:
            return
        last = commands[-1]
        said = self.mentioned or self._moved(task)
        moved = said[-1] if said and not is_open else ()
        named = [c.things for c in commands if not c.things[0].pronoun]
        if not last_only and len(named) > 1:
            return  # which of them is corrected?
        last_only = last_only and len(named) > 1  # else "it" may be said in another part
        things = last.things if last_only or not named else named[0]
        new, names = '', tuple[str, ...]()
        if remark.thing:
            try:
                names = self._meant(remark.thing, self.scene, said, things[-1])
                new = self.listed(names)
            except Unclear as why:
                if not why.candidates:
                    return
                new = remark.thing
        if remark.place and _needs_more(remark.place, last):
            return
        if remark.place:
            old = self.listed(moved) if moved else things[0].text
            there = [n.text for p in last.places for n in p.landmarks if not n.pronoun][-1:]
            place = next(_replaced(remark.place, 'it', there[0]), '') if there else ''
            yield f'put {new or old} {place or remark.place}'
        elif new and not self._is_place(last, new, said):
            order, old = last.text if last_only else task, replace(last, things=things).span
            if remark.also and moved and names:
                all_of = self.listed(tuple(dict.fromkeys((*moved, *names))))
                yield from (s for s in _replaced(order, old, all_of) if self._is_done(s, moved))
            yield from _replaced(order, old, new)

    def _is_place(self, order: Command, new: str, said: Groups) -> bool:
        """Whether the thing may be the other place, too: "put the can next to it. No, the bin"."""
        there = [n.text for p in order.places for n in p.landmarks][-1:]
        other = [SaidLater(self.scene, self.viewpoint, self.read, said).referred(sentence)
                 for text in there for sentence in _replaced(order.text, text, new)]
        return any(_is_order(s, self.scene) and self.question(s) is None for s in other)

    def _is_done(self, sentence: str, names: Sequence[str]) -> bool:
        """Whether the sentence asks nothing of these things that is not so now."""
        orders = or_else(None, lambda: self.read(sentence).orders)
        return orders is not None and not any(o.acts or o.movement for o in orders) and all(
            judge(part, self.scene) for order in orders for goal in order.goals
            for part in goal.named(self.scene) if part.object in names)

    def _moved(self, task: str) -> Groups:
        moved = or_else((), lambda: self.read(task).may_move(self.scene))
        return (moved,) if moved else ()

    def _among(self, phrase: str, names: Sequence[str]) -> tuple[str, ...]:
        """Which of the named ones the phrase means: by itself, or by what is around them."""
        if not names:
            return self._meant(phrase, self.scene, ())
        only = tuple(o for o in self.scene.objects if o.name in names or not o.movable)
        try:
            found = self._meant(phrase, replace(self.scene, objects=only), [tuple(names)])
        except Unclear:
            parts = phrases(phrase, self.scene)
            found = tuple(n for n in fitting(phrase, self.scene, self.viewpoint) if n in names)
            if len(found) != 1 or len(parts) > 1 or not is_bare(replace(parts[0], places=())):
                raise
        if not set(found) <= set(names):
            raise which(f'{phrase!r} is not one of {", ".join(names)}')
        return found

    def _asks_among(self, sentence: str, names: Sequence[str]) -> bool:
        """Whether the sentence asks which one, of no others than these."""
        asked = self.question(sentence)
        return isinstance(asked, Unclear) and bool(asked.candidates) and (
            not names or set(asked.candidates) <= set(names))

    def _meant(self, phrase: str, scene: Scene, said: Groups,
               like: NounPhrase | None = None) -> tuple[str, ...]:
        """The objects that are meant after those that were said. Raises one of REFUSED."""
        found: list[str] = []
        for part in phrases(phrase, scene):
            context = Discourse(scene, self.viewpoint, list(said))
            alike = part if like is None or exact_name(like, scene) else like_before(part, like)
            try:
                found += meant(alike, context)
            except Unclear as why:
                if why.candidates or alike == part:
                    raise
                found += meant(part, context)  # "the lemon. And the other one too"
        return tuple(dict.fromkeys(found))

    def listed(self, names: Sequence[str]) -> str:
        """Words that mean these things and no others."""
        return listed([called(name, self.scene) for name in names])


def _needs_more(place: str, order: Command) -> bool:
    """Whether a place says a direction only, after one that says from what or how far."""
    said = parsed(place, None, 'places')[0]
    return any(p.relation is Relation.ASIDE and p.distance_m is None for p in said) and any(
        p.landmarks or p.distance_m is not None for p in order.places)


def _is_order(text: str, scene: Scene) -> bool:
    try:
        return bool(readings(text, scene))
    except Open:
        return True
    except NotUnderstood:
        return False


def _replaced(task: str, old: str, new: str) -> Iterator[str]:
    """The task with other words in each place where the old ones are; "A ... B" is all between."""
    words = ' '.join(map(str, parser().lexicon.tokens(task))).split()
    first, _, last = (part.split() for part in old.partition(' ... '))
    for at in range(len(words)):
        if not first or words[at:at + len(first)] != first:
            continue
        end = at + len(first)
        if last:
            end = next((n + len(last) for n in range(end, len(words))
                        if words[n:n + len(last)] == last), 0)
        if end:
            yield ' '.join([*words[:at], new, *words[end:]]).replace(' ,', ',')
