"""What "remove", "take off" and "take out" mean: a thing is no longer where it was."""

from __future__ import annotations

from dataclasses import replace

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.orders import Order
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import Shape
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import is_inside, is_resting_on

from ..nouns import TOWERS
from ..phrases import Command, NounPhrase
from .placements import Placements
from .referents import one


class Removals(Placements):
    """Gives the goals of a command that takes things off or out of others."""

    def _taken_off(self, command: Command) -> Order:
        """ "remove the top cube": from whatever it is on or in. "Out" means those inside."""
        goals = []
        names = self._names(_there(replace(command, places=command.places[:-1])))
        inside = [n for n in names if any(is_inside(self._thing(n), o)
                                          for o in self.scene.without([n]))]
        names = (inside or names) if command.places else names
        rest = any(p.quantity in ('rest', 'others') for p in command.things)
        names = self._kept_with(names) or names if rest else names
        self.context.mentioned[-1] = tuple(names)
        holders = {o.name for n in names for o in self.scene.objects
                   if o.is_container and is_inside(self._thing(n), o)}
        if len(holders) > 1 and rest:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'out of which one: '
                          f'{", ".join(sorted(holders))}?', sorted(holders))
        for name in names:
            below = [o for o in self.scene.without([name]) if o.shape is not Shape.TABLE
                     and is_resting_on(self._thing(name), o)]
            if not below:
                raise Unclear(Reason.AMBIGUOUS_OBJECT, f'{name} is on the table: where should '
                              'it go? For example "in the bin"')
            predicate = Predicate.IN if below[0].is_container else Predicate.ON
            goals.append(Goal(predicate, name, below[0].name, negated=True))
            self.context.landmarks.append(below[0].name)
        return Order(tuple(goals))

    def _remove(self, command: Command) -> Order:
        if not command.places or not command.places[-1].landmarks:
            return self._taken_off(command)
        place = command.places[-1]
        if TOWERS & set(place.landmarks[0].words):
            return self._off_the_tower(command)
        landmark = one(place.landmarks[0], self.context)
        below = self._thing(landmark)
        if below == self.scene.table:
            raise Unclear(Reason.BAD_ARGUMENTS, f'where should it go from the {landmark}?')
        self.context.landmarks.append(landmark)
        first = command.things[0]
        if len(command.things) == 1 and first.words == ('thing',) and not (
                first.without or first.count):
            return Order((Goal(Predicate.CLEAR, landmark),))
        names = self._names(_there(command))
        predicate = Predicate.IN if below.is_container else Predicate.ON
        return Order(tuple(Goal(predicate, n, landmark, negated=True) for n in names))

    def _off_the_tower(self, command: Command) -> Order:
        names = self._names(_there(command))
        pairs = [(n, o.name) for n in names for o in self.scene.without([n])
                 if is_loose(o) and is_resting_on(self._thing(n), o)]
        if not pairs:
            raise Unclear(Reason.OBJECT_NOT_FOUND, f'{", ".join(names)} is not on a tower',
                          cause=Cause.PRECONDITION_FAILED)
        return Order(tuple(Goal(Predicate.ON, n, below, negated=True) for n, below in pairs))


def _there(command: Command) -> list[NounPhrase]:
    """The things of a command that are at its place: "the smallest one off the tower"."""
    return [t if t.pronoun else replace(t, places=(*t.places, *command.places))
            for t in command.things]
