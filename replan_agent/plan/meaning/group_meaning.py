"""Commands about things that should stand together: side by side, or in groups."""

from __future__ import annotations

from collections.abc import Sequence

from replan_agent.domain.goal import Goal, Predicate, is_resting_on
from replan_agent.domain.kinds import is_loose
from replan_agent.domain.scene import SceneObject
from replan_agent.domain.skill import Reason

from ..language.phrases import Command
from .arrangements import SORT_KEYS
from .clusters import clusters
from .orders import Order
from .tower_meaning import TowerMeaning
from .unclear import Unclear


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
        phrases = self._there(command.things)
        named = [self._names([phrase]) for phrase in phrases]
        self.context.mentioned[-len(phrases):] = [tuple(n for names in named for n in names)]
        groups = [[self._thing(n) for n in names] for names in named]
        if len(groups) == 1 and command.key:
            key = SORT_KEYS[command.key]
            kinds = dict.fromkeys(map(key, groups[0]))
            groups = [[o for o in groups[0] if key(o) == kind] for kind in kinds]
        meant = [o for group in groups for o in group]
        if len({o.name for o in meant}) < len(meant):
            raise Unclear(Reason.BAD_ARGUMENTS, 'one thing cannot be in two groups: '
                          f'"{command.text}" names some of them twice')
        loads = self._on_top_of(meant)
        spots = self.fixed if {o.name for o in (*meant, *loads)} <= set(self.fixed) else (
            clusters(groups, loads, self._others([*meant, *loads]), self.context))
        return Order(tuple(Goal(Predicate.AT, o.name, position=spots[o.name])
                           for o in (*loads, *meant)))

    def _on_top_of(self, things: Sequence[SceneObject]) -> list[SceneObject]:
        """Other things that lie on them: they go elsewhere."""
        found: list[SceneObject] = []
        left = [o for o in self.scene.objects if is_loose(o) and o not in things]
        while above := [o for o in left if o not in found and any(
                is_resting_on(o, below) for below in (*things, *found))]:
            found += above
        return found
