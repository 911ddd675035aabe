"""Commands about things that should stand together: side by side, or in groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from replan_agent.domain.goal import Goal, Predicate
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.orders import Order
from replan_agent.domain.refusals import Unclear
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason
from replan_agent.geometry.judging import is_resting_on

from ..phrases import Command
from .arrangements import SORT_KEYS
from .clusters import clusters, links
from .referents import candidates
from .tower_meaning import TowerMeaning


class GroupMeaning(TowerMeaning):
    """Gives the order of a command to put things together."""

    def _gather(self, command: Command) -> Order:
        names = self._names(command.things)
        if len(names) < 2:
            raise Unclear(Reason.BAD_ARGUMENTS, f'next to what? {names[0]} is one thing')
        return Order(tuple(Goal(Predicate.NEAR, second, first)
                           for first, second in zip(names, names[1:])))

    def _group(self, command: Command) -> Order:
        """A group for each kind that is named, apart from all else."""
        self._check_left_alone(command)
        named = [self._names([phrase]) for phrase in command.things]
        self.context.mentioned[-len(named):] = [tuple(n for names in named for n in names)]
        groups = [[self._thing(n) for n in names] for names in named]
        if command.key:
            groups = _by_key(groups, command.key)
        meant = [o for group in groups for o in group]
        if len({o.name for o in meant}) < len(meant):
            raise Unclear(Reason.BAD_ARGUMENTS, 'one thing cannot be in two groups: '
                          f'"{command.text}" names some of them twice')
        loads = self._on_top_of(meant)
        spots = self.fixed if {o.name for o in (*meant, *loads)} <= set(self.fixed) else (
            clusters(groups, loads, self._others([*meant, *loads]), self.context))
        spot_goals = [Goal(Predicate.AT, o.name, position=spots[o.name]) for o in (*loads, *meant)]
        return Order((*spot_goals, *(goal for group in groups for goal in self._near_goals(
            links(group, spots, self.context)))))

    def _check_left_alone(self, command: Command) -> None:
        """Raises Unclear for "group the cubes without moving the red one": is it one of them?"""
        whole = replace(self.context, left_alone=frozenset())
        stay = [o.name for phrase in command.things if phrase.is_several
                for o in candidates(phrase, whole) if o.name in self.context.left_alone]
        if stay:
            raise Unclear(Reason.AMBIGUOUS_OBJECT, f'should {", ".join(stay)} be in the group, '
                          'where it is, or not? Name the things of the group', stay)

    def _on_top_of(self, things: Sequence[SceneObject]) -> list[SceneObject]:
        """What lies on them and is not one of them: it has to go elsewhere."""
        found: list[SceneObject] = []
        left = [o for o in self.scene.objects if is_loose(o) and o not in things]
        while above := [o for o in left if o not in found and any(
                is_resting_on(o, below) for below in (*things, *found))]:
            found += above
        return found


def _by_key(groups: list[list[SceneObject]], key: str) -> list[list[SceneObject]]:
    """The groups of what is alike. What is named apart is of another kind, too."""
    alike = SORT_KEYS[key]
    found: dict[object, list[SceneObject]] = {}
    for number, group in enumerate(groups):
        for thing in group:
            found.setdefault((number if key == 'kind' else 0, alike(thing)), []).append(thing)
    return list(found.values())
