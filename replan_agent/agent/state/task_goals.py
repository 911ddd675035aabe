# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The goals of a task: who named them, and how far they are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from replan_agent.domain.event import GoalsSet, ProgressSeen, WarningRaised
from replan_agent.domain.failure import Attempt
from replan_agent.domain.goal import SUPPORTED, Goal
from replan_agent.domain.scene import Scene
from replan_agent.domain.suggested_plan import SuggestedGoal, SuggestedPlan
from replan_agent.domain.task_result import GOALS_OF_THE_TASK
from replan_agent.geometry.goal_words import goals_in_words, left_alone_in_words, spoken
from replan_agent.geometry.judging import goals_met, seen_in

from ..goal_rules import may_replace
from ..ports import Record


@dataclass
class TaskGoals:
    """The goals of one task. PLAN sets them, VERIFY judges them.

    `certain`: the task's own words name them. `left_alone` is what the task says to leave where
    it is. `suggested` is the planner's way to them in stages.
    """

    record: Record
    all: tuple[Goal, ...] = ()
    certain: bool = False
    verified: bool | None = None
    left_alone: frozenset[str] = frozenset()
    suggested: SuggestedPlan | None = None
    _most_met: int = 0

    @property
    def understood(self) -> str:
        """The goals, and what is left alone, in words; '' without goals."""
        alone = left_alone_in_words(map(spoken, sorted(self.left_alone)))
        return self.all and goals_in_words(self.all, self._stages) + alone or ''

    @property
    def _stages(self) -> Sequence[Goal]:
        return self.suggested.passed(self.all) if self.suggested is not None else ()

    def staying(self, scene: Scene) -> frozenset[str]:
        """What no workaround moves: what is left alone, and what the task fills or loads."""
        goals = [g for g in (*self.all, *self._stages) if g.predicate in SUPPORTED
                 and not g.negated and not (g.things and g.things.verdict([]))]  # none would do
        moved = {part.object for goal in goals for part in goal.named(scene)}
        return self.left_alone | {name for g in goals for name in (
            g.targets.names(scene) if g.targets else (g.target,)) if name and name not in moved}

    def named_by(self, planner: str) -> str:
        """Who named the goals: 'task' (its own words), else the planner; '' without goals."""
        return '' if not self.all else GOALS_OF_THE_TASK if self.certain else planner

    def change(self, goals: tuple[Goal, ...], certain: bool, scene: Scene) -> None:
        """Set the goals. Those that the scene shows already are no progress."""
        if (goals, certain) != (self.all, self.certain):
            self.all, self.certain = goals, certain
            self._most_met = goals_met(goals, scene)
            self.record(GoalsSet(goals, certain))

    def take(self, named: tuple[Goal, ...], certain: bool, scene: Scene,
             attempts: Sequence[Attempt]) -> None:
        """Keep the first goals.

        Uncertain ones may be extended, or corrected by the task's words. What the attempts
        proved impossible may become a look-alike.
        """
        by_words = certain and not self.certain
        same = set(named) == set(self.all) or not (named or by_words)
        if not self.all or same:
            self.change(named if not self.all else self.all, certain or self.certain, scene)
            return
        old, new = (', '.join(map(str, goals)) for goals in (self.all, named))
        if by_words:
            why = 'by the words of the task'
        elif not self.certain and set(named) > set(self.all):
            why = 'the planner adds to it'
        elif may_replace(self.all, named, scene, attempts):
            why = 'it was proved impossible, and the two look alike'
        else:
            self.record(WarningRaised(f'the goal stays {old}: a later plan named {new}'))
            return
        self.change(named, certain or self.certain, scene)
        self.record(WarningRaised(f'the goal was {old} and is now {new or "none"}: {why}'))

    def progressed(self, scene: Scene) -> bool:
        """Whether more goals are met than ever before in this task."""
        met = 0 if scene.stale else goals_met(self.all, scene)
        before, self._most_met = self._most_met, max(met, self._most_met)
        return met > before

    def suggest(self, plan: SuggestedPlan, scene: Scene) -> None:
        """Take the planner's stages. Those of the earlier ones that are met stay."""
        self._see(plan if self.suggested is None else self.suggested.revised(plan.goals), scene)

    def revise(self, stages: tuple[SuggestedGoal, ...], scene: Scene) -> None:
        """Replace the stages that are not met yet, if there are any."""
        if self.suggested is not None and stages:
            self._see(self.suggested.revised(stages), scene)

    def see_stages(self, scene: Scene) -> None:
        """Note which stages the scene shows."""
        if self.suggested is not None and not scene.stale:
            self._see(self.suggested, scene)

    def _see(self, plan: SuggestedPlan, scene: Scene) -> None:
        seen = seen_in(plan, scene)
        if seen != self.suggested:
            self.suggested = seen
            self.record(ProgressSeen(seen.progress_step, tuple(goal.text for goal in seen.goals)))
