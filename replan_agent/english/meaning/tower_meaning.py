"""Commands about towers to orders: stack, build, take apart."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.cause import Cause
from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.orders import Order
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import is_inside, is_resting_on, resting_on
from replan_agent.geometry.room.free_place import is_within_reach

from ..nouns import TOWERS
from ..phrases import Command, NounPhrase
from . import arrangements
from .place_meaning import check_stays
from .ranks import tower_of
from .referents import one, several
from .removals import Removals


class TowerMeaning(Removals):
    """Gives the order of a command to stack things, or to take a tower apart."""

    def _stack(self, command: Command) -> Order:
        chain = self._chain(command)
        below = [one(p.landmarks[0], self.context, apart_from=chain) for p in command.places]
        chain = [*below, *(n for n in chain if n not in below)]
        if len(chain) < 2:
            raise Unclear(Reason.BAD_ARGUMENTS, f'one thing alone makes no stack: {chain[0]}')
        self.context.landmarks += below
        for lower, upper in zip(chain, chain[1:]):
            check_stays(self._thing(upper), self._thing(lower))
        goals = [Goal(Predicate.STACKED, upper, lower) for lower, upper in zip(chain, chain[1:])]
        return Order(tuple(goals))

    def _chain(self, command: Command) -> list[str]:
        """What is stacked, the lowest first: as it was said, or the biggest at the bottom."""
        only = command.things[0]
        if command.key in ('top', 'bottom', 'ends'):
            return self._with_end(command)
        names = self._names(command.things, of_several=True)
        if command.places and only.quantity == 'exactly':  # "two cubes on the red cube"
            below = [one(p.landmarks[0], self.context) for p in command.places]
            names = [n for n in names if n not in below]
        if command.key == 'ordered' or command.places and len(names) == 1:
            return names
        names = self._bottom_up(names)
        if len(command.things) == 1 and only.quantity == 'exactly' and only.count:
            names = names[:only.count]
        self.context.mentioned[-1] = tuple(names)
        return names

    def _bottom_up(self, names: Sequence[str]) -> list[str]:
        """The widest at the bottom; of equal ones, as the tower was begun.

        Else one is at the bottom that stands where the arm reaches well.
        """
        return arrangements.bottom_up([self._thing(name) for name in self._as_begun(names)])

    def _as_begun(self, names: Sequence[str]) -> list[str]:
        """The names, what is stacked already or was decided earlier first, each on the one before.

        So a new plan does not build the tower in another order.
        """
        below: dict[str, str] = {}
        for name in names:
            standing = (o.name for o in self.scene.objects if o.name != name
                        and self.scene.held != name and is_resting_on(self._thing(name), o))
            known = (*self.put(name), self.stacks.get(name), *standing)
            lower = next((n for n in known if n in names and n != name), None)
            if lower is not None:
                below[name] = lower
        feet = sorted((n for n in names if n not in below), key=lambda n: (
            n not in below.values(),
            not is_within_reach(self._thing(n).position[:2], self.scene.hand)))
        found: list[str] = []
        for foot in feet:
            found.append(foot)
            for lower in found:  # it grows: what stands on it comes next
                found += [n for n in names if below.get(n) == lower and n not in found]
        return [*found, *(n for n in names if n not in found)]

    def _with_end(self, command: Command) -> list[str]:
        """ "the cubes with the red one at the bottom"."""
        count = 2 if command.key == 'ends' else 1
        others, last = command.things[:-count], command.things[-count:]
        names = self._names(others, of_several=True)
        ends = [one(p, self.context, lambda o: o.name in names) for p in last]
        if len(set(ends)) < count:
            raise Unclear(Reason.BAD_ARGUMENTS, f'{ends[0]} cannot be at the bottom and on top')
        chain = self._bottom_up([n for n in names if n not in ends])
        if others[0].quantity == 'exactly' and others[0].count:
            chain = chain[:others[0].count - count]
        self.context.mentioned[-1] = (*ends, *chain)
        if command.key == 'ends':
            return [ends[0], *chain, ends[1]]
        return [*ends, *chain] if command.key == 'bottom' else [*chain, *ends]

    def _members(self, towers: Sequence[NounPhrase]) -> list[str]:
        """All things of the towers."""
        tops = [name for phrase in towers for name in (
            several(phrase, self.context).names(self.scene) if phrase.is_several
            else (one(phrase, self.context),))]
        return list(dict.fromkeys(o.name for top in tops
                                  for o in tower_of(self._thing(top), self.scene)))

    def _left(self, phrases: Sequence[NounPhrase]) -> list[str]:
        """What should stay; of "the tower", all of it. On "it" is then on its top."""
        towers = [p for p in phrases if TOWERS & set(p.words)]
        others = [p for p in phrases if p not in towers]
        names = [*self._members(towers), *(self._names(others) if others else ())]
        tops = [n for n in names if n in self._members(towers)
                and not resting_on(self._thing(n), self.scene)]
        self.context.mentioned += [tuple(tops)] if tops else []
        return names

    def _unstack(self, command: Command) -> Order:
        table = arrangements.table_of(self.scene)
        if any(TOWERS & set(phrase.words) for phrase in command.things):
            names = self._members(command.things)
        elif command.things:
            names = [n for n in self._names(command.things) if not any(
                is_inside(self._thing(n), o) for o in self.scene.objects if o.is_container)]
        else:
            names = [o.name for o in self.scene.objects if is_loose(o) and any(
                is_resting_on(o, b) or is_resting_on(b, o) for b in self.scene.objects
                if b.name != o.name and is_loose(b))]
        if not names:
            raise Unclear(Reason.OBJECT_NOT_FOUND, 'nothing here is stacked',
                          cause=Cause.PRECONDITION_FAILED)
        return Order(tuple(Goal(Predicate.ON, n, table.name) for n in names))
