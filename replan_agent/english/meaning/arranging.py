# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands that take things off others, stack them, or put them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose, is_thing
from replan_agent.domain.orders import Order
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import SceneObject, Shape
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import is_inside, load, resting_on, support_below
from replan_agent.geometry.layouts import clusters, links
from replan_agent.geometry.room.free_place import is_within_reach
from replan_agent.geometry.towers import bottom_up, foot_of, is_stacked

from ..dictionary import is_tower
from ..phrases import Command, NounPhrase
from . import arrangements
from .placements import Placements
from .referents import candidates, one, spared, whole
from .said_before import cannot, missing, which


class Arranging(Placements):
    """Gives the order of a command to remove, stack, unstack, gather or group things."""

    def _remove(self, command: Command) -> Order:
        """Out of or off what is named, or of whatever each thing is in or on."""
        phrase = next((p.landmarks[0] for p in command.places[-1:] if p.landmarks), None)
        first, below = command.things[0], None
        if phrase is not None and not is_tower(phrase):
            below = self._thing(one(phrase, self.context))
            if below == self.scene.table:
                raise cannot(f'where should it go from the {below.name}?')
            if len(command.things) == 1 and first.words == ('thing',) and not (
                    first.without or first.count):
                self.context.landmarks.append(below.name)
                self.context.mentioned.append(tuple(o.name for o in resting_on(below, self.scene)))
                return Order((Goal(Predicate.CLEAR, below.name),))
        names = self._names([t if t.pronoun else replace(t, places=(*t.places, *command.places))
                             for t in command.things])
        found = {n: below or support_below(self._thing(n), self.scene) for n in names}
        goals = [Goal(Predicate.IN if o.is_container else Predicate.ON, n, o.name, negated=True)
                 for n, o in found.items() if o is not None and o.shape is not Shape.TABLE]
        if len(goals) < len(found) and not (command.places and goals):  # "out", "off the tower"
            raise which(f'{", ".join(found)}: on the table, so where should it go? For example '
                        '"in the bin"')
        self.context.mentioned[-1] = tuple(g.object or '' for g in goals)
        self.context.landmarks += [g.target or '' for g in goals]
        return Order(tuple(goals))

    # Towers and rows

    def _stack(self, command: Command) -> Order:
        chain = self._chain(command)
        below = [one(p.landmarks[0], self.context, apart_from=chain) for p in command.places]
        chain = [*below, *(n for n in chain if n not in below)]
        if len(chain) < 2:
            raise cannot(f'one thing alone makes no stack: {chain[0]}')
        self.context.landmarks += below
        goals = [Goal(Predicate.STACKED, upper, lower) for lower, upper in zip(chain, chain[1:])]
        for goal in goals:
            self._check_possible(goal)
        if command.only:  # nothing else is in the tower
            goals = [self._foot(chain[0], len(chain)), *goals, Goal(Predicate.CLEAR, chain[-1])]
        return Order(tuple(goals))

    def _foot(self, name: str, levels: int) -> Goal:
        """The lowest stands on the table. Close to the base, the arm reaches no third level."""
        thing = self._thing(name)
        if levels < 3 or is_within_reach(thing.position[:2], self.scene.hand):
            return Goal(Predicate.ON, name, arrangements.table_of(self.scene).name)
        return Goal(Predicate.AT, name, position=arrangements.nearest_spot(
            thing, thing.position[:2], self.context))

    def _chain(self, command: Command) -> list[str]:
        """What is stacked, the lowest first: as it was said, or the biggest at the bottom.

        `command.key` may say which things come last, and are at the bottom or on top.
        """
        count = {'top': 1, 'bottom': 1, 'ends': 2}.get(command.key, 0)
        last = len(command.things) - count
        phrases = command.things[:last]
        names = self._names(phrases, of_several=True)
        ends = [one(p, self.context, lambda o: o.name in names) for p in command.things[last:]]
        if len(set(ends)) < count:
            raise cannot(f'{ends[0]} cannot be at both ends')
        exactly = phrases[0].count if phrases[0].quantity == 'exactly' else None
        if command.places and exactly:  # "two cubes on the red cube"
            below = [one(p.landmarks[0], self.context) for p in command.places]
            names = [n for n in names if n not in below]
        if command.key == 'ordered' or command.places and len(names) == 1:
            return names
        chain = bottom_up(self._as_begun([n for n in names if n not in ends]))
        if exactly and len(phrases) == 1:
            chain = chain[:exactly - count]
        self.context.mentioned[-1] = (*ends, *chain)
        top = ends[-1:] if command.key != 'bottom' else []
        return [*(n for n in ends if n not in top), *chain, *top]

    def _as_begun(self, names: Sequence[str]) -> list[SceneObject]:
        """As they were decided, or stand on each other now: a new plan keeps the order.
        Else one is at the bottom that stands where the arm reaches well."""
        decided = [n for g in self.decided if g.predicate is Predicate.STACKED
                   for n in (g.target, g.object)]
        feet = {n: foot_of(self._thing(n), self.scene).name for n in names}
        on_one = Counter(foot for name, foot in feet.items() if name != self.scene.held)
        return sorted(map(self._thing, names), key=lambda o: (
            decided.index(o.name) if o.name in decided else len(decided),
            *((-on_one[feet[o.name]], feet[o.name], o.bottom_z) if on_one[feet[o.name]] > 1 else
              (0, '', not is_within_reach(o.position[:2], self.scene.hand)))))

    def _left(self, phrases: Sequence[NounPhrase]) -> list[str]:
        """What should stay; of "the tower", all of it. On "it" is then on its top."""
        stacked = [n for p in phrases if is_tower(p) for n in whole(p, self.context)]
        others = [spared(p) for p in phrases if not is_tower(p)]
        names = [*stacked, *(self._names(others) if others else ())]
        tops = tuple(n for n in stacked if not resting_on(self._thing(n), self.scene))
        self.context.mentioned += [tops] if tops else []
        return names

    def _unstack(self, command: Command) -> Order:
        table = arrangements.table_of(self.scene)
        if any(map(is_tower, command.things)):
            names = [n for p in command.things for n in whole(p, self.context)]
        elif command.things:
            names = [n for n in self._names(command.things) if not any(
                is_inside(self._thing(n), o) for o in self.scene.objects if o.is_container)]
        else:
            names = [o.name for o in self.scene.objects if is_stacked(o, self.scene)]
        if not names:
            raise missing('nothing here is stacked')
        return Order(tuple(Goal(Predicate.ON, n, table.name) for n in names))

    # Things that stand together

    def _gather(self, command: Command) -> Order:
        names = self._names(command.things)
        if len(names) < 2:
            raise cannot(f'next to what? {names[0]} is one thing')
        return Order(tuple(Goal(Predicate.NEAR, second, first)
                           for first, second in zip(names, names[1:])))

    def _group(self, command: Command) -> Order:
        """A group for each kind that is named, apart from all else."""
        stay = [o.name for p in command.things if p.is_several
                for o in candidates(p, self.context) if o.name in self.context.left_alone]
        if stay:  # "without moving the red one": is it one of them?
            raise which('what is in the group? Name the things of it.', stay)
        named = [self._names([phrase]) for phrase in command.things]
        self.context.mentioned[-len(named):] = [tuple(n for names in named for n in names)]
        groups: dict[object, list[SceneObject]] = {}
        for number, thing in ((i, self._thing(n)) for i, names in enumerate(named) for n in names):
            apart = command.key in ('', 'kind')  # what is named apart is of another kind, too
            alike = arrangements.SORT_KEYS[command.key](thing) if command.key else ''
            groups.setdefault((number if apart else 0, alike), []).append(thing)
        members = [o for group in groups.values() for o in group]
        if len({o.name for o in members}) < len(members):
            raise cannot('one thing cannot be in two groups: '
                         f'"{command.text}" names some of them twice')
        loads = [o for o in self.scene.objects if is_loose(o) and o not in members and any(
            o in load(below, self.scene) for below in members)]  # they have to go elsewhere
        others = [o for o in self.scene.objects if is_thing(o) and o not in (*members, *loads)]
        there = clusters(list(groups.values()), loads, others, self.scene,
                         arrangements.table_of(self.scene))
        if there is None:
            raise Unclear(Reason.TARGET_OCCUPIED, 'there is no room for groups that are apart: '
                          + ', '.join('+'.join(o.name for o in g) for g in groups.values()))
        spots = [Goal(Predicate.AT, o.name, position=there[o.name].position[:2])
                 for o in (*loads, *members)]
        near = [Goal(Predicate.NEAR, one.name, other.name) for group in groups.values()
                for one, other in links([there[o.name] for o in group])]
        return Order((*spots, *near))
